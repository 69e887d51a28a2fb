#pragma once
/// \file
/// The language that figures are written in (number_format.h), and what of them only a language
/// says: dates, and numbers of as few digits as will do. English until another is told. Any thread.

#include <QDate>
#include <QDateTime>
#include <QLocale>
#include <QString>

namespace lacuna::app {

/// From now on. Called by the GUI thread before any other is started.
void setFigureLocale(const QLocale& locale);

/// At most `digits` digits, as few as say the same: "2.5", "0.0012", without separators.
[[nodiscard]] QString shortText(double value, int digits);
/// What stands between whole and parts: '.' or ','.
[[nodiscard]] QString decimalPoint();
/// A figure as the engine writes it, "8,192" or "93.8 MiB", as the language does; anything else as
/// it is.
[[nodiscard]] QString figureText(const QString& english);
/// "24 Nov 2026".
[[nodiscard]] QString dateText(const QDate& day);
/// "24 Nov 2026, 14:05".
[[nodiscard]] QString dateTimeText(const QDateTime& when);

}  // namespace lacuna::app
