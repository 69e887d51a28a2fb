#pragma once
/// \file
/// A model with what a measurement runs it on: threads, activations, what is known of its heads.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/model/transformer.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {

struct MeasuredModel {
    std::filesystem::path path;
    std::shared_ptr<const LoadedModel> loaded;
    ModelFacts facts;
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
    std::shared_ptr<const HeadProfile> profile;  ///< null: none lies next to the model
};

/// `given` or the bundled model, with threads and chunk of `config`. Errors: as loadModel,
/// Transformer::create, loadHeadProfile; those of check with this model.
[[nodiscard]] Result<MeasuredModel> loadForMeasuring(const std::string& given,
                                                     const EngineConfig& config,
                                                     Precision precision, std::stop_token stop);

}  // namespace lacuna::cli
