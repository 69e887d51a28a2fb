#pragma once
/// \file
/// Engine for commands without a window: its options, and loading a model into it.

#include <filesystem>
#include <stop_token>

#include "engine/host/engine_host.h"

namespace lacuna::cli {

/// Returns engine options that use the window's measurement folder and prefix disk tier. The engine
/// does not start measurements automatically.
[[nodiscard]] EngineOptions commandEngineOptions(EngineConfig config);
/// Loads a model into a started engine and waits for the result in the queue of `events`, with
/// progress on standard error. Errors: those of loading; Cancelled if `stop` is requested.
[[nodiscard]] Result<ModelFacts> loadInto(EngineHost& engine, EventSubscription& events,
                                          const std::filesystem::path& path, std::stop_token stop,
                                          const std::filesystem::path& draft = {});

}  // namespace lacuna::cli
