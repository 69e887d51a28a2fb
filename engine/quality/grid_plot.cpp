// Two panels side by side share the axis of live bytes (logarithmic, ratio 1 at the right). Colours
// are from the Okabe-Ito palette, and each method also has its own marker.

#include "engine/quality/grid_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#56b4e9", "#e69f00", "#6e6e6e", "#1c1c1c"};
constexpr int kPanelWidth = 360;
constexpr int kPanelHeight = 300;
constexpr int kLeft = 70;
constexpr int kTop = 48;
constexpr int kGap = 90;
constexpr int kLegend = 170;
constexpr double kMinKl = 1e-6;  // represents 0 on the logarithmic axis

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out;
}

struct Curve {
    std::string_view method;
    std::vector<const GridRow*> rows;  ///< sorted by descending live share
};

std::vector<Curve> curvesOf(std::span<const GridRow> rows) {
    std::vector<Curve> curves;
    for (const GridRow& row : rows) {
        if (row.items == 0 || !(row.liveShare > 0)) continue;
        auto at = std::ranges::find(curves, row.method, &Curve::method);
        if (at == curves.end()) at = curves.insert(curves.end(), Curve{row.method, {}});
        at->rows.push_back(&row);
    }
    for (Curve& curve : curves)
        std::ranges::sort(curve.rows, std::greater{},
                          [](const GridRow* row) { return row->liveShare; });
    return curves;
}

/// Maps a figure of a row to an axis from `low` (bottom) to `high`.
struct Axis {
    double (*value)(const GridRow&);
    double low = 0, high = 1;
    bool logarithmic = false;
    std::string_view name;

    [[nodiscard]] double share(double x) const {
        if (logarithmic) return std::log(x / low) / std::log(high / low);
        return (x - low) / (high - low);
    }
};

double klOf(const GridRow& row) {
    return std::max(row.divergence.klMean, kMinKl);
}

double recallOf(const GridRow& row) {
    return row.recall();
}

class Drawing {
  public:
    Drawing(std::vector<Curve> curves, int panels, std::string_view title)
        : curves_(std::move(curves)) {
        const int width = kLeft + panels * kPanelWidth + (panels - 1) * kGap + kLegend;
        const int height = kTop + kPanelHeight + 60;
        out_ = format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
            "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" "
            "height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height);
        text(kLeft, 22, "start", format("{}", escaped(title)), 14);
        for (const Curve& curve : curves_)
            for (const GridRow* row : curve.rows) least_ = std::min(least_, row->liveShare);
        least_ = std::min(least_ * 0.9, 0.5);
        legend(width - kLegend + 30);
    }

    void panel(int index, const Axis& axis) {
        left_ = kLeft + index * (kPanelWidth + kGap);
        frame(axis);
        for (std::size_t i = 0; i < curves_.size(); ++i) curve(i, axis);
    }
    [[nodiscard]] std::string finish() && { return std::move(out_) + "</svg>\n"; }

  private:
    void text(double x, double y, std::string_view anchor, std::string_view words, int size) {
        out_ += format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" "
            "fill=\"#3c3c3c\">{}</text>\n",
            x, y, anchor, size, words);
    }
    [[nodiscard]] double placeX(double liveShare) const {
        return left_ + kPanelWidth * (1 - std::log(liveShare) / std::log(least_));
    }
    [[nodiscard]] static double placeY(const Axis& axis, double value) {
        return kTop + kPanelHeight * (1 - std::clamp(axis.share(value), 0.0, 1.0));
    }

    void frame(const Axis& axis) {
        for (double ratio = 1; 1 / ratio >= least_; ratio *= 2) {
            const double x = placeX(1 / ratio);
            out_ += format(
                "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" "
                "stroke=\"#e1e1e1\"/>\n",
                x, kTop, kTop + kPanelHeight);
            text(x, kTop + kPanelHeight + 16, "middle", format("{:.4g}", 1 / ratio), 11);
        }
        text(left_ + kPanelWidth / 2.0, kTop + kPanelHeight + 36, "middle", "live / logical bytes",
             11);
        for (const double tick : ticks(axis)) {
            const double y = placeY(axis, tick);
            out_ += format(
                "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
                "stroke=\"#e1e1e1\"/>\n",
                left_, left_ + kPanelWidth, y);
            text(left_ - 6, y + 4, "end", format("{:.4g}", tick), 11);
        }
        text(left_, kTop - 8, "start", axis.name, 11);
    }
    [[nodiscard]] static std::vector<double> ticks(const Axis& axis) {
        std::vector<double> out;
        if (axis.logarithmic) {
            for (double tick = axis.low; tick <= axis.high * 1.001; tick *= 10) out.push_back(tick);
            return out;
        }
        for (int i = 0; i <= 5; ++i) out.push_back(axis.low + (axis.high - axis.low) * i / 5);
        return out;
    }

    void curve(std::size_t index, const Axis& axis) {
        const std::string_view colour = kColours[index % kColours.size()];
        std::string points;
        for (const GridRow* row : curves_[index].rows)
            points +=
                format("{:.1f},{:.1f} ", placeX(row->liveShare), placeY(axis, axis.value(*row)));
        out_ +=
            format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                   points, colour);
        for (const GridRow* row : curves_[index].rows) {
            const double x = placeX(row->liveShare);
            const double y = placeY(axis, axis.value(*row));
            if (row->onFront)
                out_ += format(
                    "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\" fill=\"none\" "
                    "stroke=\"#1c1c1c\"/>\n",
                    x, y);
            marker(index, x, y);
        }
    }
    void marker(std::size_t index, double x, double y) {
        const std::string_view colour = kColours[index % kColours.size()];
        switch (index % 3) {
            case 0:
                out_ += format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y,
                               colour);
                return;
            case 1:
                out_ += format(
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"{}\"/>\n",
                    x - 3.5, y - 3.5, colour);
                return;
            default:
                out_ += format("<path d=\"M{:.1f} {:.1f} l5 8 h-10 z\" fill=\"{}\"/>\n", x, y - 5,
                               colour);
        }
    }
    void legend(int x) {
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            const double y = kTop + 12 + 20 * static_cast<double>(i);
            marker(i, x, y - 4);
            text(x + 12, y, "start", escaped(curves_[i].method), 11);
        }
        const double y = kTop + 20 + 20 * static_cast<double>(curves_.size());
        out_ +=
            format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"6\" fill=\"none\" stroke=\"#1c1c1c\"/>\n",
                   x, y - 4);
        text(x + 12, y, "start", "Pareto front (bytes, KL)", 11);
    }

    std::vector<Curve> curves_;
    std::string out_;
    double least_ = 1;  ///< live share at the left edge
    int left_ = 0;
};

/// Returns an axis with the decades around the measured divergences.
Axis klAxis(const std::vector<Curve>& curves) {
    Axis axis{klOf, 1e-3, 1, true, "KL from the full cache, nats (mean)"};
    for (const Curve& curve : curves)
        for (const GridRow* row : curve.rows) {
            while (klOf(*row) < axis.low) axis.low /= 10;
            while (klOf(*row) > axis.high) axis.high *= 10;
        }
    return axis;
}

}  // namespace

std::string gridSvg(std::span<const GridRow> rows, std::string_view title) {
    const std::vector<Curve> curves = curvesOf(rows);
    const bool asked =
        std::ranges::any_of(rows, [](const GridRow& row) { return row.answerable > 0; });
    const Axis divergence = klAxis(curves);
    Drawing drawing(curves, asked ? 2 : 1, title);
    drawing.panel(0, divergence);
    if (asked) drawing.panel(1, {recallOf, 0, 1, false, "questions answered correctly"});
    return std::move(drawing).finish();
}

}  // namespace lacuna
