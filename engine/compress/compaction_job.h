#pragma once
/// \file
/// One compaction in the background from its start to the exchange, as its conversation sees it: at
/// every safe point it is asked to go on, which costs that point next to nothing until the
/// compacted cache is there. Tokens appended meanwhile stay verbatim. Owned by the engine thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/compress/background_matching.h"
#include "engine/compress/compactor.h"

namespace lacuna {

class CompactionJob {
  public:
    /// `begun` is the report of its start, `options` those it was started with.
    CompactionJob(BackgroundWork work, CompactionReport begun, KvOptions options,
                  const Clock& clock);

    [[nodiscard]] const KvOptions& options() const { return options_; }
    /// Tokens that the compaction speaks for: the conversation must not go back behind them.
    [[nodiscard]] std::int64_t tokens() const { return begun_.tokens - verbatim_; }
    [[nodiscard]] double share() const { return work_->share(); }
    /// Goes on without waiting, unless told to; the report when it came to an end.
    [[nodiscard]] std::optional<CompactionReport> advance(KvCache& cache, BackgroundOrder order);
    /// The report of an end before the exchange.
    [[nodiscard]] CompactionReport aborted(std::string reason) const;
    /// What is left of it, which gives its memory back on its own thread. Nothing else may be
    /// called afterwards.
    [[nodiscard]] std::unique_ptr<BackgroundMatching> dismiss();

  private:
    [[nodiscard]] std::optional<CompactionReport> exchange(KvCache& cache);
    [[nodiscard]] CompactionReport failed(const Error& error) const;
    [[nodiscard]] CompactionReport done(KvCache& cache, const KvStats& before);
    void pausedSince(std::int64_t startNs);

    const Clock& clock_;
    CompactionReport begun_;
    KvOptions options_;
    std::int64_t verbatim_ = 0;  ///< newest tokens of the snapshot that stay as they are
    std::unique_ptr<BackgroundMatching> work_;
    int rounds_ = 0;      ///< of catching up
    double stallMs_ = 0;  ///< longest pause so far
};

}  // namespace lacuna
