#pragma once
/// \file
/// The one place where the report of a compaction (compaction_values.h) is made, whatever its end.
/// Plain values, owned by one thread.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/compress/compaction_trigger.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// How a compaction ended. Notes of an end replace those made on the way.
struct CompactionEnd {
    CompactionResult result = CompactionResult::Done;
    CompactionNotes notes = {};
};
[[nodiscard]] CompactionEnd failedWith(const Error& error);

/// The account of one compaction, from its beginning to whichever end it takes.
class CompactionAccount {
  public:
    /// Of a compaction of `cache` that began at `startNs` of `clock`, which must outlive this.
    CompactionAccount(const KvCache& cache, CompactionMethod method, CompactionCause cause,
                      const Clock& clock, std::int64_t startNs);

    /// What is known so far; times and figures of the stages are entered here as they come.
    [[nodiscard]] CompactionReport& figures() { return report_; }
    [[nodiscard]] const CompactionReport& figures() const { return report_; }
    /// What was done otherwise than requested.
    void note(CompactionNote note) { report_.notes.push_back(std::move(note)); }
    void note(const CompactionNotes& notes) {
        report_.notes.insert(report_.notes.end(), notes.begin(), notes.end());
    }
    /// Planning took `ms`, of which this share went to the selection and the rest to the fit.
    void planned(double ms, double selectShare) {
        report_.selectMs = ms * selectShare;
        report_.fitMs = ms - report_.selectMs;
    }
    /// The conversation goes on meanwhile; it has waited `ms` in one piece.
    void goesOnBeside(double ms) {
        report_.background = true;
        paused(ms);
    }
    /// It waited once more.
    void paused(double ms) { report_.stallMs = std::max(report_.stallMs, ms); }
    /// The ratio that the limits ask for, with a note where `tokens` tokens cannot reach it.
    void asked(const CompactionLimits& limits, std::int64_t tokens) {
        report_.askedRatio = limits.askedRatio;
        if (limits.target >= tokens) return;
        if (const auto limit = limitedRatio(limits, tokens))
            note(noteOf(CompactionReason::LimitedByProtected, limit->possible, limit->asked,
                        limit->protectedTokens));
    }
    /// What the cache holds now; layers that compactions skip do not count in the ratio.
    void left(const KvCache& cache, std::span<const int> skipLayers);
    /// The report. Total and pause are of the whole time since the start, unless the work ended in
    /// the background.
    [[nodiscard]] CompactionReport closed(CompactionEnd end) const;

  private:
    const Clock* clock_;
    std::int64_t startNs_;
    CompactionReport report_;
};

/// The report of a compaction that was refused before any work.
[[nodiscard]] CompactionReport refusal(const KvCache& cache, CompactionMethod method,
                                       CompactionCause cause, CompactionReason reason);

}  // namespace lacuna
