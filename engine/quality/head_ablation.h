#pragma once
/// \file
/// Measures which KV heads of a model retrieve distant tokens, without any task
/// (docs/attention-matching.md, "Slots per head"). A sequence of random tokens is read twice, and
/// each head in turn is prevented from attending from the second reading to the first. The increase
/// in loss over the second reading is the head's score. Attention weights alone do not show it,
/// since a head may prepare what another one retrieves.
///
/// Until all heads were tried, the copy score is used instead: the attention of the second reading
/// to the token that followed the same token in the first. It is available immediately.
///
/// The first reading and all layers below the tested head are computed once. Runs in steps, so that
/// a conversation can run in between; owned by one thread, which blocks on the pool.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct AblationOptions {
    int tokens = 130;  ///< length of one reading
    /// Number of distinct tokens in a reading, at most. Each occurs several times, so that only
    /// several tokens together identify a position. This exposes heads that combine tokens, which
    /// names and numbers depend on; a reading of distinct tokens does not.
    int kinds = 40;
    int sinks = 4;  ///< first positions that the tested head still sees
    int near = 24;  ///< latest positions before its query that it still sees
    std::uint64_t seed = 3;
    /// Tokens of one reading; empty for random tokens.
    std::vector<TokenId> ids = {};
    DType type = DType::F16;  ///< number type of the cache
    /// Largest forward pass, in tokens, that the transformer must support. Trials are not batched,
    /// since one reading already keeps the kernels busy.
    [[nodiscard]] int rows() const { return tokens + 1; }
};

/// Draws ordinary tokens of a vocabulary, of at most `kinds` kinds, regardless of their meaning.
/// Errors: Unsupported (it has none).
[[nodiscard]] Result<std::vector<TokenId>> randomReading(const LoadedModel& model, int tokens,
                                                         int kinds, std::uint64_t seed);

class HeadAblation {
  public:
    /// Reads the sequence. `model` must support passes of `options.rows()` tokens; both must
    /// outlive this object. Errors: as randomReading and Transformer::forward, NoMemory,
    /// Unsupported (the context is too short).
    [[nodiscard]] static Result<HeadAblation> create(Transformer& model, ThreadPool& pool,
                                                     AblationOptions options,
                                                     const std::function<bool()>& cancelled = {});
    /// Tests the next head. An error only discards its trial. Errors: as Transformer::forward.
    [[nodiscard]] Status step(const std::function<bool()>& cancelled = {});
    /// Continues with another transformer of the same model, on other threads.
    void moveTo(Transformer& model, ThreadPool& pool) {
        model_ = &model;
        pool_ = &pool;
    }
    [[nodiscard]] int heads() const;  ///< number of KV heads in all layers
    [[nodiscard]] int measured() const { return measured_; }
    [[nodiscard]] bool done() const { return measured_ == heads(); }
    [[nodiscard]] double baseLoss() const { return base_; }  ///< nats per token without ablation
    /// Completed share of the work, 0..1; heads of early layers take longer.
    [[nodiscard]] double share() const;
    /// @pre done
    [[nodiscard]] HeadProfile profile() const;
    /// Copy scores, available before any trial. The score of a query head is the mean attention of
    /// position i of the second reading to position i + 1 of the first, excluding the first eighth;
    /// that of a KV head is the maximum over its query heads.
    [[nodiscard]] HeadProfile copyScores() const;
    [[nodiscard]] std::size_t bytes() const;  ///< memory held between two steps

  private:
    HeadAblation(Transformer& model, ThreadPool& pool, AblationOptions options)
        : model_(&model), pool_(&pool), options_(std::move(options)) {}
    [[nodiscard]] Status read(const std::function<bool()>& cancelled);
    [[nodiscard]] BatchRun secondReading() const;
    [[nodiscard]] double meanLoss(View<const float, 2> logits) const;
    [[nodiscard]] HeadProfile profileOf(ProfileKind kind, std::vector<float> numbers,
                                        std::string how) const;

    Transformer* model_;
    ThreadPool* pool_;
    AblationOptions options_;
    std::vector<TokenId> sequence_;           ///< first token, S, S
    int own_ = 0;                             ///< start of the second reading
    std::unique_ptr<KvCache> cache_;          ///< covers the first reading
    std::vector<std::vector<float>> inputs_;  ///< [layers][tokens of the second reading, hidden]
    std::vector<float> loss_;
    std::vector<float> copied_;  ///< copy score of each head
    double base_ = 0;
    int measured_ = 0;
};

}  // namespace lacuna
