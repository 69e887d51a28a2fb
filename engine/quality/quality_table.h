#pragma once
/// \file
/// Serialises the quality table of a model and formats it as Markdown and CSV. Pure functions.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/quality/quality_values.h"
#include "engine/quality/table_values.h"

namespace lacuna {

/// One setting of a table and its requested ratio.
struct TableSetting {
    GridSetting grid;
    double ratio = 1;
};

/// Converts to {schema, version, ...} and back. Errors: Incompatible (not a table, or a later
/// version), Config, naming the field.
[[nodiscard]] OrderedJson qualityTableJson(const QualityTable& table);
[[nodiscard]] Result<QualityTable> qualityTableFromJson(const Json& json);
/// Returns remarks on a row with figures: texts not measured yet, too short to save a byte, or
/// excluded. Empty if there are none.
[[nodiscard]] std::string tableRemark(const TableRow& row);
/// One row in the form used by qualityTableJson().
[[nodiscard]] OrderedJson tableRowJson(const TableRow& row);
/// GitHub table, preceded by the measuring conditions. A format table shows bits, bytes and speed.
[[nodiscard]] std::string qualityTableMarkdown(const QualityTable& table);
/// RFC 4180, one header row, the full cache first.
[[nodiscard]] std::string qualityTableCsv(const QualityTable& table);

}  // namespace lacuna
