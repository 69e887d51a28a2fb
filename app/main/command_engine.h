#pragma once
/// \file
/// The engine of commands without a window: the options it is started with, and loading a model
/// into it.

#include <filesystem>
#include <stop_token>

#include "engine/host/engine_host.h"

namespace lacuna::cli {

/// Options of an engine that finds what was measured, and the disk tier of the prefix cache, where
/// the window keeps them. It measures nothing by itself.
[[nodiscard]] EngineOptions commandEngineOptions(EngineConfig config);
/// Loads a model into a started engine and waits for the outcome in the queue of `events`, with
/// progress on standard error. Errors: those of loading; Cancelled once `stop` is requested.
[[nodiscard]] Result<ModelFacts> loadInto(EngineHost& engine, EventSubscription& events,
                                          const std::filesystem::path& path, std::stop_token stop,
                                          const std::filesystem::path& draft = {});

}  // namespace lacuna::cli
