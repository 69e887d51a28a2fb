#pragma once
/// \file
/// Tokens that a draft model proposed and that may be taken back: the open span of them, as a cache
/// keeps it, and the guard that opens one for a step.
/// docs/cache-contracts.md, "Taking tokens back" (RT-1 to RT-4).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// How many tokens may be taken back. One for each cache, kept by value.
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
    /// Of `tokens` tokens, those that cannot be taken back.
    [[nodiscard]] std::int64_t certain(std::int64_t tokens) const {
        return std::min(start_.value_or(tokens), tokens);
    }

  private:
    KvCache& cache_;
    std::optional<std::int64_t> start_;
    int most_ = 0;
};

/// Opens speculation on a cache for one step and closes it whatever becomes of the step, so that
/// proposed tokens can be taken back from a cache that forgets by age too. Owned by one thread.
class SpeculationGuard {
  public:
    /// Over at most `most` tokens; nothing is opened for none. Errors: as Speculation::begin.
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
    /// What was not taken back stays. Errors: as Speculation::commit.
    [[nodiscard]] Status close() {
        Speculation* const open = std::exchange(open_, nullptr);
        return open == nullptr ? Status() : open->commit();
    }

  private:
    SpeculationGuard() = default;
    Speculation* open_ = nullptr;
};

}  // namespace lacuna
