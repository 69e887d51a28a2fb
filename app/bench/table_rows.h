#pragma once
/// \file
/// Computes the rows of a quality table from the cells of a measurement. Pure function.

#include <span>

#include "engine/quality/quality_grid.h"
#include "engine/quality/quality_table.h"

namespace lacuna {

/// Sums the cells separately for dialogues (items with a key), RULER (items scored by it) and prose
/// (all others); bytes and seconds over all of them.
void addRows(QualityTable& table, std::span<const GridItem> items,
             std::span<const TableSetting> settings, const GridCells& cells);

}  // namespace lacuna
