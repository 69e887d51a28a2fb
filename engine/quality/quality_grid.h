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
    std::string kind;  ///< items of a kind are also summed up on their own: "facts1@500"
    ShadowText text;
    std::string key;     ///< part of a right answer; empty: there is no right one
    int headTokens = 0;  ///< as ShadowOptions::headTokens
    /// What an answer scores, 0 to 1, in place of `key`; none: it has no score.
    std::function<double(std::string_view answer)> score = {};
    std::vector<std::string> scoredBy = {};  ///< answers that the score is made of
    bool keepsDivergence = true;             ///< false: that of its positions goes into no figure
};

/// One setting on one item; real numbers are rounded to six digits, so that a file keeps them.
struct GridCell {
    std::string refused;  ///< why nothing was measured, or empty; nothing below counts then
    std::int64_t evictions = 0, liveBytes = 0, logicalBytes = 0;
    /// What is held and reserved; 0 in cells of a version that did not keep it.
    std::int64_t tokens = 0, numbers = 0, wholeNumbers = 0;
    std::int64_t allocatedBytes = 0, wholeAllocatedBytes = 0;
    double compactionMs = 0;
    std::vector<double> kl;  ///< of each position, nats
    std::int64_t sameTop = 0;
    double wholeNll = 0, compactedNll = 0;            ///< mean per position
    std::optional<double> outputError, logMassError;  ///< means over heads
    std::int64_t answered = 0, agreed = 0;            ///< tokens of greedy answers
    bool wholeHit = false, hit = false;               ///< the answer contains the key
    std::optional<double> wholeScore, score;          ///< of RULER, 0 to 1
};

/// By index of item and setting.
using GridCells = std::map<std::pair<std::size_t, std::size_t>, GridCell>;

struct GridOptions {
    ShadowOptions shadow;  ///< its headTokens are those of the items
    std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< cells
    /// Called with all cells after each new one; an error ends the run.
    std::function<Status(const GridCells&)> keep;
};

/// The same a cell at a time, for those who do something else in between. What it was made with
/// must outlive it.
class GridRun {
  public:
    GridRun(std::span<const GridItem> items, std::span<const GridSetting> settings, GridCells known,
            const GridOptions& options);
    [[nodiscard]] bool done() const { return item_ == items_.size(); }
    /// Fills the next cell that is not known; reads its text first where that is not in hand.
    /// `model` and `pool` are those of the step before unless letGo was called since. Errors: those
    /// of runGrid; the cell is tried again by the next step.
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    /// Gives back the text that was read; the next step reads it again.
    void letGo() { run_.reset(); }
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
    std::size_t item_ = 0, setting_ = 0;  ///< of the next cell
    std::unique_ptr<ShadowRun> run_;      ///< text of that item, once it is read
};

/// Fills what `known` lacks. A setting that is refused, or evicts nothing from an item, is a
/// refused cell, no error. Errors: InvalidArgument (nothing to measure), Cancelled, those of
/// ShadowRun and `keep`.
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
