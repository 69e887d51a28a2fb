#pragma once
/// \file
/// Where the two models in resources/models lie: the one place that tests name them by file.

#include <filesystem>

namespace lacuna::test {

/// The model in the box: 134.5 M parameters, what the program takes when no model is named. A
/// hundred tokens cost it about a second of exact arithmetic, so few tests run it.
[[nodiscard]] inline std::filesystem::path boxModel() {
    return std::filesystem::path(LACUNA_RESOURCE_DIR) / "models/smollm2-135m-lacuna-q4_1.gguf";
}

/// The pilot, the model of the quick tests: 29.4 M parameters, trained to recall and to little
/// else.
[[nodiscard]] inline std::filesystem::path pilotModel() {
    return std::filesystem::path(LACUNA_RESOURCE_DIR) / "models/pilot-29m-q8_0.gguf";
}

}  // namespace lacuna::test
