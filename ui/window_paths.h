#pragma once
/// \file
/// Where the window offers to write.

#include <QString>

namespace lacuna::ui {

/// `name`-DATE-TIME in the person's documents folder.
[[nodiscard]] QString documentsFolder(const QString& name);

}  // namespace lacuna::ui
