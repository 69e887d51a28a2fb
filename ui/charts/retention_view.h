#pragma once
/// \file
/// Strip under the text that shows what the cache still holds of each token: one cell per token, as
/// high as the share of layers and heads that hold it; sinks and the recent window are marked.
/// Hover and arrow keys show token, text and share. The tinted text is shown below if there is
/// room. Painted over a QImage; a strip of 32k tokens takes well under a frame. GUI thread.

#include <QImage>
#include <optional>

#include "app/state/view_types.h"
#include "ui/charts/plot_widget.h"
#include "ui/charts/retention_text.h"

namespace lacuna::ui {

class RetentionStrip final : public PlotWidget {
    Q_OBJECT

  public:
    explicit RetentionStrip(const ThemeSource& themes, QWidget* parent = nullptr);

    void setView(const app::RetentionView& view);
    /// Sets the reason shown if there is no view; empty if nothing was queried yet.
    void setEmptyText(const QString& text);
    [[nodiscard]] const app::RetentionView& view() const { return m_view; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    [[nodiscard]] QString emptyText() const override;
    void paintPlot(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    [[nodiscard]] QRectF stripRect() const;
    [[nodiscard]] qsizetype tokenAt(double x) const;
    void point(std::optional<qsizetype> token);
    void draw();
    void paintText(QPainter& painter, qsizetype around) const;
    void describe();

    app::RetentionView m_view;
    QString m_empty;
    QImage m_image;
    std::optional<qsizetype> m_pointed;
};

}  // namespace lacuna::ui
