#pragma once
/// \file
/// Measures the loss of one compaction in slices in the pause after a turn: the text with the full
/// cache first, then one candidate after the other on a copy of the cache, until the compactor has
/// found the one it applies (compactor.h, measures()). Any command interrupts a slice, which is
/// then repeated. A turn of the conversation interrupts the measurement, which then resumes with
/// the same tokens (Compactor::pauseMeasuring). The first candidate is compacted before the text is
/// measured, because the repetition that it needs for its scores also serves the measurement. Owned
/// by the engine thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/sequence.h"

namespace lacuna {

class LossMeasuring {
  public:
    /// Starts the measurement that the compactor of `sequence` waits for; the compactor must
    /// outlive it. `dependencies.cancelled` also interrupts the trial of a candidate. Errors: as
    /// KvCache::share and RepetitionGauge::begin.
    [[nodiscard]] static Result<std::unique_ptr<LossMeasuring>> begin(
        Sequence& sequence, const KvOptions& options, RepetitionContext dependencies);

    /// Returns true while the compactor still waits for this measurement.
    [[nodiscard]] bool serves(const Sequence& sequence) const;
    /// Runs one slice. Returns what the candidate keeps once that is known; nullopt if more slices
    /// are needed or the compactor needs a text read first. Errors: Cancelled (the slice is
    /// repeated), Unsupported (the candidate cannot be compacted), as RepetitionGauge::step.
    [[nodiscard]] Result<std::optional<KeptInformation>> step();
    [[nodiscard]] double share() const;
    /// Receives the logits of a repetition that the compactor's reading makes.
    [[nodiscard]] RepetitionRows& rows() { return *gauge_; }

  private:
    LossMeasuring(Sequence& sequence, std::function<bool()> cancelled)
        : sequence_(sequence),
          number_(sequence.compactor().measures()),
          cancelled_(std::move(cancelled)) {}
    [[nodiscard]] Status tryCandidate();

    Sequence& sequence_;
    const std::int64_t number_;
    const std::function<bool()> cancelled_;
    std::unique_ptr<KvCache> measured_;  ///< tokens to be measured, until the gauge has read them
    std::unique_ptr<RepetitionGauge> gauge_;
    std::unique_ptr<KvCache> candidate_;  ///< compacted, or null
    bool begun_ = false;                  ///< the gauge has the candidate
    int candidates_ = 0;                  ///< number of candidates measured
};

}  // namespace lacuna
