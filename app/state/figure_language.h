#pragma once
/// \file
/// The locale used to format figures (number_format.h), and the formats that depend only on it:
/// dates and short numbers. English by default. Any thread.

#include <QDate>
#include <QDateTime>
#include <QLocale>
#include <QString>

namespace lacuna::app {

/// Sets the locale. @pre called on the GUI thread before any other thread is started
void setFigureLocale(const QLocale& locale);

/// Formats with at most `digits` digits, without trailing zeros or separators: "2.5", "0.0012".
[[nodiscard]] QString shortText(double value, int digits);
/// Returns the decimal separator: '.' or ','.
[[nodiscard]] QString decimalPoint();
/// Localises a figure as the engine writes it, such as "8,192" or "93.8 MiB"; other text is
/// returned unchanged.
[[nodiscard]] QString figureText(const QString& english);
/// Formats a date: "24 Nov 2026".
[[nodiscard]] QString dateText(const QDate& day);
/// Formats a date with time: "24 Nov 2026, 14:05".
[[nodiscard]] QString dateTimeText(const QDateTime& when);

}  // namespace lacuna::app
