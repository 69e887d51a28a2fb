#pragma once
/// \file
/// Runs tasks in order on one background thread, so that they do not block the window. An exception
/// ends only its task and is reported to the owner. If no thread can be created, a task runs
/// synchronously in the caller: the window blocks, but no work is lost. Owned by the GUI thread.

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

    /// `failed` is called on the thread that ran the task when it has thrown.
    explicit WorkThread(Failed failed) : m_failed(std::move(failed)) {}
    ~WorkThread();
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;

    void start(Task task);
    /// Blocks until all started tasks are done.
    void waitForDone();

  private:
    void run(const std::stop_token& stop);
    void attempt(const Task& task) const;

    const Failed m_failed;
    Mutex m_mutex;
    StoppableCondition m_changed;
    std::deque<Task> m_waiting LACUNA_GUARDED_BY(m_mutex);
    bool m_busy LACUNA_GUARDED_BY(m_mutex) = false;
    std::jthread m_thread;  // Started with the first task.
};

}  // namespace lacuna::app
