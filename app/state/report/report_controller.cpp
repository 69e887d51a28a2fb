#include "app/state/report/report_controller.h"

#include <QMetaObject>
#include <utility>
#include <vector>

#include "app/state/engine/engine_text.h"
#include "app/state/view_rows.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"
#include "engine/report/report_folder.h"

namespace lacuna::app {

namespace {

std::vector<ReportImage> imagesOf(const QVector<ChartImage>& charts) {
    std::vector<ReportImage> images;
    for (const ChartImage& chart : charts) {
        images.push_back({fromQt(chart.name), fromQt(chart.caption), chart.png.toStdString()});
    }
    return images;
}

/// Returns the selected documents including the PDF. Errors: Write if the PDF could not be made.
Result<ReportChoice> choiceOf(const ReportParts& parts, const Recording& recording,
                              const std::vector<ReportImage>& images,
                              const ReportController::PdfMaker& pdf) {
    ReportChoice choice{.json = parts.json,
                        .tables = parts.tables,
                        .markdown = parts.markdown,
                        .html = parts.html,
                        .pictures = parts.pictures,
                        .sections = parts.sections};
    if (!parts.pdf || !pdf) return choice;
    const QByteArray bytes =
        pdf(toQt(reportHtml(recording, images, parts.sections, ReportMedium::Paper)));
    if (bytes.isEmpty()) return fail(ErrorCode::Write, "the PDF could not be written");
    choice.others.emplace_back("report.pdf", bytes.toStdString());
    return choice;
}

}  // namespace

ReportController::ReportController(RecordingSource recording, QObject* parent)
    : QObject(parent),
      m_recording(std::move(recording)),
      m_worker([this](const Error& error) { broken(error); }) {}

ReportController::~ReportController() {
    m_worker.waitForDone();
}

void ReportController::exportTo(const QString& folder, const QVector<ChartImage>& images,
                                const ReportParts& parts) {
    if (m_running) return refuse();
    m_running = true;
    m_folder = folder;
    Q_EMIT runningChanged();
    std::shared_ptr<const Recording> recording = m_recording();
    m_worker.start([this, folder, images, parts, pdf = m_pdf, recording = std::move(recording)] {
        const std::vector<ReportImage> pictures = imagesOf(images);
        const auto choice = choiceOf(parts, *recording, pictures, pdf);
        const auto written =
            choice ? writeReportFolder(fromQt(folder), *recording, pictures, *choice)
                   : Result<std::vector<std::string>>(tl::unexpected<Error>(choice.error()));
        QStringList files;
        if (written) {
            for (const std::string& name : *written) files.push_back(toQt(name));
        }
        const QString problem = written ? QString() : engineText(written.error().what);
        QMetaObject::invokeMethod(
            this, [this, folder, files, problem] { done(folder, files, problem); },
            Qt::QueuedConnection);
    });
}

void ReportController::refuse() {
    Q_EMIT failed(tr("A report is being written; wait until it is done."));
}

void ReportController::preview(const QVector<ChartImage>& images, const ReportParts& parts) {
    const qint64 number = ++m_previews;
    m_worker.start([this, images, parts, number, recording = m_recording()] {
        const QString html = toQt(reportHtml(*recording, imagesOf(images), parts.sections));
        QMetaObject::invokeMethod(
            this,
            [this, html, number] {
                if (number == m_previews) Q_EMIT previewed(html);
            },
            Qt::QueuedConnection);
    });
}

/// Called on the worker thread.
void ReportController::broken(const Error& error) {
    QMetaObject::invokeMethod(
        this, [this, problem = engineText(error.what)] { done(m_folder, {}, problem); },
        Qt::QueuedConnection);
}

void ReportController::done(const QString& folder, const QStringList& files,
                            const QString& problem) {
    m_running = false;
    Q_EMIT runningChanged();
    if (problem.isEmpty()) {
        Q_EMIT finished(folder, files);
    } else {
        Q_EMIT failed(problem);
    }
}

}  // namespace lacuna::app
