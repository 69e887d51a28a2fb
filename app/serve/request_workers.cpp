#include "app/serve/request_workers.h"

#include <utility>

#include "engine/base/thread_start.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kShort = std::size_t{16} << 10;

}  // namespace

RequestWorkers::~RequestWorkers() {
    for (Lane& lane : m_lanes) lane.thread.request_stop();
    for (Lane& lane : m_lanes)
        if (lane.thread.joinable()) lane.thread.join();
}

void RequestWorkers::start(std::size_t bytes, Work work) {
    startIn(m_lanes[bytes <= kShort ? 0 : 1], std::move(work));
}

void RequestWorkers::startIn(Lane& lane, Work work) {
    if (!lane.thread.joinable()) {
        auto thread = startThread([this, &lane](const std::stop_token& stop) { run(lane, stop); });
        if (!thread) {
            if (const auto done = work([] { return false; })) done();
            return;
        }
        lane.thread = std::move(*thread);
    }
    {
        const MutexLock lock(lane.mutex);
        lane.waiting.push_back(std::move(work));
    }
    lane.changed.notifyAll();
}

void RequestWorkers::run(Lane& lane, const std::stop_token& stop) {
    while (true) {
        Work work;
        {
            MutexLock lock(lane.mutex);
            if (!lane.changed.wait(lock, stop, [&lane]() LACUNA_REQUIRES(lane.mutex) {
                    return !lane.waiting.empty();
                }))
                return;
            work = std::move(lane.waiting.front());
            lane.waiting.pop_front();
        }
        auto done = work([&stop] { return stop.stop_requested(); });
        if (stop.stop_requested()) return;
        {
            const MutexLock lock(lane.mutex);
            lane.done.push_back(std::move(done));
        }
        QMetaObject::invokeMethod(
            this, [this, &lane] { callNextDone(lane); }, Qt::QueuedConnection);
    }
}

void RequestWorkers::callNextDone(Lane& lane) {
    std::function<void()> done;
    {
        const MutexLock lock(lane.mutex);
        done = std::move(lane.done.front());
        lane.done.pop_front();
    }
    if (done) done();
}

}  // namespace lacuna::app
