#pragma once
/// \file
/// Proposals of a second model, with a cache of its own that follows the conversation. Its guesses
/// are drawn with the answer's own settings, seed and numbers, so that where both models agree on
/// the chances they draw the same token; biases and grammars of the request are not asked. What
/// goes wrong here (memory, a context that is too short) ends the proposals, never the answer.
/// Owned by the engine thread. Contract: SP-3, SP-4, SP-12.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/generate/draft_model.h"
#include "engine/generate/drafter.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

class ModelDrafter final : public Drafter {
  public:
    /// `model` must outlive this; `type` is that of the cache.
    /// Errors: as makeSlotCache.
    [[nodiscard]] static Result<std::unique_ptr<ModelDrafter>> create(const DraftModel& model,
                                                                      DType type);

    [[nodiscard]] std::vector<TokenId> propose(const DraftRequest& request) override;
    void read(std::span<const TokenId> tokens, int chunk,
              const std::function<bool()>& cancelled) override;
    /// Takes back what the answer did not take: the cache then covers a start of `history` without
    /// its newest token.
    void settle(std::span<const TokenId> history) override;
    [[nodiscard]] std::string takeNotice() override {
        return std::exchange(told_, true) ? std::string() : problem_;
    }
    /// Tokens in the cache.
    [[nodiscard]] std::size_t coverage() const { return tokens_.size(); }
    /// Why proposals stopped, or empty.
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    ModelDrafter(const DraftModel& model, std::unique_ptr<KvCache> cache)
        : model_(model), cache_(std::move(cache)) {}
    /// Drops what is not a start of `history`, which must keep at least one token unfed.
    [[nodiscard]] Status follow(std::span<const TokenId> history);
    /// Feeds tokens, `chunk` at a time, and gives the logits after the last.
    [[nodiscard]] Result<std::span<const float>> feed(std::span<const TokenId> tokens, int chunk,
                                                      const std::function<bool()>& cancelled);
    /// Ends the proposals; a cancel ends none but the running ones.
    void giveUp(const Error& error);
    [[nodiscard]] Result<std::vector<TokenId>> proposals(const DraftRequest& request);

    const DraftModel& model_;
    std::unique_ptr<KvCache> cache_;
    std::vector<TokenId> tokens_;  ///< what the cache covers
    std::string problem_;
    bool told_ = true;  ///< the problem, or there is none
};

}  // namespace lacuna
