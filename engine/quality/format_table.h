#pragma once
/// \file
/// The table of the cache formats of a model: which format is the cheapest that passes a bound on
/// divergence (docs/quality.md, "The formats of a model"), what a pair of bits costs that was not
/// measured, and the table as people and programs read it. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/json_reader.h"
#include "engine/quality/table_values.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

/// Nats: mean divergence from the whole cache below which a format passes.
inline constexpr double kMostFormatKl = 0.005;

/// "t8/t4"; one name where keys and values are the same.
[[nodiscard]] std::string formatName(std::string_view keys, std::string_view values);
/// Of a row: a format alone, without eviction.
[[nodiscard]] bool isFormatAlone(const TableRow& row);
/// Whether fewer bytes are live than 16 bits take: short texts alone may save none.
[[nodiscard]] bool savesBytes(const TableRow& row);
/// The row of a format alone that was measured; null: there is none.
[[nodiscard]] const TableRow* measuredFormat(const QualityTable& table, std::string_view name);

/// What the gate found.
struct FormatGate {
    double mostKl = kMostFormatKl;
    TableRow chosen;     ///< the whole cache where no format passes
    int measured = 0;    ///< formats that were measured
    int passed = 0;      ///< of them, those whose mean divergence is below the bound
    bool soFar = false;  ///< the table is not complete: others may pass yet
};
/// The format with the fewest live bytes for a token whose mean divergence is below `mostKl`.
/// Formats alone: what an eviction costs depends on the text. Nothing while none was measured.
[[nodiscard]] std::optional<FormatGate> formatGate(const QualityTable& table, double mostKl);
/// "t5/t4 is the smallest that passes: mean KL 0.00210, below 0.005; 5 of 11 formats pass."
[[nodiscard]] std::string gateSentence(const FormatGate& gate);

/// Bits of "t4", and nothing of other formats.
[[nodiscard]] std::optional<int> rotatedBits(std::string_view format);

struct FormatDamage {
    double klMean = 0;     ///< nats
    bool measured = true;  ///< false: predicted from `pairs` measured ones
    int pairs = 0;
};
/// Mean divergence of a format. Where this pair was not measured it is predicted for rotated codes
/// of this model: a * codeError(key bits) + b * codeError(value bits), both not negative and chosen
/// for the smallest squared relative error over the pairs that were measured, three at least.
[[nodiscard]] std::optional<FormatDamage> formatDamage(const QualityTable& table,
                                                       std::string_view keys,
                                                       std::string_view values);

[[nodiscard]] OrderedJson decodeSpeedJson(const DecodeSpeed& speed);
[[nodiscard]] DecodeSpeed readDecodeSpeed(const PlacedValue& from);
[[nodiscard]] std::string formatTableMarkdown(const QualityTable& table);
[[nodiscard]] std::string formatTableCsv(const QualityTable& table);

}  // namespace lacuna
