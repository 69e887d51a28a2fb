#include "engine/report/report_folder.h"

#include <iterator>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna {

namespace {

constexpr const char* kDocuments[] = {"report.json", "report.md", "report.html"};

/// The models of the session, by their paths.
std::vector<std::filesystem::path> modelsOf(const Recording& recording) {
    std::vector<std::filesystem::path> models;
    if (!recording.model) return models;
    for (const std::string& path : {recording.model->path, recording.model->draftPath})
        if (!path.empty()) models.emplace_back(path);
    return models;
}

}  // namespace

std::vector<std::string> reportFileNames() {
    std::vector<std::string> names(std::begin(kDocuments), std::end(kDocuments));
    for (auto& [name, content] : reportCsv(Recording{})) names.push_back(std::move(name));
    return names;
}

Result<std::vector<std::string>> writeReportFolder(const std::filesystem::path& folder,
                                                   const Recording& recording,
                                                   std::span<const ReportImage> images) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::Write, format("{}: the folder cannot be made: {}", folder.string(),
                                             problem.message()));
    }
    auto documents = reportCsv(recording);
    documents.emplace_back(kDocuments[0], reportJsonText(recording));
    documents.emplace_back(kDocuments[1], reportMarkdown(recording, images));
    documents.emplace_back(kDocuments[2], reportHtml(recording, images));
    for (const ReportImage& image : images) documents.emplace_back(image.name + ".png", image.png);
    std::vector<std::string> names;
    for (const auto& [name, content] : documents) {
        LACUNA_TRY_STATUS(checkNotAmong(folder / name, modelsOf(recording)));
        names.push_back(name);
    }
    LACUNA_TRY_STATUS(writeFilesTogether(folder, documents, FileAccess::OwnerOnly));
    return names;
}

}  // namespace lacuna
