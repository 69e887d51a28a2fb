#pragma once
/// \file
/// What the server is started with. Immutable while it runs.

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/served_model.h"
#include "app/serve/text_embedder.h"
#include "engine/session/precision_source.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// Who may read /metrics.
enum class MetricsAccess {
    Off,
    WithKey,  ///< where keys are asked for
    Open,     ///< whoever may ask at all
};

struct ServeOptions {
    std::filesystem::path model;
    std::filesystem::path draft = {};
    std::string alias = {};  ///< name of the model for clients, further ones after commas; empty:
                             ///< that of the file
    int slots = 4;
    std::filesystem::path slotFolder = {};  ///< of saved caches; empty: none are saved
    TemplateChoice chatTemplate = {};
    std::optional<bool> reasoning = std::nullopt;
    std::optional<Pooling> embeddings = std::nullopt;  ///< how vectors are made; none: they are not
    MetricsAccess metrics = MetricsAccess::WithKey;
    EngineConfig config = {};
    MachineFacts machine = {};
    PrecisionSource precision = {};
    std::filesystem::path profileFolder = {};
    /// Running text that surrogates are fitted to while nothing is asked; empty: none are fitted.
    std::function<Result<std::string>()> calibrationText = {};
    std::chrono::milliseconds keepAlive{10'000};
    bool verbose = false;      ///< answers bear the native form as well
    std::string version = {};  ///< of the program
    /// The engine is a window's as well, which alone loads models and changes the settings of all.
    bool shared = false;
};

/// "A,B": each of them once.
[[nodiscard]] std::vector<std::string> namesIn(const std::string& list);

}  // namespace lacuna::app
