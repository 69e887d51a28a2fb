#pragma once
/// \file
/// How the tokens of an answer are drawn, as a request asks: temperature and its kin under the
/// rules of the settings table, which stages the draw has, seed, biases. Pure function.
/// docs/server.md, "What a request may ask".

#include <cstdint>
#include <optional>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"
#include "engine/generate/generation_options.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

struct AskedSampling {
    SamplingOptions options;
    std::optional<std::uint64_t> seed;
    std::vector<LogitBias> bias;  ///< each token once
};

struct SamplingGround {
    enum class Form { OpenAi, Native } form = Form::OpenAi;
    const EngineConfig& config;  ///< holds where the request says nothing
    const ServedModel& model;
    const StopAsked& stop;
};

/// 400 naming the member.
[[nodiscard]] AskedSampling readSampling(JsonFields& fields, const SamplingGround& ground);

}  // namespace lacuna::app
