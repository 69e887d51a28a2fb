#pragma once
/// \file
/// Command source and event sink as seen by the engine's parts, together with the current safe
/// point and settings revision that every event carries. A part checks here whether it should stop,
/// and publishes events here; it receives no commands but its own. Owned by the engine thread.

#include <cstdint>
#include <functional>
#include <stop_token>

#include "engine/base/clock.h"
#include "engine/base/work_budget.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/memory_probe.h"

namespace lacuna {

class EngineIo {
  public:
    EngineIo(CommandSource& commands, EventSink& events, const Clock& clock)
        : commands_(commands), events_(events), clock_(clock), memory_(clock) {}

    // --- where the engine stands ---
    [[nodiscard]] SafePoint at() const { return at_; }
    /// Only for the turn runner: points count its steps and turns.
    void moveTo(SafePoint at) { at_ = at; }
    [[nodiscard]] Revision revision() const { return revision_; }
    /// Only for SettingsService.
    void applied(Revision revision) { revision_ = revision; }
    [[nodiscard]] EngineState state() const { return state_; }
    [[nodiscard]] const Clock& clock() const { return clock_; }

    // --- out ---
    void post(Event event) { events_.post(std::move(event)); }
    /// Returns a function that posts events, for code that reports progress while it works.
    [[nodiscard]] std::function<void(Event)> poster();
    [[nodiscard]] EventSink& events() { return events_; }
    /// Posts StateChanged, unless the state was the last one posted.
    void enter(EngineState state);
    /// Returns the id for a compaction that begins.
    [[nodiscard]] std::int64_t nextCompaction() { return ++compactions_; }
    /// Posts a row of telemetry; time, safe point, revision and resident memory are filled in here.
    void sample(ConversationId conversation, StepSample row);

    // --- in ---
    /// From this call on, `stop` ends all work.
    void runUntil(std::stop_token stop) { stop_ = std::move(stop); }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    /// Sets whether a cancel was taken together with the command being executed and follows it.
    void cancelFollows(bool follows) { cancelFollows_ = follows; }
    /// Returns true if the current work should end: a cancel follows, or is waiting at this point.
    [[nodiscard]] bool cancelRequested() const;
    /// Returns true if idle work should yield to a waiting command.
    [[nodiscard]] bool commandWaits() const {
        return stop_.stop_requested() || commands_.waiting();
    }
    /// Returns true if a turn should not begin because a cancel is waiting.
    [[nodiscard]] bool cancelWaits(SafePoint at) const;
    /// Returns what happens to a background compaction that is ready at `at`.
    [[nodiscard]] BackgroundPolicy backgroundPolicy(SafePoint at, ConversationId conversation) {
        return commands_.backgroundPolicy(at, conversation);
    }

  private:
    CommandSource& commands_;
    EventSink& events_;
    const Clock& clock_;
    MemoryProbe memory_;
    std::stop_token stop_;
    bool cancelFollows_ = false;
    SafePoint at_;
    Revision revision_;
    EngineState state_ = EngineState::NoModel;
    std::int64_t compactions_ = 0;  ///< number of ids assigned
    bool announced_ = false;        ///< true once any state has been posted
};

}  // namespace lacuna
