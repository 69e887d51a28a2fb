#pragma once
/// \file
/// The part of the session that the charts show: the newest stretch of a chosen length, or a range
/// selected by the user. Shared by all charts, so their time axes stay aligned. A value without
/// widgets.

#include "app/state/telemetry/sample_series.h"
#include "ui/charts/chart_scale.h"

namespace lacuna::ui {

enum class ChartSpan {
    Short,
    Middle,
    Long,
    All
};  ///< 30 s, 2 min, 10 min; or 1,024, 4,096, 16,384 tokens
enum class ViewMode { Live, Paused };

class ChartWindow {
  public:
    [[nodiscard]] ViewMode mode() const { return m_mode; }
    [[nodiscard]] ChartSpan span() const { return m_span; }
    [[nodiscard]] app::XAxis axis() const { return m_axis; }

    /// Freezes the view; recording continues.
    void pause(Range data);
    /// Follows the newest samples again with the chosen length.
    void follow();
    void setSpan(ChartSpan span);
    /// Changing the axis always returns to the live view.
    void setAxis(app::XAxis axis);
    /// These functions leave the live view. `data` is the range stored so far.
    void zoom(Range data, double at, double factor);
    void pan(Range data, double by);
    void show(Range data, Range visible);

    /// The visible range. Live: it ends slightly after the newest sample; a session shorter than
    /// the span fills, from the left, the shortest of its halves, quarters and so on that holds it.
    /// All: the end is rounded, so the axis does not rescale at every step.
    [[nodiscard]] Range window(Range data) const;
    /// End of the visible data while paused.
    [[nodiscard]] double until(Range data) const;

  private:
    ViewMode m_mode = ViewMode::Live;
    ChartSpan m_span = ChartSpan::Middle;
    app::XAxis m_axis = app::XAxis::Time;
    Range m_frozen;
    double m_until = 0;
};

/// Length of a span; 0 for All.
[[nodiscard]] double spanLength(ChartSpan span, app::XAxis axis);

}  // namespace lacuna::ui
