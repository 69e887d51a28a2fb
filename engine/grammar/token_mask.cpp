#include "engine/grammar/token_mask.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

void allow(std::vector<std::uint64_t>& mask, TokenId token) {
    mask[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1}
                                                  << (static_cast<std::size_t>(token) % 64);
}

bool isEnd(const VocabularyTries& tries, TokenId token) {
    return std::ranges::find(tries.endTokens(), token) != tries.endTokens().end();
}

}  // namespace

std::vector<std::uint64_t> TokenMask::walk() {
    const TokenTrie& tree = started_ ? vocabulary_->inside() : vocabulary_->atStart();
    std::vector<std::uint64_t> mask((tree.vocabulary() + 63) / 64);
    path_.resize(static_cast<std::size_t>(tree.depth()) + 1);
    path_[0] = place_;
    if (started_ && walkBroad(mask)) {
        ++walks_.broad;
    } else {
        walkFine(mask);
        ++walks_.fine;
    }
    if (reader_.mayEnd(place_))
        for (const TokenId token : vocabulary_->tries().endTokens()) allow(mask, token);
    return mask;
}

/// Stops if too many tokens diverge inside a broad class; the mask is then incomplete but not
/// wrong.
bool TokenMask::walkBroad(std::vector<std::uint64_t>& mask) {
    const TokenTrie& tree = vocabulary_->broad();
    std::size_t mayBeAlone = tree.vocabulary() / kOneCheckedIn;
    const auto nodes = tree.nodes();
    for (std::size_t i = 0; i < nodes.size();) {
        const TokenTrie::Node& node = nodes[i];
        const GrammarReader::Place at = path_[node.depth];
        const GrammarReader::Place next = reader_.nextOfBroadClass(at, node.byte);
        if (next == GrammarReader::kNowhere) {
            i = node.end;
        } else if (next == GrammarReader::kSplit) {
            const auto alone = tree.tokensFrom(node);
            if (alone.size() > mayBeAlone) return false;
            mayBeAlone -= alone.size();
            for (const TokenId token : alone)
                if (reader_.next(at, texts(true).text(token).substr(node.depth)) !=
                    GrammarReader::kNowhere)
                    allow(mask, token);
            i = node.end;
        } else {
            path_[node.depth + 1U] = next;
            for (const TokenId token : tree.tokens().subspan(node.firstToken, node.tokens))
                allow(mask, token);
            ++i;
        }
    }
    return true;
}

void TokenMask::walkFine(std::vector<std::uint64_t>& mask) {
    const TokenTrie& tree = started_ ? vocabulary_->inside() : vocabulary_->atStart();
    const auto nodes = tree.nodes();
    for (std::size_t i = 0; i < nodes.size();) {
        const TokenTrie::Node& node = nodes[i];
        const GrammarReader::Place next = reader_.nextOfClass(path_[node.depth], node.byte);
        if (next == GrammarReader::kNowhere) {
            i = node.end;
            continue;
        }
        path_[node.depth + 1U] = next;
        for (const TokenId token : tree.tokens().subspan(node.firstToken, node.tokens))
            allow(mask, token);
        ++i;
    }
}

/// Long answers visit many states, and most grammars do not revisit the old ones.
void TokenMask::makeRoom() {
    if (reader_.places() > kMaxIndexedStates) {
        place_ = reader_.keepOnly(place_);
        masks_.clear();
    }
    if (masks_.size() >= kMaxMasks) masks_.clear();
}

Result<std::span<const std::uint64_t>> TokenMask::allowed() {
    if (ended_) return fail(ErrorCode::Unsupported, "the answer has ended; no token may follow");
    // The first token uses its own trie, and no other step revisits its state before the mask is
    // used.
    if (!started_) masks_.clear();
    reader_.allowSteps(kStepsPerMask);
    makeRoom();
    auto found = masks_.find(place_);
    if (found == masks_.end()) found = masks_.emplace(place_, walk()).first;
    if (reader_.tooMuchWork())
        return fail(
            ErrorCode::Unsupported,
            format(
                "the grammar is too complex here: the next tokens take more than {} steps to find",
                kStepsPerMask));
    if (std::ranges::any_of(found->second, [](std::uint64_t word) { return word != 0; }))
        return std::span<const std::uint64_t>(found->second);
    if (reader_.tooAmbiguous())
        return fail(
            ErrorCode::Unsupported,
            format("the grammar is too ambiguous: the text so far has more than {} readings",
                   GrammarReader::kMaxMeanings));
    return fail(ErrorCode::Unsupported,
                reader_.mayEnd(place_)
                    ? "the text is complete, but the vocabulary has no token that ends an answer"
                    : "no token of the vocabulary fits the grammar here");
}

Status TokenMask::accept(TokenId token) {
    if (isEnd(vocabulary_->tries(), token) && mayEnd()) {
        ended_ = true;
        return {};
    }
    const std::string_view text = texts(started_).text(token);
    reader_.allowSteps(kStepsPerMask);
    const GrammarReader::Place next =
        text.empty() || ended_ ? GrammarReader::kNowhere : reader_.next(place_, text);
    if (reader_.tooMuchWork())
        return fail(ErrorCode::Unsupported, "the grammar is too complex here");
    if (next == GrammarReader::kNowhere)
        return fail(ErrorCode::InvalidArgument, format("token {} is not allowed here", token));
    if (!started_) masks_.clear();
    place_ = next;
    started_ = true;
    return {};
}

std::size_t TokenMask::fitting(std::span<const TokenId> tokens) {
    GrammarReader::Place place = place_;
    bool started = started_;
    reader_.allowSteps(kStepsPerMask);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (isEnd(vocabulary_->tries(), tokens[i])) return reader_.mayEnd(place) ? i + 1 : i;
        const std::string_view text = texts(started).text(tokens[i]);
        place = text.empty() ? GrammarReader::kNowhere : reader_.next(place, text);
        if (place == GrammarReader::kNowhere) return i;
        started = true;
    }
    return tokens.size();
}

}  // namespace lacuna
