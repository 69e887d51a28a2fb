#pragma once
/// \file
/// Writes the report with its pictures: charts, cache maps and the window. The engine supplies the
/// maps between two steps; if it does not reply soon, the report is written without them. The
/// window stays usable meanwhile. GUI thread.

#include <QObject>
#include <QString>
#include <QVector>

#include "app/state/report/report_controller.h"
#include "app/state/view_types.h"
#include "ui/report/report_pictures.h"

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
    /// `window` is the subject of the pictures. All references must outlive the exporter.
    ReportExporter(app::ApplicationState& state, const ThemeSource& themes,
                   RetentionPresenter& retention, QWidget& window);

    /// Writes report, charts, maps and a picture of the window to `folder`. While another report is
    /// being written, the controller refuses this one with a sentence.
    void exportTo(const QString& folder, const app::ReportParts& parts = {});
    /// Delivers the report's charts once they are drawn; only the newest of several calls gets a
    /// reply.
    void preview(PictureQueue::Done done);
    /// Takes a picture of the window for the next report.
    void addPicture(const QString& name, const QString& caption);

  private:
    void looked(const app::RetentionView& view);
    void draw(const app::RetentionView& view);

    app::ApplicationState& m_state;
    const ThemeSource& m_themes;
    RetentionPresenter& m_retention;
    QWidget& m_window;
    PictureQueue m_queue;                 ///< pictures of the report
    PictureQueue m_preview;               ///< pictures of its preview
    QVector<app::ChartImage> m_pictures;  ///< kept for the next report
    QString m_folder;          ///< target of the report whose pictures are being drawn; empty: none
    app::ReportParts m_parts;  ///< parts of that report
    bool m_looks = false;      ///< waiting for the maps
    int m_exports = 0;
};

}  // namespace lacuna::ui
