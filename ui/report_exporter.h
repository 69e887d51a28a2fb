#pragma once
/// \file
/// Writes the report with its pictures: charts, maps of the cache, and the window. The maps are
/// asked of the engine first, which looks between two steps; where no answer comes soon, the report
/// goes without them. The window stays in use meanwhile. GUI thread.

#include <QObject>
#include <QString>
#include <QVector>

#include "app/state/report_controller.h"
#include "app/state/view_types.h"
#include "ui/report_pictures.h"

class QWidget;

namespace lacuna::app {
class ApplicationState;
}  // namespace lacuna::app

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
    void exportTo(const QString& folder, const app::ReportParts& parts = {});
    /// The charts as a report has them, when they are drawn; of several calls the newest is
    /// answered.
    void preview(PictureQueue::Done done);
    /// A picture of the window as it is now, for the next report.
    void keepPicture(const QString& name, const QString& caption);

  private:
    void looked(const app::RetentionView& view);
    void draw(const app::RetentionView& view);

    app::ApplicationState& m_state;
    const ThemeSource& m_themes;
    RetentionPresenter& m_retention;
    QWidget& m_window;
    PictureQueue m_queue;                 ///< for the report
    PictureQueue m_preview;               ///< for its preview
    QVector<app::ChartImage> m_pictures;  ///< kept for the next report
    QString m_folder;                     ///< of a report whose pictures are made
    app::ReportParts m_parts;             ///< of that report
    bool m_looks = false;                 ///< it waits for the maps
    int m_exports = 0;
};

}  // namespace lacuna::ui
