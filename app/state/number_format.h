#pragma once
/// \file
/// Formats all displayed figures: units, separators, number of digits. Pure functions that do not
/// depend on the locale of the machine.

#include <QString>

namespace lacuna::app {

/// Formats a count: "1,912".
[[nodiscard]] QString countText(qint64 value);
/// Formats a size: "17.2 MiB", or "312 B" below 1 KiB.
[[nodiscard]] QString bytesText(qint64 bytes);
/// Formats a duration: "36.1 ms", "0.84 ms", "2.31 s", "1 min 12 s".
[[nodiscard]] QString durationText(double seconds);
/// Formats a rate without a unit: "21.4", with one decimal place below 100 and none above.
[[nodiscard]] QString rateText(double perSecond);
/// Formats a ratio: "3.7x".
[[nodiscard]] QString ratioText(double ratio);
/// Formats a share 0..1: "64 %".
[[nodiscard]] QString percentText(double share);
/// Formats with `decimals` decimal places and thousands separators.
[[nodiscard]] QString realText(double value, int decimals);

}  // namespace lacuna::app
