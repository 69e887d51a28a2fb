#pragma once
/// \file
/// Paths of the two models in resources/models; the only place where tests name the files.

#include <filesystem>

namespace lacuna::test {

/// Returns the bundled model, the program's default: 134.5 M parameters. A hundred tokens take
/// about a second of exact arithmetic, so few tests run it.
[[nodiscard]] inline std::filesystem::path boxModel() {
    return std::filesystem::path(LACUNA_RESOURCE_DIR) / "models/smollm2-135m-lacuna-q4_1.gguf";
}

/// Returns the test model: 29.4 M parameters, trained for recall and little else.
[[nodiscard]] inline std::filesystem::path pilotModel() {
    return std::filesystem::path(LACUNA_RESOURCE_DIR) / "models/pilot-29m-q8_0.gguf";
}

}  // namespace lacuna::test
