#pragma once
/// \file
/// The rows of a quality table from the cells of a measurement. Pure function.

#include <span>

#include "engine/quality/quality_grid.h"
#include "engine/quality/quality_table.h"

namespace lacuna {

/// Sums the cells up: dialogues (items with a key), RULER (those scored by it) and running text
/// (all others) each in their own figures, bytes and seconds over all.
void addRows(QualityTable& table, std::span<const GridItem> items,
             std::span<const TableSetting> settings, const GridCells& cells);

}  // namespace lacuna
