#pragma once
/// \file
/// The open span of tokens that a draft model proposed: how many may be taken back. One for each
/// cache, kept by value. docs/cache-contracts.md, "Taking tokens back" (RT-1 to RT-4).

#include <cstdint>
#include <optional>

#include "engine/base/result.h"

namespace lacuna {

class SpeculationSpan {
  public:
    [[nodiscard]] bool open() const { return start_.has_value(); }
    /// Logical length when the span began. @pre open()
    [[nodiscard]] std::int64_t start() const { return *start_; }
    /// Errors: InvalidArgument.
    [[nodiscard]] Status begin(int most, std::int64_t tokens);
    /// Whether the newest `count` of `tokens` may be taken back. Errors: InvalidArgument.
    [[nodiscard]] Status checkRewind(int count, std::int64_t tokens) const;
    [[nodiscard]] Status commit();

  private:
    std::optional<std::int64_t> start_;
    int most_ = 0;
};

}  // namespace lacuna
