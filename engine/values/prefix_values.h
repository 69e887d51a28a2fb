#pragma once
/// \file
/// What the prefix cache did and holds. Plain data, the same in the engine, in reports and in the
/// window.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/values/value_keys.h"

namespace lacuna {

/// Tokens of every page of the disk tier but those that hold a whole cache.
inline constexpr int kPageTokens = 256;
/// Bytes of the disk tier's limit that are kept free for its index, whose own journal comes and
/// goes (PageIndex: 200 pages of 4 KiB).
inline constexpr std::int64_t kPageIndexBytes = std::int64_t{1} << 20;

/// How a stored text and the one that is asked about go together.
enum class PrefixMatch {
    None,       ///< nothing was taken from the store
    Exact,      ///< the same tokens; the last one is evaluated again
    Longer,     ///< the stored one begins with all that is asked about
    Diverging,  ///< they begin alike and part; the stored one is cut back
    Shorter,    ///< what is asked about begins with all that is stored
};
template <>
inline constexpr KeyTable<5, PrefixMatch> kKeys<PrefixMatch>{{{PrefixMatch::None, "none"},
                                                              {PrefixMatch::Exact, "exact"},
                                                              {PrefixMatch::Longer, "longer"},
                                                              {PrefixMatch::Diverging, "diverging"},
                                                              {PrefixMatch::Shorter, "shorter"}}};

/// Why a place that keeps texts gave nothing.
enum class PrefixMiss {
    Nothing,  ///< no stored text begins alike
    Held,     ///< one does, and gives no more than whoever asked has anyway
    Short,    ///< they have fewer tokens in common than are worth it
    Fixed,    ///< what begins alike cannot be cut back so far
    Slower,   ///< reading it is predicted to take longer than computing it
    Failed,   ///< it is damaged or gone, or there was no memory for it
};
template <>
inline constexpr KeyTable<6, PrefixMiss> kKeys<PrefixMiss>{{{PrefixMiss::Nothing, "nothing"},
                                                            {PrefixMiss::Held, "held"},
                                                            {PrefixMiss::Short, "short"},
                                                            {PrefixMiss::Fixed, "fixed"},
                                                            {PrefixMiss::Slower, "slower"},
                                                            {PrefixMiss::Failed, "failed"}}};

/// Why pages on disk are read, or are not.
enum class LoadReason {
    Nothing,  ///< no page, or none beyond what is held
    Faster,   ///< reading is predicted to be faster
    Slower,   ///< computing is
    Unknown,  ///< a rate was never measured here: reading measures it
    Probe,    ///< predicted slower, and read all the same once in a while, so that a bad
              ///< measurement does not stand for ever
};
template <>
inline constexpr KeyTable<5, LoadReason> kKeys<LoadReason>{{{LoadReason::Nothing, "nothing"},
                                                            {LoadReason::Faster, "faster"},
                                                            {LoadReason::Slower, "slower"},
                                                            {LoadReason::Unknown, "unknown"},
                                                            {LoadReason::Probe, "probe"}}};

/// How closely the pages of a folder keep the rows of a cache: a property of the folder, not of a
/// session, since programs that share it would otherwise write each other's pages anew for ever.
enum class PageFidelity {
    /// As small as is worth it: transform coding where it was calibrated on the model, else 8 bits.
    Auto,
    /// 8-bit codes of plain rows, whatever was calibrated.
    EightBits,
    /// Every row bit for bit. Pages of another fidelity are misses, and written anew.
    Exact,
};
template <>
inline constexpr KeyTable<3, PageFidelity> kKeys<PageFidelity>{{{PageFidelity::Auto, "auto"},
                                                                {PageFidelity::EightBits, "q8"},
                                                                {PageFidelity::Exact, "exact"}}};

/// Whose end a stored text is; those of the first go first where room is made.
enum class PrefixRole { Assistant, User, System };

/// Whether and with whom an answer shares what is stored.
struct PrefixUse {
    bool shared = true;     ///< off: nothing is looked up and nothing is stored
    std::string salt = {};  ///< only those with the same one share
    friend bool operator==(const PrefixUse&, const PrefixUse&) = default;
};

/// Counters since the engine began, and what is held now.
struct PrefixStats {
    std::int64_t lookups = 0;
    std::array<std::int64_t, 5> matches{};  ///< by PrefixMatch; they add up to the lookups
    /// By PrefixMiss, of lookups that this and slower places gave nothing for.
    std::array<std::int64_t, 6> misses{};
    std::int64_t tokensQueried = 0;  ///< of all texts that were looked up
    std::int64_t tokensReused = 0;   ///< of them, those that were taken from the store
    std::int64_t inserts = 0;        ///< texts stored, those that took another's place too
    std::int64_t replaced = 0;       ///< of them, those of tokens that were stored already
    std::int64_t refreshed = 0;      ///< not stored: what was stored of these tokens is no worse
    std::int64_t covered = 0;        ///< left the store because a longer text gives all they gave
    std::int64_t rejectedShort = 0;  ///< fewer tokens than are worth it
    std::int64_t rejectedLarge = 0;  ///< more bytes than the limit
    std::int64_t rejectedDifferent = 0;  ///< tokens and cache do not cover the same
    std::int64_t failures = 0;           ///< a copy could not be made or cut back; then a miss
    std::int64_t evictedForLimit = 0;    ///< by the limit of the store
    std::int64_t evictedForCaches = 0;   ///< because caches in use needed the memory
    double savedSeconds = 0;             ///< reading what was reused would have taken
    std::int64_t entries = 0;
    std::int64_t bytes = 0;       ///< of all entries, shared rows once
    std::int64_t bytesAlone = 0;  ///< of them, what no cache of a conversation holds as well
    std::int64_t limitBytes = 0;  ///< 0: the store is off
    [[nodiscard]] std::int64_t hits() const {
        return lookups - matches[static_cast<std::size_t>(PrefixMatch::None)];
    }
};

/// Whether a start of a text that lies on disk was read, with the two numbers that decided it.
struct PrefixLoad {
    LoadReason reason = LoadReason::Nothing;
    std::int64_t tokens = 0;  ///< that it gives beyond those that were held
    std::int64_t bytes = 0;   ///< to be read for them
    double loadMs = 0;        ///< predicted: reading and decoding; 0: not known
    double computeMs = 0;     ///< predicted: evaluating these tokens; 0: not known
    double tookMs = 0;        ///< measured: reading and decoding; 0: it was not read
    friend bool operator==(const PrefixLoad&, const PrefixLoad&) = default;
};

/// Turning rows into bytes of a page, or back.
struct PageCoding {
    std::int64_t done = 0;
    double seconds = 0;       ///< of those and of the failed ones
    std::int64_t failed = 0;  ///< damage, no memory; not a form that a codec does not take
};

/// The disk tier of the prefix cache: counters since the engine began, and what lies there now.
struct PrefixDiskStats {
    std::int64_t limitBytes = 0;  ///< 0: the tier is off
    std::int64_t bytes = 0;       ///< of everything in the folder, whatever model it is of
    std::int64_t files = 0;       ///< pages and whole caches, likewise
    std::int64_t tokens = 0;      ///< in them
    std::int64_t lookups = 0;     ///< texts that memory did not have as much of as could be
    std::int64_t hits = 0;
    std::array<std::int64_t, 6> misses{};  ///< by PrefixMiss; with the hits they add up to lookups
    std::int64_t tokensReused = 0;         ///< taken from here, beyond those that were held
    double savedSeconds = 0;               ///< computing them as predicted, less what reading took
    std::int64_t bytesRead = 0;
    double readSeconds = 0;       ///< reading and decoding
    PageCoding encoded, decoded;  ///< pages, and caches that go whole
    std::int64_t pagesWritten = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t bytesWrittenToday = 0;  ///< by all processes, since midnight UTC
    std::int64_t notStorable = 0;        ///< texts whose caches have no form on disk
    std::int64_t dropped = 0;            ///< texts that the queue had no room for
    std::int64_t writeFailures = 0;      ///< a full disk, a folder that cannot be written
    std::int64_t rested = 0;             ///< pages not written because that had failed just before
    std::int64_t rejectedLarge = 0;      ///< pages larger than the limit
    std::int64_t evicted = 0;            ///< files that made room for others
    std::int64_t quarantined = 0;        ///< damaged pages that were put aside
    std::int64_t queued = 0;             ///< pieces of work that wait to be written
    std::int64_t queuedBytes = 0;
    std::string trouble;  ///< why nothing is written now, a sentence; empty: nothing is wrong
    PageFidelity fidelity = PageFidelity::Auto;  ///< of new pages
    PrefixLoad last;  ///< the newest decision about something that lay there
};

}  // namespace lacuna
