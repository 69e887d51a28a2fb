#include "app/state/report_controller.h"

#include <QMetaObject>
#include <utility>
#include <vector>

#include "app/state/engine_text.h"
#include "app/state/view_rows.h"
#include "engine/report/recorder.h"
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

}  // namespace

ReportController::ReportController(RecordingSource recording, QObject* parent)
    : QObject(parent),
      m_recording(std::move(recording)),
      m_worker([this](const Error& error) { broken(error); }) {}

ReportController::~ReportController() {
    m_worker.waitForDone();
}

void ReportController::exportTo(const QString& folder, const QVector<ChartImage>& images) {
    if (m_running) {
        Q_EMIT failed(tr("A report is being written; wait until it is done."));
        return;
    }
    m_running = true;
    m_folder = folder;
    Q_EMIT runningChanged();
    std::shared_ptr<const Recording> recording = m_recording();
    m_worker.start([this, folder, images, recording = std::move(recording)] {
        const auto written = writeReportFolder(fromQt(folder), *recording, imagesOf(images));
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

/// The worker's own thread.
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
