#pragma once
/// \file
/// Both doors as the engine's owners see them, and where the engine stands between the two: the
/// safe point and the revision of the settings, with which all that is said is marked. An owner
/// asks here whether what it does is to end, and says here what happened; it meets no command but
/// its own. Owned by the engine thread.

#include <cstdint>
#include <functional>
#include <stop_token>

#include "engine/base/clock.h"
#include "engine/base/work_budget.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/memory_probe.h"

namespace lacuna {

class EngineDoors {
  public:
    EngineDoors(CommandSource& commands, EventSink& events, const Clock& clock)
        : commands_(commands), events_(events), clock_(clock), memory_(clock) {}

    // --- where the engine stands ---
    [[nodiscard]] SafePoint at() const { return at_; }
    /// For the turn runner alone: its steps and turns are what points are counted by.
    void moveTo(SafePoint at) { at_ = at; }
    [[nodiscard]] Revision revision() const { return revision_; }
    /// For the settings desk alone.
    void applied(Revision revision) { revision_ = revision; }
    [[nodiscard]] EngineState state() const { return state_; }
    [[nodiscard]] const Clock& clock() const { return clock_; }

    // --- out ---
    void post(Event event) { events_.post(std::move(event)); }
    /// The same for those who say things while they work.
    [[nodiscard]] std::function<void(Event)> poster();
    [[nodiscard]] EventSink& events() { return events_; }
    /// Says StateChanged, unless that is what was said last.
    void enter(EngineState state);
    /// The id of a compaction that begins.
    [[nodiscard]] std::int64_t nextCompaction() { return ++compactions_; }
    /// Says a row of telemetry of which time, place and resident memory are filled in here.
    void sample(ConversationId conversation, StepSample row);

    // --- in ---
    /// From now on `stop` ends all work.
    void runUntil(std::stop_token stop) { stop_ = std::move(stop); }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    /// Whether a cancel was taken together with the command that is now obeyed, and comes after it.
    void cancelFollows(bool follows) { cancelFollows_ = follows; }
    /// Whether what is being done is to end: a cancel follows, or waits at this point.
    [[nodiscard]] bool cancelAsked() const;
    /// Whether work that nobody waits for is to let a command come first.
    [[nodiscard]] bool commandWaits() const {
        return stop_.stop_requested() || commands_.waiting();
    }
    /// Whether the beginning of a turn is to wait for a cancel that came meanwhile.
    [[nodiscard]] bool cancelWaits(SafePoint at) const;
    /// What becomes of a compaction in the background that is ready at `at`.
    [[nodiscard]] BackgroundOrder backgroundOrder(SafePoint at, ConversationId conversation) {
        return commands_.backgroundOrder(at, conversation);
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
    std::int64_t compactions_ = 0;  ///< ids given
    bool announced_ = false;        ///< some state was said
};

}  // namespace lacuna
