#include "app/main/output_check.h"

#include <filesystem>

#include "engine/base/file.h"
#include "engine/compress/head_profile.h"
#include "engine/format/model_container.h"
#include "engine/report/report_folder.h"

namespace lacuna::cli {
namespace {

namespace fs = std::filesystem;

bool isName(const std::string& text) {
    return !text.empty() && text != "-";
}

std::vector<std::string> inFolder(const std::string& folder, std::vector<std::string> names) {
    if (folder.empty()) return {};
    for (std::string& name : names) name = (fs::path(folder) / name).string();
    return names;
}

}  // namespace

Status checkOutputs(const CommandFiles& files) {
    std::vector<fs::path> inputs;
    for (const std::string& model : files.models) {
        if (!isName(model)) continue;
        const auto read = modelFiles(model);
        inputs.insert(inputs.end(), read.begin(), read.end());
        if (files.profile) inputs.push_back(headProfilePath(model));
    }
    for (const std::string& input : files.inputs)
        if (isName(input)) inputs.emplace_back(input);
    for (const std::string& output : files.outputs)
        if (isName(output)) LACUNA_TRY_STATUS(checkNotAmong(output, inputs));
    return {};
}

std::vector<std::string> reportFiles(const std::string& folder) {
    return inFolder(folder, reportFileNames());
}

std::vector<std::string> gridFiles(const std::string& folder, const std::string& name) {
    return inFolder(
        folder, {name + ".json", name + ".csv", name + ".md", name + ".svg", name + ".cells.json"});
}

}  // namespace lacuna::cli
