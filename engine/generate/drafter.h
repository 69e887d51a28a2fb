#pragma once
/// \file
/// Drafters propose the next tokens, which the model verifies in one forward pass (speculative
/// decoding, arXiv:2211.17192). Proposals come from earlier occurrences, a second model, or a block
/// of the model itself (block_drafter.h). A wrong proposal costs time but never changes the answer.
/// Owned by one thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/generate/generation_options.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/transformer.h"

namespace lacuna {

/// State of an answer and its sampling settings.
struct DraftRequest {
    /// Prompt and answer so far; between two calls for one answer it only grows.
    std::span<const TokenId> history;
    int most = 0;  ///< maximum number of proposed tokens
    SamplingOptions sampling = {};
    std::uint64_t seed = 0;
    std::int64_t answered = 0;             ///< index of the next draw
    int chunk = 128;                       ///< most tokens per forward pass
    std::function<bool()> cancelled = {};  ///< polled within passes; true returns immediately
                                           ///< without proposals
};

class Drafter {
  public:
    virtual ~Drafter() = default;
    /// Returns up to `most` tokens likely to follow; empty if there is no proposal.
    [[nodiscard]] virtual std::vector<TokenId> propose(const DraftRequest& request) = 0;
    /// Returns memory for the hidden states of the next tokens that the model reads, the first of
    /// which is at position `first` of the history; null if the drafter does not need them. The
    /// memory is filled before read() or settle() is called, if the pass succeeds.
    [[nodiscard]] virtual std::vector<float>* hiddenFrom(std::int64_t first) {
        static_cast<void>(first);
        return nullptr;
    }
    /// Called when the prompt was read up to the end of `tokens`, so that the drafter can read it
    /// as well.
    virtual void read(std::span<const TokenId> tokens, int chunk,
                      const std::function<bool()>& cancelled) {
        static_cast<void>(tokens);
        static_cast<void>(chunk);
        static_cast<void>(cancelled);
    }
    /// Called with the accepted state of the answer; later proposals were rejected.
    virtual void settle(std::span<const TokenId> history) { static_cast<void>(history); }
    /// Returns once why proposals have ended; otherwise empty.
    [[nodiscard]] virtual std::string consumeNotice() { return {}; }
};

/// Proposes the tokens after the latest earlier occurrence of the last few tokens (prompt lookup
/// decoding). Needs no second model, and helps if an answer repeats its prompt or itself. O(1) per
/// token of history and per proposal, apart from copying.
class NgramDrafter final : public Drafter {
  public:
    [[nodiscard]] std::vector<TokenId> propose(const DraftRequest& request) override;

  private:
    static constexpr std::size_t kMinLength = 2;  ///< shortest run of tokens to match
    static constexpr std::size_t kMaxLength = 4;  ///< longest run to match, tried first

    void index(std::span<const TokenId> history);

    /// Maps the hash of the tokens before a position, one per length, to the latest such position
    /// that has a successor.
    std::unordered_map<std::uint64_t, std::size_t> ends_;
    std::size_t indexed_ = 0;  ///< positions below this one are in `ends_`
};

/// A second, smaller model that predicts the draws of the first, or the draft block of the first
/// (then `loaded` is that model). Same vocabulary; its own activations. Owned by the engine thread.
struct DraftModel {
    std::shared_ptr<const LoadedModel> loaded;
    std::unique_ptr<Transformer> transformer;  ///< replaced when threads or chunks change
};

/// A drafter that computes passes of its own. A failure (memory, a context that is too short) ends
/// its proposals, never the answer.
class ComputingDrafter : public Drafter {
  public:
    [[nodiscard]] std::vector<TokenId> propose(const DraftRequest& request) final;
    [[nodiscard]] std::string consumeNotice() final {
        return std::exchange(reported_, true) ? std::string() : problem_;
    }
    /// Returns why proposals stopped; empty if they have not.
    [[nodiscard]] const std::string& problem() const { return problem_; }

  protected:
    /// @pre the request has a history and asks for at least one token
    [[nodiscard]] virtual Result<std::vector<TokenId>> proposals(const DraftRequest& request) = 0;
    /// Ends proposals permanently; a cancellation only ends the current ones.
    void abandon(const Error& error);
    [[nodiscard]] bool abandoned() const { return !problem_.empty(); }

  private:
    std::string problem_;
    bool reported_ = true;  ///< true if there is no problem, or it was reported
};

/// Checks that token ids represent the same texts in both models. Errors: Incompatible, naming the
/// first difference (size, a piece, a special token, the ids of a sample text). Contract: SP-9.
[[nodiscard]] Status checkDraftVocabulary(const LoadedModel& target, const LoadedModel& draft);

/// Proposes tokens with a second model, whose own cache follows the conversation. Drafts use the
/// answer's sampling settings, seed and draw indices, so that both models sample the same token if
/// their probabilities agree; biases and grammars of the request are ignored. Owned by the engine
/// thread. Contract: SP-3, SP-4, SP-12.
class ModelDrafter final : public ComputingDrafter {
  public:
    /// `model` must outlive the drafter; `type` is the number type of the cache.
    /// Errors: as makeSlotCache.
    [[nodiscard]] static Result<std::unique_ptr<ModelDrafter>> create(const DraftModel& model,
                                                                      DType type);

    void read(std::span<const TokenId> tokens, int chunk,
              const std::function<bool()>& cancelled) override;
    /// Rolls back rejected tokens; the cache then covers a prefix of `history` without its newest
    /// token.
    void settle(std::span<const TokenId> history) override;
    /// Number of tokens in the cache.
    [[nodiscard]] std::size_t coverage() const { return tokens_.size(); }

  private:
    ModelDrafter(const DraftModel& model, std::unique_ptr<KvCache> cache)
        : model_(model), cache_(std::move(cache)) {}
    /// Drops cached tokens that are not a prefix of `history`, leaving at least one of its tokens
    /// unfed.
    [[nodiscard]] Status follow(std::span<const TokenId> history);
    /// Feeds tokens in chunks and returns the logits after the last one.
    [[nodiscard]] Result<std::span<const float>> feed(std::span<const TokenId> tokens, int chunk,
                                                      const std::function<bool()>& cancelled);
    [[nodiscard]] Result<std::vector<TokenId>> proposals(const DraftRequest& request) override;

    const DraftModel& model_;
    std::unique_ptr<KvCache> cache_;
    std::vector<TokenId> tokens_;  ///< tokens that the cache covers
};

}  // namespace lacuna
