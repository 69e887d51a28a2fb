#pragma once
/// \file
/// Work that the engine does a slice at a time while nothing is asked of it. The engine looks for a
/// command after every slice, so a question waits for one slice at most. Owned by the engine
/// thread; called at safe points.

#include <cstdint>
#include <utility>
#include <vector>

namespace lacuna {

class IdleJob {
  public:
    virtual ~IdleJob() = default;
    /// Whether there is something to do now. It may drop what has become needless.
    [[nodiscard]] virtual bool wanted() = 0;
    /// Begins the work or does its next slice. `room` is what caches made for it may take, bytes.
    /// @pre wanted
    virtual void advance(std::int64_t room) = 0;
    /// Drops the work and all references to the model before that is unloaded; whoever waits for
    /// the work is answered.
    virtual void reset() = 0;
    /// Something that goes first is running: gives memory back that can be filled again.
    virtual void pause() {}
};

/// Chooses among jobs, which must outlive it, in the order given.
class IdleScheduler {
  public:
    explicit IdleScheduler(std::vector<IdleJob*> jobs) : jobs_(std::move(jobs)) {}

    /// The first job that is wanted, after those behind it were paused; null where none is.
    [[nodiscard]] IdleJob* next() const {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (!jobs_[i]->wanted()) continue;
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
