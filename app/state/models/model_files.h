#pragma once
/// \file
/// Finds and describes model files on disk. The functions block on file access and belong on a
/// background thread.

#include <QString>
#include <QStringList>
#include <atomic>

#include "app/state/models/model_library.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

inline constexpr int kFolderDepth = 3;
inline constexpr int kMaxModels = 2000;

/// Returns GGUF files, the first part of split ones, and folders with config.json and safetensors.
/// Links to folders are not followed. Ends early once `stop` is set.
[[nodiscard]] QStringList modelsBelow(const QString& folder, const std::atomic<bool>& stop);
/// Returns all files of the model at `path`: the parts of a split model, or those in a folder.
[[nodiscard]] QStringList filesOf(const QString& path);
/// Returns the calibration files stored next to a model.
[[nodiscard]] QStringList calibrationFilesOf(const QString& path);

struct ReadingContext {
    MachineFacts machine;
    EngineConfig config;
    QString kept;  ///< folder of the user's data; empty if there is none
};
/// Fills a row with everything its files contain; sets `problem` if they cannot be read.
[[nodiscard]] ModelLibraryEntry readModel(const QString& path, const ReadingContext& dependencies);

}  // namespace lacuna::app
