#pragma once
/// \file
/// A widget as a PNG picture. GUI thread.

#include "app/state/view_types.h"

class QWidget;

namespace lacuna::ui {

/// The widget as it looks now. `name`: file stem.
[[nodiscard]] app::ChartImage windowImage(QWidget& widget, const QString& name,
                                          const QString& caption);

}  // namespace lacuna::ui
