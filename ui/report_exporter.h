#pragma once
/// \file
/// Writes the report with its pictures: charts, maps of the cache, and the window. The maps are
/// asked of the engine first, which looks between two steps; where no answer comes soon, the report
/// goes without them. GUI thread.

#include <QObject>
#include <QString>
#include <QVector>

#include "app/state/report_controller.h"
#include "app/state/view_types.h"

class QWidget;

namespace lacuna::app {
class ApplicationState;
class MetricsStore;
}  // namespace lacuna::app

namespace lacuna::ui {

class RetentionPresenter;
class ThemeSource;

// Pictures for a report: charts and maps, drawn in the light theme at 1600 x 600 pixels, without
// any window, and widgets as they look. GUI thread (fonts and widgets), no event loop needed.

/// Every chart over the whole session. The caption is the chart's own description.
[[nodiscard]] QVector<app::ChartImage> reportImages(const app::MetricsStore& store);
/// Slots by layer and head, and retention by token and layer, of one conversation; none of an empty
/// view. `themes` is lent only: the pictures are light.
[[nodiscard]] QVector<app::ChartImage> mapImages(const app::RetentionView& view,
                                                 const ThemeSource& themes);
/// The widget as it looks now. `name`: file stem.
[[nodiscard]] app::ChartImage widgetImage(QWidget& widget, const QString& name,
                                          const QString& caption);

class ReportExporter final : public QObject {
    Q_OBJECT

  public:
    /// `window` is what the pictures show. All outlive the exporter.
    ReportExporter(app::ApplicationState& state, const ThemeSource& themes,
                   RetentionPresenter& retention, QWidget& window);

    /// Writes report, charts, maps and a picture of the window into `folder`. A report that is
    /// being written already makes the controller refuse this one, in words.
    void exportTo(const QString& folder, const app::ReportParts& parts = {});
    /// A picture of the window as it is now, for the next report.
    void keepPicture(const QString& name, const QString& caption);

  private:
    void finish(const app::RetentionView& view);
    void write(const QString& folder, const app::RetentionView& view);

    app::ApplicationState& m_state;
    const ThemeSource& m_themes;
    RetentionPresenter& m_retention;
    QWidget& m_window;
    QVector<app::ChartImage> m_pictures;  ///< kept for the next report
    QString m_waiting;                    ///< folder of a report that waits for the maps
    app::ReportParts m_parts;             ///< of that report
};

}  // namespace lacuna::ui
