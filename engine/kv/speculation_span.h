#pragma once
/// \file
/// The open span of tokens that a draft model proposed: how many may be taken back. One for each
/// cache, kept by value. docs/cache-contracts.md, "Taking tokens back" (RT-1 to RT-4).

#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

class SpeculationSpan final : public Speculation {
  public:
    /// Of `cache`, which it is a part of: tokens are counted there and taken back there.
    explicit SpeculationSpan(KvCache& cache) : cache_(cache) {}

    [[nodiscard]] Status begin(int most) override;
    [[nodiscard]] Status rewind(int tokens) override;
    [[nodiscard]] Status commit() override;
    [[nodiscard]] bool open() const { return start_.has_value(); }
    /// Logical length when the span began. @pre open()
    [[nodiscard]] std::int64_t start() const { return *start_; }

  private:
    KvCache& cache_;
    std::optional<std::int64_t> start_;
    int most_ = 0;
};

}  // namespace lacuna
