#pragma once
/// \file
/// Plots the rows of a measurement: divergence and recall over live bytes, one curve per method,
/// with the Pareto front marked by rings. A self-contained SVG without scripts. Pure function.

#include <span>
#include <string>
#include <string_view>

#include "engine/quality/grid_table.h"

namespace lacuna {

/// Omits rows without measured items; the recall half is drawn only if there are questions.
[[nodiscard]] std::string gridSvg(std::span<const GridRow> rows, std::string_view title);

}  // namespace lacuna
