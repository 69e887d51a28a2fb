#pragma once
/// \file
/// Measures how much information about its text a compacted cache keeps, before the compaction is
/// committed (docs/quality.md, "A limit on the loss"). The model reads its text a second time,
/// after an instruction to repeat it: with the full cache, with only sinks and newest tokens, and
/// with each compacted cache. The probability of each token shows the contribution of the cache.
/// Results that only depend on the text are computed once; long texts are sampled. Works in chunks
/// and leaves every cache unchanged. Called on the thread that owns the model.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/loss_gauge.h"
#include "engine/generate/text_pass.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Log-probabilities of one token of the repeated text, in nats.
struct RepeatedToken {
    std::int64_t position = 0;  ///< index in the text
    int piece = 0;              ///< index of the sample it belongs to
    double full = 0;            ///< log-probability with the full cache
    double near = 0;            ///< log-probability with only the first and newest tokens
    double compacted = 0;       ///< log-probability with the compacted cache
    double kl = 0;              ///< divergence of its distribution from the full cache's
    bool sameTop = false;       ///< the top token is the same

    /// Contribution of the preceding text, weighted by the token's probability with the full cache,
    /// because the model does not know improbable tokens. 0 if the token is predicted as well
    /// without the text.
    [[nodiscard]] double gain() const;
    /// The part of gain() that the compacted cache lost, in [0, gain()].
    [[nodiscard]] double lost() const;
};

/// Length of a passage in tokens.
inline constexpr int kPassageTokens = 16;

/// Returns the figures of the first `measured` tokens. `tokens` are a `share` in (0, 1] of a text.
/// Passages consist of consecutive tokens; the weakest one is selected among those whose gain
/// exceeds that of the median passage. Pure function.
[[nodiscard]] KeptInformation keptInformation(std::span<const RepeatedToken> tokens, double share,
                                              std::size_t measured);
/// Returns true if the limit is exceeded whatever the remaining tokens give. Pure function.
[[nodiscard]] bool exceeds(const LossThresholds& limit, std::span<const RepeatedToken> tokens,
                           std::size_t measured);

/// The text to be measured.
struct RepetitionText {
    std::span<const TokenId> tokens;  ///< tokens that the cache covers; copied
    std::int64_t end = 0;             ///< later tokens are always kept and not measured
    int nSink = 0;                    ///< number of first tokens that are always kept
    DType type = DType::F16;          ///< number type of a full cache that has to be recreated
    std::uint64_t seed = 0;           ///< selects the positions of samples
};
/// Returns the part of `tokens` that a compaction with these options may change. If known,
/// `question` is the start of the unanswered part.
[[nodiscard]] RepetitionText measuredText(std::span<const TokenId> tokens, const KvOptions& options,
                                          std::optional<std::int64_t> question = std::nullopt);

struct RepetitionContext {
    Transformer* model = nullptr;
    ThreadPool* pool = nullptr;
    int chunk = 128;  ///< tokens per forward pass, at most the model's limit
    /// Maximum size of the caches made for the measurement.
    std::int64_t maxBytes = std::numeric_limits<std::int64_t>::max();
    std::function<bool()> cancelled = {};  ///< polled within forward passes; true cancels the step
};

class RepetitionGauge final : public LossGauge, public RepetitionRows {
  public:
    /// Plans the measurement of `cache`, which covers the text and must not change until the gauge
    /// is ready; computes nothing. If it was compacted before or its rows are codes, the text is
    /// first read into a full cache. Errors: ContextFull (no room for a repetition),
    /// InvalidArgument (fewer tokens than a passage), those of promptTokens.
    [[nodiscard]] static Result<std::unique_ptr<RepetitionGauge>> begin(
        const RepetitionText& text, KvCache& cache, RepetitionContext dependencies);
    ~RepetitionGauge() override;

    /// Returns true once everything that does not depend on a compacted cache is known.
    [[nodiscard]] bool ready() const;
    /// Begins to measure `compacted`, of which a copy is stored; `limit` as in LossGauge::keptBy.
    /// Errors: NoMemory. @pre ready()
    [[nodiscard]] Status begin(KvCache& compacted, const std::optional<LossThresholds>& limit);
    /// Returns true once the compacted cache is measured.
    [[nodiscard]] bool done() const;
    /// Progress of the current phase, 0..1: of the text, or of the compacted cache.
    [[nodiscard]] double share() const;
    /// Feeds the next chunk. Errors: Cancelled (the chunk can be fed again), NoMemory, those of
    /// Transformer::forward. @pre not ready(), or begun and not done()
    [[nodiscard]] Status step();
    /// @pre done()
    [[nodiscard]] KeptInformation kept() const;
    /// Measured tokens of the last compacted cache. @pre done()
    [[nodiscard]] std::span<const RepeatedToken> tokens() const;

    /// Performs the complete measurement.
    [[nodiscard]] Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) override;

    /// Returns rows > 0 only before the first step, if the text is repeated in one piece and the
    /// cache holds it uncompressed. Once all of them are taken, the repetition with the full cache
    /// is not made again.
    [[nodiscard]] std::size_t rowsNeeded(std::span<const TokenId> repeated) override;
    void take(std::size_t first, View<const float, 2> rows) override;

  private:
    struct Impl;
    explicit RepetitionGauge(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A gauge that is planned on first use. All arguments must outlive it, and `cache` must not change
/// until its first copy is measured.
class LateGauge final : public LossGauge, public RepetitionRows {
  public:
    LateGauge(RepetitionText text, KvCache& cache, RepetitionContext dependencies)
        : text_(text), cache_(cache), dependencies_(std::move(dependencies)) {}
    [[nodiscard]] Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) override;
    /// Null before the first measurement.
    [[nodiscard]] const RepetitionGauge* gauge() const { return gauge_.get(); }
    /// As in RepetitionGauge; plans the gauge. 0 if that fails, which keptBy then reports.
    [[nodiscard]] std::size_t rowsNeeded(std::span<const TokenId> repeated) override;
    void take(std::size_t first, View<const float, 2> rows) override;

  private:
    [[nodiscard]] Status plan();

    const RepetitionText text_;
    KvCache& cache_;
    const RepetitionContext dependencies_;
    std::unique_ptr<RepetitionGauge> gauge_;
};

}  // namespace lacuna
