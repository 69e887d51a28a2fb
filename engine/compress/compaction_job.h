#pragma once
/// \file
/// One compaction in the background from its start to the exchange, as its conversation sees it: at
/// every safe point it is asked to go on, which costs that point next to nothing until the
/// compacted cache is there. Tokens appended meanwhile stay verbatim. Owned by the engine thread.

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/clock.h"
#include "engine/compress/background_matching.h"
#include "engine/compress/compaction_report.h"
#include "engine/compress/compactor.h"

namespace lacuna {

class CompactionJob {
  public:
    /// `account` as it stands at the start; `settings` are those in force then.
    CompactionJob(BackgroundWork work, CompactionAccount account, KvOptions settings,
                  const Clock& clock);

    [[nodiscard]] const KvOptions& settings() const { return settings_; }
    /// Tokens that the compaction speaks for: the conversation must not go back after them.
    [[nodiscard]] std::int64_t tokens() const { return account_.figures().tokens - verbatim_; }
    [[nodiscard]] double share() const { return work_->share(); }
    /// Goes on without waiting, unless the order is to wait; the report when it came to an end.
    [[nodiscard]] std::optional<CompactionReport> advance(KvCache& cache, BackgroundOrder order);
    /// The report of an end before the exchange.
    [[nodiscard]] CompactionReport aborted(CompactionReason reason) {
        return ended({CompactionResult::Aborted, {{reason}}});
    }
    /// What is left of it, which gives its memory back on its own thread. Nothing else may be
    /// called afterwards.
    [[nodiscard]] std::unique_ptr<BackgroundMatching> dismiss();

  private:
    [[nodiscard]] std::optional<CompactionReport> exchange(KvCache& cache);
    [[nodiscard]] CompactionReport failed(const Error& error);
    [[nodiscard]] CompactionReport ended(CompactionEnd end);
    void pausedSince(std::int64_t startNs);

    const Clock& clock_;
    CompactionAccount account_;
    KvOptions settings_;
    double beforeMs_ = 0;        ///< of work alongside the conversation before it
    std::int64_t verbatim_ = 0;  ///< newest tokens of the snapshot that stay as they are
    std::unique_ptr<BackgroundMatching> work_;
    int rounds_ = 0;  ///< of catching up
};

}  // namespace lacuna
