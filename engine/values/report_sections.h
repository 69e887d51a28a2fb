#pragma once
/// \file
/// Parts of a report that a person may want or not. Plain values.

#include <bitset>
#include <cstddef>

namespace lacuna {

/// Parts of the documents made for eyes; what was asked, with what model and on what machine stands
/// in all of them.
enum class ReportSection {
    Pictures,
    Cache,
    Turns,
    Compactions,  ///< and tokens that were brought back
    Memory,       ///< what was kept of texts
    Quality,
    Settings,
    Notices,
    Conversation  ///< what was said
};
inline constexpr std::size_t kReportSections = 9;
/// Which of them stand in a document; index: ReportSection.
using ReportSections = std::bitset<kReportSections>;
inline constexpr ReportSections kAllReportSections{(1U << kReportSections) - 1};

}  // namespace lacuna
