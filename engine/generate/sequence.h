#pragma once
/// \file
/// One conversation as the engine holds it: the cache, its compactor, and the ids of every token
/// the cache has seen. Knows how much of a new prompt is already there. Owned by the engine thread.
/// Contract: the ids are exactly the tokens the cache covers, `tokens().size() ==
/// cache().offset()`.

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
#include "engine/compress/compactor.h"
#include "engine/format/model_spec.h"
#include "engine/generate/drafter.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Where the turns of a conversation began. A turn is a question with its answer; one that is asked
/// again or edited takes the place of those it goes back into.
class TurnMarks {
  public:
    /// A turn begins with a prompt of `prompt` tokens, of which the cache holds the first `held`;
    /// its user message begins after `question` tokens, where that is known.
    void begin(std::int64_t held, std::int64_t prompt,
               std::optional<std::int64_t> question = std::nullopt) {
        std::int64_t before = held;
        // Going back to its question or after it does a turn over again.
        while (!turns_.empty() && turns_.back().answer > held) {
            before = before < turns_.back().before ? before : turns_.back().before;
            turns_.pop_back();
        }
        if (question && *question > prompt) question = prompt;
        turns_.push_back({before, prompt, question});
    }
    /// What is held from now on counts as one turn of the past.
    void clear() { turns_.clear(); }
    /// Tokens that stood before the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t beforeNewest() const {
        return turns_.empty() ? 0 : turns_.back().before;
    }
    /// Tokens in front of the answer of the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t answerOfNewest() const {
        return turns_.empty() ? 0 : turns_.back().answer;
    }
    /// Tokens in front of the user message of the newest turn, where that is known.
    [[nodiscard]] std::optional<std::int64_t> questionOfNewest() const {
        return turns_.empty() ? std::nullopt : turns_.back().question;
    }

  private:
    struct Turn {
        std::int64_t before = 0;                              ///< tokens in front of it
        std::int64_t answer = 0;                              ///< tokens in front of its answer
        std::optional<std::int64_t> question = std::nullopt;  ///< tokens before its user message
    };
    std::vector<Turn> turns_;
};

/// Caches over the first tokens of a sequence, for one whose own cache cannot be cut back to them
/// (sliding windows). Longest first.
using Checkpoints = std::vector<std::unique_ptr<KvCache>>;

/// How much of a prompt the cache holds already.
struct PromptReuse {
    std::int64_t tokens = 0;  ///< from the start of the prompt, at most its length - 1
    std::string note;         ///< why less was reused than the prompts have in common, or empty
};

class Sequence {
  public:
    /// Makes an empty cache; called at the start and whenever a conversation is read again.
    using CacheMaker = std::function<Result<std::unique_ptr<KvCache>>()>;
    using CompactorMaker = std::function<std::unique_ptr<Compactor>(const KvShape&)>;

    /// Errors: as the cache maker's.
    [[nodiscard]] static Result<std::unique_ptr<Sequence>> create(CacheMaker makeCache,
                                                                  CompactorMaker makeCompactor);

    [[nodiscard]] KvCache& cache() { return *cache_; }
    [[nodiscard]] const KvCache& cache() const { return *cache_; }
    [[nodiscard]] Compactor& compactor() { return *compactor_; }
    [[nodiscard]] std::span<const TokenId> tokens() const { return tokens_; }
    /// Of them, those that stood before the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t beforeTurn() const { return turns_.beforeNewest(); }

    /// Brings the cache to the longest start of `prompt` it can hold, of `most` tokens at most and
    /// leaving at least one to feed: keeps what is common, rolls back what is not, or starts again
    /// when the cache cannot go back. A turn begins with it, whose user message begins after
    /// `question` tokens, where that is known. Errors: as the cache maker's; the sequence
    /// is then empty or as before.
    [[nodiscard]] Result<PromptReuse> prepare(std::span<const TokenId> prompt,
                                              std::int64_t most = kAnyTokens,
                                              std::optional<std::int64_t> question = std::nullopt);
    /// Tokens that prepare would keep.
    [[nodiscard]] std::int64_t reusable(std::span<const TokenId> prompt,
                                        std::int64_t most = kAnyTokens) const;
    /// Notes tokens that a forward pass has appended. @pre the cache has grown by as many
    void appended(std::span<const TokenId> tokens);
    /// Takes the newest `count` tokens back. Errors: as KvCache::rollback; then nothing has
    /// changed.
    [[nodiscard]] Status dropNewest(int count);
    /// Makes room: half of the tokens after the first `keep` go, those after them move up
    /// (context shift, GL-12). How many went. Errors: as shiftedCache; then nothing has changed.
    [[nodiscard]] Result<int> shift(int keep, const ModelSpec& spec);
    /// Whether the cache holds more than the tokens alone explain: it was shifted, so it is no
    /// start of any text beyond those it kept, and is stored nowhere.
    [[nodiscard]] bool shifted() const { return exactTokens_ < tokens_.size(); }
    /// New compactor over the same cache, after threads or model parts were replaced. The captured
    /// reference queries are lost.
    void replaceCompactor(CompactorMaker makeCompactor);
    /// Goes on from a cache that covers the start of a prompt, as if it had held nothing before
    /// but kept spans in the tokens that both have in common; what runs in the background of the
    /// compactor is broken off. @pre the cache covers as many tokens
    void goOnFrom(std::unique_ptr<KvCache> cache, std::span<const TokenId> tokens);
    /// Goes on from a cache that was saved with these tokens; they count as turns of the past. @pre
    /// the cache covers as many, each checkpoint fewer
    void adopt(std::unique_ptr<KvCache> cache, std::vector<TokenId> tokens,
               Checkpoints checkpoints = {});
    [[nodiscard]] const Checkpoints& checkpoints() const { return checkpoints_; }
    [[nodiscard]] std::int64_t checkpointBytes() const;
    void dropCheckpoints() { checkpoints_.clear(); }
    /// Fewest tokens that the cache itself can be cut back to.
    [[nodiscard]] std::int64_t shortest() const;
    /// Goes on in a cache of the same tokens whose rows have another format. The compactor looks at
    /// its slots again, which may stand elsewhere. @pre nothing runs in the background of the
    /// compactor
    void exchangeCache(std::unique_ptr<KvCache> cache);
    /// Tokens that its compactions leave as they are, because they were brought back. They stay so
    /// as long as the conversation has these tokens at these places.
    [[nodiscard]] const KeptSpans& keptSpans() const { return kept_; }
    void keepSpans(KeptSpans spans);
    /// Tokens that they leave as they are because a person pinned their words, as long as the
    /// conversation has these tokens at these places; some may be still to come
    /// (docs/pinned-text.md).
    [[nodiscard]] const KeptSpans& pinnedSpans() const { return pinned_; }
    void pinSpans(KeptSpans spans);
    /// Both: those that were brought back first, so that the pinned ones stay longest.
    [[nodiscard]] KeptSpans stayingSpans() const;
    /// Called before a compaction makes the cache forget tokens for the first time, unless memory
    /// is what it is for.
    void beforeForgetting(std::function<void(Sequence&)> call);
    /// Fewest tokens that the cache covered since this was asked last: those after them are not the
    /// ones that stood there. 0 the first time, and where it was made or shifted since.
    [[nodiscard]] std::int64_t takeFewest();
    /// Who proposes tokens of this conversation, or null: its own repetitions.
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
    [[nodiscard]] Status startAnew();
    void newCompactor();
    [[nodiscard]] KvCache* checkpointWithin(std::size_t tokens) const;
    void dropCheckpointsAfter(std::size_t tokens);
    void keepUpTo(std::size_t tokens);
    void tellStaying();
    void renewCompactor(CompactionReason reason);
    void sayTurn();

    CacheMaker makeCache_;
    CompactorMaker makeCompactor_;
    std::unique_ptr<KvCache> cache_;
    std::unique_ptr<Compactor> compactor_;
    std::vector<TokenId> tokens_;
    /// Of them, those that were computed with all before them in sight; the rest was shifted.
    std::size_t exactTokens_ = kAllTokens;
    std::size_t fewestTokens_ = 0;  ///< since takeFewest
    TurnMarks turns_;
    KeptSpans kept_;
    std::function<void(Sequence&)> beforeForgetting_;
    std::unique_ptr<Drafter> drafter_;
    KeptSpans pinned_;
    Checkpoints checkpoints_;
};

}  // namespace lacuna
