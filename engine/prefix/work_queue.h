#pragma once
/// \file
/// Work that is done one piece after another on a thread of the queue's own, bounded in pieces and
/// in the memory that they keep: what has no room is refused and counted. Beside it one chore that
/// comes before the pieces that wait, however often it was asked for. Public functions may be
/// called from any thread.

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
    WorkQueue(Bounds bounds, Work chore) : bounds_(bounds), chore_(std::move(chore)) {}
    ~WorkQueue() { close({}); }
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    /// Without it nothing is taken. Errors: NoMemory (no thread).
    [[nodiscard]] Status start();
    /// `bytes`: memory that the work keeps until it is done. False: there is no room, or the queue
    /// closes; counted. The token ends when the queue closes and its time is over.
    [[nodiscard]] bool add(std::int64_t bytes, Work work);
    /// Counts a piece that was not even asked for room.
    void countDropped();
    /// Its token ends as soon as the queue closes.
    void askForChore();
    /// Until everything asked for by now is done.
    void drain();
    /// Takes no more work and does what waits, for `time` at most. How many pieces were left.
    std::int64_t close(std::chrono::milliseconds time);

    struct Counts {
        std::int64_t dropped = 0;
        std::int64_t waiting = 0;  ///< pieces, the one that is being done included
        std::int64_t bytes = 0;    ///< that they keep
    };
    [[nodiscard]] Counts counts();

  private:
    struct Piece {
        std::int64_t bytes = 0;
        Work work;
    };
    void run(const std::stop_token& stop);

    const Bounds bounds_;
    const Work chore_;
    Mutex mutex_;
    StoppableCondition changed_;
    std::deque<Piece> waiting_ LACUNA_GUARDED_BY(mutex_);
    std::int64_t bytes_ LACUNA_GUARDED_BY(mutex_) = 0;
    std::int64_t dropped_ LACUNA_GUARDED_BY(mutex_) = 0;
    bool working_ LACUNA_GUARDED_BY(mutex_) = false;
    bool closing_ LACUNA_GUARDED_BY(mutex_) = false;
    bool choreAsked_ LACUNA_GUARDED_BY(mutex_) = false;
    std::stop_source timeOver_;   ///< for work that was begun
    std::stop_source choreOver_;  ///< for the chore, which need not be done
    std::jthread thread_;
};

}  // namespace lacuna
