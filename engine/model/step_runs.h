#pragma once
/// \file
/// The runs of one step: whether they may be computed, and their caches' transaction. Private to
/// this room. Owned by one thread.

#include <span>

#include "engine/model/transformer.h"

namespace lacuna {

/// Aborts the appends of all runs begun so far unless the step succeeds.
class AppendGuard {
  public:
    explicit AppendGuard(std::span<const BatchRun> runs) : runs_(runs) {}
    AppendGuard(const AppendGuard&) = delete;
    AppendGuard& operator=(const AppendGuard&) = delete;
    ~AppendGuard();
    /// Errors: NoMemory.
    [[nodiscard]] Status begin();
    void commit();

  private:
    std::span<const BatchRun> runs_;
    std::size_t begun_ = 0;
};

/// The newest tokens of a run whose logits are asked for.
[[nodiscard]] std::int64_t wantedRows(const BatchRun& run);
/// Tokens of the sequence that decide its rotary frequencies.
[[nodiscard]] std::int64_t sequenceLength(const BatchRun& run);
/// Errors: InvalidArgument.
[[nodiscard]] Status checkRuns(const ModelSpec& spec, std::span<const BatchRun> runs,
                               int maxTokens);

}  // namespace lacuna
