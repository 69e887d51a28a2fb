#pragma once
/// \file
/// The one place where figures become text: units, thousands separators, the same form everywhere.
/// Pure functions, independent of the locale of the machine.

#include <QString>

namespace lacuna::app {

/// "1,912".
[[nodiscard]] QString countText(qint64 value);
/// "17.2 MiB"; below 1 KiB "312 B".
[[nodiscard]] QString bytesText(qint64 bytes);
/// "36.1 ms", "0.84 ms", "2.31 s", "1 min 12 s".
[[nodiscard]] QString durationText(double seconds);
/// "21.4", without unit: one decimal below 100, none above.
[[nodiscard]] QString rateText(double perSecond);
/// "3.7x".
[[nodiscard]] QString ratioText(double ratio);
/// "64 %", from a share 0..1.
[[nodiscard]] QString percentText(double share);
/// `decimals` digits after the point, with thousands separators.
[[nodiscard]] QString realText(double value, int decimals);

}  // namespace lacuna::app
