#pragma once
/// \file
/// What encoding one text may cost, all stages together: steps by the length of the text, and how
/// long a text may become on the way. A tokenizer file says what is done to a text, so a hostile
/// one could double it at each of its steps, or look at every place from every other. Owned by one
/// thread.

#include <cstdint>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/base/work_budget.h"

namespace lacuna {

class TextWork {
  public:
    /// Of families in use none needs more than thirty steps for a byte.
    static constexpr std::uint64_t kStepsOfAByte = 128;
    static constexpr std::uint64_t kStepsOfAText = 32'000'000;
    /// Twenty characters for one is the most that Unicode's own forms make.
    static constexpr std::size_t kGrowth = 32;
    static constexpr std::size_t kBytesOfAText = std::size_t{1} << 20;
    /// Written or compared bytes that count as one step.
    static constexpr std::uint64_t kBytesOfAStep = 16;

    explicit TextWork(std::size_t bytes, StopAsked stop = {})
        : steps_(kStepsOfAText + kStepsOfAByte * bytes, std::move(stop)),
          mostBytes_(kBytesOfAText + kGrowth * bytes) {}
    /// Without limits: for texts of our own.
    [[nodiscard]] static TextWork unlimited() { return TextWork(); }

    bool spend(std::uint64_t steps = 1) { return steps_.spend(steps) && !tooLong_; }
    /// For bytes that are written or compared.
    bool spendBytes(std::size_t bytes) { return spend(1 + bytes / kBytesOfAStep); }
    /// A text of so many bytes was made. False when that is too long, or the work is over.
    bool holds(std::size_t bytes) {
        tooLong_ = tooLong_ || bytes > mostBytes_;
        return !over();
    }
    [[nodiscard]] bool over() const { return tooLong_ || steps_.over(); }
    [[nodiscard]] std::uint64_t spent() const { return steps_.spent(); }
    /// Errors, once it is over: Cancelled, TokTooLong.
    [[nodiscard]] Status status() const {
        if (tooLong_)
            return fail(
                ErrorCode::TokTooLong,
                format("the tokenizer's rules make more than {} bytes of this text", mostBytes_));
        if (!steps_.over()) return {};
        return steps_.status(
            ErrorCode::TokTooLong,
            format("the tokenizer's rules take more than {} steps for this text", steps_.most()));
    }

  private:
    TextWork()
        : steps_(std::numeric_limits<std::uint64_t>::max()),
          mostBytes_(std::numeric_limits<std::size_t>::max()) {}

    WorkBudget steps_;
    std::size_t mostBytes_;
    bool tooLong_ = false;
};

}  // namespace lacuna
