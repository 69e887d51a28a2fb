#pragma once
/// \file
/// How much work a text from outside may cause, counted and not timed, so that the same input ends
/// in the same way each time; and whether somebody asked for an end meanwhile. Whoever walks
/// something spends a step for each element, and stops when `spend` says so; the door of the work
/// turns that into an error. Owned by one thread.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace lacuna {

/// Asked between steps, at least every few milliseconds; empty: nobody asks for an end.
using StopAsked = std::function<bool()>;

class WorkBudget {
  public:
    static constexpr std::uint64_t kStepsBetweenQuestions = std::uint64_t{1} << 16;

    explicit WorkBudget(std::uint64_t steps, StopAsked stop = {})
        : most_(steps), left_(steps), stop_(std::move(stop)) {
        ask();
    }
    WorkBudget(const WorkBudget&) = delete;
    WorkBudget& operator=(const WorkBudget&) = delete;

    /// False once the steps are used up or an end was asked for; it stays so.
    bool spend(std::uint64_t steps = 1) {
        if (steps < untilQuestion_) {
            untilQuestion_ -= steps;
            return true;
        }
        return spendAndAsk(steps);
    }
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] std::uint64_t spent() const { return most_ - left_ - untilQuestion_; }
    [[nodiscard]] std::uint64_t most() const { return most_; }
    /// Errors, once it is over: Cancelled, or `code` with a sentence that says what took too much.
    [[nodiscard]] Status status(ErrorCode code, const std::string& tooMuch) const {
        if (!over_) return {};
        if (stopped_) return fail(ErrorCode::Cancelled, "stopped before it was done");
        return fail(code, tooMuch);
    }

  private:
    /// Hands out the steps up to the next question. @pre untilQuestion_ == 0
    void ask() {
        stopped_ = stop_ && stop_();
        over_ = stopped_;
        if (over_) return;
        untilQuestion_ = std::min(left_, kStepsBetweenQuestions);
        left_ -= untilQuestion_;
    }
    bool spendAndAsk(std::uint64_t steps) {
        if (over_) return false;
        if (steps > untilQuestion_ && steps - untilQuestion_ > left_) {
            left_ = 0;
            untilQuestion_ = 0;
            over_ = true;
            return false;
        }
        left_ -= steps - untilQuestion_;
        untilQuestion_ = 0;
        ask();
        return !over_;
    }

    std::uint64_t most_;
    std::uint64_t left_;  ///< beyond untilQuestion_
    std::uint64_t untilQuestion_ = 0;
    StopAsked stop_;
    bool over_ = false;
    bool stopped_ = false;
};

}  // namespace lacuna
