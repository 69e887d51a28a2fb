#pragma once
/// \file
/// Proposals for the next tokens, to be checked by the model in one forward pass (speculative
/// decoding, Leviathan et al. 2023, arXiv 2211.17192): from earlier occurrences, or by a second
/// model. A wrong proposal costs time and never changes the answer. Owned by one thread.

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

/// Where an answer stands and how its tokens are drawn.
struct DraftRequest {
    /// Prompt and answer so far; only ever grows between two calls for one answer.
    std::span<const TokenId> history;
    int most = 0;  ///< tokens to propose
    SamplingOptions sampling = {};
    std::uint64_t seed = 0;
    std::int64_t answered = 0;             ///< number of the next draw
    int chunk = 128;                       ///< most tokens of one forward pass
    std::function<bool()> cancelled = {};  ///< asked inside a pass; true: no proposals, at once
};

class Drafter {
  public:
    virtual ~Drafter() = default;
    /// Up to `most` tokens that may follow; none: no idea.
    [[nodiscard]] virtual std::vector<TokenId> propose(const DraftRequest& request) = 0;
    /// A part of the prompt was read, up to the end of `tokens`; a good time to read it as well,
    /// unless that is cancelled.
    virtual void read(std::span<const TokenId> tokens, int chunk,
                      const std::function<bool()>& cancelled) {
        static_cast<void>(tokens);
        static_cast<void>(chunk);
        static_cast<void>(cancelled);
    }
    /// The answer now stands at `history`; what was proposed beyond it was not taken.
    virtual void settle(std::span<const TokenId> history) { static_cast<void>(history); }
    /// Why there are no proposals any more, told once; else empty.
    [[nodiscard]] virtual std::string takeNotice() { return {}; }
};

/// Proposes what followed the newest earlier occurrence of the last few tokens (prompt lookup
/// decoding). Needs no second model; pays where an answer repeats its prompt or itself.
/// O(1) per token of history and per proposal, apart from copying it.
class NgramDrafter final : public Drafter {
  public:
    [[nodiscard]] std::vector<TokenId> propose(const DraftRequest& request) override;

  private:
    static constexpr std::size_t kMinLength = 2;  ///< tokens that must have been seen in a row
    static constexpr std::size_t kMaxLength = 4;  ///< tried first

    void index(std::span<const TokenId> history);

    /// Hash of the tokens before a position, by length -> the newest such position with a
    /// successor.
    std::unordered_map<std::uint64_t, std::size_t> ends_;
    std::size_t indexed_ = 0;  ///< positions before this one are in `ends_`
};

/// A second, smaller model that guesses what the first will draw: same vocabulary, weights and
/// activations of its own. Owned by the engine thread.
struct DraftModel {
    std::shared_ptr<const LoadedModel> loaded;
    std::unique_ptr<Transformer> transformer;  ///< replaced when threads or chunks change
};

/// Whether the token ids of both mean the same texts. Errors: Incompatible, naming the first
/// difference (size, a piece, a special token, the ids of a sample text). Contract: SP-9.
[[nodiscard]] Status checkDraftVocabulary(const LoadedModel& target, const LoadedModel& draft);

/// Proposals of a second model, with a cache of its own that follows the conversation. Its guesses
/// are drawn with the answer's own settings, seed and numbers, so that where both models agree on
/// the chances they draw the same token; biases and grammars of the request are not asked. What
/// goes wrong here (memory, a context that is too short) ends the proposals, never the answer.
/// Owned by the engine thread. Contract: SP-3, SP-4, SP-12.
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
