#pragma once
/// \file
/// Which part of the session the charts show: the newest stretch of a chosen length, or a part a
/// person moved to. One for all charts, so that they stay side by side in time. A value without
/// widgets.

#include "app/state/sample_series.h"
#include "ui/chart_scale.h"

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

    /// Stops the view at what it shows now; recording goes on.
    void pause(Range data);
    /// Follows the newest samples again, in the chosen length.
    void follow();
    void setSpan(ChartSpan span);
    /// Another axis always begins live.
    void setAxis(app::XAxis axis);
    /// These leave the live view. `data`: what is stored now.
    void zoom(Range data, double at, double factor);
    void pan(Range data, double by);
    void show(Range data, Range wanted);

    /// The part to show. Live: ends a little after the newest sample; a session shorter than the
    /// span fills from the left the shortest of its halves, quarters and so on that holds it. All:
    /// a round end, so that the axis does not shrink at every step.
    [[nodiscard]] Range window(Range data) const;
    /// Nothing later than this is shown while paused.
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
