#pragma once
/// \file
/// Writes the session as a folder: report.json (replayable), tables as CSV, report.md, report.html
/// and the chart pictures. Called on the GUI thread; documents are made and written on a worker
/// thread, all files or none.

#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>

#include "app/state/view_types.h"
#include "app/state/work_thread.h"

namespace lacuna {
struct Recording;
}

namespace lacuna::app {

class ReportController final : public QObject {
    Q_OBJECT

  public:
    using RecordingSource = std::function<std::shared_ptr<const Recording>()>;

    explicit ReportController(RecordingSource recording, QObject* parent = nullptr);
    ~ReportController() override;

    /// One export at a time; a second call while one runs is refused by `failed`.
    void exportTo(const QString& folder, const QVector<ChartImage>& images);
    [[nodiscard]] bool running() const { return m_running; }

  Q_SIGNALS:
    void runningChanged();
    void finished(const QString& folder, const QStringList& files);
    void failed(const QString& sentence);

  private:
    void broken(const Error& error);
    void done(const QString& folder, const QStringList& files, const QString& problem);

    const RecordingSource m_recording;
    bool m_running = false;
    QString m_folder;  ///< of the export that runs
    WorkThread m_worker;
};

}  // namespace lacuna::app
