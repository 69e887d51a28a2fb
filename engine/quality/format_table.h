#pragma once
/// \file
/// Table of a model's cache formats: selects the cheapest format within a divergence bound
/// (docs/quality.md, "The formats of a model"), predicts pairs of bit widths that were not
/// measured, and formats the table. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/json_reader.h"
#include "engine/quality/table_values.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

/// Upper bound of the mean divergence from the full cache for an acceptable format, in nats.
inline constexpr double kMaxFormatKl = 0.005;

/// Returns "t8/t4", or one name if keys and values are the same.
[[nodiscard]] std::string formatName(std::string_view keys, std::string_view values);
/// Returns true for a row that measures a format without eviction.
[[nodiscard]] bool isFormatAlone(const TableRow& row);
/// Returns true if fewer bytes are live than in 16 bits; short texts may save none.
[[nodiscard]] bool savesBytes(const TableRow& row);
/// Returns the measured row of a format without eviction; null if there is none.
[[nodiscard]] const TableRow* measuredFormat(const QualityTable& table, std::string_view name);

/// Result of formatGate().
struct FormatGate {
    double maxKl = kMaxFormatKl;
    TableRow chosen;     ///< the full cache if no format passes
    int measured = 0;    ///< formats that were measured
    int passed = 0;      ///< number of these whose mean divergence is below the bound
    bool soFar = false;  ///< the table is incomplete, so further formats may pass
};
/// Returns the format with the fewest live bytes per token whose mean divergence is below `maxKl`.
/// Rows with eviction are ignored, since their loss depends on the text. Returns nullopt if no
/// format was measured.
[[nodiscard]] std::optional<FormatGate> formatGate(const QualityTable& table, double maxKl);
/// "t5/t4 is the smallest that passes: mean KL 0.00210, below 0.005; 5 of 11 formats pass."
[[nodiscard]] std::string gateText(const FormatGate& gate);

/// Returns the bits of a rotated format such as "t4"; nullopt for other formats.
[[nodiscard]] std::optional<int> rotatedBits(std::string_view format);

struct FormatLoss {
    double klMean = 0;     ///< nats
    bool measured = true;  ///< false: predicted from `pairs` measured ones
    int pairs = 0;
};
/// Returns the mean divergence of a format. For rotated codes, a pair that was not measured is
/// predicted as a * codeError(key bits) + b * codeError(value bits), with non-negative a and b that
/// minimise the squared relative error over the measured pairs. This needs at least three.
[[nodiscard]] std::optional<FormatLoss> formatLoss(const QualityTable& table, std::string_view keys,
                                                   std::string_view values);

[[nodiscard]] OrderedJson decodeSpeedJson(const DecodeSpeed& speed);
[[nodiscard]] DecodeSpeed readDecodeSpeed(const LocatedValue& from);
[[nodiscard]] std::string formatTableMarkdown(const QualityTable& table);
[[nodiscard]] std::string formatTableCsv(const QualityTable& table);

}  // namespace lacuna
