#pragma once
/// \file
/// The cells of a measurement summed up: one row for each setting, which of them no other beats,
/// and the tables people and programs read. Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/quality/quality_grid.h"

namespace lacuna {

struct GridRow {
    std::string method, asked;
    std::string kind;          ///< empty: all items
    std::int64_t items = 0;    ///< measured
    std::int64_t refused = 0;  ///< items from which nothing was evicted; in no figure
    std::int64_t evictions = 0;
    double liveShare = 0;  ///< live of logical bytes, over all items
    DivergenceFigures divergence;
    double perplexityChange = 0;  ///< exp(mean nll' - mean nll) - 1, every position counts alike
    std::optional<double> outputError, logMassError;  ///< means over the items that have them
    std::int64_t asks = 0, wholeHits = 0, hits = 0;   ///< questions with a right answer
    std::int64_t answers = 0, sameAnswers = 0;        ///< greedy answers equal to the last token
    double agreedMedian = 0;                          ///< tokens before the first that differs
    double compactionMs = 0;                          ///< median
    bool onFront = false;  ///< no other setting has both fewer live bytes and less divergence

    [[nodiscard]] double recall() const {
        return asks == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(asks);
    }
};

/// One row for each setting, in their order, the front marked.
[[nodiscard]] std::vector<GridRow> gridRows(std::span<const GridItem> items,
                                            std::span<const GridSetting> settings,
                                            const GridCells& cells);
/// The same for each kind of item on its own, kinds in order of appearance; no front.
[[nodiscard]] std::vector<GridRow> gridRowsByKind(std::span<const GridItem> items,
                                                  std::span<const GridSetting> settings,
                                                  const GridCells& cells);
/// Marks rows with items that no other row with items beats in live share and mean divergence.
void markFront(std::vector<GridRow>& rows);

[[nodiscard]] OrderedJson gridRowsJson(std::span<const GridRow> rows);
/// RFC 4180, one header row.
[[nodiscard]] std::string gridCsv(std::span<const GridRow> rows);
/// GitHub table; a star marks the front. Says so where there were few texts.
[[nodiscard]] std::string gridMarkdown(std::span<const GridRow> rows);

}  // namespace lacuna
