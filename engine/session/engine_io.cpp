#include "engine/session/engine_io.h"

#include <utility>

namespace lacuna {

std::function<void(Event)> EngineIo::poster() {
    return [this](Event event) { post(std::move(event)); };
}

void EngineIo::enter(EngineState state) {
    if (state_ == state && announced_) return;
    state_ = state;
    announced_ = true;
    post(StateChanged{state});
}

void EngineIo::sample(ConversationId conversation, StepSample row) {
    row.timeNs = clock_.nowNs();
    row.at = at_;
    row.conversation = conversation;
    row.revision = revision_;
    row.rssBytes = memory_.residentBytes();
    post(std::move(row));
}

bool EngineIo::cancelRequested() const {
    return stop_.stop_requested() || cancelFollows_ || commands_.cancelWaiting(at_);
}

bool EngineIo::cancelWaits(SafePoint at) const {
    return stop_.stop_requested() || commands_.cancelWaiting(at);
}

}  // namespace lacuna
