#pragma once
/// \file
/// The language that figures are written in (number_format.h), and what of them only a language
/// says: dates, and numbers of as few digits as will do. English until another is told. Any thread.

#include <QDateTime>
#include <QLocale>
#include <QString>

namespace lacuna::app {

/// From now on. Called by the GUI thread before any other is started.
void setFigureLocale(const QLocale& locale);

/// At most `digits` digits, as few as say the same: "2.5", "0.0012", without separators.
[[nodiscard]] QString shortText(double value, int digits);
/// "24 Nov 2026, 14:05".
[[nodiscard]] QString dateTimeText(const QDateTime& when);

}  // namespace lacuna::app
