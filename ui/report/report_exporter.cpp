#include "ui/report/report_exporter.h"

#include <QTimer>
#include <QWidget>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/report/report_controller.h"
#include "ui/chat/retention_presenter.h"

namespace lacuna::ui {

namespace {

/// One chunk of a long prompt takes about this long on a slow machine.
constexpr int kMapsWithinMs = 3000;

}  // namespace

ReportExporter::ReportExporter(app::ApplicationState& state, const ThemeSource& themes,
                               RetentionPresenter& retention, QWidget& window)
    : m_state(state), m_themes(themes), m_retention(retention), m_window(window) {
    connect(&retention, &RetentionPresenter::looked, this, &ReportExporter::looked);
}

void ReportExporter::addPicture(const QString& name, const QString& caption) {
    m_pictures.push_back(widgetImage(m_window, name, caption));
}

void ReportExporter::exportTo(const QString& folder, const app::ReportParts& parts) {
    if (m_state.report().running() || !m_folder.isEmpty()) return m_state.report().refuse();
    m_folder = folder;
    m_parts = parts;
    const bool looks = m_state.model().problem().isEmpty() && !m_state.chat().isEmpty() &&
                       m_state.measurement().view().what == app::Measuring::Nothing;
    if (!looks) return draw({});
    m_looks = true;
    m_retention.ask();
    QTimer::singleShot(kMapsWithinMs, this, [this, number = ++m_exports] {
        if (number == m_exports) looked({});
    });
}

void ReportExporter::preview(PictureQueue::Done done) {
    m_preview.draw(chartSources(m_state.metrics()), std::move(done));
}

void ReportExporter::looked(const app::RetentionView& view) {
    if (std::exchange(m_looks, false)) draw(view);
}

void ReportExporter::draw(const app::RetentionView& view) {
    QVector<PictureSource> sources = chartSources(m_state.metrics());
    sources += mapSources(view, m_themes);
    sources.push_back(widgetSource(m_window, QStringLiteral("window"),
                                   tr("The window when the report was written")));
    m_queue.draw(std::move(sources), [this](QVector<app::ChartImage> images) {
        images += std::exchange(m_pictures, {});
        m_state.report().exportTo(std::exchange(m_folder, QString()), images, m_parts);
    });
}

}  // namespace lacuna::ui
