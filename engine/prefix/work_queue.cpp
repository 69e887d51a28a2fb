#include "engine/prefix/work_queue.h"

#include <algorithm>
#include <utility>

#include "engine/base/thread_start.h"

namespace lacuna {

Status WorkQueue::start() {
    LACUNA_TRY(thread_, startThread([this](const std::stop_token& stop) { run(stop); }));
    return {};
}

bool WorkQueue::add(std::int64_t bytes, Work work) {
    MutexLock lock(mutex_);
    // An item is always accepted by an idle queue, so that a long text can be stored at all.
    const bool fits =
        (waiting_.empty() && !working_) ||
        (static_cast<int>(waiting_.size()) < bounds_.pieces && bytes_ + bytes <= bounds_.bytes);
    if (closing_ || !thread_.joinable() || !fits) {
        ++dropped_;
        return false;
    }
    bytes_ += bytes;
    waiting_.push_back({bytes, std::move(work)});
    changed_.notifyAll();
    return true;
}

void WorkQueue::countDropped() {
    MutexLock lock(mutex_);
    ++dropped_;
}

void WorkQueue::requestMaintenance() {
    MutexLock lock(mutex_);
    maintenanceRequested_ = true;
    changed_.notifyAll();
}

void WorkQueue::drain() {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LACUNA_REQUIRES(mutex_) {
        return (waiting_.empty() && !working_ && !maintenanceRequested_) || closing_ ||
               !thread_.joinable();
    });
}

std::int64_t WorkQueue::close(std::chrono::milliseconds time) {
    maintenanceStop_.request_stop();
    std::int64_t left = 0;
    {
        MutexLock lock(mutex_);
        if (!closing_) {
            closing_ = true;
            changed_.notifyAll();
            if (thread_.joinable())
                changed_.waitUntil(
                    lock, std::stop_token(), std::chrono::steady_clock::now() + time,
                    [this]() LACUNA_REQUIRES(mutex_) { return waiting_.empty() && !working_; });
            left = static_cast<std::int64_t>(waiting_.size()) + (working_ ? 1 : 0);
            waiting_.clear();
            bytes_ = 0;
        }
        timeOver_.request_stop();
    }
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
    }
    return left;
}

WorkQueue::Counts WorkQueue::counts() {
    MutexLock lock(mutex_);
    return {.dropped = dropped_,
            .waiting = static_cast<std::int64_t>(waiting_.size()) + (working_ ? 1 : 0),
            .bytes = bytes_};
}

void WorkQueue::run(const std::stop_token& stop) {
    for (;;) {
        Piece piece;
        bool maintenance = false;
        {
            MutexLock lock(mutex_);
            const bool more = changed_.wait(lock, stop, [this]() LACUNA_REQUIRES(mutex_) {
                return !waiting_.empty() || maintenanceRequested_;
            });
            if (!more || stop.stop_requested()) return;
            maintenance = std::exchange(maintenanceRequested_, false);
            if (!maintenance) {
                piece = std::move(waiting_.front());
                waiting_.pop_front();
            }
            working_ = true;
        }
        if (maintenance)
            maintenance_(maintenanceStop_.get_token());
        else
            piece.work(timeOver_.get_token());
        piece.work = {};  // releases its memory before waiting threads continue
        MutexLock lock(mutex_);
        bytes_ -= std::min(bytes_, piece.bytes);
        working_ = false;
        changed_.notifyAll();
    }
}

}  // namespace lacuna
