#include "engine/generate/model_drafter.h"

#include <algorithm>

#include "engine/generate/sampler.h"
#include "engine/model/model_cache.h"

namespace lacuna {

Result<std::unique_ptr<ModelDrafter>> ModelDrafter::create(const DraftModel& model, DType type) {
    LACUNA_TRY(auto cache, makeWholeCache(model.loaded->spec, type));
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

void ModelDrafter::giveUp(const Error& error) {
    if (error.code == ErrorCode::Cancelled) return;
    problem_ = describe(error);
    told_ = false;
}

std::vector<TokenId> ModelDrafter::propose(const DraftRequest& request) {
    if (request.most <= 0 || request.history.empty() || !problem_.empty()) return {};
    auto found = proposals(request);
    if (found) return std::move(*found);
    giveUp(found.error());
    return {};
}

void ModelDrafter::read(std::span<const TokenId> tokens, int chunk,
                        const std::function<bool()>& cancelled) {
    if (!problem_.empty() || tokens.empty() ||
        tokens.size() > static_cast<std::size_t>(model_.loaded->spec.context))
        return;
    settle(tokens);
    const auto fed = feed(tokens.subspan(tokens_.size()), chunk, cancelled);
    if (!fed) giveUp(fed.error());
}

void ModelDrafter::settle(std::span<const TokenId> history) {
    if (history.empty()) return;
    if (const Status followed = follow(history); !followed && problem_.empty())
        giveUp(followed.error());
}

}  // namespace lacuna
