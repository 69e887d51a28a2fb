#pragma once
/// \file
/// Writes the server's counters in Prometheus' text format (version 0.0.4). Metrics use the names
/// of vLLM's and llama.cpp's servers, so that dashboards made for those work; metrics without a
/// counterpart there start with lacuna_. Pure function. docs/server.md, "Metrics".

#include <cstdint>
#include <string>

#include "app/serve/request_scheduler.h"
#include "app/serve/server_metrics.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// State that is sampled at the time of a scrape instead of counted.
struct ServingNow {
    std::string model = {};  ///< model id for clients; empty if none is loaded
    std::string version = {};
    int context = 0;
    std::int64_t created = 0;  ///< seconds since 1970
    EngineConfig config = {};  ///< in effect
    ModelFacts facts = {};     ///< has no layers if no model is loaded
};

[[nodiscard]] std::string metricsText(const ServerCounts& counts, const ServingNow& now,
                                      const RequestScheduler& scheduler);

}  // namespace lacuna::app
