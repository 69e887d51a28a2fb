#pragma once
/// \file
/// A session as documents: JSON (lossless, replayable), CSV, Markdown, one-file HTML. Pure
/// functions. JSON schema "lacuna-report", version 5; the
/// versions before are read as well, unknown newer ones are refused.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/report/recorder.h"
#include "engine/values/report_sections.h"

namespace lacuna {

/// A chart picture for the documents that show one.
struct ReportImage {
    std::string name;  ///< file stem: "kv-bytes"
    std::string caption;
    std::string png;  ///< bytes
};

[[nodiscard]] OrderedJson reportJson(const Recording& recording);
/// The same as text: indented, each sample on one line.
[[nodiscard]] std::string reportJsonText(const Recording& recording);
/// (file name, content) of each table: samples.csv, compactions.csv, turns.csv, generations.csv,
/// quality.csv, restores.csv, tiers.csv (a line for each figure), conversations.csv.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> reportCsv(
    const Recording& recording);
/// `images` are referred to as NAME.png next to the document.
[[nodiscard]] std::string reportMarkdown(const Recording& recording,
                                         std::span<const ReportImage> images,
                                         ReportSections sections = kAllReportSections);
/// Paper is narrow: tables leave out what only identifies a row, such as seeds and ids.
enum class ReportMedium { Screen, Paper };

/// Images inline as base64; no script, no outside reference.
[[nodiscard]] std::string reportHtml(const Recording& recording,
                                     std::span<const ReportImage> images,
                                     ReportSections sections = kAllReportSections,
                                     ReportMedium medium = ReportMedium::Screen);
/// Reads a report back. Errors: Json, Incompatible (schema, version), Config (field path).
[[nodiscard]] Result<Recording> recordingFromJson(const Json& report);

}  // namespace lacuna
