#pragma once
/// \file
/// Statistics and outcomes of the prefix cache. Plain data, shared by the engine, reports and the
/// window.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/values/value_keys.h"

namespace lacuna {

/// Tokens per page of the disk tier, except for pages that hold an entire cache.
inline constexpr int kPageTokens = 256;
/// Part of the disk limit reserved for the index, whose journal varies in size (PageIndex: 200
/// pages of 4 KiB).
inline constexpr std::int64_t kPageIndexBytes = std::int64_t{1} << 20;

/// Relation between a stored text and the prompt that is looked up.
enum class PrefixMatch {
    None,       ///< nothing was taken from the store
    Exact,      ///< same tokens; the last one is evaluated again
    Longer,     ///< the stored text begins with the whole prompt
    Diverging,  ///< both begin alike and then differ; the stored cache is truncated
    Shorter,    ///< the prompt begins with the whole stored text
};
template <>
inline constexpr KeyTable<5, PrefixMatch> kKeys<PrefixMatch>{{{PrefixMatch::None, "none"},
                                                              {PrefixMatch::Exact, "exact"},
                                                              {PrefixMatch::Longer, "longer"},
                                                              {PrefixMatch::Diverging, "diverging"},
                                                              {PrefixMatch::Shorter, "shorter"}}};

/// Reasons for a miss in a tier.
enum class PrefixMiss {
    Nothing,  ///< no stored text begins alike
    Held,     ///< one does, but offers no more tokens than the caller already has
    Short,    ///< the common prefix is too short to be worthwhile
    Fixed,    ///< the stored cache cannot be truncated that far
    Slower,   ///< loading is predicted to take longer than computing
    Failed,   ///< the entry is damaged or missing, or memory ran out
};
template <>
inline constexpr KeyTable<6, PrefixMiss> kKeys<PrefixMiss>{{{PrefixMiss::Nothing, "nothing"},
                                                            {PrefixMiss::Held, "held"},
                                                            {PrefixMiss::Short, "short"},
                                                            {PrefixMiss::Fixed, "fixed"},
                                                            {PrefixMiss::Slower, "slower"},
                                                            {PrefixMiss::Failed, "failed"}}};

/// Reasons for reading pages from disk, or for not reading them.
enum class LoadReason {
    Nothing,  ///< no page, or none beyond the tokens already held
    Faster,   ///< loading is predicted to be faster
    Slower,   ///< computing is predicted to be faster
    Unknown,  ///< no rate has been measured yet: loading measures it
    Probe,    ///< predicted slower, but loaded occasionally so that a wrong estimate gets corrected
};
template <>
inline constexpr KeyTable<5, LoadReason> kKeys<LoadReason>{{{LoadReason::Nothing, "nothing"},
                                                            {LoadReason::Faster, "faster"},
                                                            {LoadReason::Slower, "slower"},
                                                            {LoadReason::Unknown, "unknown"},
                                                            {LoadReason::Probe, "probe"}}};

/// Fidelity of the rows in the pages of a folder. It is a property of the folder, not of a session,
/// because programs that share it would otherwise keep rewriting each other's pages.
enum class PageFidelity {
    /// As small as is worthwhile: transform coding if it was calibrated on the model, otherwise 8
    /// bits.
    Auto,
    /// 8-bit codes of plain rows, even if a transform was calibrated.
    EightBits,
    /// Rows bit for bit. Pages of another fidelity are misses and get rewritten.
    Exact,
};
template <>
inline constexpr KeyTable<3, PageFidelity> kKeys<PageFidelity>{{{PageFidelity::Auto, "auto"},
                                                                {PageFidelity::EightBits, "q8"},
                                                                {PageFidelity::Exact, "exact"}}};

/// Role of the message at the end of a stored text. Entries of the first role are evicted first.
enum class PrefixRole { Assistant, User, System };

/// Sharing options of a turn: with whom it shares stored prefixes, if at all.
struct PrefixUse {
    bool shared = true;     ///< false: neither looked up nor stored
    std::string salt = {};  ///< sharing is limited to requests with the same salt
    friend bool operator==(const PrefixUse&, const PrefixUse&) = default;
};

/// Counters since the engine started, and current contents.
struct PrefixStats {
    std::int64_t lookups = 0;
    std::array<std::int64_t, 5> matches{};  ///< by PrefixMatch; the sum equals `lookups`
    /// By PrefixMiss, for lookups that missed in this and in slower tiers.
    std::array<std::int64_t, 6> misses{};
    std::int64_t tokensQueried = 0;  ///< tokens of all prompts looked up
    std::int64_t tokensReused = 0;   ///< tokens taken from the store
    std::int64_t inserts = 0;        ///< texts stored, including replacements
    std::int64_t replaced = 0;       ///< texts that replaced an entry with the same tokens
    std::int64_t refreshed = 0;  ///< not stored because the entry with the same tokens is no worse
    std::int64_t covered = 0;    ///< removed because a longer text provides everything they did
    std::int64_t rejectedShort = 0;      ///< texts too short to be worthwhile
    std::int64_t rejectedLarge = 0;      ///< larger than the limit
    std::int64_t rejectedDifferent = 0;  ///< tokens and cache differ in length
    std::int64_t failures = 0;          ///< a copy could not be made or truncated; counts as a miss
    std::int64_t evictedForLimit = 0;   ///< evicted to stay below the limit
    std::int64_t evictedForCaches = 0;  ///< evicted because caches in use needed the memory
    double savedSeconds = 0;            ///< predicted time for reading the reused tokens
    std::int64_t entries = 0;
    std::int64_t bytes = 0;       ///< bytes of all entries; shared rows counted once
    std::int64_t bytesAlone = 0;  ///< bytes not shared with the cache of a conversation
    std::int64_t limitBytes = 0;  ///< 0 if the store is off
    [[nodiscard]] std::int64_t hits() const {
        return lookups - matches[static_cast<std::size_t>(PrefixMatch::None)];
    }
};

/// Decision about loading a prefix from disk, with the two predictions that determined it.
struct PrefixLoad {
    LoadReason reason = LoadReason::Nothing;
    std::int64_t tokens = 0;  ///< tokens beyond those already held
    std::int64_t bytes = 0;   ///< bytes to load for them
    double loadMs = 0;        ///< predicted time of loading and decoding; 0 if unknown
    double computeMs = 0;     ///< predicted time of computing these tokens; 0 if unknown
    double tookMs = 0;        ///< measured time of loading and decoding; 0 if not loaded
    friend bool operator==(const PrefixLoad&, const PrefixLoad&) = default;
};

/// Encoding of rows into pages, or decoding of pages.
struct PageCoding {
    std::int64_t done = 0;
    double seconds = 0;       ///< total time, including failures
    std::int64_t failed = 0;  ///< damaged data or no memory; unsupported forms excluded
};

/// Disk tier of the prefix cache: counters since the engine started, and current contents.
struct PrefixDiskStats {
    std::int64_t limitBytes = 0;  ///< 0 if the tier is off
    std::int64_t bytes = 0;       ///< everything in the folder, for all models
    std::int64_t files = 0;       ///< pages and entire caches, for all models
    std::int64_t tokens = 0;      ///< tokens in those files
    std::int64_t lookups = 0;  ///< lookups of texts of which memory held less than could be reused
    std::int64_t hits = 0;
    std::array<std::int64_t, 6> misses{};  ///< by PrefixMiss; misses and hits add up to `lookups`
    std::int64_t tokensReused = 0;         ///< tokens loaded beyond those already held
    double savedSeconds = 0;               ///< predicted computing time minus loading time
    std::int64_t bytesRead = 0;
    double readSeconds = 0;       ///< loading and decoding time
    PageCoding encoded, decoded;  ///< pages and entire caches
    std::int64_t pagesWritten = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t bytesWrittenToday = 0;  ///< by all processes, since midnight UTC
    std::int64_t notStorable = 0;        ///< texts whose caches have no disk format
    std::int64_t dropped = 0;            ///< texts dropped because the queue was full
    std::int64_t writeFailures = 0;      ///< e.g. full disk, folder not writable
    std::int64_t skippedInPause = 0;     ///< pages skipped because a write had just failed
    std::int64_t rejectedLarge = 0;      ///< pages larger than the limit
    std::int64_t evicted = 0;            ///< files removed to make room
    std::int64_t quarantined = 0;        ///< damaged pages moved to quarantine
    std::int64_t queued = 0;             ///< jobs waiting to be written
    std::int64_t queuedBytes = 0;
    std::string problem;  ///< why nothing is currently written, a sentence; empty if writing works
    PageFidelity fidelity = PageFidelity::Auto;  ///< fidelity of new pages
    PrefixLoad last;                             ///< last decision about an existing entry
};

}  // namespace lacuna
