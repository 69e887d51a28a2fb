// The report: maps of the cache are asked of the engine first, which looks between two steps; where
// no answer comes soon, the report goes without them. Split from main_window.cpp; both implement
// ui/main_window.h.

#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/measurement_controller.h"
#include "app/state/model_controller.h"
#include "app/state/report_controller.h"
#include "ui/main_window.h"
#include "ui/report_images.h"
#include "ui/window_picture.h"

namespace lacuna::ui {

namespace {

/// A chunk of a long prompt on a slow machine takes about as long.
constexpr int kMapsWithinMs = 3000;

}  // namespace

QVector<app::ChartImage> MainWindow::chartImages() const {
    return reportImages(m_state.metrics());
}

void MainWindow::keepPicture(const QString& name, const QString& caption) {
    m_pictures.push_back(windowImage(*this, name, caption));
}

void MainWindow::exportReport(const QString& folder) {
    if (m_state.report().running() || !m_exportFolder.isEmpty()) {
        writeReport(folder, {});  // refused by the controller, in words
        return;
    }
    const bool looks = m_state.model().problem().isEmpty() && !m_state.chat().isEmpty() &&
                       m_state.measurement().view().what == app::Measuring::Nothing;
    if (!looks) return writeReport(folder, {});
    m_exportFolder = folder;
    askRetention();
    QTimer::singleShot(kMapsWithinMs, this, [this] { exportWith({}); });
}

void MainWindow::exportWith(const app::RetentionView& view) {
    if (m_exportFolder.isEmpty()) return;
    writeReport(std::exchange(m_exportFolder, QString()), view);
}

void MainWindow::writeReport(const QString& folder, const app::RetentionView& view) {
    QVector<app::ChartImage> images = chartImages();
    images += mapImages(view, m_themes);
    images += std::exchange(m_pictures, {});
    images.push_back(
        windowImage(*this, QStringLiteral("window"), tr("The window when the report was written")));
    m_state.report().exportTo(folder, images);
}

}  // namespace lacuna::ui
