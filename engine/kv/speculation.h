#pragma once
/// \file
/// Speculative tokens of a draft model that may be rejected: the open span of a cache, and the
/// guard that opens one for a step. docs/cache-contracts.md, "Speculative rollback" (RT-1 to RT-4).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Number of tokens that may be taken back. One for each cache, kept by value.
class SpeculationSpan final : public Speculation {
  public:
    /// `cache` owns this object; its tokens are counted and removed.
    explicit SpeculationSpan(KvCache& cache) : cache_(cache) {}

    [[nodiscard]] Status begin(int most) override;
    [[nodiscard]] Status rewind(int tokens) override;
    [[nodiscard]] Status commit() override;
    [[nodiscard]] bool open() const { return start_.has_value(); }
    /// Logical length when the span began. @pre open()
    [[nodiscard]] std::int64_t start() const { return *start_; }
    /// How many of `tokens` tokens cannot be taken back.
    [[nodiscard]] std::int64_t permanentTokens(std::int64_t tokens) const {
        return std::min(start_.value_or(tokens), tokens);
    }

  private:
    KvCache& cache_;
    std::optional<std::int64_t> start_;
    int most_ = 0;
};

/// Opens speculation on a cache for one step and closes it however the step ends, so that
/// speculative tokens can be removed even from a cache that drops tokens by age. Owned by one
/// thread.
class SpeculationGuard {
  public:
    /// Opens a span of at most `most` tokens; does nothing for 0. Errors: as Speculation::begin.
    [[nodiscard]] static Result<SpeculationGuard> open(KvCache& cache, int most) {
        SpeculationGuard guard;
        if (most <= 0) return guard;
        LACUNA_TRY_STATUS(cache.speculation().begin(most));
        guard.open_ = &cache.speculation();
        return guard;
    }
    SpeculationGuard(SpeculationGuard&& other) noexcept
        : open_(std::exchange(other.open_, nullptr)) {}
    SpeculationGuard& operator=(SpeculationGuard&&) = delete;
    ~SpeculationGuard() { static_cast<void>(close()); }
    /// Closes the span; the remaining tokens stay. Errors: as Speculation::commit.
    [[nodiscard]] Status close() {
        Speculation* const open = std::exchange(open_, nullptr);
        return open == nullptr ? Status() : open->commit();
    }

  private:
    SpeculationGuard() = default;
    Speculation* open_ = nullptr;
};

}  // namespace lacuna
