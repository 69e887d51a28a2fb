#include "engine/session/prompt_cache_moves.h"

#include <utility>

#include "engine/generate/prompt_cache.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {
namespace {

PromptCacheMoved answered(PromptCacheMoved moved, Result<std::int64_t> tokens) {
    if (tokens)
        moved.tokens = *tokens;
    else
        moved.error = std::move(tokens).error();
    return moved;
}

Result<std::int64_t> save(const SavePromptCache& command, const Sequence* sequence,
                          const RunningModel* model) {
    if (sequence == nullptr || model == nullptr)
        return fail(ErrorCode::InvalidArgument,
                    "this conversation has no cache that could be saved");
    LACUNA_TRY_STATUS(savePromptCache(command.path, *sequence, model->facts().fingerprint));
    return static_cast<std::int64_t>(sequence->tokens().size());
}

Result<std::int64_t> load(const LoadPromptCache& command, const PromptCachePlace& place) {
    if (place.model == nullptr)
        return fail(ErrorCode::InvalidArgument, "no model is loaded that could use a saved cache");
    if (place.busy(command.conversation))
        return fail(ErrorCode::InvalidArgument, "an answer of this conversation is running");
    LACUNA_TRY(auto sequence, place.make());
    const KvChoice choice = cacheChoice(cacheModelOf(place.model->facts()), place.kv);
    LACUNA_TRY(auto saved, loadPromptCache(command.path, place.model->facts().fingerprint, choice));
    const auto tokens = static_cast<std::int64_t>(saved.tokens.size());
    sequence->adopt(std::move(saved.cache), std::move(saved.tokens));
    place.conversations.forget(command.conversation);
    LACUNA_TRY([[maybe_unused]] const Sequence* held,
               place.conversations.use(
                   command.conversation,
                   [&sequence] { return Result<std::unique_ptr<Sequence>>(std::move(sequence)); },
                   place.busy));
    return tokens;
}

}  // namespace

PromptCacheMoved savePrompt(const SavePromptCache& command, const Sequence* sequence,
                            const RunningModel* model) {
    return answered({.conversation = command.conversation, .path = command.path.string()},
                    save(command, sequence, model));
}

PromptCacheMoved loadPrompt(const LoadPromptCache& command, const PromptCachePlace& place) {
    return answered(
        {.conversation = command.conversation, .path = command.path.string(), .loaded = true},
        load(command, place));
}

}  // namespace lacuna
