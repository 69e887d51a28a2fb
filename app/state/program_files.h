#pragma once
/// \file
/// Files of the window: where those that come with the program lie, and how a small one is written.

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <string>

#include "engine/base/result.h"

namespace lacuna::app {

// Where the files that come with the program lie: next to it, in the source tree or in the
// system's share folder. Pure but for looking whether a file is there.

/// Folders that may hold `models/` and `texts/`, best first: $LACUNA_RESOURCES, resources alongside
/// the program or a few folders above it, the install prefix's share folder.
[[nodiscard]] QStringList resourceFolders();
/// First of those folders that has `relative`; empty when none has.
[[nodiscard]] QString findResource(const QString& relative);
/// What a text of bundled_texts.h says; empty when it is not there.
[[nodiscard]] QString bundledText(const char* name);
/// The text for calibrations. Errors: NotFound.
[[nodiscard]] Result<std::string> calibrationBook();
/// The model that ships with the program; empty when it is not there.
[[nodiscard]] QString bundledModelPath();

// Small files written from the window: the whole content or the old file, never something between.

/// Replaces `path` by `bytes`. An empty text when it is written, otherwise a sentence saying why
/// not. Meant for pictures and tables of a few MiB; runs on the calling thread.
[[nodiscard]] QString saveFile(const QString& path, const QByteArray& bytes);
/// The same for what nobody else may read, from the first byte on.
[[nodiscard]] QString savePrivateFile(const QString& path, const QByteArray& bytes);

}  // namespace lacuna::app
