#include "engine/report/report_folder.h"

#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna {

Result<std::vector<std::string>> writeReportFolder(const std::filesystem::path& folder,
                                                   const Recording& recording,
                                                   std::span<const ReportImage> images) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::Write,
                    format("{}: the folder cannot be made: {}", folder.string(), problem.message()));
    }
    auto documents = reportCsv(recording);
    documents.emplace_back("report.json", reportJsonText(recording));
    documents.emplace_back("report.md", reportMarkdown(recording, images));
    documents.emplace_back("report.html", reportHtml(recording, images));
    for (const ReportImage& image : images) documents.emplace_back(image.name + ".png", image.png);
    std::vector<std::string> names;
    for (const auto& [name, content] : documents) {
        LACUNA_TRY_STATUS(writeFileAtomically(folder / name, content));
        names.push_back(name);
    }
    return names;
}

}  // namespace lacuna
