#pragma once
/// \file
/// Summarises the cells of a measurement: one row per setting with the Pareto front marked, as
/// JSON, CSV and Markdown. Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Returns the median; for an even count the mean of the middle two, 0 if empty.
[[nodiscard]] double medianOf(std::vector<double> values);

/// Returns one row per setting, in the given order, with the front marked.
[[nodiscard]] std::vector<GridRow> gridRows(std::span<const GridItem> items,
                                            std::span<const GridSetting> settings,
                                            const GridCells& cells);
/// Like gridRows(), but for each kind of item separately, in order of appearance and without a
/// front.
[[nodiscard]] std::vector<GridRow> gridRowsByKind(std::span<const GridItem> items,
                                                  std::span<const GridSetting> settings,
                                                  const GridCells& cells);
/// Marks the rows that are not dominated in live share and mean divergence. Rows without items are
/// ignored.
void markFront(std::vector<GridRow>& rows);

[[nodiscard]] OrderedJson gridRowsJson(std::span<const GridRow> rows);
/// RFC 4180, one header row.
[[nodiscard]] std::string gridCsv(std::span<const GridRow> rows);
/// GitHub table with stars marking the front. It includes a remark if there were few texts.
[[nodiscard]] std::string gridMarkdown(std::span<const GridRow> rows);

}  // namespace lacuna
