#pragma once
/// \file
/// What the server has counted, as the text that Prometheus reads (format 0.0.4). The names of
/// vLLM's and llama.cpp's servers stand for the same things here, so that charts made for those
/// fill; under lacuna_ is what those do not show. Pure function. docs/server.md, "Metrics".

#include <cstdint>
#include <string>

#include "app/serve/answer_desk.h"
#include "app/serve/server_metrics.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// What is not counted but looked at when somebody asks.
struct ServingNow {
    std::string model = {};  ///< name for clients; empty: none is loaded
    std::string version = {};
    int context = 0;
    std::int64_t created = 0;  ///< seconds since 1970
    EngineConfig config = {};  ///< in force
    ModelFacts facts = {};     ///< of no layers where none is loaded
};

[[nodiscard]] std::string metricsText(const ServerCounts& counts, const ServingNow& now,
                                      const AnswerDesk& desk);

}  // namespace lacuna::app
