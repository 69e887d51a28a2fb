// What the engine does when memory runs out where no step could answer for it: what was being done
// ends with NO_MEMORY, caches are given back, and the engine goes on. Conversations are not its own
// and lose nothing; their next question reads the prompt anew.

#include "engine/session/engine_loop.h"

#include <new>

namespace lacuna {
namespace {

constexpr const char* kShort = "there is not enough memory for this";

}  // namespace

/// Where not even the sentence fits, two words that need no memory.
Error shortage(const char* sentence) noexcept {
    Error error{ErrorCode::NoMemory, "out of memory", {__FILE__, __LINE__}};
    try {
        error.what = sentence;
    } catch (const std::bad_alloc&) {  // the two words stand
    }
    return error;
}

/// Those of conversations that no answer is being written for, as far as memory for that goes.
void Engine::Impl::giveCachesBack() noexcept {
    try {
        std::vector<ConversationId> idle;
        conversations_.forEachNamed([&](ConversationId id, Sequence&) {
            if (!turns_.runs(id)) idle.push_back(id);
        });
        for (const ConversationId id : idle) {
            abortCompaction(conversations_, id, "memory ran out", told());
            conversations_.giveBack(id);
        }
    } catch (const std::bad_alloc&) {  // what was given back is back
    }
}

/// Nobody knows how far a step came: none of the answers it was for can be trusted any more.
void Engine::Impl::endForShortage() {
    giveCachesBack();
    for (Turn* turn : turns_.running()) {
        const ConversationId id = turn->conversation();
        abortCompaction(conversations_, id, "memory ran out", told());
        endTurn(*turn, FinishReason::Error, shortage(kShort));
        conversations_.forget(id);
    }
}

/// An answer's end is never left out: once more with what the caches gave back, then in short.
void Engine::Impl::tellEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            ended.finish(reason, at_, error);
            return;
        } catch (const std::bad_alloc&) {
            giveCachesBack();
        }
    }
    TurnFinished brief;
    brief.conversation = ended.conversation();
    brief.turn = ended.number();
    brief.at = at_;
    brief.reason = FinishReason::Error;
    brief.error = shortage(kShort);
    post(std::move(brief));
}

/// Each command that is answered by an event gets one, so that nobody waits for ever.
void Engine::Impl::answerForShortage(const Command& command) {
    giveCachesBack();
    if (const auto* load = std::get_if<LoadModel>(&command)) {
        post(ModelFailed{.path = load->path.string(),
                         .error = shortage(kShort),
                         .previousStillLoaded = model_ != nullptr});
        showActivity();
    } else if (const auto* inspect = std::get_if<InspectModel>(&command)) {
        ModelInspected answer;
        answer.page.path = inspect->path.string();
        answer.error = shortage(kShort);
        post(std::move(answer));
    } else if (const auto* question = std::get_if<Submit>(&command)) {
        TurnFinished failed;
        failed.conversation = question->conversation;
        failed.at = at_;
        failed.reason = FinishReason::Error;
        failed.error = shortage(kShort);
        post(std::move(failed));
    } else if (const auto* preview = std::get_if<RequestPreview>(&command)) {
        CompactionPreviewed answer;
        answer.conversation = preview->conversation;
        answer.kv = preview->kv;
        answer.error = shortage(kShort);
        post(std::move(answer));
    } else if (std::holds_alternative<CompareSettings>(command)) {
        SettingsCompared answer;
        answer.error = shortage(kShort);
        post(std::move(answer));
    } else if (std::holds_alternative<SweepSettings>(command)) {
        SettingsSwept answer;
        answer.error = shortage(kShort);
        post(std::move(answer));
    } else if (const auto* save = std::get_if<SavePromptCache>(&command)) {
        post(PromptCacheMoved{.conversation = save->conversation,
                              .path = save->path.string(),
                              .error = shortage(kShort)});
    } else if (const auto* read = std::get_if<LoadPromptCache>(&command)) {
        post(PromptCacheMoved{.conversation = read->conversation,
                              .path = read->path.string(),
                              .loaded = true,
                              .error = shortage(kShort)});
    } else {  // a compaction or a change of settings may have come half-way
        endForShortage();
        post(Notice{"There was not enough memory for what was asked; it was not done."});
    }
}

}  // namespace lacuna
