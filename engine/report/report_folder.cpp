#include "engine/report/report_folder.h"

#include <iterator>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna {

namespace {

constexpr const char* kDocuments[] = {"report.json", "report.md", "report.html"};

/// Paths of the session's models.
std::vector<std::filesystem::path> modelFiles(const Recording& recording) {
    std::vector<std::filesystem::path> files;
    for (const ModelFacts* model : modelsOf(recording))
        for (const std::string& path : {model->path, model->draftPath})
            if (!path.empty()) files.emplace_back(path);
    return files;
}

}  // namespace

std::vector<std::string> reportFileNames() {
    std::vector<std::string> names(std::begin(kDocuments), std::end(kDocuments));
    for (auto& [name, content] : reportCsv(Recording{})) names.push_back(std::move(name));
    return names;
}

Result<std::vector<std::string>> writeReportFolder(const std::filesystem::path& folder,
                                                   const Recording& recording,
                                                   std::span<const ReportImage> images,
                                                   const ReportChoice& choice) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::Write, format("{}: the folder cannot be created: {}",
                                             folder.string(), problem.message()));
    }
    std::vector<std::pair<std::string, std::string>> documents;
    if (choice.tables) documents = reportCsv(recording);
    if (choice.json) documents.emplace_back(kDocuments[0], reportJsonText(recording));
    if (choice.markdown)
        documents.emplace_back(kDocuments[1], reportMarkdown(recording, images, choice.sections));
    if (choice.html)
        documents.emplace_back(kDocuments[2], reportHtml(recording, images, choice.sections));
    if (choice.pictures || choice.markdown)
        for (const ReportImage& image : images)
            documents.emplace_back(image.name + ".png", image.png);
    documents.insert(documents.end(), choice.others.begin(), choice.others.end());
    std::vector<std::string> names;
    for (const auto& [name, content] : documents) {
        LACUNA_TRY_STATUS(checkNotAmong(folder / name, modelFiles(recording)));
        names.push_back(name);
    }
    LACUNA_TRY_STATUS(writeFilesTogether(folder, documents, FileAccess::OwnerOnly));
    return names;
}

}  // namespace lacuna
