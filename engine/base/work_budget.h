#pragma once
/// \file
/// Limits the work that an external text may cause. Steps are counted rather than timed, so that
/// the same input always ends in the same way; a cancel is polled as well. Code that walks a
/// structure spends one step per element and stops when `spend` returns false; its public function
/// turns that into an error. Owned by one thread.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace lacuna {

/// Polled between steps, at least every few milliseconds; returns true to cancel. Empty if the work
/// cannot be cancelled.
using StopRequested = std::function<bool()>;

class WorkBudget {
  public:
    static constexpr std::uint64_t kStepsBetweenChecks = std::uint64_t{1} << 16;

    explicit WorkBudget(std::uint64_t steps, StopRequested stop = {})
        : limit_(steps), left_(steps), stop_(std::move(stop)) {
        ask();
    }
    WorkBudget(const WorkBudget&) = delete;
    WorkBudget& operator=(const WorkBudget&) = delete;

    /// Returns false once the steps are used up or the work was cancelled, and on every later call.
    bool spend(std::uint64_t steps = 1) {
        if (steps < untilCheck_) {
            untilCheck_ -= steps;
            return true;
        }
        return spendAndCheck(steps);
    }
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] std::uint64_t spent() const { return limit_ - left_ - untilCheck_; }
    [[nodiscard]] std::uint64_t limit() const { return limit_; }
    /// Returns success while steps are left. Errors: Cancelled, or `code` with `tooMuch`, a
    /// sentence that names what took too much.
    [[nodiscard]] Status status(ErrorCode code, const std::string& tooMuch) const {
        if (!over_) return {};
        if (stopped_) return fail(ErrorCode::Cancelled, "stopped before it was done");
        return fail(code, tooMuch);
    }

  private:
    /// Polls for a cancel and grants the steps until the next poll. @pre untilCheck_ == 0
    void ask() {
        stopped_ = stop_ && stop_();
        over_ = stopped_;
        if (over_) return;
        untilCheck_ = std::min(left_, kStepsBetweenChecks);
        left_ -= untilCheck_;
    }
    bool spendAndCheck(std::uint64_t steps) {
        if (over_) return false;
        if (steps > untilCheck_ && steps - untilCheck_ > left_) {
            left_ = 0;
            untilCheck_ = 0;
            over_ = true;
            return false;
        }
        left_ -= steps - untilCheck_;
        untilCheck_ = 0;
        ask();
        return !over_;
    }

    std::uint64_t limit_;
    std::uint64_t left_;  ///< in addition to untilCheck_
    std::uint64_t untilCheck_ = 0;
    StopRequested stop_;
    bool over_ = false;
    bool stopped_ = false;
};

}  // namespace lacuna
