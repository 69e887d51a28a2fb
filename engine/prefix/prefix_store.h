#pragma once
/// \file
/// In-memory prefix cache: caches of texts that were read before, with the ids of their tokens.
/// Entries are immutable and share rows copy-on-write with the cache they came from and with the
/// caches made from them. Memory is counted in bytes, a shared row once, and evicted least recently
/// used first. Owned by the engine thread. Contract: docs/prefix-cache.md (PC-1 to PC-5, PM-1 to
/// PM-11, PE-1 to PE-4, PE-9).

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

/// Spaces within which entries may be shared. An entry is never used in another space.
struct PrefixSpaces {
    /// Space of uncompacted caches, whose rows are as the model computed them, or evicted by age
    /// alone: the model, everything that affects its rows, and the owner.
    std::string full;
    /// Space of compacted caches: additionally the compaction settings. Empty if no compacted entry
    /// may be used.
    std::string compacted;
    /// Fingerprint of the model; a PrefixTier groups its entries by it.
    std::string model = {};
    /// Returns the space in which this cache is stored.
    [[nodiscard]] const std::string& of(const KvCache& cache) const {
        return cache.stats().compactions > 0 ? compacted : full;
    }
};

/// A stored prefix of a text.
struct PrefixEntry {
    std::string space;
    std::string model;               ///< fingerprint
    std::vector<TokenId> tokens;     ///< the tokens that the cache covers
    std::unique_ptr<KvCache> cache;  ///< immutable
    PrefixRole role = PrefixRole::Assistant;
    bool pinned = false;        ///< exempt from eviction
    std::int64_t shortest = 0;  ///< shortest length, in tokens, that it can be truncated to
    std::int64_t created = 0;   ///< value of the store's call counter at insertion
    std::int64_t lastUsed = 0;
    std::int64_t hits = 0;
    std::int64_t bytes = 0;  ///< rows, columns and tokens, including shared ones
    [[nodiscard]] bool compacted() const { return cache->stats().compactions > 0; }
};

/// A lookup in the store.
struct PrefixQuery {
    const PrefixSpaces& spaces;
    std::span<const TokenId> tokens;
    std::int64_t held = 0;  ///< leading tokens that the caller's cache already covers
    /// Compactions of the held cache. An entry that went through fewer is also returned if it
    /// covers just as many tokens.
    std::int64_t heldCompactions = 0;
    /// The held cache was compacted and can continue from its end: an entry must cover at least
    /// minTokens more to replace it.
    bool heldContinues = false;
    /// Upper limit on the tokens to return; a replay sets it to what was returned originally. At
    /// least one token is always left to be evaluated.
    std::optional<std::int64_t> most = std::nullopt;
    double secondsPerToken = 0;  ///< latest measured time to evaluate a token
    /// Properties the caller's cache must have; null skips the slower tier.
    const KvChoice* choice = nullptr;
    const StopRequested* stop = nullptr;  ///< cancels reading from the slower tier
    /// Other turns are waiting: the slower tier reads in pieces and is queried again when it is
    /// done.
    bool inPieces = false;
    /// The lookup does not belong to a user's turn and is not counted.
    bool uncounted = false;
};

struct PrefixAnswer {
    PrefixMatch match = PrefixMatch::None;
    std::int64_t tokens = 0;  ///< leading tokens that the cache covers; 0 if nothing was found
    std::unique_ptr<KvCache> cache;  ///< the cache to continue from
    std::string note;  ///< why a longer entry could not be used; empty if there is none
    std::optional<PrefixLoad> load = std::nullopt;  ///< decision about the slower tier
    bool pending = false;  ///< the slower tier is still reading: nothing is counted, and the caller
                           ///< queries again
};

/// A second, slower and larger storage for entries. It is queried for a longer match than memory
/// has, and notified of every cache worth storing.
class PrefixTier {
  public:
    virtual ~PrefixTier() = default;
    /// Returns a cache that covers more than `beyond` and at most `most` leading tokens, in either
    /// space; none if there is none or if reading it would take longer than computing it. The cache
    /// shares its rows with no other.
    [[nodiscard]] virtual PrefixAnswer find(const PrefixQuery& query, std::int64_t beyond,
                                            std::int64_t most) = 0;
    /// Called with every cache worth storing, even if memory has no room for it. The cache may be
    /// shared now and written later.
    virtual void stored(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                        KvCache& cache) = 0;
};

class PrefixStore {
  public:
    struct Options {
        std::int64_t limitBytes = 0;   ///< 0 turns storing off
        std::int64_t minTokens = 128;  ///< shorter texts are neither stored nor returned
        std::int64_t maxEntries = 1024;
    };

    explicit PrefixStore(Options options);
    ~PrefixStore();

    /// Returns the cache that covers most of the query's tokens, if it covers more than is already
    /// held.
    [[nodiscard]] PrefixAnswer find(const PrefixQuery& query);
    /// Returns the number of leading tokens that find() would return from memory now, without
    /// counting as a use.
    [[nodiscard]] std::int64_t holds(const PrefixQuery& query) const;
    /// Stores the current state of `cache`, unless it is not worth storing or does not fit; either
    /// outcome is counted. Removes entries made redundant by it. Returns true if these tokens are
    /// stored now.
    bool insert(const PrefixSpaces& spaces, std::span<const TokenId> tokens, KvCache& cache,
                PrefixRole role);
    /// Pins or unpins the entry of exactly these tokens; a pinned entry is never evicted.
    bool pin(const std::string& space, std::span<const TokenId> tokens, bool pinned);

    /// A lower limit takes effect immediately. 0 empties the store, including pinned entries.
    void limit(std::int64_t bytes);
    /// Evicts the next entry to make room for caches in use. Returns false if no entry may be
    /// evicted.
    bool releaseOne();
    void clear();
    /// Drops the entries of all other models, including pinned ones.
    void dropOtherModels(const std::string& fingerprint);
    void setTier(PrefixTier* tier) { tier_ = tier; }

    [[nodiscard]] bool on() const { return options_.limitBytes > 0; }
    /// Returns true if memory or a tier can store entries.
    [[nodiscard]] bool inUse() const { return on() || tier_ != nullptr; }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const Options& options() const { return options_; }
    /// Size of rows, tokens and the index; shared rows count once.
    [[nodiscard]] std::int64_t bytes() const;
    /// Visits all rows of an object that owns caches.
    using Holders = std::function<void(const KvCache::BlockVisitor&)>;
    /// Bytes of the entries that are not shared with these caches.
    [[nodiscard]] std::int64_t bytesBeyond(const Holders& caches) const;
    /// `bytesAlone` is computed without any caches in use; a caller that knows them overwrites it.
    [[nodiscard]] PrefixStats stats() const;
    void forEach(const std::function<void(const PrefixEntry&)>& visit) const;
    /// Aborts the program when an invariant is broken; called in tests.
    void checkInvariants() const;

  private:
    struct Kept {
        PrefixEntry entry;
        std::vector<std::pair<const void*, std::int64_t>> blocks;
        std::int64_t rest = 0;  ///< bytes outside of any shareable block
        /// Lengths below its shortest to which checkpoints of recurrent states go back, by the id
        /// under which the index has that part of the text.
        std::map<PrefixId, std::int64_t> cuts = {};
    };
    struct Found {
        PrefixHit hit;
        const std::string* space = nullptr;
    };
    /// Null if the space has no entries.
    [[nodiscard]] const PrefixIndex* indexOf(const std::string& space) const;
    [[nodiscard]] std::optional<PrefixId> idOf(const std::string& space,
                                               std::span<const TokenId> tokens) const;
    [[nodiscard]] std::optional<Found> longest(const PrefixQuery& query, std::int64_t most) const;
    struct EndOfPages {
        PrefixMiss reason = PrefixMiss::Nothing;
        std::string note = {};
    };
    [[nodiscard]] EndOfPages endReason(const PrefixQuery& query, std::int64_t usable) const;
    [[nodiscard]] PrefixAnswer take(const Found& found, const PrefixQuery& query);
    bool keep(const PrefixSpaces& spaces, std::span<const TokenId> tokens, KvCache& cache,
              PrefixRole role);
    [[nodiscard]] Kept& keptOf(PrefixId id) { return entries_.at(id); }
    /// The entry of an id of the index, which may be that of a cut.
    [[nodiscard]] PrefixId entryOf(PrefixId id) const {
        const auto cut = cuts_.find(id);
        return cut == cuts_.end() ? id : cut->second;
    }
    void addReplacedIds(PrefixId id, Kept& kept);
    void dropReplacedId(PrefixId id);
    [[nodiscard]] bool refusesEqual(const std::string& space, std::span<const TokenId> tokens,
                                    const KvCache& cache, PrefixRole role);
    [[nodiscard]] std::int64_t compactionsOf(PrefixId id) const;
    void dropCovered(const PrefixEntry& entry);
    void countBlocks(const Kept& kept, bool added);
    void drop(PrefixId id);
    [[nodiscard]] std::optional<PrefixId> first() const;
    void enforceLimit();
    PrefixAnswer counted(const PrefixQuery& query, PrefixAnswer answer, PrefixMiss reason);

    Options options_;
    PrefixTier* tier_ = nullptr;
    std::map<std::string, PrefixIndex> spaces_;
    std::map<PrefixId, Kept> entries_;
    std::map<PrefixId, PrefixId> cuts_;  ///< entries of the ids of cuts
    PrefixId nextId_ = 1;
    std::int64_t calls_ = 0;
    /// Bytes that each entry holds of a block; the maximum counts.
    std::unordered_map<const void*, std::vector<std::int64_t>> blocks_;
    std::int64_t blockBytes_ = 0;
    std::int64_t restBytes_ = 0;
    PrefixStats stats_;
};

}  // namespace lacuna
