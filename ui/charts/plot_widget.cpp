#include "ui/charts/plot_widget.h"

#include <QPainter>
#include <QToolTip>

#include "ui/style/widget_roles.h"

namespace lacuna::ui {

PlotWidget::PlotWidget(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_themes(themes) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(&themes, &ThemeSource::changed, this, [this] {
        invalidateImage();
        update();
    });
}

void PlotWidget::fixTheme(const Theme& theme) {
    m_fixed = theme;
    invalidateImage();
    update();
}

void PlotWidget::readOut(QPoint at, const QString& sentence) {
    if (sentence.isEmpty()) return QToolTip::hideText();
    QToolTip::showText(mapToGlobal(at), tipText(sentence), this);
}

void PlotWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    const Heading first = heading();
    if (!first.title.isEmpty()) paintHeading(painter, theme(), width(), first);
    const QString empty = emptyText();
    if (empty.isEmpty()) {
        painter.save();
        paintPlot(painter);
        painter.restore();
    } else {
        paintEmptyText(painter, theme(), QSizeF(size()),
                       first.title.isEmpty() ? HeadRoom::Free : HeadRoom::Taken, empty);
    }
    if (hasFocus()) paintFocus(painter, theme(), QSizeF(size()));
}

}  // namespace lacuna::ui
