#pragma once
/// \file
/// Builds the report of a compaction (compaction_values.h), however the compaction ends. Plain
/// values, owned by one thread.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// End of a compaction. Its notes replace those made earlier.
struct CompactionEnd {
    CompactionResult result = CompactionResult::Done;
    CompactionNotes notes = {};
};
[[nodiscard]] CompactionEnd failedWith(const Error& error);

/// Account of one compaction from its start to its end.
class CompactionReportBuilder {
  public:
    /// Starts the account of a compaction of `cache` that began at `startNs` of `clock`, which must
    /// outlive this object.
    CompactionReportBuilder(const KvCache& cache, CompactionMethod method, CompactionCause cause,
                            const Clock& clock, std::int64_t startNs);

    /// Figures known so far; the stages add their times and figures here.
    [[nodiscard]] CompactionReport& figures() { return report_; }
    [[nodiscard]] const CompactionReport& figures() const { return report_; }
    /// Records a deviation from what was requested.
    void note(CompactionNote note) { report_.notes.push_back(std::move(note)); }
    void note(const CompactionNotes& notes) {
        report_.notes.insert(report_.notes.end(), notes.begin(), notes.end());
    }
    /// Records that planning took `ms`, of which `selectShare` was selection and the rest the fit.
    void planned(double ms, double selectShare) {
        report_.selectMs = ms * selectShare;
        report_.fitMs = ms - report_.selectMs;
    }
    /// Records that the compaction continues in the background after stalling the conversation for
    /// `ms`.
    void continuesInBackground(double ms) {
        report_.background = true;
        paused(ms);
    }
    /// Records another stall of `ms`.
    void paused(double ms) { report_.stallMs = std::max(report_.stallMs, ms); }
    /// Records the ratio requested by the limits, with a note if `tokens` tokens cannot reach it.
    void asked(const CompactionLimits& limits, std::int64_t tokens) {
        report_.requestedRatio = limits.requestedRatio;
        if (limits.target >= tokens) return;
        if (const auto limit = limitedRatio(limits, tokens))
            note(noteOf(CompactionReason::LimitedByProtected, limit->possible, limit->asked,
                        limit->protectedTokens));
    }
    /// Records the current size of the cache; skipped layers do not count in the ratio.
    void left(const KvCache& cache, std::span<const int> skipLayers);
    /// Returns the report. Total and pause cover the full time since the start, unless the work
    /// ended in the background.
    [[nodiscard]] CompactionReport closed(CompactionEnd end) const;

  private:
    const Clock* clock_;
    std::int64_t startNs_;
    CompactionReport report_;
};

/// Returns the report of a compaction that was refused before any work.
[[nodiscard]] CompactionReport refusal(const KvCache& cache, CompactionMethod method,
                                       CompactionCause cause, CompactionReason reason);

}  // namespace lacuna
