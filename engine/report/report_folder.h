#pragma once
/// \file
/// A report as files in a folder: what the window and the command line both write.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"

namespace lacuna {

/// Writes report.json, report.md, report.html, the tables and the images, each file whole or not at
/// all, and makes the folder. Returns the file names in the order of writing. Errors: Write.
[[nodiscard]] Result<std::vector<std::string>> writeReportFolder(
    const std::filesystem::path& folder, const Recording& recording, std::span<const ReportImage> images);

}  // namespace lacuna
