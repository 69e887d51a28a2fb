#include "engine/session/jobs/loss_measuring.h"

#include <algorithm>
#include <utility>

#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

// The text alone takes about as long as two candidates, and usually a few are tried.
constexpr double kTextShare = 2;
constexpr int kUsualCandidates = 3;

}  // namespace

Result<std::unique_ptr<LossMeasuring>> LossMeasuring::begin(Sequence& sequence,
                                                            const KvOptions& options,
                                                            RepetitionContext dependencies) {
    std::unique_ptr<LossMeasuring> made(new LossMeasuring(sequence, dependencies.cancelled));
    const Compactor& compactor = sequence.compactor();
    // The conversation may continue before the gauge has read its cache.
    LACUNA_TRY(made->measured_, compactor.measuredCache(sequence.cache()).share());
    RepetitionText text = measuredText(compactor.measuredTokens(), options);
    text.end = std::min(text.end, compactor.keptFrom());
    LACUNA_TRY(made->gauge_,
               RepetitionGauge::begin(text, *made->measured_, std::move(dependencies)));
    return made;
}

bool LossMeasuring::serves(const Sequence& sequence) const {
    return &sequence == &sequence_ && sequence_.compactor().measures() == number_;
}

Result<std::optional<KeptInformation>> LossMeasuring::step() {
    if (candidate_ == nullptr) {
        LACUNA_TRY_STATUS(tryCandidate());
        return std::nullopt;
    }
    if (!gauge_->ready()) {
        LACUNA_TRY_STATUS(gauge_->step());
        return std::nullopt;
    }
    if (!begun_) {
        measured_.reset();
        LACUNA_TRY_STATUS(gauge_->begin(*candidate_, sequence_.compactor().endsMeasuring()));
        begun_ = true;
        return std::nullopt;
    }
    LACUNA_TRY_STATUS(gauge_->step());
    if (!gauge_->done()) return std::nullopt;
    candidate_.reset();
    begun_ = false;
    ++candidates_;
    return gauge_->kept();
}

/// Leaves `candidate_` null if a text must be read first.
Status LossMeasuring::tryCandidate() {
    Compactor& compactor = sequence_.compactor();
    LACUNA_TRY(auto copy, compactor.measuredCache(sequence_.cache()).clone());
    if (!compactor.measuresAfterwards()) {
        const CompactionReport tried = compactor.tryCandidate(*copy, cancelled_);
        if (compactor.request() != nullptr) return {};
        if (tried.result == CompactionResult::Aborted)
            return fail(ErrorCode::Cancelled, exclusionText(tried.notes));
        if (tried.result != CompactionResult::Done)
            return fail(ErrorCode::Unsupported, exclusionText(tried.notes));
        // Every repeated token would read the holes as well.
        while (defragmentCache(*copy, kDefragmentSliceBytes, compactor.pool(), true)) {
        }
    }
    candidate_ = std::move(copy);
    return {};
}

double LossMeasuring::share() const {
    if (!gauge_->ready()) {
        return kTextShare * gauge_->share() / (kTextShare + kUsualCandidates);
    }
    const double candidate = candidate_ != nullptr ? gauge_->share() : 0;
    return (kTextShare + candidates_ + candidate) /
           (kTextShare + std::max(candidates_ + 1, kUsualCandidates));
}

}  // namespace lacuna
