#include "app/state/report_controller.h"

#include <QMetaObject>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "app/state/view_rows.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/report/recorder.h"
#include "engine/report/report.h"

namespace lacuna::app {

namespace {

using NamedContents = std::vector<std::pair<std::string, std::string>>;

std::vector<ReportImage> imagesOf(const QVector<ChartImage>& charts) {
    std::vector<ReportImage> images;
    for (const ChartImage& chart : charts) {
        images.push_back({fromQt(chart.name), fromQt(chart.caption), chart.png.toStdString()});
    }
    return images;
}

NamedContents documentsOf(const Recording& recording, const std::vector<ReportImage>& images) {
    NamedContents documents = reportCsv(recording);
    documents.emplace_back("report.json", reportJsonText(recording));
    documents.emplace_back("report.md", reportMarkdown(recording, images));
    documents.emplace_back("report.html", reportHtml(recording, images));
    for (const ReportImage& image : images) documents.emplace_back(image.name + ".png", image.png);
    return documents;
}

[[nodiscard]] Result<QStringList> writeAll(const std::filesystem::path& folder, const NamedContents& documents) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::Write,
                    format("{}: the folder cannot be made: {}", folder.string(), problem.message()));
    }
    QStringList names;
    for (const auto& [name, content] : documents) {
        LACUNA_TRY_STATUS(writeFileAtomically(folder / name, content));
        names.push_back(toQt(name));
    }
    return names;
}

}  // namespace

ReportController::ReportController(RecordingSource recording, QObject* parent)
    : QObject(parent), m_recording(std::move(recording)) {
    m_worker.setMaxThreadCount(1);
}

ReportController::~ReportController() { m_worker.waitForDone(); }

void ReportController::exportTo(const QString& folder, const QVector<ChartImage>& images) {
    if (m_running) {
        Q_EMIT failed(tr("A report is being written; wait until it is done."));
        return;
    }
    m_running = true;
    Q_EMIT runningChanged();
    std::shared_ptr<const Recording> recording = m_recording();
    m_worker.start([this, folder, images, recording = std::move(recording)] {
        const auto written = writeAll(fromQt(folder), documentsOf(*recording, imagesOf(images)));
        const QStringList files = written ? *written : QStringList();
        const QString problem = written ? QString() : toQt(written.error().what);
        QMetaObject::invokeMethod(
            this, [this, folder, files, problem] { done(folder, files, problem); }, Qt::QueuedConnection);
    });
}

void ReportController::done(const QString& folder, const QStringList& files, const QString& problem) {
    m_running = false;
    Q_EMIT runningChanged();
    if (problem.isEmpty()) {
        Q_EMIT finished(folder, files);
    } else {
        Q_EMIT failed(problem);
    }
}

}  // namespace lacuna::app
