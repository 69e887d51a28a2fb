#include "engine/session/command.h"

namespace lacuna {

void CommandQueue::push(Command command) {
    {
        const std::scoped_lock lock(mutex_);
        if (std::holds_alternative<CancelTurn>(command)) cancels_.fetch_add(1);
        commands_.push_back(std::move(command));
    }
    ready_.notify_one();
}

std::vector<Command> CommandQueue::take(SafePoint) {
    const std::scoped_lock lock(mutex_);
    std::vector<Command> taken(std::make_move_iterator(commands_.begin()),
                               std::make_move_iterator(commands_.end()));
    commands_.clear();
    cancels_ = 0;
    return taken;
}

void CommandQueue::wait(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, stop, [this] { return !commands_.empty(); });
}

void CommandQueue::waitFor(std::stop_token stop, std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, stop, most, [this] { return !commands_.empty(); });
}

bool CommandQueue::cancelWaiting(SafePoint) const {
    return cancels_.load() > 0;
}

}  // namespace lacuna
