#include "engine/session/engine_doors.h"

#include <utility>

namespace lacuna {

std::function<void(Event)> EngineDoors::poster() {
    return [this](Event event) { post(std::move(event)); };
}

void EngineDoors::enter(EngineState state) {
    if (state_ == state && announced_) return;
    state_ = state;
    announced_ = true;
    post(StateChanged{state});
}

void EngineDoors::sample(ConversationId conversation, StepSample row) {
    row.timeNs = clock_.nowNs();
    row.at = at_;
    row.conversation = conversation;
    row.revision = revision_;
    row.rssBytes = memory_.residentBytes();
    post(std::move(row));
}

bool EngineDoors::cancelAsked() const {
    return stop_.stop_requested() || cancelFollows_ || commands_.cancelWaiting(at_);
}

bool EngineDoors::cancelWaits(SafePoint at) const {
    return stop_.stop_requested() || commands_.cancelWaiting(at);
}

}  // namespace lacuna
