#pragma once
/// \file
/// Measures the quality of a running conversation against an uncompressed shadow cache of the same
/// tokens. Every n-th token the shadow catches up and its next-token distribution is compared.
/// Without such an interval, a few samples of each answer are measured in the pause after it, so
/// that the answer only pays for copying logits.
///
/// The shadow takes as much memory as the full cache, exists only while measuring, and reads
/// limited chunks so that nothing is blocked for long. Measuring time is part of every sample. No
/// samples are taken while the cache is complete. Owned by one thread.

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
    int every = 0;        ///< tokens between samples; 0 takes none between steps
    bool pauses = false;  ///< defer samples to inPause() if `every` is 0
    int chunk = 128;  ///< most tokens the shadow reads at once, at most the limit of a forward pass
    int heads = 4;    ///< heads compared per sample; 0 compares none
    DType type = DType::F16;  ///< number type of the shadow
};

class QualityMeter {
  public:
    /// All arguments must outlive the meter.
    QualityMeter(Transformer& model, ThreadPool& pool, const Clock& clock)
        : model_(model), pool_(pool), clock_(clock) {}

    /// Call before a step of `sequence`: makes `tap` record the step's logits if a sample may be
    /// due after it.
    void beforeStep(const Sequence& sequence, const MeterOptions& options, LogitsTap& tap) const;
    /// Call after a step that added `tokens` and took `stepMs`. Returns a sample if one became
    /// ready. Errors: NoMemory, Cancelled, as Transformer::forward; they leave the conversation
    /// untouched.
    [[nodiscard]] Result<std::optional<LiveQuality>> afterStep(const Sequence& sequence,
                                                               const MeterOptions& options,
                                                               const LogitsTap& tap, int tokens,
                                                               double stepMs,
                                                               const ForwardOptions& forward);
    /// Reads the next chunk into the shadow for pending samples, while no turn is running.
    /// `sequence` is null if the conversation is gone. Returns a sample if one became ready; after
    /// the last one the shadow is released. Errors: as afterStep. @pre waiting()
    [[nodiscard]] Result<std::optional<LiveQuality>> inPause(const Sequence* sequence,
                                                             const MeterOptions& options,
                                                             const ForwardOptions& forward);
    /// Releases the shadow's memory; pending samples stay pending.
    void releaseShadow();
    /// Discards all state.
    void release();
    /// Returns true if a sample was begun whose tokens the shadow has not read yet.
    [[nodiscard]] bool waiting() const { return !pending_.empty(); }
    [[nodiscard]] std::int64_t shadowBytes() const;
    /// Length in tokens of the latest pending sample's text. @pre waiting()
    [[nodiscard]] std::int64_t requestedTokens() const;

  private:
    /// Logits of the compacted cache after these tokens, until the shadow has read them too.
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
    [[nodiscard]] Status rollBackTo(std::span<const TokenId> tokens, DType type);
    [[nodiscard]] LiveQuality compare(const Sequence* sequence, const MeterOptions& options);
    [[nodiscard]] std::optional<double> headError(const Sequence& sequence, int heads);

    Transformer& model_;
    ThreadPool& pool_;
    const Clock& clock_;
    std::unique_ptr<KvCache> shadow_;
    std::vector<TokenId> tokens_;          ///< tokens covered by the shadow
    std::vector<float> row_;               ///< logits of the shadow after them
    std::optional<QueryCapture> queries_;  ///< queries of its newest token
    std::deque<Pending> pending_;          ///< earliest first
    std::int64_t newest_ = -1;             ///< length of the conversation at the latest sample
    int nextHead_ = 0;
    double costMs_ = 0, decodeMs_ = 0, pauseMs_ = 0;
};

}  // namespace lacuna
