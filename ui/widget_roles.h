#pragma once
/// \file
/// Small helpers that keep widgets alike: roles the style sheet knows, names for assistive
/// technology.

#include <QLabel>
#include <QString>
#include <QWidget>

#include "app/state/view_types.h"

namespace lacuna::ui {

/// Gives a widget one of the looks of the style sheet ("secondary", "primary", "quiet", "notice",
/// ...).
void setRole(QWidget* widget, const QString& role);
/// The look of a setting's change: pending, applied, rejected.
[[nodiscard]] QString changeRole(app::ChangeState state);
/// Name and, when given, description for assistive technology.
void setAccessible(QWidget* widget, const QString& name, const QString& description = {});
/// A caption in secondary colour and small type.
[[nodiscard]] QLabel* captionLabel(const QString& text, QWidget* parent);
/// A horizontal hairline.
[[nodiscard]] QWidget* hairline(QWidget* parent);

}  // namespace lacuna::ui
