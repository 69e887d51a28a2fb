#pragma once
/// \file
/// Axis arithmetic: ticks at round values, units, labels that do not overlap. Pure functions
/// without widgets.

#include <QString>
#include <vector>

namespace lacuna::ui {

enum class ValueUnit { Bytes, Milliseconds, Ratio, TokensPerSecond, Share, Count, Plain };
enum class ValueScale { Linear, Log };

struct Range {
    double from = 0, to = 1;
    [[nodiscard]] double length() const { return to - from; }
    friend bool operator==(const Range&, const Range&) = default;
};

struct Tick {
    double value = 0;
    QString label;
};

/// Ticks of an axis and the unit, which is written once at its end.
struct Ticks {
    std::vector<Tick> ticks;
    QString unit;
};

/// Smallest of 1, 2, 5 x 10^n that divides `length` into at most `parts` parts.
[[nodiscard]] double niceStep(double length, int parts);
/// Multiples of a nice step inside the range, at most `parts` + 1. @pre range.to > range.from
[[nodiscard]] std::vector<double> niceTicks(Range range, int parts);
/// Seconds: steps of 1, 2, 5, 10, 15, 30 s, then minutes and hours; below a second 0.1, 0.2, 0.5.
[[nodiscard]] double niceTimeStep(double seconds, int parts);
[[nodiscard]] std::vector<Tick> timeTicks(Range seconds, int parts);
/// "0:05", "1:02:05", with decimals when `step` is below a second.
[[nodiscard]] QString elapsedText(double seconds, double step);
/// Lower end of axes of times, in milliseconds; shorter times are drawn there.
inline constexpr double kShortestMs = 0.1;
/// Decades, with 2 and 5 between when there are few; at least two inside the range.
[[nodiscard]] std::vector<double> logTicks(Range range);

/// Ticks with labels in one unit: bytes in B, KiB, MiB, GiB; milliseconds in us, ms or s.
[[nodiscard]] Ticks valueTicks(Range range, ValueUnit unit, int parts);
/// Each label states its own unit if the range needs more than one.
[[nodiscard]] Ticks logValueTicks(Range range, ValueUnit unit);
/// Token positions with thousands separators.
[[nodiscard]] std::vector<Tick> tokenTicks(Range tokens, int parts);
/// A figure with its unit, as shown in the headline and by the crosshair.
[[nodiscard]] QString valueText(double value, ValueUnit unit);

/// Visible range for data in `needed`, given the one visible so far. It grows to a round value when
/// data leave it and shrinks only when they use less than a third, which keeps the axis stable.
[[nodiscard]] Range steadyRange(Range shown, Range needed);
/// Least round value not below `value`: 1, 1.2, 1.5, 2, ... 8 x 10^n; bytes in binary units.
[[nodiscard]] double roundUp(double value, ValueUnit unit);
/// A range for a log axis around `needed`: ends at 1, 2, 5 x 10^n, at least a factor of four.
[[nodiscard]] Range logRange(Range needed);

/// Moves labels of the given height apart by as little as necessary inside [top, bottom], in the
/// order of `centres`. Labels that cannot all fit are spread evenly.
[[nodiscard]] std::vector<double> spreadLabels(const std::vector<double>& centres, double height,
                                               Range within);

/// Marks closer than `gap` pixels, drawn as one: its position and the marks it represents.
struct Cluster {
    double at = 0;  ///< position of the first mark
    std::size_t first = 0, count = 0;
};
/// Clusters `places`, ascending and in pixels, into at most `most` clusters by increasing the gap
/// until they fit.
[[nodiscard]] std::vector<Cluster> clusterMarks(const std::vector<double>& places, double gap,
                                                std::size_t most);

}  // namespace lacuna::ui
