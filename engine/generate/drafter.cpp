#include "engine/generate/drafter.h"

#include <algorithm>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/generate/sampler.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

std::uint64_t hashOf(std::span<const TokenId> gram) {
    std::uint64_t hash = gram.size();
    for (const TokenId token : gram)
        hash = randomBits(hash, 0x6a7, static_cast<std::uint64_t>(token));
    return hash;
}

}  // namespace

/// Adds every run of tokens that has a successor; later occurrences replace earlier ones.
void NgramDrafter::index(std::span<const TokenId> history) {
    for (std::size_t end = std::max(indexed_, kMinLength); end < history.size(); ++end)
        for (std::size_t n = kMinLength; n <= std::min(kMaxLength, end); ++n)
            ends_[hashOf(history.subspan(end - n, n))] = end;
    indexed_ = std::max(indexed_, history.size());
}

std::vector<TokenId> NgramDrafter::propose(const DraftRequest& request) {
    const std::span<const TokenId> history = request.history;
    index(history);
    if (request.most <= 0) return {};
    for (std::size_t n = std::min(kMaxLength, history.size()); n >= kMinLength; --n) {
        const auto recent = history.last(n);
        const auto found = ends_.find(hashOf(recent));
        if (found == ends_.end()) continue;
        const std::size_t end = found->second;
        if (!std::ranges::equal(history.subspan(end - n, n), recent)) continue;  // hash collision
        const auto next = history.subspan(
            end, std::min(history.size() - end, static_cast<std::size_t>(request.most)));
        return {next.begin(), next.end()};
    }
    return {};
}

namespace {

constexpr std::string_view kProbe =
    "The quick brown fox, 1234.5 \xC3\xA9\xE4\xB8\xAD\n\tif (x != y) { return \"z\"; } "
    "\xF0\x9F\x98\x80";

Status differs(const LoadedModel& draft, std::string_view what) {
    return fail(ErrorCode::Incompatible,
                format("{} cannot draft: {}; both models need the same vocabulary",
                       draft.path.string(), what));
}

std::string idText(const std::optional<TokenId>& id) {
    return id ? format("{}", *id) : "none";
}

}  // namespace

Status checkDraftVocabulary(const LoadedModel& target, const LoadedModel& draft) {
    const TokenizerData& a = target.tokenizer.data();
    const TokenizerData& b = draft.tokenizer.data();
    if (target.spec.vocabulary != draft.spec.vocabulary)
        return differs(draft, format("it has {} tokens and the model has {}", draft.spec.vocabulary,
                                     target.spec.vocabulary));
    const auto [one, other] = std::ranges::mismatch(a.pieces, b.pieces);
    if (one != a.pieces.end() || other != b.pieces.end())
        return differs(draft, format("token {} differs", one - a.pieces.begin()));
    if (a.bos != b.bos)
        return differs(draft,
                       format("its start token is {}, not {}", idText(b.bos), idText(a.bos)));
    for (TokenId id = 0; id < target.tokenizer.vocabularySize(); ++id)
        if (target.tokenizer.isEndOfTurn(id) != draft.tokenizer.isEndOfTurn(id))
            return differs(draft, format("token {} ends an answer in only one of them", id));
    LACUNA_TRY(const auto idsOfTarget, target.tokenizer.encode(kProbe));
    LACUNA_TRY(const auto idsOfDraft, draft.tokenizer.encode(kProbe));
    if (idsOfTarget != idsOfDraft) return differs(draft, "it splits a sample text differently");
    return {};
}

void ComputingDrafter::abandon(const Error& error) {
    if (error.code == ErrorCode::Cancelled) return;
    problem_ = describe(error);
    reported_ = false;
}

std::vector<TokenId> ComputingDrafter::propose(const DraftRequest& request) {
    if (request.most <= 0 || request.history.empty() || abandoned()) return {};
    auto found = proposals(request);
    if (found) return std::move(*found);
    abandon(found.error());
    return {};
}

Result<std::unique_ptr<ModelDrafter>> ModelDrafter::create(const DraftModel& model, DType type) {
    LACUNA_TRY(auto cache, makeFullCache(model.loaded->spec, type));
    return std::unique_ptr<ModelDrafter>(new ModelDrafter(model, std::move(cache)));
}

Status ModelDrafter::follow(std::span<const TokenId> history) {
    const std::size_t most = std::min(tokens_.size(), history.size() - 1);
    std::size_t common = 0;
    while (common < most && tokens_[common] == history[common]) ++common;
    if (common == tokens_.size()) return {};
    LACUNA_TRY_STATUS(cache_->rollback(static_cast<int>(tokens_.size() - common)));
    tokens_.resize(common);
    return {};
}

Result<std::span<const float>> ModelDrafter::feed(std::span<const TokenId> tokens, int chunk,
                                                  const std::function<bool()>& cancelled) {
    const ForwardOptions options{.cancelled = cancelled};
    const std::size_t end = tokens_.size() + tokens.size();
    std::span<const float> logits;
    while (!tokens.empty()) {
        const auto part =
            tokens.first(std::min(tokens.size(), static_cast<std::size_t>(std::max(chunk, 1))));
        tokens = tokens.subspan(part.size());
        const BatchRun run{.tokens = part,
                           .cache = cache_.get(),
                           .logits = tokens.empty() ? LogitsFor::LastToken : LogitsFor::None,
                           .promptEnd = Position(static_cast<std::int32_t>(end))};
        LACUNA_TRY(const auto rows, model_.transformer->forward(std::span(&run, 1), options));
        tokens_.insert(tokens_.end(), part.begin(), part.end());
        if (tokens.empty()) logits = rows.row(rows.extent(0) - 1);
    }
    return logits;
}

Result<std::vector<TokenId>> ModelDrafter::proposals(const DraftRequest& request) {
    std::vector<TokenId> text(request.history.begin(), request.history.end());
    const std::size_t known = text.size();
    LACUNA_TRY_STATUS(follow(request.history));
    Sampler sampler(request.seed);
    std::size_t fed = tokens_.size();
    while (text.size() - known < static_cast<std::size_t>(request.most)) {
        if (text.size() > static_cast<std::size_t>(model_.loaded->spec.context)) break;
        LACUNA_TRY(const auto logits,
                   feed(std::span(text).subspan(fed), request.chunk, request.cancelled));
        fed = text.size();
        const auto guessed = static_cast<std::int64_t>(text.size() - known);
        LACUNA_TRY(const Drawn drawn,
                   sampler.draw(logits, {.history = text, .answered = request.answered + guessed},
                                request.sampling));
        text.push_back(drawn.token);
        if (model_.loaded->tokenizer.isEndOfTurn(drawn.token)) break;
    }
    return std::vector<TokenId>(text.begin() + static_cast<std::ptrdiff_t>(known), text.end());
}

void ModelDrafter::read(std::span<const TokenId> tokens, int chunk,
                        const std::function<bool()>& cancelled) {
    if (abandoned() || tokens.empty() ||
        tokens.size() > static_cast<std::size_t>(model_.loaded->spec.context))
        return;
    settle(tokens);
    const auto fed = feed(tokens.subspan(tokens_.size()), chunk, cancelled);
    if (!fed) abandon(fed.error());
}

void ModelDrafter::settle(std::span<const TokenId> history) {
    if (history.empty()) return;
    if (const Status followed = follow(history); !followed && !abandoned())
        abandon(followed.error());
}

}  // namespace lacuna
