#include "ui/panels/chart_speech.h"

#include <QAccessible>
#include <QApplication>
#include <QWidget>

#include "app/state/list_text.h"
#include "ui/charts/plot_cell.h"
#include "ui/chat/retention_presenter.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

QString sentenceOf(ChartCell& cell) {
    const ChartContent& content = cell.view().content();
    return content.needed ? content.description : app::titled(content.title, content.empty);
}

QString sentenceOf(MapCell& cell) {
    const HeatMap& map = cell.view().map();
    return map.isEmpty() ? app::titled(map.title, map.empty) : map.description;
}

/// True if part of the widget is inside all of its ancestors: it is neither scrolled away nor in a
/// hidden tab, where docks are placed outside the window.
bool inSight(const QWidget& widget) {
    if (!widget.isVisible()) return false;
    QRect part = widget.rect();
    for (const QWidget* one = &widget; !one->isWindow() && one->parentWidget() != nullptr;
         one = one->parentWidget())
        part = part.translated(one->pos()) & one->parentWidget()->rect();
    return !part.isEmpty();
}

}  // namespace

QStringList chartSentences(const QWidget& window, const TelemetryPanel& telemetry,
                           CacheMapPanel& maps) {
    const QWidget* focus = window.focusWidget();
    QStringList seen;
    for (ChartCell* cell : telemetry.cells()) {
        if (cell->isAncestorOf(focus)) return {sentenceOf(*cell)};
        if (inSight(*cell)) seen << sentenceOf(*cell);
    }
    for (MapCell* cell : {&maps.heads(), &maps.tokens()}) {
        if (cell->isAncestorOf(focus)) return {sentenceOf(*cell)};
        if (inSight(*cell)) seen << sentenceOf(*cell);
    }
    return seen;
}

void updateCharts(const QWidget& window, const TelemetryPanel& telemetry, CacheMapPanel& maps,
                  NoticeBar& notice) {
    const QStringList sentences = chartSentences(window, telemetry, maps);
    notice.tell(NoticeKind::Info, sentences.isEmpty()
                                      ? TelemetryPanel::tr("No chart or map is visible.")
                                      : sentences.join(QLatin1Char('\n')));
    QAccessibleEvent said(&notice, QAccessible::Alert);
    QAccessible::updateAccessibility(&said);
}

}  // namespace lacuna::ui
