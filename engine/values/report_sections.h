#pragma once
/// \file
/// Optional parts of a report. Plain values.

#include <bitset>
#include <cstddef>

namespace lacuna {

/// Parts of human-readable reports. The request, the model and the machine are always included.
enum class ReportSection {
    Pictures,
    Cache,
    Turns,
    Compactions,  ///< including restored tokens
    Memory,       ///< prefix cache
    Quality,
    Settings,
    Notices,
    Conversation  ///< messages and answers
};
inline constexpr std::size_t kReportSections = 9;
/// Selection of sections in a report; index: ReportSection.
using ReportSections = std::bitset<kReportSections>;
inline constexpr ReportSections kAllReportSections{(1U << kReportSections) - 1};

}  // namespace lacuna
