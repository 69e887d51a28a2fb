#include "ui/charts/chart_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/state/figure_language.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_texts.h"

namespace lacuna::ui {

namespace {

struct Unit {
    double size = 1;
    QString name;
};

constexpr double kKibi = 1024.0;

Unit byteUnit(double greatest) {
    if (greatest >= kKibi * kKibi * kKibi) return {kKibi * kKibi * kKibi, QStringLiteral("GiB")};
    if (greatest >= kKibi * kKibi) return {kKibi * kKibi, QStringLiteral("MiB")};
    if (greatest >= kKibi) return {kKibi, QStringLiteral("KiB")};
    return {1, QStringLiteral("B")};
}

Unit timeUnit(double greatestMs) {
    if (greatestMs >= 10'000) return {1000, QStringLiteral("s")};
    if (greatestMs >= 0.5) return {1, QStringLiteral("ms")};
    return {0.001, QStringLiteral("\u00b5s")};
}

Unit unitFor(ValueUnit unit, double greatest) {
    switch (unit) {
        case ValueUnit::Bytes:
            return byteUnit(greatest);
        case ValueUnit::Milliseconds:
            return timeUnit(greatest);
        case ValueUnit::Ratio:
            return {1, QStringLiteral("x")};
        case ValueUnit::TokensPerSecond:
            return {1, ChartTexts::tr("tok/s")};
        case ValueUnit::Share:
            return {0.01, QStringLiteral("%")};
        case ValueUnit::Count:
        case ValueUnit::Plain:
            return {1, QString()};
    }
    return {};
}

int decimalsFor(double step) {
    if (step >= 1) return 0;
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
}

/// Decimals needed to write 0.1, 0.25 or 20 without trailing zeros.
int decimalsOf(double value) {
    for (int decimals = 0; decimals < 6; ++decimals) {
        const double scaled = value * std::pow(10.0, decimals);
        if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, std::abs(scaled)))
            return decimals;
    }
    return 6;
}

/// 1, 2, 5, 10 times the decade of `value`.
std::array<double, 4> logStops(double value) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    return {decade, decade * 2, decade * 5, decade * 10};
}

double logStopAbove(double value) {
    const auto stops = logStops(value);
    return *std::find_if(stops.begin(), stops.end() - 1,
                         [&](double stop) { return stop >= value * 0.999; });
}

double logStopBelow(double value) {
    const auto stops = logStops(value);
    return *std::find_if(stops.rbegin(), stops.rend() - 1,
                         [&](double stop) { return stop <= value * 1.001; });
}

}  // namespace

double niceStep(double length, int parts) {
    const double raw = length / std::max(parts, 1);
    if (!(raw > 0) || !std::isfinite(raw)) return 1;
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (decade * factor >= raw * (1 - 1e-9)) return decade * factor;
    }
    return decade * 10;
}

std::vector<double> niceTicks(Range range, int parts) {
    const double step = niceStep(range.length(), parts);
    std::vector<double> ticks;
    const double first = std::ceil(range.from / step - 1e-9),
                 last = std::floor(range.to / step + 1e-9);
    for (double i = first; i <= last; i += 1) ticks.push_back(i * step);
    return ticks;
}

double niceTimeStep(double seconds, int parts) {
    const double raw = seconds / std::max(parts, 1);
    if (raw <= 0.5) return niceStep(seconds, parts);
    for (const double step : {1., 2., 5., 10., 15., 30., 60., 120., 300., 600., 900., 1800., 3600.,
                              7200., 10800., 21600., 43200., 86400.}) {
        if (step >= raw * (1 - 1e-9)) return step;
    }
    return 86400.0 * niceStep(seconds / 86400.0, parts);
}

QString elapsedText(double seconds, double step) {
    const int decimals = decimalsFor(step);
    const double unit = std::pow(10.0, decimals);
    // Rounded once to whole units, so 59.96 never becomes "0:60.0".
    const auto units = static_cast<qint64>(std::llround(std::abs(seconds) * unit));
    const auto perSecond = static_cast<qint64>(unit);
    const qint64 whole = units / perSecond;
    const QString sign = seconds < 0 && units > 0 ? QStringLiteral("-") : QString();
    const auto two = [](qint64 value) {
        return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0'));
    };
    QString text = whole >= 3600
                       ? QString::number(whole / 3600) + QLatin1Char(':') + two(whole / 60 % 60)
                       : QString::number(whole / 60);
    text += QLatin1Char(':') + two(whole % 60);
    if (decimals > 0) {
        text += app::decimalPoint() +
                QStringLiteral("%1").arg(units % perSecond, decimals, 10, QLatin1Char('0'));
    }
    return sign + text;
}

std::vector<Tick> timeTicks(Range seconds, int parts) {
    const double step = niceTimeStep(seconds.length(), parts);
    std::vector<Tick> ticks;
    const double first = std::ceil(seconds.from / step - 1e-9),
                 last = std::floor(seconds.to / step + 1e-9);
    for (double i = first; i <= last; i += 1)
        ticks.push_back({i * step, elapsedText(i * step, step)});
    return ticks;
}

std::vector<double> logTicks(Range range) {
    const double low = std::max(range.from, 1e-12), high = std::max(range.to, low * 1.0001);
    const double decades = std::log10(high / low);
    std::vector<double> factors{1};
    if (decades <= 1.1) {
        factors = {1, 2, 5};
    } else if (decades <= 2.2) {
        factors = {1, 3};
    }
    std::vector<double> ticks;
    for (double e = std::floor(std::log10(low)); e <= std::ceil(std::log10(high)); e += 1) {
        for (const double factor : factors) {
            const double value = factor * std::pow(10.0, e);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
        }
    }
    return ticks.size() >= 2 ? ticks : std::vector<double>{low, high};
}

Ticks valueTicks(Range range, ValueUnit unit, int parts) {
    const Unit in = unitFor(unit, std::max(std::abs(range.from), std::abs(range.to)));
    Range scaled{range.from / in.size, range.to / in.size};
    int allowed = parts;
    if (unit == ValueUnit::Count)
        allowed = std::min(parts, std::max(1, static_cast<int>(std::ceil(scaled.length()))));
    const std::vector<double> values = niceTicks(scaled, allowed);
    const int decimals = decimalsFor(niceStep(scaled.length(), allowed));
    Ticks result{{}, in.name};
    for (const double value : values) {
        result.ticks.push_back({value * in.size, app::realText(value, decimals)});
    }
    return result;
}

Ticks logValueTicks(Range range, ValueUnit unit) {
    const Unit in = unitFor(unit, range.to);
    const bool mixed = unitFor(unit, range.from).size != in.size;
    Ticks result{{}, mixed ? QString() : in.name};
    for (const double tick : logTicks({range.from / in.size, range.to / in.size})) {
        const double value = tick * in.size;
        const Unit own = mixed ? unitFor(unit, value * (1 + 1e-9)) : in;
        QString label = app::realText(value / own.size, decimalsOf(value / own.size));
        if (mixed) label += QLatin1Char(' ') + own.name;
        result.ticks.push_back({value, label});
    }
    return result;
}

std::vector<Tick> tokenTicks(Range tokens, int parts) {
    const int allowed = std::min(parts, std::max(1, static_cast<int>(tokens.length())));
    std::vector<Tick> ticks;
    for (const double value : niceTicks(tokens, allowed)) {
        ticks.push_back({value, app::countText(std::llround(value))});
    }
    return ticks;
}

QString valueText(double value, ValueUnit unit) {
    switch (unit) {
        case ValueUnit::Bytes:
            return app::bytesText(std::llround(value));
        case ValueUnit::Milliseconds:
            return app::durationText(value / 1000.0);
        case ValueUnit::Ratio:
            return app::ratioText(value);
        case ValueUnit::TokensPerSecond:
            return ChartTexts::tr("%1 tok/s").arg(app::rateText(value));
        case ValueUnit::Share:
            return app::percentText(value);
        case ValueUnit::Count:
            return app::countText(std::llround(value));
        case ValueUnit::Plain:
            return app::realText(value, value >= 10 ? 1 : 3);
    }
    return {};
}

double roundUp(double value, ValueUnit unit) {
    if (!(value > 0)) return 1;
    const double size = unit == ValueUnit::Bytes ? byteUnit(value).size : 1.0;
    const double scaled = value / size;
    const double decade = std::pow(10.0, std::floor(std::log10(scaled)));
    for (const double factor : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (decade * factor >= scaled * (1 - 1e-9)) return decade * factor * size;
    }
    return decade * 10 * size;
}

Range steadyRange(Range shown, Range needed) {
    const bool leaves = needed.to > shown.to || needed.from < shown.from;
    const bool wastes = needed.length() < shown.length() / 3;
    return leaves || wastes ? needed : shown;
}

Range logRange(Range needed) {
    const double low = std::max(needed.from, 1e-6), high = std::max(needed.to, low);
    Range range{logStopBelow(low / 1.15), logStopAbove(high * 1.15)};
    if (range.to < range.from * 4) range.to = range.from * 5;
    return range;
}

std::vector<double> spreadLabels(const std::vector<double>& centres, double height, Range within) {
    const std::size_t count = centres.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return centres[a] < centres[b]; });
    std::vector<double> placed(centres);
    const double top = within.from + height / 2, bottom = within.to - height / 2;
    if (static_cast<double>(count) * height > within.length()) {
        for (std::size_t i = 0; i < count; ++i) {
            placed[order[i]] = count < 2 ? (top + bottom) / 2
                                         : top + (bottom - top) * static_cast<double>(i) /
                                                     static_cast<double>(count - 1);
        }
        return placed;
    }
    // The first pass moves each label below its predecessor; the second pushes them back up from
    // the bottom edge.
    double limit = top;
    for (const std::size_t i : order) {
        placed[i] = std::max(placed[i], limit);
        limit = placed[i] + height;
    }
    limit = bottom;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        placed[*i] = std::min(placed[*i], limit);
        limit = placed[*i] - height;
    }
    return placed;
}

std::vector<Cluster> clusterMarks(const std::vector<double>& places, double gap, std::size_t most) {
    std::vector<Cluster> clusters;
    do {
        clusters.clear();
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!clusters.empty() && places[i] - clusters.back().at < gap) {
                ++clusters.back().count;
            } else {
                clusters.push_back({places[i], i, 1});
            }
        }
        gap = std::max(gap, 1.0) * 2;
    } while (clusters.size() > std::max<std::size_t>(most, 1));
    return clusters;
}

}  // namespace lacuna::ui
