#pragma once
/// \file
/// Worker threads that keep parsing and tokenizing off the event loop: one for short requests, one
/// for the others, so that long texts do not delay short ones, and one for work that runs the
/// model. Results are delivered on the owner's thread and dropped once the owner is destroyed.

#include <QObject>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>

#include "engine/base/mutex.h"
#include "engine/base/work_budget.h"

namespace lacuna::app {

class RequestWorkers final : public QObject {
    Q_OBJECT

  public:
    /// Runs on a worker thread; the function it returns is called on the owner's thread.
    using Work = std::function<std::function<void()>(const StopRequested&)>;

    RequestWorkers() = default;
    /// Requests running work to stop and drops waiting work.
    ~RequestWorkers() override;
    /// `bytes` is the size of the request and selects one of the first two threads. If no thread
    /// can be created, the work runs on the calling thread.
    void start(std::size_t bytes, Work work);
    /// Queues work that runs the model.
    void startVectors(Work work) { startIn(m_lanes[2], std::move(work)); }

  private:
    struct Lane {
        Mutex mutex;
        StoppableCondition changed;
        std::deque<Work> waiting LACUNA_GUARDED_BY(mutex);
        /// Functions returned by finished work, in order, until the owner's thread calls them.
        std::deque<std::function<void()>> done LACUNA_GUARDED_BY(mutex);
        std::jthread thread;
    };
    void startIn(Lane& lane, Work work);
    void run(Lane& lane, const std::stop_token& stop);
    void callNextDone(Lane& lane);

    std::array<Lane, 3> m_lanes;
};

}  // namespace lacuna::app
