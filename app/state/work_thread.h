#pragma once
/// \file
/// Work that must not hold the window, in order, on one thread of its own. What a task throws ends
/// there, with a sentence for whoever made this. Where the system gives no thread, a task is done
/// at once by its caller: the window waits, and nothing is lost. Owned by the GUI thread.

#include <deque>
#include <functional>
#include <thread>

#include "engine/base/mutex.h"
#include "engine/base/result.h"

namespace lacuna::app {

class WorkThread {
  public:
    using Task = std::function<void()>;
    using Failed = std::function<void(const Error&)>;

    /// `failed` is told, on the thread that did the task, when one threw.
    explicit WorkThread(Failed failed) : m_failed(std::move(failed)) {}
    ~WorkThread();
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;

    void start(Task task);
    /// Returns when all that was started is done.
    void waitForDone();

  private:
    void run(const std::stop_token& stop);
    void attempt(const Task& task) const;

    const Failed m_failed;
    Mutex m_mutex;
    StoppableCondition m_changed;
    std::deque<Task> m_waiting LACUNA_GUARDED_BY(m_mutex);
    bool m_busy LACUNA_GUARDED_BY(m_mutex) = false;
    std::jthread m_thread;  // started by the first task
};

}  // namespace lacuna::app
