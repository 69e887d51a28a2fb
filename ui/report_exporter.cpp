#include "ui/report_exporter.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPixmap>
#include <QTimer>
#include <QWidget>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/measurement_controller.h"
#include "app/state/model_controller.h"
#include "app/state/report_controller.h"
#include "ui/chart_builders.h"
#include "ui/heat_map.h"
#include "ui/retention_presenter.h"
#include "ui/time_series_view.h"

namespace lacuna::ui {

namespace {

constexpr QSize kPicture(1600, 600);
/// Letters are as large as in the window at this scale, and still read when a page shrinks the
/// picture.
constexpr double kScale = 1.6;
constexpr QSize kPictureAsWidget(1000, 375);
static_assert(kPictureAsWidget.width() * kScale == kPicture.width());

QByteArray pngOf(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QByteArray pictureOf(QWidget& view) {
    QImage image(kPicture, QImage::Format_RGB32);
    image.fill(Theme::light().surface);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(kScale, kScale);
    view.render(&painter);
    painter.end();
    return pngOf(image);
}

app::ChartImage render(ChartId id, const app::MetricsStore& store) {
    TimeSeriesView view(Theme::light());
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.resize(kPictureAsWidget);
    ChartRequest request;
    const Range data = dataRange(store, app::XAxis::Time);
    request.window = {0, std::max(data.to, 1.0) * 1.015};  // the last dot stands clear of the edge
    ChartContent content = buildChart(id, store, request);
    view.setContent(content);
    // A widget that was never shown takes its size when it is drawn first.
    static_cast<void>(view.grab());
    // The layout told how wide the plot is; the samples are fetched again for that width, twice as
    // fine as the widget's pixels because the picture is.
    request.pixels = qRound(view.plotPixels() * kScale);
    content = buildChart(id, store, request);
    view.setContent(content);
    return {
        content.id,
        content.needed ? content.description : content.title + QStringLiteral(": ") + content.empty,
        pictureOf(view)};
}

app::ChartImage render(HeatMap map, const ThemeSource& themes) {
    HeatMapView view(themes);
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.paintAs(Theme::light());
    view.resize(kPictureAsWidget);
    app::ChartImage image{map.id, map.description, {}};
    view.setMap(std::move(map));
    image.png = pictureOf(view);
    return image;
}

}  // namespace

QVector<app::ChartImage> reportImages(const app::MetricsStore& store) {
    QVector<app::ChartImage> images;
    for (const ChartId id : kCharts) images.push_back(render(id, store));
    return images;
}

QVector<app::ChartImage> mapImages(const app::RetentionView& view, const ThemeSource& themes) {
    if (view.tokens() == 0) return {};
    return {render(headMap(view), themes), render(retentionMap(view), themes)};
}

app::ChartImage widgetImage(QWidget& widget, const QString& name, const QString& caption) {
    return {name, caption, pngOf(widget.grab().toImage())};
}

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

void ReportExporter::exportTo(const QString& folder, const app::ReportParts& parts) {
    if (m_waiting.isEmpty()) m_parts = parts;
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
    m_state.report().exportTo(folder, images, m_parts);
}

}  // namespace lacuna::ui
