#include "engine/grammar/vocabulary_tries.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

std::size_t commonLength(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return n;
}

}  // namespace

/// Adds the nodes of `text` that its predecessor does not have. `path` holds the open nodes by
/// depth, `token` is the index in sorted order.
void TokenTrie::addNodes(std::string_view previous, std::string_view text,
                         std::vector<std::uint32_t>& path, std::size_t token) {
    const std::size_t common = commonLength(previous, text);
    for (; path.size() > common; path.pop_back())
        nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t i = common; i < text.size(); ++i) {
        path.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back({.firstToken = static_cast<std::uint32_t>(token),
                          .depth = static_cast<std::uint16_t>(i),
                          .byte = static_cast<std::uint8_t>(text[i])});
    }
}

/// Stable merge sort in runs short enough to check for cancellation in between.
void TokenTrie::sortByText(WorkBudget* work) {
    constexpr std::size_t kRun = 4096;
    const auto before = [this](TokenId a, TokenId b) { return text(a) < text(b); };
    const auto at = [this](std::size_t i) {
        return order_.begin() + static_cast<std::ptrdiff_t>(std::min(i, order_.size()));
    };
    std::vector<TokenId> merged;
    for (std::size_t begin = 0; begin < order_.size(); begin += kRun) {
        if (work != nullptr && !work->spend(kRun)) return;
        std::stable_sort(at(begin), at(begin + kRun), before);
    }
    for (std::size_t run = kRun; run < order_.size(); run *= 2) {
        merged.clear();
        merged.reserve(order_.size());
        for (std::size_t begin = 0; begin < order_.size(); begin += 2 * run) {
            auto left = at(begin);
            auto right = at(begin + run);
            const auto middle = right;
            const auto end = at(begin + 2 * run);
            while (left != middle || right != end) {
                if (work != nullptr && !work->spend()) return;
                const bool takeRight = left == middle || (right != end && before(*right, *left));
                merged.push_back(takeRight ? *right++ : *left++);
            }
        }
        order_.swap(merged);
    }
}

TokenTrie::TokenTrie(std::vector<std::string> texts, WorkBudget* work) : texts_(std::move(texts)) {
    for (std::size_t id = 0; id < texts_.size(); ++id)
        if (!texts_[id].empty() && texts_[id].size() <= kMaxTextLength)
            order_.push_back(static_cast<TokenId>(id));
    sortByText(work);
    std::vector<std::uint32_t> path;
    std::string_view previous;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::string_view one = text(order_[i]);
        if (work != nullptr && !work->spend(one.size())) return;
        addNodes(previous, one, path, i);
        ++nodes_[path.back()].tokens;
        depth_ = std::max(depth_, static_cast<int>(one.size()));
        previous = one;
    }
    for (const std::uint32_t open : path)
        nodes_[open].end = static_cast<std::uint32_t>(nodes_.size());
}

namespace {

bool changesNeighbours(const TokenizerData& data) {
    const auto changes = [](const DecodeStep& step) {
        return step.kind == DecodeStep::Kind::WordPiece ||
               step.kind == DecodeStep::Kind::WordSuffix;
    };
    return data.kind == TokenizerKind::WordPiece || std::ranges::any_of(data.decoder, changes);
}

/// Returns true if a token has text that may be part of an answer.
bool isText(const Tokenizer& tokenizer, TokenId id) {
    const auto& kinds = tokenizer.data().kinds;
    const TokenKind kind = kinds.empty() ? TokenKind::Normal : kinds[static_cast<std::size_t>(id)];
    const bool shown =
        kind == TokenKind::Normal || kind == TokenKind::UserDefined || kind == TokenKind::Byte;
    return shown && !tokenizer.isEndOfTurn(id);
}

constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
/// Step limit for all tries together, in bytes and comparisons. A vocabulary of a million tokens
/// takes a tenth of it.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 33;

Status statusOf(const WorkBudget& work) {
    return work.status(ErrorCode::Unsupported,
                       "the vocabulary is too large for answers that follow a grammar");
}

Result<std::vector<std::string>> textsOf(const Tokenizer& tokenizer, bool atStart,
                                         WorkBudget& work) {
    std::vector<std::string> texts(static_cast<std::size_t>(tokenizer.vocabularySize()));
    std::size_t bytes = 0;
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id) {
        work.spend(1 + (id == 0 ? 0 : texts[static_cast<std::size_t>(id) - 1].size()));
        LACUNA_TRY_STATUS(statusOf(work));
        if (!isText(tokenizer, id)) continue;
        Tokenizer::DecodeState state;
        state.first = state.stripping = atStart;
        LACUNA_TRY(texts[static_cast<std::size_t>(id)], tokenizer.decodeNext(id, state));
        bytes += texts[static_cast<std::size_t>(id)].size();
        if (bytes > kMaxTextBytes)
            return fail(ErrorCode::Unsupported,
                        format("a grammar cannot be used with this vocabulary: its tokens have "
                               "more than {} bytes",
                               kMaxTextBytes));
    }
    return texts;
}

}  // namespace

Result<std::shared_ptr<const VocabularyTries>> VocabularyTries::create(const Tokenizer& tokenizer,
                                                                       StopRequested stop) {
    if (changesNeighbours(tokenizer.data()))
        return fail(ErrorCode::Unsupported, format("a grammar cannot be used with a {} vocabulary: "
                                                   "its tokens change the text next to them",
                                                   tokenizerKindName(tokenizer.data().kind)));
    WorkBudget work(kMaxSteps, std::move(stop));
    LACUNA_TRY(std::vector<std::string> inside, textsOf(tokenizer, false, work));
    LACUNA_TRY(std::vector<std::string> start, textsOf(tokenizer, true, work));
    std::vector<TokenId> ends;
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id)
        if (tokenizer.isEndOfTurn(id)) ends.push_back(id);
    const bool alike = start == inside;
    std::shared_ptr<VocabularyTries> tries(
        new VocabularyTries(std::move(inside), std::move(ends), work));
    if (!alike) tries->start_.emplace(std::move(start), &work);
    LACUNA_TRY_STATUS(statusOf(work));
    return tries;
}

namespace {

/// Builds the trie of the same tokens with each byte replaced by its class; there are at most 256
/// classes.
TokenTrie classed(const ByteClasses& classes, const TokenTrie& tree, WorkBudget* work) {
    std::vector<std::string> texts(tree.vocabulary());
    for (const TokenId id : tree.tokens()) {
        if (work != nullptr && !work->spend(tree.text(id).size())) break;
        std::string& text = texts[static_cast<std::size_t>(id)];
        text = tree.text(id);
        for (char& c : text) c = static_cast<char>(classes.of[static_cast<std::uint8_t>(c)]);
    }
    return TokenTrie(std::move(texts), work);
}

}  // namespace

ClassedVocabulary::ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                                     std::shared_ptr<const VocabularyTries> tries, WorkBudget* work)
    : grammar_(std::move(grammar)),
      tries_(std::move(tries)),
      inside_(classed(grammar_->classes(), tries_->inside(), work)),
      broad_(classed(grammar_->broadClasses(), tries_->inside(), work)) {
    if (&tries_->atStart() != &tries_->inside())
        start_.emplace(classed(grammar_->classes(), tries_->atStart(), work));
}

Result<std::shared_ptr<const ClassedVocabulary>> ClassedVocabulary::create(
    std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries,
    StopRequested stop) {
    WorkBudget work(std::numeric_limits<std::uint64_t>::max(), std::move(stop));
    auto made =
        std::make_shared<const ClassedVocabulary>(std::move(grammar), std::move(tries), &work);
    LACUNA_TRY_STATUS(work.status(ErrorCode::Internal, ""));
    return made;
}

}  // namespace lacuna
