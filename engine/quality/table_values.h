#pragma once
/// \file
/// The quality tables of a model: methods x ratios, or the formats of its cache, and what was
/// measured of each. Plain data.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// Which quality table of a model: methods x ratios measured on few texts or on many, or the
/// formats of its cache (table_items.h).
enum class TableSize { Small, Whole, Formats };
inline constexpr std::array kTableSizes{TableSize::Small, TableSize::Whole, TableSize::Formats};

/// Decoding with a cache of some settings, and with the whole cache in the same rounds.
struct DecodeSpeed {
    double tokensPerSecond = 0, wholeTokensPerSecond = 0;  ///< medians of the rounds
    double ofWhole = 0;                                    ///< median of the rounds' ratios
    std::int64_t context = 0;                              ///< tokens in the cache
    std::int64_t rounds = 0;
};

/// One setting of a quality table. A figure of which nothing was measured yet counts 0 items.
struct TableRow {
    std::string method;      ///< "am coverage", "keydiff"
    double ratio = 1;        ///< that was asked for; 1: the whole cache
    std::string settings;    ///< everything that differs from the defaults
    std::string refused;     ///< why nothing of it was measured, or empty
    std::int64_t items = 0;  ///< texts it was measured on
    std::int64_t left = 0;  ///< texts from which nothing was evicted, or no code read; in no figure
    std::int64_t open = 0;  ///< texts that it was not tried on yet
    std::int64_t unsaved = 0;          ///< of `items`: short ones, where no byte was saved
    std::int64_t asks = 0;             ///< dialogues that the whole cache answers
    std::int64_t hits = 0;             ///< of them, those that are answered still
    std::int64_t questions = 0;        ///< of RULER
    double ruler = 0, rulerWhole = 0;  ///< percent, means over the tasks
    std::int64_t positions = 0;        ///< of running text
    double klMean = 0, klP99 = 0;      ///< nats, over those positions
    double top1 = 0;                   ///< share of them whose likeliest token is the same
    double perplexity = 0, perplexityWhole = 0;  ///< of the same positions
    double liveBytes = 0, logicalBytes = 0;      ///< mean of a text, right after the compaction
    double seconds = 0;  ///< mean of a compaction with the passes for its queries
    // Of the tables of formats alone.
    double bitsPerNumber = 0;  ///< live bits for each number that is held, scales counted
    double bytesPerToken = 0, allocatedPerToken = 0;  ///< live and reserved, over all layers
    std::optional<DecodeSpeed> speed = std::nullopt;

    /// RULER's score over the whole cache's; none where that is 0 or nothing was asked.
    [[nodiscard]] std::optional<double> rulerShare() const {
        if (questions == 0 || rulerWhole == 0) return std::nullopt;
        return ruler / rulerWhole;
    }
};

/// Methods x ratios measured with one model, and what a reader must know of it.
struct QualityTable {
    std::string model, fingerprint;  ///< of what was measured
    std::string plan;  ///< hash of all that its cells depend on; another one: not comparable
    TableSize size = TableSize::Small;
    std::string program;     ///< and its version
    std::string machine;     ///< processor and kernels
    std::string precision;   ///< "fast", "two_terms", "exact"
    std::string date;        ///< of the newest cell, "2026-11-23", UTC
    std::string conditions;  ///< what it was measured on, a sentence
    /// What `auto` stood for: row names for attention matching and for eviction.
    std::string autoBudgets, autoPolicy;
    std::int64_t done = 0, total = 0;  ///< settings on texts
    double seconds = 0;                ///< of measuring so far
    TableRow whole;                    ///< the whole cache on the same texts
    std::vector<TableRow> rows;        ///< by method, then by ratio

    [[nodiscard]] bool complete() const { return total > 0 && done == total; }
};

}  // namespace lacuna
