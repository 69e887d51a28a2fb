#pragma once
/// \file
/// Model files on disk: which there are in a folder, and what one of them is. Reads files; to be
/// called on a thread that may wait.

#include <QString>
#include <QStringList>
#include <atomic>

#include "app/state/model_shelf.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

inline constexpr int kFolderDepth = 3;
inline constexpr int kMostModels = 2000;

/// GGUF files, the first part of split ones, and folders with config.json and safetensors. Links to
/// folders are not followed. `stop` ends it.
[[nodiscard]] QStringList modelsBelow(const QString& folder, const std::atomic<bool>& stop);
/// All files that are the model at `path`: the parts of a split one, those in a folder.
[[nodiscard]] QStringList filesOf(const QString& path);
/// What lies next to a model because it was calibrated on it.
[[nodiscard]] QStringList calibrationFilesOf(const QString& path);

struct ReadingMeans {
    MachineFacts machine;
    EngineConfig config;
    QString kept;  ///< folder of the person's own data; empty: none
};
/// Everything of a row that its files tell; `problem` where they cannot be read.
[[nodiscard]] ShelfRow readModel(const QString& path, const ReadingMeans& means);

}  // namespace lacuna::app
