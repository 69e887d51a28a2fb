#pragma once
/// \file
/// What writer and reader of the JSON report share: its name, version and the columns of the
/// samples. Internal to this room. Pure data.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/session/event.h"

namespace lacuna {

inline constexpr std::string_view kReportSchema = "lacuna-report";
/// Version 5: a turn names the earlier one whose messages it begins with, and lists only the rest.
inline constexpr int kReportVersion = 5;
/// Version 4: conversations may have cache settings of their own, so each generation says whose it
/// is. Each turn lists all its messages, as in the versions before.
inline constexpr int kOwnSettingsReportVersion = 4;
/// Version 3: samples of quality. Settings that came later were not there and have their defaults,
/// as in the versions before.
inline constexpr int kQualityReportVersion = 3;
/// Version 2: turns may overlap, so each says where it began and each cancel whose answer it
/// stopped; each says what was asked of its answer, and how many tokens were drafted for it.
inline constexpr int kOverlapReportVersion = 2;
/// One turn after another; settings as in version 2.
inline constexpr int kSequentialReportVersion = 1;

/// One number of a sample. `write` is told only values of the right kind, in range.
struct SampleColumn {
    enum class Kind { Count, Real, Phase };  ///< whole and >= 0; finite and >= 0; name of a state
    std::string_view name;
    Kind kind = Kind::Count;
    OrderedJson (*read)(const StepSample&);
    void (*write)(StepSample&, const Json&);
};

[[nodiscard]] std::span<const SampleColumn> sampleColumns();

/// "2026-11-21T10:00:00Z".
[[nodiscard]] std::string utcTime(std::int64_t unixMs);

}  // namespace lacuna
