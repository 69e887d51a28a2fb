#pragma once
/// \file
/// Drafts with the model's own block for multi-token prediction (DraftBlock). Owned by the engine
/// thread.
///
/// Row p of the block's cache comes from the model's hidden state of token p and the embedding of
/// token p + 1, and predicts token p + 2. Further proposals feed the block's own hidden state back.
/// The rows of proposals are removed after each call, since the model's hidden states replace them.
/// Rows of tokens whose hidden states were never computed (a restored prefix) are missing: the
/// block then sees less of the text, which lowers the acceptance but never changes the answer.
/// docs/generation-loop.md, "Multi-token prediction".

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/format/draft_block.h"
#include "engine/generate/drafter.h"

namespace lacuna {

class BlockDrafter final : public ComputingDrafter {
  public:
    static constexpr std::int64_t kMaxRows = 4096;

    /// `block` is a model with a draft block and must outlive the drafter; `type` is the number
    /// type of the cache, which has at most `most` rows: the older half is dropped then. Errors: as
    /// makeFullCache.
    [[nodiscard]] static Result<std::unique_ptr<BlockDrafter>> create(const DraftModel& block,
                                                                      DType type,
                                                                      std::int64_t most = kMaxRows);

    [[nodiscard]] std::vector<float>* hiddenFrom(std::int64_t first) override;
    void read(std::span<const TokenId> tokens, int chunk,
              const std::function<bool()>& cancelled) override;
    void settle(std::span<const TokenId> history) override;
    /// Positions of the tokens whose rows the cache holds, ascending.
    [[nodiscard]] std::span<const std::int64_t> rows() const { return rows_; }

  private:
    BlockDrafter(const DraftModel& block, DType type, std::int64_t most,
                 std::unique_ptr<KvCache> cache)
        : block_(block), type_(type), most_(most), cache_(std::move(cache)) {}
    [[nodiscard]] const ModelSpec& spec() const { return block_.loaded->weights.draft->spec; }
    [[nodiscard]] std::int64_t waitingRows() const;
    void dropFrom(std::int64_t position);
    void follow(std::span<const TokenId> text);
    void storeHidden(std::span<const TokenId> text, std::int64_t covered);
    [[nodiscard]] Status makeRoom(std::int64_t rows);
    [[nodiscard]] Status feedWaiting(std::span<const TokenId> text, int chunk,
                                     const std::function<bool()>& cancelled);
    [[nodiscard]] Result<std::vector<TokenId>> proposals(const DraftRequest& request) override;

    const DraftModel& block_;
    const DType type_;
    const std::int64_t most_;
    std::unique_ptr<KvCache> cache_;
    std::vector<std::int64_t> rows_;  ///< position of each row of the cache
    std::vector<TokenId> text_;       ///< the text that rows and waiting states belong to
    std::vector<float> hidden_;       ///< filled by the model's pass, from position `passed_` on
    std::int64_t passed_ = 0;
    /// Hidden states of consecutive positions that have no rows yet. The newest always waits, since
    /// the token after it may still change.
    std::vector<float> waiting_;
    std::int64_t firstWaiting_ = 0;  ///< position of the first of them
};

}  // namespace lacuna
