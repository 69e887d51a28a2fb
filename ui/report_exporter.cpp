#include "ui/report_exporter.h"

#include <QTimer>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/measurement_controller.h"
#include "app/state/model_controller.h"
#include "app/state/report_controller.h"
#include "ui/report_images.h"
#include "ui/retention_presenter.h"

namespace lacuna::ui {

namespace {

/// A chunk of a long prompt on a slow machine takes about as long.
constexpr int kMapsWithinMs = 3000;

}  // namespace

ReportExporter::ReportExporter(app::ApplicationState& state, const ThemeSource& themes,
                               RetentionPresenter& retention, QWidget& window)
    : m_state(state), m_themes(themes), m_retention(retention), m_window(window) {
    connect(&retention, &RetentionPresenter::looked, this, &ReportExporter::finish);
}

void ReportExporter::keepPicture(const QString& name, const QString& caption) {
    m_pictures.push_back(widgetImage(m_window, name, caption));
}

void ReportExporter::exportTo(const QString& folder) {
    if (m_state.report().running() || !m_waiting.isEmpty()) {
        write(folder, {});  // refused by the controller, in words
        return;
    }
    const bool looks = m_state.model().problem().isEmpty() && !m_state.chat().isEmpty() &&
                       m_state.measurement().view().what == app::Measuring::Nothing;
    if (!looks) return write(folder, {});
    m_waiting = folder;
    m_retention.ask();
    QTimer::singleShot(kMapsWithinMs, this, [this] { finish({}); });
}

void ReportExporter::finish(const app::RetentionView& view) {
    if (m_waiting.isEmpty()) return;
    write(std::exchange(m_waiting, QString()), view);
}

void ReportExporter::write(const QString& folder, const app::RetentionView& view) {
    QVector<app::ChartImage> images = reportImages(m_state.metrics());
    images += mapImages(view, m_themes);
    images += std::exchange(m_pictures, {});
    images.push_back(widgetImage(m_window, QStringLiteral("window"),
                                 tr("The window when the report was written")));
    m_state.report().exportTo(folder, images);
}

}  // namespace lacuna::ui
