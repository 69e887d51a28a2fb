#include "engine/prefix/prefix_store.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/state/state_store.h"

namespace lacuna {
namespace {

PrefixMatch matchOf(const PrefixHit& hit, std::int64_t common, std::int64_t asked) {
    if (hit.length <= common)
        return hit.length == asked ? PrefixMatch::Exact : PrefixMatch::Shorter;
    return common == asked ? PrefixMatch::Longer : PrefixMatch::Diverging;
}

std::int64_t tokenBytes(std::span<const TokenId> tokens) {
    return static_cast<std::int64_t>(tokens.size_bytes());
}

}  // namespace

PrefixStore::PrefixStore(Options options) : options_(options) {}
PrefixStore::~PrefixStore() = default;

const PrefixIndex* PrefixStore::indexOf(const std::string& space) const {
    const auto index = spaces_.find(space);
    return space.empty() || index == spaces_.end() ? nullptr : &index->second;
}

std::optional<PrefixId> PrefixStore::idOf(const std::string& space,
                                          std::span<const TokenId> tokens) const {
    const PrefixIndex* const index = indexOf(space);
    const auto id = index == nullptr ? std::nullopt : index->find(tokens);
    return id && entries_.contains(*id) ? id : std::nullopt;
}

std::optional<PrefixStore::Found> PrefixStore::longest(const PrefixQuery& query,
                                                       std::int64_t most) const {
    std::optional<Found> best;
    for (const std::string* space : {&query.spaces.full, &query.spaces.compacted}) {
        const PrefixIndex* const index = indexOf(*space);
        if (index == nullptr) continue;
        const auto hit = index->longest(query.tokens, most);
        if (hit && (!best || hit->usable > best->hit.usable)) best = Found{*hit, space};
    }
    return best;
}

/// Explains why a stored text with a longer common prefix could not be used.
PrefixStore::EndOfPages PrefixStore::endReason(const PrefixQuery& query,
                                               std::int64_t usable) const {
    EndOfPages why;
    for (const std::string* space : {&query.spaces.full, &query.spaces.compacted}) {
        const PrefixIndex* const index = indexOf(*space);
        if (index == nullptr) continue;
        const std::int64_t common = std::min(index->common(query.tokens),
                                             static_cast<std::int64_t>(query.tokens.size()) - 1);
        const auto nearest = index->nearest(query.tokens);
        if (common > 0 && common <= usable) why.reason = PrefixMiss::Held;
        if (common <= usable || !nearest) continue;
        const PrefixEntry& entry = entries_.at(entryOf(*nearest)).entry;
        if (common < options_.minTokens)
            return {
                PrefixMiss::Short,
                format("a prefix entry shares {} tokens, fewer than the {} that are worth reusing",
                       common, options_.minTokens)};
        const std::string reason = entry.cache->capabilities().rollbackBlocker;
        if (entry.shortest > common && !reason.empty())
            return {PrefixMiss::Fixed,
                    format("a prefix entry shares {} tokens but cannot be cut below {}: {}", common,
                           entry.shortest, reason)};
    }
    return why;
}

PrefixAnswer PrefixStore::counted(const PrefixQuery& query, PrefixAnswer answer,
                                  PrefixMiss reason) {
    if (query.uncounted) return answer;
    ++stats_.lookups;
    ++stats_.matches[static_cast<std::size_t>(answer.match)];
    if (answer.match == PrefixMatch::None) ++stats_.misses[static_cast<std::size_t>(reason)];
    stats_.tokensQueried += static_cast<std::int64_t>(query.tokens.size());
    stats_.tokensReused += answer.tokens;
    stats_.savedSeconds +=
        static_cast<double>(std::max<std::int64_t>(answer.tokens - query.held, 0)) *
        query.secondsPerToken;
    return answer;
}

PrefixAnswer PrefixStore::find(const PrefixQuery& query) {
    const std::int64_t asked = static_cast<std::int64_t>(query.tokens.size());
    const std::int64_t most = std::min(query.most.value_or(asked), asked - 1);
    const auto found = longest(query, most);
    const bool better = found && found->hit.usable == query.held &&
                        compactionsOf(found->hit.id) < query.heldCompactions;
    const std::int64_t least = std::max<std::int64_t>(options_.minTokens, 1) - 1;
    const std::int64_t worth =
        std::max(better ? query.held - 1 : query.held + (query.heldContinues ? least : 0), least);
    if (most <= worth || !inUse())
        return counted(query, {}, query.held >= most ? PrefixMiss::Held : PrefixMiss::Short);
    const std::int64_t inMemory = found && found->hit.usable > worth ? found->hit.usable : worth;
    PrefixAnswer answer;
    if (tier_ != nullptr && inMemory < most) {
        answer = tier_->find(query, inMemory > worth ? inMemory : query.held, most);
        if (answer.pending) return answer;
        if (answer.cache != nullptr && answer.tokens > inMemory) {
            if (on())
                keep(query.spaces, query.tokens.first(static_cast<std::size_t>(answer.tokens)),
                     *answer.cache, PrefixRole::User);
            return counted(query, std::move(answer), PrefixMiss::Nothing);
        }
    }
    PrefixMiss reason = PrefixMiss::Failed;
    if (inMemory > worth) {
        PrefixAnswer mine = take(*found, query);
        mine.load = answer.load;
        if (mine.note.empty()) mine.note = std::move(answer.note);
        answer = std::move(mine);
    }
    const bool failed = inMemory > worth && answer.cache == nullptr;
    const std::int64_t usable = answer.cache != nullptr ? answer.tokens : query.held;
    if (usable < most && !failed) {
        EndOfPages why = endReason(query, usable);
        reason = why.reason;
        if (answer.note.empty()) answer.note = std::move(why.note);
    }
    return counted(query, std::move(answer), reason);
}

std::int64_t PrefixStore::holds(const PrefixQuery& query) const {
    const std::int64_t asked = static_cast<std::int64_t>(query.tokens.size());
    const std::int64_t most = std::min(query.most.value_or(asked), asked - 1);
    const auto found = longest(query, most);
    const std::int64_t least = options_.minTokens + (query.heldContinues ? query.held : 0);
    return found && found->hit.usable >= least ? found->hit.usable : 0;
}

PrefixAnswer PrefixStore::take(const Found& found, const PrefixQuery& query) {
    PrefixEntry& entry = keptOf(entryOf(found.hit.id)).entry;
    const auto failed = [this](const Error& error) {
        ++stats_.failures;
        PrefixAnswer none;
        none.note = describe(error);
        return none;
    };
    auto twin = entry.cache->share();
    if (!twin) return failed(twin.error());
    const auto surplus = static_cast<int>(std::ssize(entry.tokens) - found.hit.usable);
    if (auto cut = (*twin)->rollback(surplus); !cut) return failed(cut.error());
    entry.lastUsed = ++calls_;
    ++entry.hits;
    PrefixAnswer answer;
    answer.match = matchOf(found.hit, spaces_.at(*found.space).common(query.tokens),
                           static_cast<std::int64_t>(query.tokens.size()));
    answer.tokens = found.hit.usable;
    answer.cache = std::move(*twin);
    return answer;
}

/// Returns true, and counts a use, if an equal text is stored that is at least as good.
bool PrefixStore::refusesEqual(const std::string& space, std::span<const TokenId> tokens,
                               const KvCache& cache, PrefixRole role) {
    const auto equal = idOf(space, tokens);
    if (!equal) return false;
    PrefixEntry& entry = keptOf(*equal).entry;
    const KvCapabilities able = cache.capabilities();
    const auto shortest = static_cast<std::int64_t>(tokens.size()) - able.rollbackLimit;
    const bool worse =
        cache.stats().slotsTotal < entry.cache->stats().slotsTotal || shortest > entry.shortest;
    const bool same =
        cache.stats().slotsTotal == entry.cache->stats().slotsTotal && shortest == entry.shortest;
    if (worse || same) {
        entry.lastUsed = ++calls_;
        entry.role = std::max(entry.role, role);
        ++stats_.refreshed;
        return true;
    }
    return false;
}

bool PrefixStore::insert(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                         KvCache& cache, PrefixRole role) {
    if (!inUse() || tokens.empty() || spaces.of(cache).empty()) return false;
    const auto length = static_cast<std::int64_t>(tokens.size());
    if (length != cache.offset().value) {
        ++stats_.rejectedDifferent;
        return false;
    }
    if (length < options_.minTokens) {
        ++stats_.rejectedShort;
        return false;
    }
    if (tier_ != nullptr) tier_->stored(spaces, tokens, cache);
    return on() && keep(spaces, tokens, cache, role);
}

/// @pre the store is on, and the cache covers the tokens
bool PrefixStore::keep(const PrefixSpaces& spaces, std::span<const TokenId> tokens, KvCache& cache,
                       PrefixRole role) {
    const std::string& space = spaces.of(cache);
    const auto length = static_cast<std::int64_t>(tokens.size());
    const std::int64_t bytes = cache.stats().contentBytes() + tokenBytes(tokens);
    if (bytes > options_.limitBytes) {
        ++stats_.rejectedLarge;
        return false;
    }
    if (refusesEqual(space, tokens, cache, role)) return true;
    auto twin = cache.share();
    if (!twin) {
        ++stats_.failures;
        return false;
    }
    bool pinned = false;
    if (const auto equal = idOf(space, tokens)) {
        pinned = keptOf(*equal).entry.pinned;
        role = std::max(role, keptOf(*equal).entry.role);
        drop(*equal);
        ++stats_.replaced;
    }
    Kept kept;
    kept.entry = {
        .space = space,
        .model = spaces.model,
        .tokens = {tokens.begin(), tokens.end()},
        .cache = std::move(*twin),
        .role = role,
        .pinned = pinned,
        .shortest = std::max<std::int64_t>(length - cache.capabilities().rollbackLimit, 0),
        .created = ++calls_,
        .lastUsed = calls_,
        .bytes = bytes};
    kept.rest = bytes;
    kept.entry.cache->visitBlocks([&kept](const void* block, std::int64_t size) {
        kept.blocks.emplace_back(block, size);
        kept.rest -= size;
    });
    const PrefixId id = nextId_++;
    PrefixIndex& index = spaces_[space];
    if (const auto cut = index.find(tokens)) dropReplacedId(*cut);
    index.insert(tokens, kept.entry.shortest, id);
    addReplacedIds(id, kept);
    countBlocks(kept, true);
    const PrefixEntry& entry = entries_.emplace(id, std::move(kept)).first->second.entry;
    ++stats_.inserts;
    dropCovered(entry);
    enforceLimit();
    return entries_.contains(id);
}

std::int64_t PrefixStore::compactionsOf(PrefixId id) const {
    return entries_.at(entryOf(id)).entry.cache->stats().compactions;
}

/// Lists the parts of an entry's text to which only a checkpoint goes back.
void PrefixStore::addReplacedIds(PrefixId id, Kept& kept) {
    const PrefixEntry& entry = kept.entry;
    const StateStore* const states = entry.cache->states();
    if (states == nullptr) return;
    for (const CheckpointPool::Kept& one : states->checkpoints()) {
        const std::int64_t length = one.position();
        if (length < options_.minTokens || length >= entry.shortest ||
            entry.cache->tokensAgain(Position(static_cast<std::int32_t>(length))) > 0)
            continue;
        const auto text = std::span(entry.tokens).first(static_cast<std::size_t>(length));
        // The newest entry has the cut, since an older one is evicted before.
        PrefixIndex& index = spaces_.at(entry.space);
        if (const auto held = index.find(text)) dropReplacedId(*held);
        if (!index.insert(text, length, nextId_)) continue;
        cuts_.emplace(nextId_, id);
        kept.cuts.emplace(nextId_++, length);
    }
}

/// Makes way for an entry of the same text.
void PrefixStore::dropReplacedId(PrefixId id) {
    const auto cut = cuts_.find(id);
    if (cut == cuts_.end()) return;
    Kept& kept = keptOf(cut->second);
    const auto length = static_cast<std::size_t>(kept.cuts.at(id));
    spaces_.at(kept.entry.space).erase(std::span(kept.entry.tokens).first(length));
    kept.cuts.erase(id);
    cuts_.erase(cut);
}

/// Drops shorter texts that the entry can be truncated to without additional loss.
void PrefixStore::dropCovered(const PrefixEntry& entry) {
    const PrefixIndex& index = spaces_.at(entry.space);
    for (const PrefixId id : index.startsOf(entry.tokens)) {
        if (cuts_.contains(id)) continue;
        const PrefixEntry& shorter = keptOf(id).entry;
        if (shorter.pinned || shorter.role == PrefixRole::System) continue;
        if (static_cast<std::int64_t>(shorter.tokens.size()) < entry.shortest) continue;
        if (compactionsOf(id) < entry.cache->stats().compactions) continue;
        drop(id);
        ++stats_.covered;
    }
}

void PrefixStore::countBlocks(const Kept& kept, bool added) {
    restBytes_ += added ? kept.rest : -kept.rest;
    for (const auto& [block, bytes] : kept.blocks) {
        std::vector<std::int64_t>& held = blocks_[block];
        if (!held.empty()) blockBytes_ -= std::ranges::max(held);
        if (added)
            held.push_back(bytes);
        else
            held.erase(std::ranges::find(held, bytes));
        if (!held.empty())
            blockBytes_ += std::ranges::max(held);
        else
            blocks_.erase(block);
    }
}

void PrefixStore::drop(PrefixId id) {
    const auto kept = entries_.find(id);
    while (!kept->second.cuts.empty()) dropReplacedId(kept->second.cuts.begin()->first);
    const auto index = spaces_.find(kept->second.entry.space);
    index->second.erase(kept->second.entry.tokens);
    if (index->second.size() == 0) spaces_.erase(index);
    countBlocks(kept->second, false);
    entries_.erase(kept);
}

bool PrefixStore::pin(const std::string& space, std::span<const TokenId> tokens, bool pinned) {
    const auto id = idOf(space, tokens);
    if (id) keptOf(*id).entry.pinned = pinned;
    return id.has_value();
}

/// Returns the entry to evict next.
std::optional<PrefixId> PrefixStore::first() const {
    const Kept* next = nullptr;
    std::optional<PrefixId> id;
    const auto order = [](const Kept& kept) {
        return std::tuple(kept.entry.role, kept.entry.lastUsed);
    };
    for (const auto& [one, kept] : entries_) {
        if (kept.entry.pinned || (next != nullptr && order(*next) <= order(kept))) continue;
        next = &kept;
        id = one;
    }
    return id;
}

void PrefixStore::enforceLimit() {
    const auto over = [this] {
        return bytes() > options_.limitBytes ||
               static_cast<std::int64_t>(entries_.size()) > options_.maxEntries;
    };
    while (over()) {
        const auto id = first();
        if (!id) return;
        drop(*id);
        ++stats_.evictedForLimit;
    }
}

void PrefixStore::limit(std::int64_t bytes) {
    options_.limitBytes = std::max<std::int64_t>(bytes, 0);
    if (!on()) return clear();
    enforceLimit();
}

bool PrefixStore::releaseOne() {
    const auto id = first();
    if (!id) return false;
    drop(*id);
    ++stats_.evictedForCaches;
    return true;
}

void PrefixStore::clear() {
    entries_.clear();
    cuts_.clear();
    spaces_.clear();
    blocks_.clear();
    blockBytes_ = restBytes_ = 0;
}

void PrefixStore::dropOtherModels(const std::string& fingerprint) {
    std::vector<PrefixId> others;
    for (const auto& [id, kept] : entries_)
        if (kept.entry.model != fingerprint) others.push_back(id);
    for (const PrefixId id : others) drop(id);
}

std::int64_t PrefixStore::bytes() const {
    std::int64_t sum = blockBytes_ + restBytes_;
    for (const auto& [space, index] : spaces_) sum += index.bytes();
    return sum;
}

std::int64_t PrefixStore::bytesBeyond(const Holders& caches) const {
    std::unordered_map<const void*, std::int64_t> lent;
    caches([&](const void* block, std::int64_t bytes) {
        if (!blocks_.contains(block)) return;
        std::int64_t& most = lent[block];
        most = std::max(most, bytes);
    });
    std::int64_t shared = 0;
    for (const auto& [block, bytes] : lent)
        shared += std::min(bytes, std::ranges::max(blocks_.at(block)));
    return bytes() - shared;
}

PrefixStats PrefixStore::stats() const {
    PrefixStats stats = stats_;
    stats.entries = static_cast<std::int64_t>(entries_.size());
    stats.bytes = stats.bytesAlone = bytes();
    stats.limitBytes = options_.limitBytes;
    return stats;
}

void PrefixStore::forEach(const std::function<void(const PrefixEntry&)>& visit) const {
    for (const auto& [id, kept] : entries_) visit(kept.entry);
}

void PrefixStore::checkInvariants() const {
    std::size_t indexed = 0;
    for (const auto& [space, index] : spaces_) {
        index.checkInvariants();
        LACUNA_REQUIRE(index.size() > 0, "no space without an entry");
        indexed += index.size();
    }
    LACUNA_REQUIRE(indexed == entries_.size() + cuts_.size(), "every entry is found once");
    std::unordered_map<const void*, std::int64_t> most;
    std::int64_t rest = 0;
    for (const auto& [id, kept] : entries_) {
        const PrefixEntry& entry = kept.entry;
        LACUNA_REQUIRE(spaces_.at(entry.space).find(entry.tokens) == id, "entries are found");
        LACUNA_REQUIRE(
            static_cast<std::int64_t>(entry.tokens.size()) == entry.cache->offset().value,
            "an entry covers its tokens");
        entry.cache->checkInvariants();
        rest += kept.rest;
        for (const auto& [block, bytes] : kept.blocks) most[block] = std::max(most[block], bytes);
    }
    std::int64_t sum = 0;
    for (const auto& [block, bytes] : most) sum += bytes;
    LACUNA_REQUIRE(sum == blockBytes_ && rest == restBytes_, "bytes are counted");
    LACUNA_REQUIRE(most.size() == blocks_.size(), "blocks are counted");
    LACUNA_REQUIRE(
        !on() || bytes() <= options_.limitBytes ||
            std::ranges::all_of(entries_, [](const auto& one) { return one.second.entry.pinned; }),
        "the limit is kept");
}

}  // namespace lacuna
