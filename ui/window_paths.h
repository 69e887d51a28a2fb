#pragma once
/// \file
/// Where the window offers to write.

#include <QString>

namespace lacuna::ui {

/// The person's documents folder, or their home where there is none.
[[nodiscard]] QString documentsPath();
/// `name`-DATE-TIME.
[[nodiscard]] QString stamped(const QString& name);
/// `name`-DATE-TIME in the person's documents folder.
[[nodiscard]] QString documentsFolder(const QString& name);

}  // namespace lacuna::ui
