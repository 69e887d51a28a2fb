#pragma once
/// \file
/// Quality tables of a model, by method and ratio or by cache format, with their measurements.
/// Plain data.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// Kinds of quality tables: methods x ratios measured on few texts or on many, or the cache formats
/// (table_items.h).
enum class TableSize { Small, Whole, Formats };
inline constexpr std::array kTableSizes{TableSize::Small, TableSize::Whole, TableSize::Formats};

/// Decoding speed with a cache of some settings, and with the full cache in the same rounds.
struct DecodeSpeed {
    double tokensPerSecond = 0, fullTokensPerSecond = 0;  ///< medians of the rounds
    double ofFull = 0;         ///< median of the ratios to the full cache
    std::int64_t context = 0;  ///< tokens in the cache
    std::int64_t rounds = 0;
};

/// One setting of a quality table. A figure that was not measured yet has 0 items.
struct TableRow {
    std::string method;        ///< "am coverage", "keydiff"
    double ratio = 1;          ///< the requested ratio; 1 for the full cache
    std::string settings;      ///< everything that differs from the defaults
    std::string refused;       ///< why the setting was not measured; empty if it was
    std::int64_t items = 0;    ///< number of measured texts
    std::int64_t left = 0;     ///< texts excluded because nothing was evicted, or no coded row was
                               ///< read
    std::int64_t open = 0;     ///< texts still to be measured
    std::int64_t unsaved = 0;  ///< measured texts that were too short to save a byte
    std::int64_t answerable = 0;                ///< dialogues that the full cache answers correctly
    std::int64_t hits = 0;                      ///< dialogues still answered correctly
    std::int64_t questions = 0;                 ///< questions of RULER
    double ruler = 0, rulerFull = 0;            ///< percent, means over the tasks
    std::int64_t positions = 0;                 ///< positions in running text
    double klMean = 0, klP99 = 0;               ///< nats, over these positions
    double top1 = 0;                            ///< share of positions with the same top token
    double perplexity = 0, perplexityFull = 0;  ///< perplexities over the same positions
    double liveBytes = 0, logicalBytes = 0;     ///< mean per text, right after the compaction
    double seconds = 0;  ///< mean duration of a compaction, including the passes for its queries
    // Only in format tables.
    double bitsPerNumber = 0;  ///< live bits per number held, including scales
    double bytesPerToken = 0, allocatedPerToken = 0;  ///< live and reserved bytes, over all layers
    std::optional<DecodeSpeed> speed = std::nullopt;

    /// RULER score relative to the full cache; nullopt if that scored 0 or there are no questions.
    [[nodiscard]] std::optional<double> rulerShare() const {
        if (questions == 0 || rulerFull == 0) return std::nullopt;
        return ruler / rulerFull;
    }
};

/// Measurements of one model by method and ratio, and the conditions they were made under.
struct QualityTable {
    std::string model, fingerprint;  ///< name and fingerprint of the measured model
    std::string plan;  ///< hash of everything the cells depend on; tables with different hashes are
                       ///< not comparable
    TableSize size = TableSize::Small;
    std::string program;     ///< name and version
    std::string machine;     ///< processor and kernels
    std::string precision;   ///< "fast", "two_terms", "exact"
    std::string date;        ///< date of the latest cell, "2026-11-23", UTC
    std::string conditions;  ///< a sentence that describes the texts
    /// Row names that `auto` resolved to, for attention matching and for eviction.
    std::string autoBudgets, autoPolicy;
    std::int64_t done = 0, total = 0;  ///< cells: pairs of a setting and a text
    double seconds = 0;                ///< total measuring time so far
    TableRow full;                     ///< the full cache on the same texts
    std::vector<TableRow> rows;        ///< sorted by method, then by ratio

    [[nodiscard]] bool complete() const { return total > 0 && done == total; }
};

}  // namespace lacuna
