#pragma once
/// \file
/// The quality table of a model as a file keeps it, and as people and programs read it. Pure
/// functions.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/quality/quality_values.h"
#include "engine/quality/table_values.h"

namespace lacuna {

/// One of the settings of a table: what is tried, and the ratio it was asked for.
struct TableSetting {
    GridSetting grid;
    double ratio = 1;
};

/// {schema, version, ...}, and back. Errors: Incompatible (something else, a later version),
/// Config, naming the field.
[[nodiscard]] OrderedJson qualityTableJson(const QualityTable& table);
[[nodiscard]] Result<QualityTable> qualityTableFromJson(const Json& json);
/// What a reader must know of a row that has figures: texts that are still to come, that were too
/// short to save a byte, or that were left out. Empty where there is nothing.
[[nodiscard]] std::string tableRemark(const TableRow& row);
/// One of its rows, as it stands in there.
[[nodiscard]] OrderedJson tableRowJson(const TableRow& row);
/// GitHub table under the conditions it was measured in; of formats: bits, bytes and speed.
[[nodiscard]] std::string qualityTableMarkdown(const QualityTable& table);
/// RFC 4180, one header row, the whole cache first.
[[nodiscard]] std::string qualityTableCsv(const QualityTable& table);

}  // namespace lacuna
