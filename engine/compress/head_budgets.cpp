#include "engine/compress/head_budgets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// Number of slots beyond the minima of all heads, at most what the heads can take; a Range error
/// if negative.
Result<std::int64_t> spare(std::span<const HeadRoom> rooms, std::int64_t total) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const HeadRoom& room : rooms) {
        least += room.least;
        most += room.most;
    }
    if (total < least)
        return fail(
            ErrorCode::Range,
            format("{} slots for all heads are fewer than the {} that must be kept", total, least));
    return std::min(total, most) - least;
}

/// Number of slots over all heads at one water level.
double poured(std::span<const HeadRoom> rooms, std::span<const double> weights, double level) {
    double sum = 0;
    for (std::size_t g = 0; g < rooms.size(); ++g)
        sum += std::clamp(level * weights[g], static_cast<double>(rooms[g].least),
                          static_cast<double>(rooms[g].most));
    return sum;
}

/// Water level at which the heads hold `total`; with weights of 0 there may be none.
double findLevel(std::span<const HeadRoom> rooms, std::span<const double> weights, double total) {
    double low = 0;
    double high = 1;
    constexpr int kDoublings = 200;
    for (int i = 0; i < kDoublings && poured(rooms, weights, high) < total; ++i) high *= 2;
    constexpr int kHalvings = 100;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (poured(rooms, weights, middle) < total ? low : high) = middle;
    }
    return low;
}

/// Distributes the remainder after rounding, one slot per head and round, largest fraction first.
void giveRemainder(std::span<const HeadRoom> rooms, std::span<const double> exact,
                   std::int64_t left, std::vector<int>& out) {
    std::vector<std::size_t> order(rooms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto fraction = [&](std::size_t g) { return exact[g] - std::floor(exact[g]); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return fraction(a) > fraction(b); });
    while (left > 0) {
        const std::int64_t before = left;
        for (const std::size_t g : order) {
            if (left == 0) break;
            if (out[g] >= rooms[g].most) continue;
            ++out[g];
            --left;
        }
        if (left == before) return;
    }
}

/// One segment of a hull: `slots` slots with an error reduction of `gain` each.
struct Segment {
    double gain = 0;
    std::size_t head = 0;
    int slots = 0;
};

/// Appends the lower convex hull of a curve over 0 .. width slots, as segments of decreasing gain.
void addHull(const ErrorCurve& curve, std::size_t head, int width, std::vector<Segment>& out) {
    struct Point {
        int slots;
        double error;
    };
    std::vector<Point> hull;
    const auto add = [&](Point p) {
        while (hull.size() >= 2) {
            const Point& a = hull[hull.size() - 2];
            const Point& b = hull.back();
            const double before = (b.error - a.error) / (b.slots - a.slots);
            const double after = (p.error - b.error) / (p.slots - b.slots);
            if (before < after) break;
            hull.pop_back();
        }
        hull.push_back(p);
    };
    for (std::size_t i = 0; i < curve.errors.size(); ++i) {
        const auto slots = static_cast<std::int64_t>(i) * curve.step;
        if (slots >= width) break;
        const float error = curve.errors[i];
        add({static_cast<int>(slots), std::isfinite(error) ? static_cast<double>(error) : 0.0});
    }
    if (hull.empty()) add({0, 0.0});
    add({width, 0.0});
    for (std::size_t i = 1; i < hull.size(); ++i) {
        const int slots = hull[i].slots - hull[i - 1].slots;
        out.push_back({(hull[i - 1].error - hull[i].error) / slots, head, slots});
    }
}

}  // namespace

Result<std::vector<int>> shareByWeight(std::span<const HeadRoom> rooms,
                                       std::span<const double> weights, std::int64_t total) {
    LACUNA_TRY(const std::int64_t over, spare(rooms, total));
    std::int64_t wanted = over;
    for (const HeadRoom& room : rooms) wanted += room.least;
    const double level = findLevel(rooms, weights, static_cast<double>(wanted));
    std::vector<int> out(rooms.size());
    std::vector<double> exact(rooms.size());
    std::int64_t given = 0;
    for (std::size_t g = 0; g < rooms.size(); ++g) {
        exact[g] = std::clamp(level * weights[g], static_cast<double>(rooms[g].least),
                              static_cast<double>(rooms[g].most));
        out[g] = static_cast<int>(std::floor(exact[g]));
        given += out[g];
    }
    giveRemainder(rooms, exact, wanted - given, out);
    return out;
}

Result<std::vector<int>> shareByCurves(std::span<const HeadRoom> rooms,
                                       std::span<const ErrorCurve> curves, std::int64_t total) {
    LACUNA_TRY(std::int64_t left, spare(rooms, total));
    std::vector<Segment> segments;
    std::vector<int> out;
    for (std::size_t g = 0; g < rooms.size(); ++g) {
        out.push_back(rooms[g].least);
        const int width = rooms[g].most - rooms[g].least;
        if (width > 0) addHull(curves[g], g, width, segments);
    }
    // Gains are non-increasing within a head, so a stable sort keeps the order of its segments.
    std::stable_sort(segments.begin(), segments.end(),
                     [](const Segment& a, const Segment& b) { return a.gain > b.gain; });
    for (const Segment& segment : segments) {
        const auto slots = static_cast<int>(std::min<std::int64_t>(segment.slots, left));
        out[segment.head] += slots;
        left -= slots;
    }
    return out;
}

}  // namespace lacuna
