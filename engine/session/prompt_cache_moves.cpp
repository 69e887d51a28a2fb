#include "engine/session/prompt_cache_moves.h"

#include <utility>

#include "engine/generate/prompt_cache.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/state/state_store.h"

namespace lacuna {
namespace {

/// Fills in the lengths from which a cache and its checkpoints can be continued.
void describeCache(PromptCacheMoved& moved, const Sequence& sequence,
                   const Checkpoints& checkpoints) {
    moved.tokens = static_cast<std::int64_t>(sequence.tokens().size());
    moved.shortest = sequence.shortest();
    for (const auto& one : checkpoints) moved.checkpoints.push_back(one->offset().value);
    if (const StateStore* const states = sequence.cache().states())
        for (const CheckpointPool::Kept& one : states->checkpoints())
            moved.checkpoints.insert(moved.checkpoints.begin(), one.position());
}

Status save(const SavePromptCache& command, const Sequence* sequence, const RunningModel* model,
            const Checkpoints& checkpoints, PromptCacheMoved& moved) {
    if (sequence == nullptr || model == nullptr)
        return fail(ErrorCode::InvalidArgument, "this conversation has no cache to save");
    std::vector<const KvCache*> stored;
    for (const auto& one : checkpoints) stored.push_back(one.get());
    LACUNA_TRY_STATUS(savePromptCache(command.path, *sequence, model->facts().fingerprint, stored));
    describeCache(moved, *sequence, checkpoints);
    return {};
}

Status load(const LoadPromptCache& command, const PromptCacheTarget& place,
            PromptCacheMoved& moved) {
    if (place.model == nullptr) return fail(ErrorCode::InvalidArgument, "no model is loaded");
    if (place.busy(command.conversation))
        return fail(ErrorCode::InvalidArgument, "an answer of this conversation is running");
    LACUNA_TRY(auto sequence, place.make());
    const KvChoice choice = cacheChoice(cacheModelOf(place.model->facts()), place.kv);
    LACUNA_TRY(auto saved, loadPromptCache(command.path, place.model->facts().fingerprint, choice));
    sequence->adopt(std::move(saved.cache), std::move(saved.tokens), std::move(saved.checkpoints));
    place.conversations.remove(command.conversation);
    LACUNA_TRY(const Sequence* held,
               place.conversations.use(
                   command.conversation,
                   [&sequence] { return Result<std::unique_ptr<Sequence>>(std::move(sequence)); },
                   place.busy));
    describeCache(moved, *held, held->checkpoints());
    return {};
}

}  // namespace

PromptCacheMoved savePrompt(const SavePromptCache& command, const Sequence* sequence,
                            const RunningModel* model, const Checkpoints& checkpoints) {
    PromptCacheMoved moved{.conversation = command.conversation, .path = command.path.string()};
    if (Status saved = save(command, sequence, model, checkpoints, moved); !saved)
        moved.error = std::move(saved).error();
    return moved;
}

PromptCacheMoved loadPrompt(const LoadPromptCache& command, const PromptCacheTarget& place) {
    PromptCacheMoved moved{
        .conversation = command.conversation, .path = command.path.string(), .loaded = true};
    if (Status loaded = load(command, place, moved); !loaded)
        moved.error = std::move(loaded).error();
    return moved;
}

}  // namespace lacuna
