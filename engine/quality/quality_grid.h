#pragma once
/// \file
/// Measures many settings on many texts against the uncompressed cache. Each text is read once and
/// every setting is tried on a copy of its cache. Known cells are not measured again, so an
/// interrupted run can be resumed. Deterministic except for times. Runs on the calling thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/quality/quality_values.h"
#include "engine/quality/shadow_run.h"

namespace lacuna {

struct GridItem {
    std::string kind;  ///< items of one kind are also summarised separately: "facts1@500"
    ShadowText text;
    std::string key;     ///< part of a right answer; empty if there is none
    int headTokens = 0;  ///< same as ShadowOptions::headTokens
    /// Scores an answer, 0 to 1, in place of `key`; null if it has no score.
    std::function<double(std::string_view answer)> score = {};
    std::vector<std::string> scoredBy = {};  ///< answers that the score depends on
    bool keepsDivergence = true;             ///< false excludes its divergence from all figures
};

/// Result of one setting on one item. Floating-point values are rounded to six digits, so that they
/// round-trip through a file.
struct GridCell {
    std::string refused;  ///< why nothing was measured, empty if it was; the other fields are
                          ///< unused then
    std::int64_t evictions = 0, liveBytes = 0, logicalBytes = 0;
    /// Numbers held and bytes reserved; 0 in cells written by older versions.
    std::int64_t tokens = 0, numbers = 0, fullNumbers = 0;
    std::int64_t allocatedBytes = 0, fullAllocatedBytes = 0;
    double compactionMs = 0;
    std::vector<double> kl;  ///< one value per position, nats
    std::int64_t sameTop = 0;
    double fullNll = 0, compactedNll = 0;             ///< mean per position
    std::optional<double> outputError, logMassError;  ///< means over heads
    std::int64_t answered = 0, agreed = 0;            ///< lengths of greedy answers
    bool fullHit = false, hit = false;                ///< true if the answer contains the key
    std::optional<double> fullScore, score;           ///< RULER scores, 0 to 1
};

/// Keyed by the indices of item and setting.
using GridCells = std::map<std::pair<std::size_t, std::size_t>, GridCell>;

struct GridOptions {
    ShadowOptions shadow;  ///< headTokens is overridden by that of the item
    std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< counts cells
    /// Called with all cells after each new one; an error stops the run.
    std::function<Status(const GridCells&)> keep;
};

/// Runs a grid one cell at a time, so that other work can run in between. Its arguments must
/// outlive it.
class GridRun {
  public:
    GridRun(std::span<const GridItem> items, std::span<const GridSetting> settings, GridCells known,
            const GridOptions& options);
    [[nodiscard]] bool done() const { return item_ == items_.size(); }
    /// Measures the next missing cell, reading its text first if necessary. `model` and `pool` must
    /// be those of the previous step unless release() was called since. Errors: those of runGrid;
    /// the next step retries the cell.
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    /// Releases the text that was read; the next step reads it again.
    void release() { run_.reset(); }
    [[nodiscard]] const GridCells& cells() const { return cells_; }
    [[nodiscard]] std::int64_t total() const {
        return static_cast<std::int64_t>(items_.size() * settings_.size());
    }

  private:
    void findNext();
    [[nodiscard]] Result<GridCell> measure(Transformer& model, ThreadPool& pool);

    const std::span<const GridItem> items_;
    const std::span<const GridSetting> settings_;
    GridCells cells_;
    const GridOptions& options_;
    std::size_t item_ = 0, setting_ = 0;  ///< indices of the next cell
    std::unique_ptr<ShadowRun> run_;      ///< run of that item's text; null until it is read
};

/// Measures the cells missing in `known`. A setting that is refused, or evicts nothing from an
/// item, becomes a refused cell rather than an error. Errors: InvalidArgument (nothing to measure),
/// Cancelled, those of ShadowRun and `keep`.
[[nodiscard]] Result<GridCells> runGrid(Transformer& model, ThreadPool& pool,
                                        std::span<const GridItem> items,
                                        std::span<const GridSetting> settings, GridCells known,
                                        const GridOptions& options);

/// Converts cells to JSON and back. Errors: Config, naming the field.
[[nodiscard]] OrderedJson gridCellsJson(const GridCells& cells);
[[nodiscard]] Result<GridCells> gridCellsFromJson(const Json& list);
/// 128-bit hash over everything that cells depend on: model, items, settings, options.
[[nodiscard]] std::string gridFingerprint(const ModelSpec& spec, std::span<const GridItem> items,
                                          std::span<const GridSetting> settings,
                                          const ShadowOptions& options);

}  // namespace lacuna
