#pragma once
/// \file
/// Named rows of the formats table of `lacuna-bench bench-formats`: cache formats, codes that are
/// only simulated, and formats combined with compaction. Pure functions. docs/number-formats.md,
/// "Codes to compare with".

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/bench/row_coding.h"
#include "engine/base/result.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

struct BenchFormat {
    std::string name;
    KvRowType keys, values;             ///< row types of a real cache, used if `rows` is empty
    std::optional<SimulatedRows> rows;  ///< simulated codes
    KvRotation rotation = KvRotation::Hadamard;
    CompactionMethod method = CompactionMethod::None;
    double ratio = 1;      ///< requested compaction ratio
    double extraBits = 0;  ///< placed in the layers where they help the model most
};

/// Parses FORMAT or KEYS/VALUES out of t1 to t8, q8_0, q4_0, ggml-q8_0, ggml-q4_0, u1 to u8,
/// followed by words: rotated (group codes after a random rotation), calibrated, plain or preserve
/// or qjl (keys in rotated codes), simulated, am or l2 with a ratio, +0.25 (extra bits of a real
/// cache). Examples: "t3", "q4_0 rotated", "t3 calibrated +0.25", "t4/t3 am 8x". Errors:
/// InvalidArgument, listing the alternatives.
[[nodiscard]] Result<BenchFormat> benchFormatNamed(std::string_view name);
/// Returns the rows measured by default.
[[nodiscard]] std::span<const std::string_view> defaultBenchFormats();
/// Returns the setting of a row; everything it does not specify comes from `base`.
[[nodiscard]] ShadowSetting benchSetting(const BenchFormat& format, const KvOptions& base);

}  // namespace lacuna
