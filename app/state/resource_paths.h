#pragma once
/// \file
/// Where the files that come with the program lie: next to it, in the source tree or in the
/// system's share folder. Pure but for looking whether a file is there.

#include <QString>
#include <QStringList>

namespace lacuna::app {

/// Folders that may hold `models/` and `texts/`, best first: $LACUNA_RESOURCES, resources alongside
/// the program or a few folders above it, the install prefix's share folder.
[[nodiscard]] QStringList resourceFolders();
/// First of those folders that has `relative`; empty when none has.
[[nodiscard]] QString findResource(const QString& relative);
/// The model that ships with the program; empty when it is not there.
[[nodiscard]] QString bundledModelPath();

}  // namespace lacuna::app
