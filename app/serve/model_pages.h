#pragma once
/// \file
/// JSON pages about the served model and its slots: /v1/models, /props, /slots. They contain no
/// prompt text. Pure functions. docs/server.md, "Endpoints".

#include <cstdint>
#include <string>

#include "app/serve/request_scheduler.h"
#include "app/serve/served_model.h"
#include "engine/base/json.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

/// `created`: time the model was loaded, seconds since 1970.
[[nodiscard]] OrderedJson modelJson(const ServedModel& model, std::int64_t created);
[[nodiscard]] OrderedJson propsJson(const ServedModel& model, const EngineConfig& config, int slots,
                                    const std::string& version);
[[nodiscard]] OrderedJson slotsJson(const RequestScheduler& scheduler, int context);

}  // namespace lacuna::app
