// The loop: take commands at a safe point, then begin a waiting answer, or take one step of all
// that run, or wait. Everything that changes the engine happens between two steps on this thread.
//
// Safe points (event.h) are counted so that a recording can be replayed. A point belongs to what
// comes after it: commands first, one after another, then the beginning of a turn, which makes a
// new point, or a step. A step that a cancel undid does not count; the point after it is the one
// before it. When a turn ends the index moves on once more, so that no two ends share a point, and
// idle commands share none with a turn's.

#include "engine/session/engine_loop.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <span>

#include "engine/base/string_format.h"
#include "engine/session/cache_limit.h"
#include "engine/session/step_sample.h"
#include "engine/session/thread_niceness.h"

namespace lacuna {
namespace {

constexpr std::chrono::milliseconds kBackgroundPoll{20};

/// Whether a cancel behind a command is meant for it: nothing else that takes long stands between.
bool cancelFollows(std::span<const Command> behind) {
    const auto next = std::ranges::find_if(behind, [](const Command& command) {
        return std::holds_alternative<CancelTurn>(command) ||
               std::holds_alternative<Submit>(command) ||
               std::holds_alternative<LoadModel>(command) ||
               std::holds_alternative<CompareSettings>(command) ||
               std::holds_alternative<SweepSettings>(command);
    });
    return next != behind.end() && std::holds_alternative<CancelTurn>(*next);
}

/// Whom a change of settings is for, and its number; nothing for other commands.
struct SettingsChange {
    std::optional<ConversationId> conversation;
    Revision revision;
};
std::optional<SettingsChange> settingsChange(const Command& command) {
    if (const auto* all = std::get_if<SetConfig>(&command))
        return SettingsChange{std::nullopt, all->revision};
    if (const auto* one = std::get_if<SetCacheSettings>(&command))
        return SettingsChange{one->conversation, one->revision};
    return std::nullopt;
}

/// When a command that was taken together with it changes the same settings again.
std::optional<ConfigSuperseded> supersededBy(const Command& command,
                                             std::span<const Command> behind) {
    const auto change = settingsChange(command);
    std::optional<ConfigSuperseded> superseded;
    for (const Command& later : behind)
        if (const auto newer = settingsChange(later);
            change && newer && newer->conversation == change->conversation)
            superseded = ConfigSuperseded{change->revision, newer->revision};
    return superseded;
}

}  // namespace

void Engine::Impl::run(const std::stop_token& stop) {
    stop_ = stop;
    niceThisThread(context_.workerNiceness);
    enter(EngineState::NoModel);
    while (!stop_.stop_requested()) {
        try {
            runOnce();
        } catch (const std::bad_alloc&) {
            endForShortage();
        }
    }
    cancel([](ConversationId) { return true; });
}

void Engine::Impl::runOnce() {
    settleWhileIdle();
    takeCommands();
    if (auto question = turns_.next(settings_.shared().parallel))
        startTurn(std::move(*question));
    else if (turns_.anyRunning())
        stepTurns();
    else if (anyInBackground(conversations_))
        context_.commands.waitFor(stop_, kBackgroundPoll);
    else
        context_.commands.wait(stop_);
}

/// Until no more are due: a source may hand them out one at a time.
void Engine::Impl::takeCommands() {
    for (auto commands = context_.commands.take(at_); !commands.empty();
         commands = context_.commands.take(at_)) {
        obey(commands);
        settleWhileIdle();  // a replay ends it here, before the question that came after it
    }
}

void Engine::Impl::obey(std::vector<Command>& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const auto behind = std::span<const Command>(commands).subspan(i + 1);
        cancelFollows_ = cancelFollows(behind);
        try {
            if (const auto superseded = supersededBy(commands[i], behind))
                post(*superseded);
            else
                std::visit([this](auto& one) { on(one); }, commands[i]);
        } catch (const std::bad_alloc&) {
            answerForShortage(commands[i]);
        }
    }
}

bool Engine::Impl::cancelAsked() const {
    return stop_.stop_requested() || cancelFollows_ || context_.commands.cancelWaiting(at_);
}

std::function<void(Event)> Engine::Impl::poster() {
    return [this](Event event) { post(std::move(event)); };
}

/// What the engine does, all answers taken together.
void Engine::Impl::showActivity() {
    if (turns_.anyRunning())
        enter(turns_.anyReading() ? EngineState::Prefill : EngineState::Decode);
    else
        enter(model_ ? EngineState::Idle : EngineState::NoModel);
}

void Engine::Impl::enter(EngineState state) {
    if (state_ == state && announced_) return;
    state_ = state;
    announced_ = true;
    post(StateChanged{state});
}

/// Every compaction comes by here, whatever caused it.
void Engine::Impl::postCompaction(ConversationId conversation, CompactionReport report) {
    if (report.result == CompactionResult::Done) turns_.countCompaction(conversation);
    const CompactionHappened happened{.timeNs = context_.clock.nowNs(),
                                      .at = at_,
                                      .conversation = conversation,
                                      .revision = revision_,
                                      .report = std::move(report)};
    post(happened);
    previews_.compacted(happened, settings_.of(conversation).kv, poster());
}

/// `step` is null after a compaction by hand.
void Engine::Impl::postSample(ConversationId conversation, Sequence& sequence,
                              const GenerationStep* step) {
    StepSample sample = stepSample(sequence, settings_.of(conversation).kv, step);
    sample.timeNs = context_.clock.nowNs();
    sample.at = at_;
    sample.conversation = conversation;
    sample.revision = revision_;
    sample.rssBytes = memory_.residentBytes();
    sample.liveBytesAll = liveCacheBytes(conversations_);
    post(std::move(sample));
}

Engine::Engine(EngineContext context) : impl_(std::make_unique<Impl>(std::move(context))) {}
Engine::~Engine() = default;

void Engine::run(std::stop_token stop) {
    try {
        impl_->run(stop);
    } catch (const std::bad_alloc&) {
        endWith(ErrorCode::NoMemory, "the engine ran out of memory and has stopped.");
    } catch (const std::exception& problem) {
        endWith(ErrorCode::Internal, problem.what());
    } catch (...) {
        endWith(ErrorCode::Internal, "something was thrown that is no error.");
    }
}

/// Room for the sentence is made first: what the engine held is of no use any more.
void Engine::endWith(ErrorCode code, const char* sentence) noexcept {
    impl_->giveCachesBack();
    try {
        Error error = shortage(sentence);
        error.code = code;
        impl_->post(Fatal{std::move(error)});
    } catch (...) {
        // Not even that much memory: the thread ends without a word, and the program goes on.
    }
}

}  // namespace lacuna
