#pragma once
/// \file
/// Many settings measured on many texts against the uncompressed cache: each text is read once and
/// every setting is tried on a copy of its cache. What is known already is not measured again, so
/// that an interrupted run goes on where it was. Deterministic but for times. Runs on the calling
/// thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/quality/quality_values.h"
#include "engine/quality/shadow_run.h"

namespace lacuna {

struct GridItem {
    std::string kind;  ///< items of a kind are also summed up on their own: "facts1@500"
    ShadowText text;
    std::string key;     ///< part of a right answer; empty: there is no right one
    int headTokens = 0;  ///< as ShadowOptions::headTokens
};

/// One setting on one item; real numbers are rounded to six digits, so that a file keeps them.
struct GridCell {
    std::string refused;  ///< why nothing was measured, or empty; nothing below counts then
    std::int64_t evictions = 0, liveBytes = 0, logicalBytes = 0;
    double compactionMs = 0;
    std::vector<double> kl;  ///< of each position, nats
    std::int64_t sameTop = 0;
    double wholeNll = 0, compactedNll = 0;            ///< mean per position
    std::optional<double> outputError, logMassError;  ///< means over heads
    std::int64_t answered = 0, agreed = 0;            ///< tokens of greedy answers
    bool wholeHit = false, hit = false;               ///< the answer contains the key
};

/// By index of item and setting.
using GridCells = std::map<std::pair<std::size_t, std::size_t>, GridCell>;

struct GridOptions {
    ShadowOptions shadow;  ///< its headTokens are those of the items
    std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< cells
    /// Called with all cells after each new one; an error ends the run.
    std::function<Status(const GridCells&)> keep;
};

/// Fills what `known` lacks. A setting that evicts nothing from an item is a refused cell, no
/// error. Errors: InvalidArgument (nothing to measure), Cancelled, those of ShadowRun and `keep`.
[[nodiscard]] Result<GridCells> runGrid(Transformer& model, ThreadPool& pool,
                                        std::span<const GridItem> items,
                                        std::span<const GridSetting> settings, GridCells known,
                                        const GridOptions& options);

/// Cells as JSON and back. Errors: Config, naming the field.
[[nodiscard]] OrderedJson gridCellsJson(const GridCells& cells);
[[nodiscard]] Result<GridCells> gridCellsFromJson(const Json& list);
/// 128-bit hash over everything that cells depend on: model, items, settings, options.
[[nodiscard]] std::string gridFingerprint(const ModelSpec& spec, std::span<const GridItem> items,
                                          std::span<const GridSetting> settings,
                                          const ShadowOptions& options);

}  // namespace lacuna
