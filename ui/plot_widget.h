#pragma once
/// \file
/// What maps, strips and plots of our own painting have in common, and with the charts of Qt Charts
/// (series_canvas.h) as far as both call chart_painter: the surface of the theme, a heading, a
/// sentence where there is nothing to draw, a frame while it has the keyboard, and figures read out
/// at a place. GUI thread.

#include <QWidget>
#include <optional>

#include "ui/chart_painter.h"
#include "ui/theme.h"

namespace lacuna::ui {

class PlotWidget : public QWidget {
    Q_OBJECT

  public:
    /// Keeps to a theme, whichever is in force; for pictures.
    void paintAs(const Theme& theme);

  protected:
    /// `themes` outlives the plot. It takes the keyboard and follows the pointer.
    PlotWidget(const ThemeSource& themes, QWidget* parent);

    [[nodiscard]] const Theme& theme() const { return m_fixed ? *m_fixed : m_themes.theme(); }
    /// Its first row; without a title there is none.
    [[nodiscard]] virtual Heading heading() const { return {}; }
    /// Why there is nothing to draw; empty: there is.
    [[nodiscard]] virtual QString emptySentence() const = 0;
    virtual void paintPlot(QPainter& painter) = 0;
    /// What was drawn ahead is in another theme.
    virtual void forgetPicture() {}
    /// The figures at a place of the widget; empty: nothing is there.
    void readOut(QPoint at, const QString& sentence);

    void paintEvent(QPaintEvent* event) final;

  private:
    const ThemeSource& m_themes;
    std::optional<Theme> m_fixed;
};

}  // namespace lacuna::ui
