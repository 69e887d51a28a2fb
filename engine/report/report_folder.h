#pragma once
/// \file
/// A report as files in a folder: what the window and the command line both write.

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"

namespace lacuna {

/// Names of the documents and tables, without images.
[[nodiscard]] std::vector<std::string> reportFileNames();

/// Which documents a report has, and which parts those made for eyes.
struct ReportChoice {
    bool json = true;  ///< the lossless one, which can be opened and replayed
    bool tables = true;
    bool markdown = true;
    bool html = true;
    bool pictures = true;  ///< as files; Markdown refers to them, so they come with it
    ReportSections sections = kAllReportSections;
    /// Documents that were made elsewhere: name and content.
    std::vector<std::pair<std::string, std::string>> others = {};
};

/// Writes report.json, report.md, report.html, the tables and the images, as far as they are
/// chosen, all of them or none, and makes the folder. Only its owner may read what was said.
/// Returns the file names in the order of writing. Errors: Write; InvalidArgument where a file
/// would replace that of the model.
[[nodiscard]] Result<std::vector<std::string>> writeReportFolder(
    const std::filesystem::path& folder, const Recording& recording,
    std::span<const ReportImage> images, const ReportChoice& choice = {});

}  // namespace lacuna
