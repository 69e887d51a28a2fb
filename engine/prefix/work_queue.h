#pragma once
/// \file
/// Runs work items in order on a thread of its own. The queue is limited in items and in the memory
/// they hold; items beyond the limits are refused and counted. A single pending chore takes
/// precedence over waiting items, however often it is requested. Public functions may be called
/// from any thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>

#include "engine/base/mutex.h"
#include "engine/base/result.h"

namespace lacuna {

class WorkQueue {
  public:
    using Work = std::function<void(std::stop_token)>;
    struct Bounds {
        int pieces = 0;
        std::int64_t bytes = 0;
    };
    WorkQueue(Bounds bounds, Work maintenance)
        : bounds_(bounds), maintenance_(std::move(maintenance)) {}
    ~WorkQueue() { close({}); }
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    /// Must be called before the queue accepts work. Errors: NoMemory (no thread).
    [[nodiscard]] Status start();
    /// `bytes` is the memory that the work holds until it is done. Returns false, and counts it, if
    /// there is no room or the queue is closing. The token is stopped when the time of close() is
    /// over.
    [[nodiscard]] bool add(std::int64_t bytes, Work work);
    /// Counts an item that was dropped before calling add().
    void countDropped();
    /// Schedules the chore. Its token is stopped as soon as the queue closes.
    void requestMaintenance();
    /// Blocks until everything requested so far is done.
    void drain();
    /// Refuses new work and processes the waiting items for at most `time`. Returns the number of
    /// items left.
    std::int64_t close(std::chrono::milliseconds time);

    struct Counts {
        std::int64_t dropped = 0;
        std::int64_t waiting = 0;  ///< items, including the running one
        std::int64_t bytes = 0;    ///< memory held by these items
    };
    [[nodiscard]] Counts counts();

  private:
    struct Piece {
        std::int64_t bytes = 0;
        Work work;
    };
    void run(const std::stop_token& stop);

    const Bounds bounds_;
    const Work maintenance_;
    Mutex mutex_;
    StoppableCondition changed_;
    std::deque<Piece> waiting_ LACUNA_GUARDED_BY(mutex_);
    std::int64_t bytes_ LACUNA_GUARDED_BY(mutex_) = 0;
    std::int64_t dropped_ LACUNA_GUARDED_BY(mutex_) = 0;
    bool working_ LACUNA_GUARDED_BY(mutex_) = false;
    bool closing_ LACUNA_GUARDED_BY(mutex_) = false;
    bool maintenanceRequested_ LACUNA_GUARDED_BY(mutex_) = false;
    std::stop_source timeOver_;         ///< stops running items when close() times out
    std::stop_source maintenanceStop_;  ///< stops the chore as soon as the queue closes
    std::jthread thread_;
};

}  // namespace lacuna
