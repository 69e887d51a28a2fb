#pragma once
/// \file
/// Rows of the table of formats that `lacuna-bench bench-formats` measures, by name: formats of a
/// cache, codes that no cache has, and formats under a compaction. Pure functions.
/// docs/number-formats.md, "Codes to compare with".

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
    KvRowType keys, values;             ///< of a cache that has them, where `rows` is empty
    std::optional<SimulatedRows> rows;  ///< codes measured as functions of a row
    KvRotation rotation = KvRotation::Hadamard;
    CompactionMethod method = CompactionMethod::None;
    double ratio = 1;      ///< that the compaction is asked for
    double extraBits = 0;  ///< in the layers where they save the model most
};

/// FORMAT or KEYS/VALUES out of t1 to t8, q8_0, q4_0, ggml-q8_0, ggml-q4_0, u1 to u8, and words
/// after it: rotated (group codes, after the random rotation), calibrated, plain or preserve or
/// qjl (of keys in rotated codes), simulated, am or l2 with a ratio, +0.25 (extra bits of rotated
/// codes that a cache has). "t3", "q4_0 rotated", "t3 calibrated +0.25", "t4/t3 am 8x". Errors:
/// InvalidArgument, with what there is.
[[nodiscard]] Result<BenchFormat> benchFormatNamed(std::string_view name);
/// What is measured when nothing is asked for.
[[nodiscard]] std::span<const std::string_view> usualBenchFormats();
/// The setting of a row; everything that it does not say is as in `base`.
[[nodiscard]] ShadowSetting benchSetting(const BenchFormat& format, const KvOptions& base);

}  // namespace lacuna
