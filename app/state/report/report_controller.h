#pragma once
/// \file
/// Exports the session to a folder with the selected documents: report.json (replayable), CSV
/// tables, report.md, report.html, report.pdf and chart images. Called on the GUI thread; the
/// documents are created and written on a worker thread, either all files or none.

#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>
#include <utility>

#include "app/state/files/work_thread.h"
#include "app/state/view_types.h"
#include "engine/values/report_sections.h"

namespace lacuna {
struct Recording;
}

namespace lacuna::app {

/// Selects the documents of a report, and the sections of those for readers.
struct ReportParts {
    bool json = true;  ///< can be opened and replayed
    bool tables = true;
    bool markdown = true;
    bool html = true;
    bool pdf = true;
    bool pictures = true;  ///< as separate files, which Markdown requires
    ReportSections sections = kAllReportSections;
};

class ReportController final : public QObject {
    Q_OBJECT

  public:
    using RecordingSource = std::function<std::shared_ptr<const Recording>()>;

    explicit ReportController(RecordingSource recording, QObject* parent = nullptr);
    ~ReportController() override;

    /// Converts the HTML page to a PDF; returns an empty array on failure. Called on the worker
    /// thread.
    using PdfMaker = std::function<QByteArray(const QString& html)>;
    /// Sets the PDF converter; without one, no PDF is written.
    void setPdfMaker(PdfMaker maker) { m_pdf = std::move(maker); }
    /// Starts an export. While one is running, further calls emit `failed`.
    void exportTo(const QString& folder, const QVector<ChartImage>& images,
                  const ReportParts& parts = {});
    /// Emits `failed` because an export is running.
    void refuse();
    /// Creates the HTML page with these parts and reports it by `previewed`. Only the latest of
    /// several requests counts.
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
    QString m_folder;  ///< target of the running export
    qint64 m_previews = 0;
    PdfMaker m_pdf;
    WorkThread m_worker;
};

}  // namespace lacuna::app
