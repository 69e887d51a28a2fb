#pragma once
/// \file
/// Budget for encoding one text, over all stages: steps relative to the length of the text, and the
/// maximum size of intermediate texts. Protects against hostile tokenizer files, whose steps could
/// double the text repeatedly or take quadratic time. Owned by one thread.

#include <cstdint>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/base/work_budget.h"

namespace lacuna {

class TextWork {
  public:
    /// No known tokenizer family needs more than 30 steps per byte.
    static constexpr std::uint64_t kStepsPerByte = 128;
    static constexpr std::uint64_t kStepsPerText = 32'000'000;
    /// Unicode's own normalisation forms expand a character to at most 20.
    static constexpr std::size_t kGrowth = 32;
    static constexpr std::size_t kBytesPerText = std::size_t{1} << 20;
    /// Bytes written or compared per step.
    static constexpr std::uint64_t kBytesPerStep = 16;

    explicit TextWork(std::size_t bytes, StopRequested stop = {})
        : steps_(kStepsPerText + kStepsPerByte * bytes, std::move(stop)),
          maxBytes_(kBytesPerText + kGrowth * bytes) {}
    /// No limits; for trusted texts.
    [[nodiscard]] static TextWork unlimited() { return TextWork(); }

    bool spend(std::uint64_t steps = 1) { return steps_.spend(steps) && !tooLong_; }
    /// Charges bytes that are written or compared.
    bool spendBytes(std::size_t bytes) { return spend(1 + bytes / kBytesPerStep); }
    /// Checks the size of an intermediate text; returns false if it is too long or the budget is
    /// exhausted.
    bool holds(std::size_t bytes) {
        tooLong_ = tooLong_ || bytes > maxBytes_;
        return !over();
    }
    [[nodiscard]] bool over() const { return tooLong_ || steps_.over(); }
    [[nodiscard]] std::uint64_t spent() const { return steps_.spent(); }
    /// Errors if the budget is exhausted: Cancelled, TokTooLong.
    [[nodiscard]] Status status() const {
        if (tooLong_)
            return fail(
                ErrorCode::TokTooLong,
                format("the tokenizer's rules expand this text to more than {} bytes", maxBytes_));
        if (!steps_.over()) return {};
        return steps_.status(
            ErrorCode::TokTooLong,
            format("the tokenizer's rules take more than {} steps for this text", steps_.limit()));
    }

  private:
    TextWork()
        : steps_(std::numeric_limits<std::uint64_t>::max()),
          maxBytes_(std::numeric_limits<std::size_t>::max()) {}

    WorkBudget steps_;
    std::size_t maxBytes_;
    bool tooLong_ = false;
};

}  // namespace lacuna
