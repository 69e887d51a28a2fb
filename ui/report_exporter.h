#pragma once
/// \file
/// Writes the report with its pictures: charts, maps of the cache, and the window. The maps are
/// asked of the engine first, which looks between two steps; where no answer comes soon, the report
/// goes without them. GUI thread.

#include <QObject>
#include <QString>
#include <QVector>

#include "app/state/view_types.h"

class QWidget;

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class RetentionPresenter;
class ThemeSource;

class ReportExporter final : public QObject {
    Q_OBJECT

  public:
    /// `window` is what the pictures show. All outlive the exporter.
    ReportExporter(app::ApplicationState& state, const ThemeSource& themes,
                   RetentionPresenter& retention, QWidget& window);

    /// Writes report, charts, maps and a picture of the window into `folder`. A report that is
    /// being written already makes the controller refuse this one, in words.
    void exportTo(const QString& folder);
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
};

}  // namespace lacuna::ui
