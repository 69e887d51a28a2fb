#pragma once
/// \file
/// The rows of a measurement as a picture: divergence and recall over live bytes, one curve for
/// each method, the front ringed. A self-contained SVG without script. Pure function.

#include <span>
#include <string>
#include <string_view>

#include "engine/quality/grid_table.h"

namespace lacuna {

/// Rows without measured items are left out; the recall half is there only if something was asked.
[[nodiscard]] std::string gridSvg(std::span<const GridRow> rows, std::string_view title);

}  // namespace lacuna
