#include "app/state/telemetry/sample_series.h"

#include <algorithm>
#include <cmath>
#include <functional>

// A node at level 0 of the pyramid covers 8 samples, at level 1 it covers 64, and so on. Nodes
// store the indices of the minimum and maximum, so each value is stored once and a thinned curve
// consists of real samples at their real times. The last node of a level may be partly filled;
// every append updates it.

namespace lacuna::app {

namespace {

constexpr std::size_t samplesOfNode(std::size_t level) {
    std::size_t samples = SampleSeries::kFanOut;
    for (std::size_t i = 0; i < level; ++i) samples *= SampleSeries::kFanOut;
    return samples;
}

}  // namespace

/// Collects minimum and maximum of each pixel column during a query.
struct SampleSeries::Columns {
    struct Column {
        bool used = false;
        std::uint32_t least = 0, greatest = 0;
    };
    XAxis axis = XAxis::Time;
    double from = 0;
    double width = 0;  ///< width of a column in axis units
    std::size_t first = 0, end = 0;
    std::vector<Column> columns;
    std::size_t touched = 0;

    void take(const SampleSeries& series, std::uint32_t index) {
        const double offset = (series.placeOf(axis, index) - from) / width;
        const auto last = static_cast<double>(columns.size() - 1);
        Column& column =
            columns[static_cast<std::size_t>(std::clamp(std::floor(offset), 0.0, last))];
        if (!column.used) {
            column = {true, index, index};
            return;
        }
        if (series.m_values[index] < series.m_values[column.least]) column.least = index;
        if (series.m_values[index] > series.m_values[column.greatest]) column.greatest = index;
    }
};

void SampleSeries::append(SeriesPoint point) {
    if (!std::isfinite(point.value) || size() >= UINT32_MAX) return;
    if (size() > 0) {
        point.timeNs = std::max(point.timeNs, m_times[size() - 1]);
        point.tokens = std::max(point.tokens, m_tokens[size() - 1]);
    }
    const auto index = static_cast<std::uint32_t>(size());
    m_times.push(point.timeNs);
    m_tokens.push(point.tokens);
    m_values.push(point.value);
    raise(index);
}

void SampleSeries::appendRun(SeriesPoint point) {
    const std::size_t count = size();
    // Exact comparison is intended: a run repeats the same value.
    const auto same = [&](std::size_t index) {
        return std::equal_to<>()(m_values[index], point.value);
    };
    if (count < 2 || !same(count - 1) || !same(count - 2)) return append(point);
    m_times[count - 1] = std::max(point.timeNs, m_times[count - 1]);
    m_tokens[count - 1] = std::max(point.tokens, m_tokens[count - 1]);
}

void SampleSeries::raise(std::uint32_t index) {
    const double value = m_values[index];
    for (std::size_t level = 0;; ++level) {
        const std::size_t samples = samplesOfNode(level);
        if (level > 0 && size() <= samplesOfNode(level - 1))
            break;  // The level below has only one node, so no parent is needed.
        if (level == m_levels.size()) m_levels.emplace_back();
        BlockVector<Node>& nodes = m_levels[level];
        // A new level starts when its first child is already full, so it copies that child's
        // extremes.
        if (nodes.size() == 0 && level > 0) nodes.push(m_levels[level - 1][0]);
        const std::size_t node = index / samples;
        if (node == nodes.size()) nodes.push({index, index});
        if (value < m_values[nodes[node].least]) nodes[node].least = index;
        if (value > m_values[nodes[node].greatest]) nodes[node].greatest = index;
    }
}

void SampleSeries::clear() {
    m_times.clear();
    m_tokens.clear();
    m_values.clear();
    m_levels.clear();
}

SeriesPoint SampleSeries::at(std::size_t index) const {
    return {m_times[index], m_tokens[index], m_values[index]};
}

std::optional<SeriesPoint> SampleSeries::last() const {
    if (size() == 0) return std::nullopt;
    return at(size() - 1);
}

double SampleSeries::placeOf(XAxis axis, std::size_t index) const {
    return axis == XAxis::Time ? static_cast<double>(m_times[index])
                               : static_cast<double>(m_tokens[index]);
}

std::size_t SampleSeries::lowerBound(XAxis axis, double x) const {
    std::size_t low = 0, high = size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (placeOf(axis, middle) < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

std::optional<SeriesPoint> SampleSeries::lastBefore(XAxis axis, double x) const {
    const std::size_t after = lowerBound(axis, std::nextafter(x, INFINITY));
    if (after == 0) return std::nullopt;
    return at(after - 1);
}

void SampleSeries::visit(Columns& columns, std::size_t level, std::size_t node) const {
    const std::size_t samples = samplesOfNode(level);
    const std::size_t begin = node * samples;
    const std::size_t end = std::min(begin + samples, size());
    ++columns.touched;
    const std::size_t first = std::max(begin, columns.first), last = std::min(end, columns.end);
    if (first >= last) return;
    const bool whole = first == begin && last == end;
    if (whole && placeOf(columns.axis, end - 1) - placeOf(columns.axis, begin) < columns.width) {
        // The node is narrower than a column, so its extremes represent it completely.
        columns.take(*this, m_levels[level][node].least);
        columns.take(*this, m_levels[level][node].greatest);
        return;
    }
    if (level == 0) {
        columns.touched += last - first;
        for (std::size_t i = first; i < last; ++i)
            columns.take(*this, static_cast<std::uint32_t>(i));
        return;
    }
    const std::size_t childSamples = samples / kFanOut;
    const std::size_t lastChild = (last - 1) / childSamples;
    for (std::size_t child = first / childSamples; child <= lastChild; ++child) {
        visit(columns, level - 1, child);
    }
}

SampleSeries::Answer SampleSeries::query(const SeriesWindow& window) const {
    Answer answer;
    if (window.pixels <= 0 || !(window.to > window.from) || size() == 0) return answer;
    const std::size_t first = lowerBound(window.axis, window.from);
    const double to = window.until ? std::min(window.to, *window.until) : window.to;
    const std::size_t end = lowerBound(window.axis, std::nextafter(to, INFINITY));
    if (end < first) return answer;
    const auto pixels = static_cast<std::size_t>(window.pixels);
    if (first > 0) answer.points.push_back(at(first - 1));
    if (end - first <= 2 * pixels) {
        for (std::size_t i = first; i < end; ++i) answer.points.push_back(at(i));
        answer.touched = end - first;
    } else {
        Columns columns{.axis = window.axis,
                        .from = window.from,
                        .width = (window.to - window.from) / static_cast<double>(pixels),
                        .first = first,
                        .end = end,
                        .columns = std::vector<Columns::Column>(pixels),
                        .touched = 0};
        const std::size_t top = m_levels.size() - 1;
        for (std::size_t node = 0; node < m_levels[top].size(); ++node) visit(columns, top, node);
        std::vector<std::size_t> chosen{first};
        for (const Columns::Column& column : columns.columns) {
            if (!column.used) continue;
            const auto [early, late] = std::minmax(column.least, column.greatest);
            if (early > chosen.back()) chosen.push_back(early);
            if (late > chosen.back()) chosen.push_back(late);
        }
        if (chosen.back() != end - 1) chosen.push_back(end - 1);
        for (const std::size_t index : chosen) answer.points.push_back(at(index));
        answer.touched = columns.touched;
    }
    if (end < size() && to >= window.to) answer.points.push_back(at(end));
    return answer;
}

SampleSeries::Extremes SampleSeries::extremesOfIndices(std::size_t first, std::size_t end) const {
    Extremes found{m_values[first], m_values[first]};
    const auto take = [&](double value) {
        found.least = std::min(found.least, value);
        found.greatest = std::max(found.greatest, value);
    };
    for (std::size_t i = first; i < end;) {
        // Find the largest node that starts here and ends within the range.
        std::size_t level = 0, step = 1;
        while (level < m_levels.size() && i % samplesOfNode(level) == 0 &&
               i + samplesOfNode(level) <= end) {
            step = samplesOfNode(level++);
        }
        if (step == 1) {
            take(m_values[i]);
        } else {
            const Node& node = m_levels[level - 1][i / step];
            take(m_values[node.least]);
            take(m_values[node.greatest]);
        }
        i += step;
    }
    return found;
}

std::optional<SampleSeries::Extremes> SampleSeries::extremes(XAxis axis, double from,
                                                             double to) const {
    const std::size_t first = lowerBound(axis, from);
    const std::size_t end = lowerBound(axis, std::nextafter(to, INFINITY));
    if (first >= end) return std::nullopt;
    return extremesOfIndices(first, end);
}

std::size_t SampleSeries::bytes() const {
    std::size_t total = m_times.bytes() + m_tokens.bytes() + m_values.bytes();
    for (const BlockVector<Node>& level : m_levels) total += level.bytes();
    return total;
}

}  // namespace lacuna::app
