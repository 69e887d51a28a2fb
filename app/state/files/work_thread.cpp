#include "app/state/files/work_thread.h"

#include <exception>
#include <new>
#include <utility>

#include "engine/base/thread_start.h"

namespace lacuna::app {

WorkThread::~WorkThread() {
    waitForDone();
}

void WorkThread::start(Task task) {
    if (!m_thread.joinable()) {
        auto thread = startThread([this](const std::stop_token& stop) { run(stop); });
        if (!thread) return attempt(task);
        m_thread = std::move(*thread);
    }
    {
        const MutexLock lock(m_mutex);
        m_waiting.push_back(std::move(task));
    }
    m_changed.notifyAll();
}

void WorkThread::waitForDone() {
    MutexLock lock(m_mutex);
    m_changed.wait(lock,
                   [this]() LACUNA_REQUIRES(m_mutex) { return m_waiting.empty() && !m_busy; });
}

void WorkThread::run(const std::stop_token& stop) {
    MutexLock lock(m_mutex);
    while (m_changed.wait(lock, stop,
                          [this]() LACUNA_REQUIRES(m_mutex) { return !m_waiting.empty(); })) {
        {
            const Task task = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_busy = true;
            lock.unlock();
            attempt(task);
        }
        lock.lock();
        m_busy = false;
        m_changed.notifyAll();
    }
}

void WorkThread::attempt(const Task& task) const {
    try {
        task();
    } catch (const std::bad_alloc&) {
        m_failed(fail(ErrorCode::NoMemory, "there is not enough memory for this.").value());
    } catch (const std::exception& problem) {
        m_failed(fail(ErrorCode::Internal, problem.what()).value());
    }
}

}  // namespace lacuna::app
