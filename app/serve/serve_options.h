#pragma once
/// \file
/// Start options of the server. Immutable while it runs.

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

/// Access to /metrics.
enum class MetricsAccess {
    Off,
    WithKey,  ///< requires a key if keys are configured
    Open,     ///< open to every client that passes the other access rules
};

struct ServeOptions {
    std::filesystem::path model;
    std::filesystem::path draft = {};
    std::string alias = {};  ///< model names for clients, separated by commas; empty: derived from
                             ///< the file name
    int slots = 4;
    std::filesystem::path slotFolder = {};  ///< folder of saved caches; empty: saving is disabled
    TemplateChoice chatTemplate = {};
    std::optional<bool> reasoning = std::nullopt;
    std::optional<Pooling> embeddings = std::nullopt;  ///< pooling of embeddings; nullopt:
                                                       ///< embeddings are disabled
    MetricsAccess metrics = MetricsAccess::WithKey;
    EngineConfig config = {};
    MachineFacts machine = {};
    PrecisionSource precision = {};
    std::filesystem::path profileFolder = {};
    /// Text that surrogates are fitted on while the server is idle; empty: none are fitted.
    std::function<Result<std::string>()> calibrationText = {};
    std::chrono::milliseconds keepAlive{10'000};
    bool verbose = false;      ///< add the native format to every answer
    std::string version = {};  ///< version of the program
    /// The engine is shared with a window; only the window loads models and changes the common
    /// settings.
    bool shared = false;
};

/// Splits "A,B" at commas, without duplicates.
[[nodiscard]] std::vector<std::string> namesIn(const std::string& list);

}  // namespace lacuna::app
