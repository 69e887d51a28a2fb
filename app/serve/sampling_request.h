#pragma once
/// \file
/// Reads the sampling parameters of a request: temperature and related values checked by the rules
/// of the settings table, stages, seed, logit biases. Pure function. docs/server.md, "Request
/// members".

#include <cstdint>
#include <optional>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"
#include "engine/generate/generation_options.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

struct RequestedSampling {
    SamplingOptions options;
    std::optional<std::uint64_t> seed;
    std::vector<LogitBias> bias;  ///< at most one entry per token
};

struct SamplingGround {
    enum class Form { OpenAi, Native } form = Form::OpenAi;
    const EngineConfig& config;  ///< defaults for absent members
    const ServedModel& model;
    const StopRequested& stop;
};

/// Error: 400 naming the member.
[[nodiscard]] RequestedSampling readSampling(JsonFields& fields, const SamplingGround& ground);

}  // namespace lacuna::app
