#pragma once
/// \file
/// Attention to each token while the text is repeated (KVzip, arXiv:2505.23416). The score u of a
/// token in a head is the largest attention from any query of the repetition over the full cache,
/// over all query heads that share the KV head, in every layer that reads it. A token that no query
/// needs to reproduce the text is dispensable for any later question. docs/eviction.md, "Scores by
/// repetition".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct ReconstructionScores {
    int layers = 0;
    int kvHeads = 0;                   ///< 0 if `layerHeads` is set
    std::vector<int> layerHeads = {};  ///< [layers] if the layers differ, otherwise empty
    std::int64_t tokens = 0;           ///< number of scored tokens, from the beginning of the text
    std::vector<float> shares;         ///< [heads of all layers, tokens] u, 0 to 1
    int pieces = 0;                    ///< number of pieces in which the text was repeated

    /// Scores [tokens] of one head.
    [[nodiscard]] std::span<const float> of(LayerIndex layer, HeadIndex head) const {
        const auto length = static_cast<std::size_t>(tokens);
        const auto at = static_cast<std::size_t>(
            headsBeforeLayer(kvHeads, layerHeads, layer.value) + head.value);
        return std::span(shares).subspan(at * length, length);
    }
    /// Scores [slots] of the remaining slots of a head of the conversation's own cache; 0 for
    /// tokens after the text.
    [[nodiscard]] SlotScores ofSlots(const KvHeadView& head, LayerIndex layer,
                                     HeadIndex number) const;
    /// Memory that the scores of a text take.
    [[nodiscard]] static std::int64_t bytes(const KvShape& shape, std::int64_t tokens);
};

/// Gathers the scores while the forward passes of a repetition run over `cache`, which starts with
/// the text. Owned by the thread of the passes.
class ReconstructionObserver final : public QueryObserver {
  public:
    /// Scores the first `tokens` tokens; `heads` query heads. Both references must outlive it.
    ReconstructionObserver(const KvCache& cache, std::int64_t tokens, int heads,
                           const LogitScaling& scaling, ThreadPool& pool);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void countPiece() { ++scores_.pieces; }
    [[nodiscard]] ReconstructionScores take() { return std::move(scores_); }

  private:
    const KvCache& cache_;
    int heads_;
    LogitScaling scaling_;
    ThreadPool& pool_;
    ReconstructionScores scores_;
};

}  // namespace lacuna
