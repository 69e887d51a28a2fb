#pragma once
/// \file
/// State of one conversation in the engine: the cache, its compactor, and the ids of every token
/// that the cache covers. Determines how much of a new prompt can be reused. Owned by the engine
/// thread. Invariant: `tokens().size() == cache().offset()`.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/compress/driver/compactor.h"
#include "engine/format/model_spec.h"
#include "engine/generate/drafter.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Records where the turns of a conversation begin. A turn is a question with its answer; a
/// repeated or edited one replaces the turns that it rolls back into.
class TurnMarks {
  public:
    /// Begins a turn with a prompt of `prompt` tokens, of which the cache holds the first `held`.
    /// The user message begins after `question` tokens, if known.
    void begin(std::int64_t held, std::int64_t prompt,
               std::optional<std::int64_t> question = std::nullopt) {
        std::int64_t before = held;
        // Rolling back to a turn's question or beyond replaces that turn.
        while (!turns_.empty() && turns_.back().answer > held) {
            before = before < turns_.back().before ? before : turns_.back().before;
            turns_.pop_back();
        }
        if (question && *question > prompt) question = prompt;
        turns_.push_back({before, prompt, question});
    }
    /// Treats the currently held tokens as one past turn.
    void clear() { turns_.clear(); }
    /// Number of tokens before the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t beforeNewest() const {
        return turns_.empty() ? 0 : turns_.back().before;
    }
    /// Number of tokens before the answer of the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t newestAnswerStart() const {
        return turns_.empty() ? 0 : turns_.back().answer;
    }
    /// Number of tokens before the user message of the newest turn, if known.
    [[nodiscard]] std::optional<std::int64_t> newestQuestionStart() const {
        return turns_.empty() ? std::nullopt : turns_.back().question;
    }

  private:
    struct Turn {
        std::int64_t before = 0;                              ///< tokens before the turn
        std::int64_t answer = 0;                              ///< tokens before its answer
        std::optional<std::int64_t> question = std::nullopt;  ///< tokens before its user message
    };
    std::vector<Turn> turns_;
};

/// Caches of prefixes of a sequence whose own cache cannot be truncated to them (sliding windows).
/// Longest first.
using Checkpoints = std::vector<std::unique_ptr<KvCache>>;

/// How much of a prompt the cache already holds.
struct PromptReuse {
    std::int64_t tokens = 0;  ///< leading tokens of the prompt, at most its length - 1
    std::string note;         ///< why less than the common prefix is reused; empty if all of it is
};

class Sequence {
  public:
    /// Makes an empty cache; called at the start and whenever the conversation must be reread.
    using CacheMaker = std::function<Result<std::unique_ptr<KvCache>>()>;
    using CompactorMaker = std::function<std::unique_ptr<Compactor>(const KvShape&)>;

    /// Errors: as the cache maker's.
    [[nodiscard]] static Result<std::unique_ptr<Sequence>> create(CacheMaker makeCache,
                                                                  CompactorMaker makeCompactor);

    [[nodiscard]] KvCache& cache() { return *cache_; }
    [[nodiscard]] const KvCache& cache() const { return *cache_; }
    [[nodiscard]] Compactor& compactor() { return *compactor_; }
    [[nodiscard]] std::span<const TokenId> tokens() const { return tokens_; }
    /// Number of tokens before the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t beforeTurn() const { return turns_.beforeNewest(); }

    /// Truncates the cache to its longest usable prefix of `prompt`, of at most `most` tokens and
    /// leaving at least one to feed. Keeps the common prefix, rolls back the rest, or starts over
    /// if the cache cannot be rolled back. Begins a turn whose user message starts after `question`
    /// tokens, if known. Errors: as the cache maker's; the sequence is then empty or unchanged.
    [[nodiscard]] Result<PromptReuse> prepare(std::span<const TokenId> prompt,
                                              std::int64_t most = kAnyTokens,
                                              std::optional<std::int64_t> question = std::nullopt);
    /// Returns the number of tokens that prepare() would keep.
    [[nodiscard]] std::int64_t reusable(std::span<const TokenId> prompt,
                                        std::int64_t most = kAnyTokens) const;
    /// Records tokens that a forward pass has appended. @pre the cache has grown by as many
    void appended(std::span<const TokenId> tokens);
    /// Removes the newest `count` tokens. Errors: as KvCache::rollback; then nothing has changed.
    [[nodiscard]] Status dropNewest(int count);
    /// Drops half of the tokens after the first `keep` and moves up the later ones (context shift,
    /// GL-12). Returns the number of dropped tokens. Errors: as shiftedCache; then nothing has
    /// changed.
    [[nodiscard]] Result<int> shift(int keep, const ModelSpec& spec);
    /// Returns true if the context was shifted. Rows then depend on dropped tokens, so the cache is
    /// not a prefix of any text beyond the tokens kept, and must not be stored.
    [[nodiscard]] bool shifted() const { return exactTokens_ < tokens_.size(); }
    /// Makes a new compactor for the same cache after threads or model parts were replaced.
    /// Captured reference queries are lost.
    void replaceCompactor(CompactorMaker makeCompactor);
    /// Continues from a cache that covers the start of a prompt, discarding all state except kept
    /// spans and checkpoints within the common prefix. Background work of the compactor is
    /// cancelled. @pre the cache covers exactly these tokens
    void resumeFrom(std::unique_ptr<KvCache> cache, std::span<const TokenId> tokens);
    /// Continues from a saved cache with these tokens; they count as past turns. @pre the cache
    /// covers exactly these tokens, each checkpoint fewer
    void adopt(std::unique_ptr<KvCache> cache, std::vector<TokenId> tokens,
               Checkpoints checkpoints = {});
    [[nodiscard]] const Checkpoints& checkpoints() const { return checkpoints_; }
    [[nodiscard]] std::int64_t checkpointBytes() const;
    /// Releases these checkpoints and those of recurrent states.
    void dropCheckpoints();
    /// Limits the checkpoints of recurrent states, which are float32 before. The next prepare()
    /// requests them at the lengths in `messages`, which are those before the messages of its
    /// prompt.
    void limitCheckpointsTo(const StateCheckpoints& states,
                            std::vector<std::int64_t> messages = {});
    /// Bytes of the checkpoints of recurrent states that the next `tokens` tokens will add.
    [[nodiscard]] std::int64_t checkpointGrowth(std::int64_t tokens) const;
    /// Smallest number of tokens that the cache itself can be truncated to.
    [[nodiscard]] std::int64_t shortest() const;
    /// Replaces the cache by one with the same tokens in another format. The compactor inspects its
    /// slots again, since their indices may differ. @pre the compactor has no background work
    void exchangeCache(std::unique_ptr<KvCache> cache);
    /// Restored tokens, which compactions keep as long as the conversation has these tokens at the
    /// same positions.
    [[nodiscard]] const KeptSpans& keptSpans() const { return kept_; }
    void keepSpans(KeptSpans spans);
    /// Tokens that compactions keep because the user pinned their words, as long as the
    /// conversation has these tokens at the same positions. Some may still have to be read
    /// (docs/pinned-text.md).
    [[nodiscard]] const KeptSpans& pinnedSpans() const { return pinned_; }
    void pinSpans(KeptSpans spans);
    /// Both kinds of kept spans; restored ones first, so that pinned ones are dropped last.
    [[nodiscard]] KeptSpans allKeptSpans() const;
    /// Sets a hook that is called before a compaction first evicts tokens from the cache, unless
    /// the compaction is needed to free memory.
    void beforeEviction(std::function<void(Sequence&)> call);
    /// Returns the smallest number of tokens that the cache covered since the last call; later
    /// tokens may have been replaced. 0 for the first call, and if the cache was created or shifted
    /// since.
    [[nodiscard]] std::int64_t takeMinTokens();
    /// Drafter of this conversation; null uses n-gram lookup.
    [[nodiscard]] Drafter* drafter() { return drafter_.get(); }
    void setDrafter(std::unique_ptr<Drafter> drafter) { drafter_ = std::move(drafter); }

    static constexpr std::int64_t kAnyTokens = std::numeric_limits<std::int64_t>::max();

  private:
    static constexpr std::size_t kAllTokens = std::numeric_limits<std::size_t>::max();

    Sequence(CacheMaker makeCache, CompactorMaker makeCompactor)
        : makeCache_(std::move(makeCache)), makeCompactor_(std::move(makeCompactor)) {}
    [[nodiscard]] std::size_t commonWith(std::span<const TokenId> prompt, std::int64_t most) const;
    [[nodiscard]] Result<PromptReuse> reuseStart(std::span<const TokenId> prompt,
                                                 std::int64_t most);
    [[nodiscard]] Status startOver();
    void requestCheckpoints(std::int64_t prompt, std::int64_t common, std::int64_t held,
                            bool diverged);
    void newCompactor();
    [[nodiscard]] std::int64_t reachedWithin(std::size_t tokens) const;
    [[nodiscard]] KvCache* checkpointWithin(std::size_t tokens) const;
    void dropCheckpointsAfter(std::size_t tokens);
    void truncateTo(std::size_t tokens);
    void updateKeptSpans();
    void renewCompactor(CompactionReason reason);
    void publishTurn();

    CacheMaker makeCache_;
    CompactorMaker makeCompactor_;
    std::unique_ptr<KvCache> cache_;
    std::unique_ptr<Compactor> compactor_;
    std::vector<TokenId> tokens_;
    /// Number of leading tokens whose rows were computed in their full context; those after it were
    /// shifted.
    std::size_t exactTokens_ = kAllTokens;
    std::size_t minTokens_ = 0;  ///< minimum since the last takeMinTokens()
    TurnMarks turns_;
    KeptSpans kept_;
    std::function<void(Sequence&)> beforeEviction_;
    std::unique_ptr<Drafter> drafter_;
    KeptSpans pinned_;
    Checkpoints checkpoints_;
    StateCheckpoints states_{.type = StateType::Float32};
    std::vector<std::int64_t> messages_;  ///< lengths before the messages of the next prompt
};

}  // namespace lacuna
