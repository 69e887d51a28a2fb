#pragma once
/// \file
/// Results of loading and inspecting a path as comparable codes. For tests only.

#include <filesystem>
#include <string>

#include "engine/format/describe_model.h"
#include "engine/format/load_model.h"

namespace lacuna::test {

/// Returns the name of the error, or "" for a model.
inline std::string loadAnswer(const std::filesystem::path& path) {
    const auto model = loadModel(path);
    return model ? std::string() : std::string(errorName(model.error().code));
}
inline std::string inspectAnswer(const std::filesystem::path& path) {
    const auto json = describeModel(path);
    if (!json) return std::string(errorName(json.error().code));
    if (json->at("supported") == true) return "";
    return json->at("reason").at("code");
}

}  // namespace lacuna::test
