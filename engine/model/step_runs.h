#pragma once
/// \file
/// The runs of one step: their validation and the transaction on their caches. Private to this
/// module. Owned by one thread.

#include <span>

#include "engine/model/transformer.h"

namespace lacuna {

/// Aborts the appends of all started runs unless the step succeeds.
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

/// Returns the number of newest tokens of a run whose logits are requested.
[[nodiscard]] std::int64_t logitRowsOf(const BatchRun& run);
/// Returns the number of newest tokens of a run that pass through the entire last layer.
[[nodiscard]] std::int64_t keptRows(const BatchRun& run);
/// Returns the number of tokens of the sequence that determines its rotary frequencies.
[[nodiscard]] std::int64_t sequenceLength(const BatchRun& run);
/// Errors: InvalidArgument.
[[nodiscard]] Status checkRuns(const ModelSpec& spec, std::span<const BatchRun> runs,
                               int maxTokens);
/// Refuses a tail in which a layer reads rows that an earlier layer would write. Errors:
/// Unsupported.
[[nodiscard]] Status checkTail(const ModelSpec& spec, const LayerTail& tail);

}  // namespace lacuna
