#pragma once
/// \file
/// Locates bundled files and writes small files for the window.

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <string>

#include "engine/base/result.h"

namespace lacuna::app {

// Bundled files are located next to the program, in the source tree or in the system's share
// folder. These functions only check whether files exist.

/// Returns folders that may contain `models/` and `texts/`, best first: $LACUNA_RESOURCES,
/// resources next to the program or a few folders above it, the share folder of the install prefix.
[[nodiscard]] QStringList resourceFolders();
/// Returns the first match of `relative` in those folders; empty if there is none.
[[nodiscard]] QString findResource(const QString& relative);
/// Returns the content of a text of bundled_texts.h; empty if it is missing.
[[nodiscard]] QString bundledText(const char* name);
/// Returns the calibration text. Errors: NotFound.
[[nodiscard]] Result<std::string> calibrationBook();
/// Returns the path of the bundled model; empty if it is missing.
[[nodiscard]] QString bundledModelPath();

// Small files are replaced atomically: either the complete new content or the old file exists.

/// Replaces `path` by `bytes`. Returns an error message; empty on success. Blocks; intended for
/// images and tables of a few MiB.
[[nodiscard]] QString saveFile(const QString& path, const QByteArray& bytes);
/// Like saveFile(), but the file is readable only by the user from the first byte on.
[[nodiscard]] QString savePrivateFile(const QString& path, const QByteArray& bytes);

}  // namespace lacuna::app
