#pragma once
/// \file
/// The head profile without a task (engine/quality/head_ablation.h) as commands come by it:
/// measured with progress, kept next to the model or, where that folder cannot be written, in the
/// folder of the person's own data, under the model's fingerprint.

#include <filesystem>
#include <memory>
#include <stop_token>

#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/format/load_model.h"
#include "engine/settings/engine_config.h"
#include "engine/values/precision.h"

namespace lacuna::cli {

/// Where the window keeps the user's data, and profiles below it: LACUNA_DATA_DIR where that is
/// set, else below XDG_DATA_HOME; empty where no home folder is known.
[[nodiscard]] std::filesystem::path personalFolder();

struct MeasuredHeads {
    HeadProfile profile;
    double seconds = 0;  ///< without loading the model
};
/// Errors: as HeadAblation, Transformer::create; Cancelled.
[[nodiscard]] Result<MeasuredHeads> measureHeads(const std::shared_ptr<const LoadedModel>& model,
                                                 ThreadPool& pool, Precision precision,
                                                 const std::stop_token& stop);
/// Where it was written. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> keepProfile(const std::filesystem::path& model,
                                                        const HeadProfile& profile);
/// The profiles of a model. Where `config` asks for one without a task and there is none, it is
/// measured and kept first, which is said; where it leaves the choice, copy scores stand in, which
/// is said as well. Errors: as loadHeadProfiles, measureHeads, keepProfile.
[[nodiscard]] Result<HeadProfiles> profilesFor(const std::shared_ptr<const LoadedModel>& model,
                                               ThreadPool& pool, const EngineConfig& config,
                                               Precision precision, const std::stop_token& stop);

}  // namespace lacuna::cli
