#pragma once
/// \file
/// Starts of texts that were read once, kept for whoever's text begins alike: caches with the ids
/// of the tokens they cover. An entry never changes: it shares its rows with the cache it came from
/// and with those that begin with it, and each of them copies what it would write over. Bytes are
/// counted, a row that several entries share once; what was used least recently goes first when the
/// limit is reached. Owned by the engine thread. Contract: docs/prefix-cache.md (PC-1 to PC-5, PM-1
/// to PM-11, PE-1 to PE-4, PE-9).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_factory.h"
#include "engine/prefix/prefix_index.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Where entries may be shared: they never cross from one space to another.
struct PrefixSpaces {
    /// Of caches that hold every token they saw as the model computed it, or forgot by age alone:
    /// the model, what its rows are made with, and whose they are.
    std::string whole;
    /// Of compacted ones: all that, and what they were compacted with. Empty: none is to be used.
    std::string compacted;
    /// Fingerprint of the model, by which slower places sort what they keep.
    std::string model = {};
    /// That of what such a cache keeps.
    [[nodiscard]] const std::string& of(const KvCache& cache) const {
        return cache.stats().compactions > 0 ? compacted : whole;
    }
};

/// A stored start of a text.
struct PrefixEntry {
    std::string space;
    std::string model;               ///< fingerprint
    std::vector<TokenId> tokens;     ///< what the cache covers
    std::unique_ptr<KvCache> cache;  ///< never written to
    PrefixRole role = PrefixRole::Assistant;
    bool pinned = false;        ///< never leaves by itself
    std::int64_t shortest = 0;  ///< tokens that it can be cut back to
    std::int64_t created = 0;   ///< the store's count of its calls, then
    std::int64_t lastUsed = 0;
    std::int64_t hits = 0;
    std::int64_t bytes = 0;  ///< of rows, columns and tokens, shared ones too
    [[nodiscard]] bool compacted() const { return cache->stats().compactions > 0; }
};

/// What is asked of the store.
struct PrefixQuery {
    const PrefixSpaces& spaces;
    std::span<const TokenId> tokens;
    std::int64_t held = 0;  ///< first tokens that whoever asks has anyway
    /// Compactions that these went through. Where what is stored went through fewer, it is given
    /// for as many tokens as are held, too.
    std::int64_t heldCompactions = 0;
    /// What is held was compacted and would go on from where it ends: only minTokens more are worth
    /// giving it up.
    bool heldGoesOn = false;
    /// Most tokens to give, as a replay asks for those that were given then. At least one token is
    /// always left to be evaluated.
    std::optional<std::int64_t> most = std::nullopt;
    double secondsPerToken = 0;  ///< that reading the text would take, as measured last
    /// What caches have to be for whoever asks; null: nothing is made of what a slower place keeps.
    const KvChoice* choice = nullptr;
    const StopAsked* stop = nullptr;  ///< ends the reading of a slower place
    /// Others wait meanwhile: a slower place reads in pieces, and is asked again at their end.
    bool inPieces = false;
    /// No question of a person: it is not counted among those that were looked up.
    bool aside = false;
};

struct PrefixAnswer {
    PrefixMatch match = PrefixMatch::None;
    std::int64_t tokens = 0;         ///< first ones that the cache covers; 0: there is none
    std::unique_ptr<KvCache> cache;  ///< to go on from
    std::string note;                ///< why more that is stored could not be used, or empty
    std::optional<PrefixLoad> load = std::nullopt;  ///< what was decided about the slower place
    bool pending = false;  ///< a slower place reads for it: nothing is counted, and it is asked
                           ///< again
};

/// A second place that keeps entries, slower and larger. It is asked where memory has no longer
/// match, and is shown what is stored.
class PrefixTier {
  public:
    virtual ~PrefixTier() = default;
    /// A cache over more than `beyond` and at most `most` first tokens of these, in either space;
    /// none where there is none, or where reading it would take longer than computing it. Nobody
    /// else uses its rows.
    [[nodiscard]] virtual PrefixAnswer find(const PrefixQuery& query, std::int64_t beyond,
                                            std::int64_t most) = 0;
    /// A cache over these tokens that is worth storing, whether memory has room for it or not. It
    /// can be shared and written later.
    virtual void stored(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                        KvCache& cache) = 0;
};

class PrefixStore {
  public:
    struct Options {
        std::int64_t limitBytes = 0;   ///< 0: nothing is stored
        std::int64_t minTokens = 128;  ///< fewer are neither stored nor given
        std::int64_t maxEntries = 1024;
    };

    explicit PrefixStore(Options options);
    ~PrefixStore();

    /// The cache that covers most of these tokens, where it covers more than is held already.
    [[nodiscard]] PrefixAnswer find(const PrefixQuery& query);
    /// First tokens that find would give from memory now; nothing is counted as use.
    [[nodiscard]] std::int64_t holds(const PrefixQuery& query) const;
    /// Stores what `cache` is now, unless it is not worth it or does not fit; counted either way.
    /// Entries that give nothing beyond it leave. Whether these tokens are stored now.
    bool insert(const PrefixSpaces& spaces, std::span<const TokenId> tokens, KvCache& cache,
                PrefixRole role);
    /// The entry of exactly these tokens stays whatever comes, or no longer does.
    bool pin(const std::string& space, std::span<const TokenId> tokens, bool pinned);

    /// A lower limit takes effect at once. 0 empties the store, pinned entries as well.
    void limit(std::int64_t bytes);
    /// What is used least leaves, for caches in use. False where nothing is left that may.
    bool giveOneBack();
    void clear();
    /// Drops the entries of all other models, pinned ones as well.
    void keepModel(const std::string& fingerprint);
    void setTier(PrefixTier* tier) { tier_ = tier; }

    [[nodiscard]] bool on() const { return options_.limitBytes > 0; }
    /// Whether there is anywhere that something is kept.
    [[nodiscard]] bool inUse() const { return on() || tier_ != nullptr; }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const Options& options() const { return options_; }
    /// Of rows, tokens and the index, shared rows once.
    [[nodiscard]] std::int64_t bytes() const;
    /// Visits all rows of something that holds caches.
    using Holders = std::function<void(const KvCache::BlockVisitor&)>;
    /// Bytes of the entries that these caches do not hold as well.
    [[nodiscard]] std::int64_t bytesBeyond(const Holders& caches) const;
    /// `bytesAlone` is that of no caches; whoever knows the caches in use fills it in.
    [[nodiscard]] PrefixStats stats() const;
    void forEach(const std::function<void(const PrefixEntry&)>& visit) const;
    /// Aborts the program when an invariant is broken; called in tests.
    void checkInvariants() const;

  private:
    struct Kept {
        PrefixEntry entry;
        std::vector<std::pair<const void*, std::int64_t>> blocks;
        std::int64_t rest = 0;  ///< bytes that are in no block that could be shared
    };
    struct Found {
        PrefixHit hit;
        const std::string* space = nullptr;
    };
    /// Null where nothing is stored there.
    [[nodiscard]] const PrefixIndex* indexOf(const std::string& space) const;
    [[nodiscard]] std::optional<PrefixId> idOf(const std::string& space,
                                               std::span<const TokenId> tokens) const;
    [[nodiscard]] std::optional<Found> longest(const PrefixQuery& query, std::int64_t most) const;
    struct NoMore {
        PrefixMiss reason = PrefixMiss::Nothing;
        std::string note = {};
    };
    [[nodiscard]] NoMore whyNoMore(const PrefixQuery& query, std::int64_t usable) const;
    [[nodiscard]] PrefixAnswer take(const Found& found, const PrefixQuery& query);
    bool keep(const PrefixSpaces& spaces, std::span<const TokenId> tokens, KvCache& cache,
              PrefixRole role);
    [[nodiscard]] Kept& keptOf(PrefixId id) { return entries_.at(id); }
    [[nodiscard]] bool refusesEqual(const std::string& space, std::span<const TokenId> tokens,
                                    const KvCache& cache, PrefixRole role);
    [[nodiscard]] std::int64_t compactionsOf(PrefixId id) const;
    void dropCovered(const PrefixEntry& entry);
    void countBlocks(const Kept& kept, bool added);
    void drop(PrefixId id);
    [[nodiscard]] std::optional<PrefixId> first() const;
    void keepLimit();
    PrefixAnswer counted(const PrefixQuery& query, PrefixAnswer answer, PrefixMiss reason);

    Options options_;
    PrefixTier* tier_ = nullptr;
    std::map<std::string, PrefixIndex> spaces_;
    std::map<PrefixId, Kept> entries_;
    PrefixId nextId_ = 1;
    std::int64_t calls_ = 0;
    /// What the entries hold of each block; the largest counts.
    std::unordered_map<const void*, std::vector<std::int64_t>> blocks_;
    std::int64_t blockBytes_ = 0;
    std::int64_t restBytes_ = 0;
    PrefixStats stats_;
};

}  // namespace lacuna
