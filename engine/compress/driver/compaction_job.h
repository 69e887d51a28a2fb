#pragma once
/// \file
/// One background compaction from its start to the swap, as its conversation sees it. It is
/// advanced at every safe point, at almost no cost until the compacted cache is ready. Tokens
/// appended in the meantime stay verbatim. Owned by the engine thread.

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/clock.h"
#include "engine/compress/driver/background_matching.h"
#include "engine/compress/driver/compaction_report.h"
#include "engine/compress/driver/compactor.h"

namespace lacuna {

class CompactionJob {
  public:
    /// `account` is its state at the start; `settings` are the settings that applied then.
    CompactionJob(BackgroundWork work, CompactionReportBuilder account, KvOptions settings,
                  const Clock& clock);

    [[nodiscard]] const KvOptions& settings() const { return settings_; }
    /// Number of tokens covered by the compaction; the conversation must not be rolled back past
    /// them.
    [[nodiscard]] std::int64_t tokens() const { return account_.figures().tokens - verbatim_; }
    [[nodiscard]] double share() const { return work_->share(); }
    /// Advances the job, without blocking unless `policy` is Wait; returns the report if the job
    /// has ended.
    [[nodiscard]] std::optional<CompactionReport> advance(KvCache& cache, BackgroundPolicy policy);
    /// Returns the report of a job that ended before the swap.
    [[nodiscard]] CompactionReport aborted(CompactionReason reason) {
        return ended({CompactionResult::Aborted, {{reason}}});
    }
    /// Hands over the matching, which releases its memory on its own thread. No other member may be
    /// called afterwards.
    [[nodiscard]] std::unique_ptr<BackgroundMatching> dismiss();

  private:
    [[nodiscard]] std::optional<CompactionReport> exchange(KvCache& cache);
    [[nodiscard]] CompactionReport failed(const Error& error);
    [[nodiscard]] CompactionReport ended(CompactionEnd end);
    void pausedSince(std::int64_t startNs);

    const Clock& clock_;
    CompactionReportBuilder account_;
    KvOptions settings_;
    double beforeMs_ = 0;        ///< milliseconds of concurrent work before the matching
    std::int64_t verbatim_ = 0;  ///< number of the snapshot's newest tokens that stay unchanged
    std::unique_ptr<BackgroundMatching> work_;
    int rounds_ = 0;  ///< number of catch-up rounds
};

}  // namespace lacuna
