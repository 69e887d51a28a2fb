#include "engine/compress/driver/background_matching.h"

#include <unistd.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/thread_start.h"

namespace lacuna {

BackgroundMatching::BackgroundMatching(BackgroundWork work, const Clock& clock)
    : clock_(clock), work_(std::move(work)) {
    work_.matching.request.targets.profile = work_.profile.get();
    work_.matching.request.watch = {.stop = stopFit_.get_token(), .progress = &progress_};
    begin([this] { fit(); });
    auto thread = startThread([this](const std::stop_token& stop) { run(stop); });
    if (thread) {
        thread_ = std::move(*thread);
        return;
    }
    status_ = tl::unexpected<Error>(std::move(thread).error());
    busy_ = false;
    finished_ = true;
}

BackgroundMatching::~BackgroundMatching() {
    stopFit_.request_stop();
    thread_.request_stop();
    changed_.notifyAll();
}

void BackgroundMatching::run(const std::stop_token& stop) {
    // Affects only this thread and the threads it creates.
    if (work_.niceness != 0) [[maybe_unused]]
        const int level = ::nice(work_.niceness);
    MutexLock lock(mutex_);
    while (changed_.wait(lock, stop, [this]() LACUNA_REQUIRES(mutex_) {
        return static_cast<bool>(task_) || dismissed_;
    })) {
        if (!task_) break;
        const std::function<void()> task = std::exchange(task_, nullptr);
        lock.unlock();
        const std::int64_t start = clock_.nowNs();
        attempt(task);
        const double spent = millisecondsSince(clock_, start);
        lock.lock();
        milliseconds_ += spent;
        busy_ = false;
        changed_.notifyAll();
    }
    lock.unlock();
    work_.snapshot.reset();  // may be the last owner of the old rows
    figures_ = {};
    lock.lock();
    finished_ = true;
}

/// Runs a task and converts exceptions to a status, because nothing above can catch them on this
/// thread.
void BackgroundMatching::attempt(const std::function<void()>& task) {
    try {
        task();
    } catch (const std::bad_alloc&) {
        status_ = fail(ErrorCode::NoMemory, "there is not enough memory to fit the heads");
    } catch (const std::exception& problem) {
        status_ = fail(ErrorCode::Internal, std::string("the fit failed: ") + problem.what());
    }
}

void BackgroundMatching::begin(std::function<void()> task) {
    const MutexLock lock(mutex_);
    task_ = std::move(task);
    busy_ = true;
    changed_.notifyAll();
}

void BackgroundMatching::fit() {
    ThreadPool pool(work_.threads);
    auto plan = match(*work_.snapshot, work_.matching, pool);
    if (!plan) {
        status_ = tl::unexpected<Error>(std::move(plan).error());
        return;
    }
    figures_ = std::move(*plan);
    const CompactionPlan heads = std::exchange(figures_.change, {});
    if (heads.touched()) status_ = compactInPlace(*work_.snapshot, heads, pool);
}

void BackgroundMatching::follow(std::unique_ptr<KvCache> longer) {
    begin([this, later = std::shared_ptr<KvCache>(std::move(longer))] {
        status_ = work_.snapshot->snapshots()->follow(*later);
    });
}

bool BackgroundMatching::working() const {
    const MutexLock lock(mutex_);
    return busy_;
}

void BackgroundMatching::wait() const {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LACUNA_REQUIRES(mutex_) { return !busy_; });
}

void BackgroundMatching::dismiss() {
    stopFit_.request_stop();
    const MutexLock lock(mutex_);
    dismissed_ = true;
    changed_.notifyAll();
}

bool BackgroundMatching::finished() const {
    const MutexLock lock(mutex_);
    return finished_;
}

}  // namespace lacuna
