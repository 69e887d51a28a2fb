#pragma once
/// \file
/// Formats a session as JSON (lossless, replayable), CSV, Markdown or a single HTML file. Pure
/// functions. JSON schema "lacuna-report": earlier versions are read too, later ones are refused
/// (report_fields.h).

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/report/recorder.h"
#include "engine/values/report_sections.h"

namespace lacuna {

/// A chart image for the documents.
struct ReportImage {
    std::string name;  ///< file name without extension: "kv-bytes"
    std::string caption;
    std::string png;  ///< PNG file contents
};

[[nodiscard]] OrderedJson reportJson(const Recording& recording);
/// The same as indented text, with one line per sample.
[[nodiscard]] std::string reportJsonText(const Recording& recording);
/// Returns file name and content of each table: samples.csv, compactions.csv, turns.csv,
/// generations.csv, quality.csv, restores.csv, tiers.csv (a line per figure), conversations.csv.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> reportCsv(
    const Recording& recording);
/// References `images` as NAME.png next to the document.
[[nodiscard]] std::string reportMarkdown(const Recording& recording,
                                         std::span<const ReportImage> images,
                                         ReportSections sections = kAllReportSections);
/// On narrow paper, tables omit columns that only identify a row, such as seeds and ids.
enum class ReportMedium { Screen, Paper };

/// Embeds images as base64; contains no scripts and no external references.
[[nodiscard]] std::string reportHtml(const Recording& recording,
                                     std::span<const ReportImage> images,
                                     ReportSections sections = kAllReportSections,
                                     ReportMedium medium = ReportMedium::Screen);
/// Parses a report. Errors: Json, Incompatible (schema, version), Config (field path).
[[nodiscard]] Result<Recording> recordingFromJson(const Json& report);

}  // namespace lacuna
