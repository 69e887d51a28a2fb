#pragma once
/// \file
/// Runs one attention matching of a snapshot on its own low-priority threads while the conversation
/// continues. The owner's thread only exchanges pointers with it: it passes in a snapshot and later
/// snapshots to catch up with, and takes the compacted cache out. Each object is used by two
/// threads: its worker and the owner's thread. Only share, working and finished may be called while
/// working() is true. docs/attention-matching.md, "In the background".

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/compress/driver/compaction_method.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct BackgroundWork {
    std::unique_ptr<KvCache> snapshot;
    MatchingWork matching;                       ///< its queries are also a snapshot
    std::shared_ptr<const HeadProfile> profile;  ///< profile that the request points to
    int threads = 1;
    int niceness = 10;  ///< added to the niceness of the constructing thread
};

class BackgroundMatching {
  public:
    /// If no thread can be created, status() reports it immediately.
    BackgroundMatching(BackgroundWork work, const Clock& clock);
    /// Stops after the heads that are being fitted and joins the thread.
    ~BackgroundMatching();
    BackgroundMatching(const BackgroundMatching&) = delete;
    BackgroundMatching& operator=(const BackgroundMatching&) = delete;

    [[nodiscard]] double share() const { return progress_.share(); }  ///< progress of the fit, 0..1
    [[nodiscard]] bool working() const;
    void wait() const;  ///< blocks until the worker is idle

    /// Returns success if the successor may be used. Errors: as match, Compactable::apply and
    /// Snapshots::follow.
    [[nodiscard]] const Status& status() const { return status_; }
    /// Figures of the fit; the plan itself has been consumed.
    [[nodiscard]] const MethodPlan& figures() const { return figures_; }
    [[nodiscard]] double milliseconds() const {
        return milliseconds_;
    }  ///< wall time of the work so far
    [[nodiscard]] KvCache& successor() { return *work_.snapshot; }
    /// Starts bringing the successor up to date with a later snapshot.
    void follow(std::unique_ptr<KvCache> longer);

    /// Releases all memory on the worker thread without blocking; cancels a running fit.
    void dismiss();
    /// Returns true if the release started by dismiss() is complete, so that destroying this object
    /// does not block.
    [[nodiscard]] bool finished() const;

  private:
    void run(const std::stop_token& stop);
    void begin(std::function<void()> task);
    void attempt(const std::function<void()>& task);
    void fit();

    const Clock& clock_;
    BackgroundWork work_;
    MatchingProgress progress_;
    std::stop_source stopFit_;
    Status status_;
    MethodPlan figures_;
    double milliseconds_ = 0;
    mutable Mutex mutex_;
    mutable StoppableCondition changed_;
    std::function<void()> task_ LACUNA_GUARDED_BY(mutex_);  ///< next task of the worker
    bool busy_ LACUNA_GUARDED_BY(mutex_) = false;
    bool dismissed_ LACUNA_GUARDED_BY(mutex_) = false;
    bool finished_ LACUNA_GUARDED_BY(mutex_) = false;
    std::jthread thread_;  ///< last member: joins before the members it uses are destroyed
};

}  // namespace lacuna
