#pragma once
/// \file
/// What a compacted cache keeps of the information that the model has of its text, measured before
/// the compaction is committed (docs/quality.md, "A limit on the loss"). The model is given its own
/// text once more after an instruction to repeat it, with the full cache, with the first and newest
/// tokens alone, and with each compacted cache; how likely it finds each token says what the cache
/// contributes. What depends on the text alone is computed once. Long texts are sampled. Works a
/// chunk at a time and leaves every cache as it is. Called on the thread that owns the model.

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
#include "engine/compress/loss_gauge.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Log-probabilities of one token of the text when it is repeated, in nats.
struct RepeatedToken {
    std::int64_t position = 0;  ///< in the text
    int piece = 0;              ///< which sample of the text it belongs to
    double full = 0;            ///< with the full cache
    double near = 0;            ///< with the first and newest tokens alone
    double compacted = 0;       ///< with the compacted cache
    double kl = 0;              ///< of its distribution from the full cache's
    bool sameTop = false;       ///< the likeliest token is the same

    /// What the text before contributes to it, weighted by how probable the full cache finds it,
    /// since what that finds improbable the model does not know; 0 where it is guessed as well
    /// without the text.
    [[nodiscard]] double gain() const;
    /// What of that the compacted cache lost, in [0, gain()].
    [[nodiscard]] double lost() const;
};

/// Tokens of a passage.
inline constexpr int kPassageTokens = 16;

/// The figures of the first `measured` tokens of a text, of which `tokens` are a `share` in (0, 1].
/// Passages are of consecutive tokens; the weakest is sought among those that gain more than the
/// median passage of all tokens. Pure function.
[[nodiscard]] KeptInformation keptInformation(std::span<const RepeatedToken> tokens, double share,
                                              std::size_t measured);
/// Whether the limit is exceeded whatever is kept of the tokens that are not measured yet. Pure
/// function.
[[nodiscard]] bool exceeds(const LossThresholds& limit, std::span<const RepeatedToken> tokens,
                           std::size_t measured);

/// What is measured.
struct RepetitionText {
    std::span<const TokenId> tokens;  ///< that the cache covers; copied
    std::int64_t end = 0;             ///< tokens after it stay in any case and are not measured
    int nSink = 0;                    ///< first tokens that stay in any case
    DType type = DType::F16;          ///< of a full cache that has to be made again
    std::uint64_t seed = 0;           ///< of the places of samples
};
/// All of `tokens` that a compaction with these options may touch; those from `question` on, where
/// that is known, are not answered yet.
[[nodiscard]] RepetitionText measuredText(std::span<const TokenId> tokens, const KvOptions& options,
                                          std::optional<std::int64_t> question = std::nullopt);

struct RepetitionMeans {
    Transformer* model = nullptr;
    ThreadPool* pool = nullptr;
    int chunk = 128;  ///< tokens per forward pass, at most those the model allows
    /// Most bytes that caches which are made for it may take.
    std::int64_t mostBytes = std::numeric_limits<std::int64_t>::max();
    std::function<bool()> cancelled = {};  ///< asked within forward passes; true ends the step
};

class RepetitionGauge final : public LossGauge {
  public:
    /// Plans the measurement of `cache`, which covers the text and must stay as it is as long as
    /// the gauge is not ready; computes nothing. Where it was compacted before or its rows are
    /// codes, the text is read into a full cache first. Errors: ContextFull (there is no room to
    /// repeat anything), InvalidArgument (fewer tokens than a passage), those of promptTokens.
    [[nodiscard]] static Result<std::unique_ptr<RepetitionGauge>> begin(const RepetitionText& text,
                                                                        KvCache& cache,
                                                                        RepetitionMeans means);
    ~RepetitionGauge() override;

    /// Whether all is known that does not depend on a compacted cache.
    [[nodiscard]] bool ready() const;
    /// Begins to measure `compacted`, of which a copy is kept; `limit` as LossGauge::keptBy.
    /// @pre ready. Errors: NoMemory.
    [[nodiscard]] Status begin(KvCache& compacted, const std::optional<LossThresholds>& limit);
    /// Whether the compacted cache is measured as well.
    [[nodiscard]] bool done() const;
    /// 0..1 of what was begun: of the text, or of the compacted cache.
    [[nodiscard]] double share() const;
    /// Feeds the next chunk. Errors: Cancelled (it can be fed again), NoMemory, those of
    /// Transformer::forward. @pre not ready, or begun and not done
    [[nodiscard]] Status step();
    /// @pre done
    [[nodiscard]] KeptInformation kept() const;
    /// Those of the last compacted cache that were measured. @pre done
    [[nodiscard]] std::span<const RepeatedToken> tokens() const;

    /// All at once.
    [[nodiscard]] Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) override;

  private:
    struct Impl;
    explicit RepetitionGauge(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A gauge that is begun when something is to be measured, so that nothing is planned before. All
/// that is given must outlive it, and `cache` stay as it is until the first copy of it is measured.
class LateGauge final : public LossGauge {
  public:
    LateGauge(RepetitionText text, KvCache& cache, RepetitionMeans means)
        : text_(text), cache_(cache), means_(std::move(means)) {}
    [[nodiscard]] Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) override;
    /// Null before something was measured.
    [[nodiscard]] const RepetitionGauge* gauge() const { return gauge_.get(); }

  private:
    const RepetitionText text_;
    KvCache& cache_;
    const RepetitionMeans means_;
    std::unique_ptr<RepetitionGauge> gauge_;
};

}  // namespace lacuna
