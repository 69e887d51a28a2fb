#pragma once
/// \file
/// Threads that read and encode what was asked, so that the event loop never does: one for what is
/// short, one for the rest, so that nobody's long text keeps a short question waiting, and one that
/// reads texts with the model. Results come back on the thread of whoever made this, and to nobody
/// when it has gone.

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
    /// Work on a worker's thread; what it gives back is called on the owner's.
    using Work = std::function<std::function<void()>(const StopAsked&)>;

    RequestWorkers() = default;
    /// Work that runs is asked to stop; what waits is dropped.
    ~RequestWorkers() override;
    /// `bytes` of the request say which of the two does it. Where the system gives no thread the
    /// caller does it at once.
    void start(std::size_t bytes, Work work);
    /// The same for work that takes the model.
    void startVectors(Work work) { startIn(m_lanes[2], std::move(work)); }

  private:
    struct Lane {
        Mutex mutex;
        StoppableCondition changed;
        std::deque<Work> waiting LACUNA_GUARDED_BY(mutex);
        /// What work gave back, in its order, until the owner's thread calls it.
        std::deque<std::function<void()>> done LACUNA_GUARDED_BY(mutex);
        std::jthread thread;
    };
    void startIn(Lane& lane, Work work);
    void run(Lane& lane, const std::stop_token& stop);
    void callNextDone(Lane& lane);

    std::array<Lane, 3> m_lanes;
};

}  // namespace lacuna::app
