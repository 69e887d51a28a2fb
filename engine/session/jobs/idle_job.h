#pragma once
/// \file
/// Work done in slices while the engine is idle. The engine polls for commands after every slice,
/// so a command waits for one slice at most. Owned by the engine thread; called at safe points.

#include <cstdint>
#include <utility>
#include <vector>

namespace lacuna {

class IdleJob {
  public:
    virtual ~IdleJob() = default;
    /// Returns true if there is work at this point. It may drop work that is no longer needed.
    [[nodiscard]] virtual bool isPending() = 0;
    /// Begins the work or does its next slice. `room` is the number of bytes that temporary caches
    /// may take. @pre wanted
    virtual void advance(std::int64_t room) = 0;
    /// Drops the work and all references to the model before it is unloaded; pending requests are
    /// answered.
    virtual void reset() = 0;
    /// Releases memory that can be rebuilt, because a job of higher priority is running.
    virtual void pause() {}
};

/// Selects among jobs in the order given. The jobs must outlive it.
class IdleScheduler {
  public:
    explicit IdleScheduler(std::vector<IdleJob*> jobs) : jobs_(std::move(jobs)) {}

    /// Returns the first job that has work, after pausing the jobs behind it; null if there is
    /// none.
    [[nodiscard]] IdleJob* next() const {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (!jobs_[i]->isPending()) continue;
            for (std::size_t later = i + 1; later < jobs_.size(); ++later) jobs_[later]->pause();
            return jobs_[i];
        }
        return nullptr;
    }
    void pause() const {
        for (IdleJob* const job : jobs_) job->pause();
    }
    void reset() const {
        for (IdleJob* const job : jobs_) job->reset();
    }

  private:
    const std::vector<IdleJob*> jobs_;
};

}  // namespace lacuna
