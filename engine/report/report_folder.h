#pragma once
/// \file
/// Writes a report as files in a folder, for the window and the command line.

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"

namespace lacuna {

/// Returns the names of all documents and tables, without images.
[[nodiscard]] std::vector<std::string> reportFileNames();

/// Which documents to write, and the sections of the human-readable ones.
struct ReportChoice {
    bool json = true;  ///< the lossless document, which can be opened and replayed
    bool tables = true;
    bool markdown = true;
    bool html = true;
    bool pictures = true;  ///< image files; always written with Markdown, which references them
    ReportSections sections = kAllReportSections;
    /// Additional documents from the caller: name and content.
    std::vector<std::pair<std::string, std::string>> others = {};
};

/// Writes report.json, report.md, report.html, the tables and the images, as selected, and creates
/// the folder. Writes all of them or none, readable only by the owner. Returns the file names in
/// the order of writing. Errors: Write; InvalidArgument if a file would overwrite that of the
/// model.
[[nodiscard]] Result<std::vector<std::string>> writeReportFolder(
    const std::filesystem::path& folder, const Recording& recording,
    std::span<const ReportImage> images, const ReportChoice& choice = {});

}  // namespace lacuna
