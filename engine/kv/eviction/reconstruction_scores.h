#pragma once
/// \file
/// What of a text is looked at when it is repeated (KVzip, arXiv 2505.23416): u of a token in a
/// head is the largest attention that any query of the repetition gives it, over the full cache, of
/// all query heads that share the KV head. Tokens that no query needs to say the text again are
/// needless, whatever is asked later. docs/eviction.md, "Scores by repetition".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct ReconstructionScores {
    int layers = 0;
    int kvHeads = 0;
    std::int64_t tokens = 0;    ///< of the text, from its beginning
    std::vector<float> shares;  ///< [layers, kvHeads, tokens] u, 0 to 1
    int pieces = 0;             ///< that the text was repeated in

    /// [tokens] of one head.
    [[nodiscard]] std::span<const float> of(LayerIndex layer, HeadIndex head) const {
        const auto length = static_cast<std::size_t>(tokens);
        const auto at = static_cast<std::size_t>(layer.value * kvHeads + head.value);
        return std::span(shares).subspan(at * length, length);
    }
    /// The same for the slots of a head of the conversation's own cache, whatever is left of it,
    /// [slots]; 0 of tokens that came after the text.
    [[nodiscard]] SlotScores ofSlots(const KvHeadView& head, LayerIndex layer,
                                     HeadIndex number) const;
    /// Memory of the scores of such a text.
    [[nodiscard]] static std::int64_t bytes(const KvShape& shape, std::int64_t tokens);
};

/// Gathers the scores while the forward passes of a repetition run over `cache`, which holds the
/// text at its beginning. Owned by the thread of the passes.
class ReconstructionObserver final : public QueryObserver {
  public:
    /// Of the first `tokens` tokens; `heads` query heads. Both references must outlive it.
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
