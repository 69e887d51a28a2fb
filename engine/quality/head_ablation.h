#pragma once
/// \file
/// Measures which KV heads of a model fetch what stands far back, without any task
/// (docs/attention-matching.md, "Slots by head"): a sequence of random tokens is read twice, and
/// each head in turn is kept from looking from the second reading into the first. What the second
/// reading loses by that is the head's loss. Attention alone does not show it: a head may prepare
/// what another one looks for. It is known at once, though, and stands in until all heads were
/// tried: the copy score, the attention that the second reading gives to what followed the same
/// token in the first.
///
/// The first reading, and every layer below the head at trial, is computed once. In steps, so that
/// a conversation can come between two of them; owned by one thread, waits for the pool.

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
    int tokens = 130;  ///< of one reading
    /// Different tokens of a reading, at most. Each comes several times, so that several tokens
    /// together say where a passage stands: heads that join them are needed for names and numbers,
    /// and a reading in which every token is another one does not show them.
    int kinds = 40;
    int sinks = 4;  ///< first positions that a head at trial still sees
    int near = 24;  ///< newest positions before its query that it still sees
    std::uint64_t seed = 3;
    /// One reading, in place of random tokens.
    std::vector<TokenId> ids = {};
    DType type = DType::F16;  ///< of the cache
    /// Most tokens of a forward pass that the transformer must be made for. Trials gain nothing
    /// from being computed together: a reading keeps the products busy.
    [[nodiscard]] int rows() const { return tokens + 1; }
};

/// Ordinary tokens of a vocabulary, of at most `kinds` kinds, drawn without regard to what they
/// mean. Errors: Unsupported (it has none).
[[nodiscard]] Result<std::vector<TokenId>> randomReading(const LoadedModel& model, int tokens,
                                                         int kinds, std::uint64_t seed);

class HeadAblation {
  public:
    /// Reads the sequence. `model` was made for `options.rows()` tokens; both must outlive this.
    /// Errors: as randomReading and Transformer::forward, NoMemory, Unsupported (a context too
    /// short).
    [[nodiscard]] static Result<HeadAblation> create(Transformer& model, ThreadPool& pool,
                                                     AblationOptions options,
                                                     const std::function<bool()>& cancelled = {});
    /// Tries the next head. On an error nothing is lost but its trial. Errors: as
    /// Transformer::forward.
    [[nodiscard]] Status step(const std::function<bool()>& cancelled = {});
    /// Goes on with another transformer of the same model, on other threads.
    void moveTo(Transformer& model, ThreadPool& pool) {
        model_ = &model;
        pool_ = &pool;
    }
    [[nodiscard]] int heads() const;  ///< of all layers
    [[nodiscard]] int measured() const { return measured_; }
    [[nodiscard]] bool done() const { return measured_ == heads(); }
    [[nodiscard]] double baseLoss() const { return base_; }  ///< nats a token, nothing cut
    /// Share of the work that is done, 0..1: heads of early layers take longer.
    [[nodiscard]] double share() const;
    /// @pre done
    [[nodiscard]] HeadProfile profile() const;
    /// Copy scores, known before any trial: of each query head the mean attention of position i of
    /// the second reading on position i + 1 of the first, over all i but the first eighth; a KV
    /// head takes the best of its query heads.
    [[nodiscard]] HeadProfile copyScores() const;
    [[nodiscard]] std::size_t bytes() const;  ///< held between two steps

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
    int own_ = 0;                             ///< where the second reading begins
    std::unique_ptr<KvCache> cache_;          ///< of the first reading
    std::vector<std::vector<float>> inputs_;  ///< [layers][tokens of the second reading, hidden]
    std::vector<float> loss_;
    std::vector<float> copied_;  ///< copy score of each head
    double base_ = 0;
    int measured_ = 0;
};

}  // namespace lacuna
