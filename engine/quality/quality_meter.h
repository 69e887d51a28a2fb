#pragma once
/// \file
/// Quality of a conversation while it goes on: an uncompressed cache of the same tokens, the
/// shadow, is brought up to every n-th token and asked what it would have said there. Without such
/// a distance, a few samples of an answer wait for the pause after it, so that the answer pays for
/// nothing but the copy of their logits. The shadow holds as much memory as the uncompressed cache
/// and exists only while something is measured; it reads at most so many tokens at once, so that
/// nothing waits long for it. What measuring costs is part of every sample. Says nothing while the
/// cache holds all an uncompressed one would. Owned by one thread.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/generate/sequence.h"
#include "engine/model/transformer.h"
#include "engine/quality/divergence.h"
#include "engine/quality/head_divergence.h"
#include "engine/quality/logits_tap.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

struct MeterOptions {
    int every = 0;        ///< tokens from one sample to the next; 0: none beside steps
    bool pauses = false;  ///< whether samples wait for inPause() where `every` is 0
    int chunk = 128;      ///< most tokens the shadow reads at once, no more than a forward allows
    int heads = 4;        ///< heads compared in a sample; 0: none
    DType type = DType::F16;  ///< of the shadow
};

class QualityMeter {
  public:
    /// All must outlive the meter.
    QualityMeter(Transformer& model, ThreadPool& pool, const Clock& clock)
        : model_(model), pool_(pool), clock_(clock) {}

    /// Before a step of `sequence`: has `tap` keep the step's logits if a sample may be due after
    /// it.
    void beforeStep(const Sequence& sequence, const MeterOptions& options, LogitsTap& tap) const;
    /// After a step that added `tokens` and took `stepMs`; a sample when one became ready. Errors:
    /// NoMemory, Cancelled, as Transformer::forward; the conversation is untouched by them.
    [[nodiscard]] Result<std::optional<LiveQuality>> afterStep(const Sequence& sequence,
                                                               const MeterOptions& options,
                                                               const LogitsTap& tap, int tokens,
                                                               double stepMs,
                                                               const ForwardOptions& forward);
    /// While nothing is answered: the next chunk of the shadow for the samples that wait, of
    /// `sequence`, or of one that is gone (null). A sample when one became ready; after the last
    /// one the shadow is given back. Errors: as afterStep. @pre waiting
    [[nodiscard]] Result<std::optional<LiveQuality>> inPause(const Sequence* sequence,
                                                             const MeterOptions& options,
                                                             const ForwardOptions& forward);
    /// Gives the shadow's memory back; samples that wait go on waiting.
    void giveShadowBack();
    /// Forgets everything.
    void release();
    /// A sample is begun, and the shadow has not read so far yet.
    [[nodiscard]] bool waiting() const { return !pending_.empty(); }
    [[nodiscard]] std::int64_t shadowBytes() const;
    /// Tokens of the text of the newest sample that waits. @pre waiting
    [[nodiscard]] std::int64_t tokensWanted() const;

  private:
    /// What the compacted cache said after these tokens, waiting for the shadow to get there.
    struct Pending {
        std::vector<TokenId> tokens;
        std::vector<float> row;
    };
    [[nodiscard]] bool due(std::int64_t tokens, const MeterOptions& options) const;
    [[nodiscard]] Result<std::optional<LiveQuality>> measure(const Sequence* sequence,
                                                             const MeterOptions& options,
                                                             const ForwardOptions& forward);
    [[nodiscard]] Status follow(std::span<const TokenId> tokens, const MeterOptions& options,
                                const ForwardOptions& forward);
    [[nodiscard]] Status goBackTo(std::span<const TokenId> tokens, DType type);
    [[nodiscard]] LiveQuality compare(const Sequence* sequence, const MeterOptions& options);
    [[nodiscard]] std::optional<double> headError(const Sequence& sequence, int heads);

    Transformer& model_;
    ThreadPool& pool_;
    const Clock& clock_;
    std::unique_ptr<KvCache> shadow_;
    std::vector<TokenId> tokens_;          ///< that the shadow covers
    std::vector<float> row_;               ///< what the shadow says after them
    std::optional<QueryCapture> queries_;  ///< of its newest token
    std::deque<Pending> pending_;          ///< the earliest first
    std::int64_t newest_ = -1;             ///< tokens of the conversation at the newest sample
    int nextHead_ = 0;
    double costMs_ = 0, decodeMs_ = 0, pauseMs_ = 0;
};

}  // namespace lacuna
