#pragma once
/// \file
/// The loss of one compaction, measured a slice at a time in the pause after a turn: the text with
/// the full cache first, then one candidate after the other on a copy of the cache, until the
/// compactor has found what it carries out (compactor.h, measures()). Any command interrupts a
/// slice, which is done again. Owned by the engine thread.

#include <functional>
#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/sequence.h"

namespace lacuna {

class LossMeasuring {
  public:
    /// Of what the compactor of `sequence` waits for, which must outlive it. `means.cancelled` also
    /// interrupts the trial of a candidate. Errors: as RepetitionGauge::begin.
    [[nodiscard]] static Result<std::unique_ptr<LossMeasuring>> begin(Sequence& sequence,
                                                                      const KvOptions& options,
                                                                      RepetitionMeans means);

    /// Whether this is still what the compactor waits for.
    [[nodiscard]] bool serves(const Sequence& sequence) const;
    /// Goes on by a slice. What the candidate keeps, once that is known; nothing where more is to
    /// be done, which may be a text that is to be read (Compactor::wish). Errors: Cancelled (the
    /// slice is done again), Unsupported (the candidate cannot be compacted), as
    /// RepetitionGauge::step.
    [[nodiscard]] Result<std::optional<KeptInformation>> step();
    [[nodiscard]] double share() const;

  private:
    LossMeasuring(Sequence& sequence, std::function<bool()> cancelled)
        : sequence_(sequence),
          number_(sequence.compactor().measures()),
          cancelled_(std::move(cancelled)) {}
    [[nodiscard]] Status tryCandidate();

    Sequence& sequence_;
    const int number_;
    const std::function<bool()> cancelled_;
    std::unique_ptr<RepetitionGauge> gauge_;
    std::unique_ptr<KvCache> candidate_;  ///< compacted, or null
    int measured_ = 0;                    ///< candidates
};

}  // namespace lacuna
