#pragma once
/// \file
/// Base of maps, strips and plots painted without Qt Charts: themed surface, heading, sentence for
/// the empty state, focus frame and figures read out at a position. The look matches that of the Qt
/// Charts plots (series_canvas.h) because both use chart_painter. GUI thread.

#include <QWidget>
#include <optional>

#include "ui/charts/chart_painter.h"
#include "ui/style/theme.h"

namespace lacuna::ui {

class PlotWidget : public QWidget {
    Q_OBJECT

  public:
    /// Fixes the theme, regardless of the active one; used for pictures.
    void fixTheme(const Theme& theme);

  protected:
    /// `themes` must outlive the plot. The widget accepts focus and tracks the pointer.
    PlotWidget(const ThemeSource& themes, QWidget* parent);

    [[nodiscard]] const Theme& theme() const { return m_fixed ? *m_fixed : m_themes.theme(); }
    /// First row; not drawn without a title.
    [[nodiscard]] virtual Heading heading() const { return {}; }
    /// States why there is nothing to draw; empty if there is.
    [[nodiscard]] virtual QString emptyText() const = 0;
    virtual void paintPlot(QPainter& painter) = 0;
    /// Discards the cached picture (theme changed).
    virtual void invalidateImage() {}
    /// Reads out the figures at a position of the widget; empty: there are none.
    void readOut(QPoint at, const QString& sentence);

    void paintEvent(QPaintEvent* event) final;

  private:
    const ThemeSource& m_themes;
    std::optional<Theme> m_fixed;
};

}  // namespace lacuna::ui
