#pragma once
/// \file
/// Writes the session as a folder: report.json (replayable), tables as CSV, report.md, report.html,
/// report.pdf and the chart pictures, as far as they are chosen. Called on the GUI thread;
/// documents are made and written on a worker thread, all files or none.

#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>
#include <utility>

#include "app/state/view_types.h"
#include "app/state/work_thread.h"
#include "engine/values/report_sections.h"

namespace lacuna {
struct Recording;
}

namespace lacuna::app {

/// Which documents a report has, and which parts those made for eyes.
struct ReportParts {
    bool json = true;  ///< can be opened and replayed
    bool tables = true;
    bool markdown = true;
    bool html = true;
    bool pdf = true;
    bool pictures = true;  ///< as files of their own; Markdown needs them
    ReportSections sections = kAllReportSections;
};

class ReportController final : public QObject {
    Q_OBJECT

  public:
    using RecordingSource = std::function<std::shared_ptr<const Recording>()>;

    explicit ReportController(RecordingSource recording, QObject* parent = nullptr);
    ~ReportController() override;

    /// The page for browsers to a PDF; empty: it could not be made. Called on the worker thread.
    using PdfMaker = std::function<QByteArray(const QString& html)>;
    /// Whoever has fonts and pages makes PDFs; without, none is written.
    void setPdfMaker(PdfMaker maker) { m_pdf = std::move(maker); }
    /// One export at a time; a second call while one runs is refused by `failed`.
    void exportTo(const QString& folder, const QVector<ChartImage>& images,
                  const ReportParts& parts = {});
    /// Says by `failed` that one is being written.
    void refuse();
    /// The page for browsers with these parts, by `previewed`; of several the newest counts.
    void preview(const QVector<ChartImage>& images, const ReportParts& parts);
    [[nodiscard]] bool running() const { return m_running; }

  Q_SIGNALS:
    void runningChanged();
    void finished(const QString& folder, const QStringList& files);
    void failed(const QString& sentence);
    void previewed(const QString& html);

  private:
    void broken(const Error& error);
    void done(const QString& folder, const QStringList& files, const QString& problem);

    const RecordingSource m_recording;
    bool m_running = false;
    QString m_folder;  ///< of the export that runs
    qint64 m_previews = 0;
    PdfMaker m_pdf;
    WorkThread m_worker;
};

}  // namespace lacuna::app
