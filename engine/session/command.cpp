#include "engine/session/command.h"

#include <utility>

namespace lacuna {

void CommandQueue::push(Command command) {
    {
        const MutexLock lock(mutex_);
        if (std::holds_alternative<CancelTurn>(command)) cancels_.fetch_add(1);
        commands_.push_back(std::move(command));
    }
    ready_.notifyOne();
}

std::vector<Command> CommandQueue::take(SafePoint) {
    const MutexLock lock(mutex_);
    cancels_ = 0;
    return std::exchange(commands_, {});
}

void CommandQueue::wait(std::stop_token stop) {
    MutexLock lock(mutex_);
    ready_.wait(lock, std::move(stop),
                [this]() LACUNA_REQUIRES(mutex_) { return !commands_.empty(); });
}

void CommandQueue::waitFor(std::stop_token stop, std::chrono::milliseconds most) {
    MutexLock lock(mutex_);
    ready_.waitUntil(lock, std::move(stop), std::chrono::steady_clock::now() + most,
                     [this]() LACUNA_REQUIRES(mutex_) { return !commands_.empty(); });
}

bool CommandQueue::cancelWaiting(SafePoint) const {
    return cancels_.load() > 0;
}

bool CommandQueue::waiting() const {
    const MutexLock lock(mutex_);
    return !commands_.empty();
}

}  // namespace lacuna
