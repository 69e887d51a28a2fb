#pragma once
/// \file
/// Small helpers that keep widgets alike: roles the style sheet knows, names for assistive
/// technology.

#include <QLabel>
#include <QString>
#include <QWidget>

#include "app/state/view_types.h"

class QProgressBar;

namespace lacuna::ui {

/// Gives a widget one of the looks of the style sheet ("secondary", "primary", "quiet", "notice",
/// ...).
void setRole(QWidget* widget, const QString& role);
/// The look of a setting's change: pending, applied, rejected.
[[nodiscard]] QString changeRole(app::ChangeState state);
/// Name and, when given, description for assistive technology.
void setAccessible(QWidget* widget, const QString& name, const QString& description = {});
/// A label that shows its text sign by sign. Qt takes a text with tags for a document and loads
/// what it names, and names and sentences come from files; so every label is made here.
[[nodiscard]] QLabel* plainLabel(const QString& text, QWidget* parent);
/// A thin bar without words that shows a share; `width` 0: as wide as there is room.
[[nodiscard]] QProgressBar* shareBar(int width, QWidget* parent);
/// `share` 0..1; below 0: work goes on, and how far it is is not known.
void showShare(QProgressBar& bar, double share);
/// Between the facts of one line.
[[nodiscard]] QString factDot();
/// A caption in secondary colour and small type; plain, too.
[[nodiscard]] QLabel* captionLabel(const QString& text, QWidget* parent);
/// A plain label that gives way: it ends in an ellipsis where a line has no room for it, and makes
/// no line wider. text() stays whole.
[[nodiscard]] QLabel* yieldingLabel(QWidget* parent);
/// The same in secondary colour and small type.
[[nodiscard]] QLabel* yieldingCaption(QWidget* parent);
/// The text as a tool tip that shows it sign by sign, in lines no wider than a chart; the only way
/// to a tool tip. Long ones are cut.
[[nodiscard]] QString tipText(const QString& text);
/// The text with no more than `most` signs, the last an ellipsis where it was cut; what would break
/// or turn a line around (controls, bidirectional overrides) is shown as U+FFFD.
[[nodiscard]] QString oneLine(const QString& text, qsizetype most);
/// Signs of a name or a title that a line of the window has room for.
constexpr qsizetype kMaxTitleLength = 200;
/// A horizontal hairline.
[[nodiscard]] QWidget* hairline(QWidget* parent);

}  // namespace lacuna::ui
