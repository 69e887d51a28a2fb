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
#include "engine/quality/quality_values.h"

namespace lacuna {

/// The middle value, of an even number the mean of the two in the middle; 0 of none.
[[nodiscard]] double medianOf(std::vector<double> values);

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
