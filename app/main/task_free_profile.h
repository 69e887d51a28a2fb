#pragma once
/// \file
/// Provides the task-free head profile (engine/quality/head_ablation.h) to commands: measures it
/// with progress and stores it next to the model or, if that folder is not writable, in the user's
/// data folder under the model's fingerprint.

#include <filesystem>
#include <memory>
#include <stop_token>

#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/format/load_model.h"
#include "engine/settings/engine_config.h"
#include "engine/values/precision.h"

namespace lacuna::cli {

/// Returns the folder of the user's data and profiles: LACUNA_DATA_DIR if set, otherwise a folder
/// below XDG_DATA_HOME; empty if no home folder is known.
[[nodiscard]] std::filesystem::path personalFolder();

struct MeasuredHeads {
    HeadProfile profile;
    double seconds = 0;  ///< time without loading the model
};
/// Errors: as HeadAblation, Transformer::create; Cancelled.
[[nodiscard]] Result<MeasuredHeads> measureHeads(const std::shared_ptr<const LoadedModel>& model,
                                                 ThreadPool& pool, Precision precision,
                                                 const std::stop_token& stop);
/// Returns the path it was written to. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> storeProfile(const std::filesystem::path& model,
                                                         const HeadProfile& profile);
/// Returns the profiles of a model. If `config` requires a task-free profile and there is none,
/// measures and stores it, with a note. With HeadBudgets::Auto, copy scores replace a missing
/// profile, also with a note. Errors: as loadHeadProfiles, measureHeads, storeProfile.
[[nodiscard]] Result<HeadProfiles> profilesFor(const std::shared_ptr<const LoadedModel>& model,
                                               ThreadPool& pool, const EngineConfig& config,
                                               Precision precision, const std::stop_token& stop);

}  // namespace lacuna::cli
