#pragma once
/// \file
/// One attention matching of a snapshot, on threads of its own and of low priority, while the
/// conversation goes on. The owner's thread only exchanges pointers with it: it hands a snapshot
/// in, later snapshots to catch up with, and takes the compacted cache out. Two threads know an
/// object: its own, which does the work, and its owner's, which calls. Nothing but share, working
/// and finished may be called while working() is true. docs/attention-matching.md, "In the
/// background".

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/compress/compaction_method.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct BackgroundWork {
    std::unique_ptr<KvCache> snapshot;
    MatchingWork matching;                       ///< its queries are a snapshot too
    std::shared_ptr<const HeadProfile> profile;  ///< what the request points to
    int threads = 1;
    int niceness = 10;  ///< added to that of the thread that makes this
};

class BackgroundMatching {
  public:
    /// Without a thread to be had, status() says so at once.
    BackgroundMatching(BackgroundWork work, const Clock& clock);
    /// Stops after the heads now being fitted; waits for them.
    ~BackgroundMatching();
    BackgroundMatching(const BackgroundMatching&) = delete;
    BackgroundMatching& operator=(const BackgroundMatching&) = delete;

    [[nodiscard]] double share() const { return progress_.share(); }  ///< 0..1 of the fit
    [[nodiscard]] bool working() const;
    void wait() const;  ///< until nothing is being done

    /// Whether the successor may be used. Errors: as match, Compactable::apply and
    /// Snapshots::follow.
    [[nodiscard]] const Status& status() const { return status_; }
    /// Figures of the fit; its plan was used up.
    [[nodiscard]] const MethodPlan& figures() const { return figures_; }
    [[nodiscard]] double milliseconds() const {
        return milliseconds_;
    }  ///< of work so far, wall time
    [[nodiscard]] KvCache& successor() { return *work_.snapshot; }
    /// Starts bringing the successor up to date with a later snapshot.
    void follow(std::unique_ptr<KvCache> longer);

    /// Gives everything back on the other thread, without waiting; a fit that runs is broken off.
    void dismiss();
    /// After dismiss: whether that is done, so that this may be destroyed in no time.
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
    std::function<void()> task_ LACUNA_GUARDED_BY(mutex_);  ///< what to do next
    bool busy_ LACUNA_GUARDED_BY(mutex_) = false;
    bool dismissed_ LACUNA_GUARDED_BY(mutex_) = false;
    bool finished_ LACUNA_GUARDED_BY(mutex_) = false;
    std::jthread thread_;  ///< last, so that it ends before what it uses
};

}  // namespace lacuna
