#include "ui/report/report_pictures.h"

#include <QBuffer>
#include <QPainter>
#include <QPixmap>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "app/state/list_text.h"
#include "app/state/telemetry/metrics_store.h"
#include "ui/charts/chart_builders.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/time_series_view.h"
#include "ui/style/theme.h"

namespace lacuna::ui {

namespace {

constexpr QSize kPicture(1600, 600);
/// As wide as a page of paper at screen resolution: letters have the size they have in the window,
/// and stay readable in a preview half as wide.
constexpr QSize kPictureAsWidget(720, 270);
constexpr double kScale = static_cast<double>(kPicture.width()) / kPictureAsWidget.width();

QByteArray pngOf(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QImage pictureOf(QWidget& view) {
    QImage image(kPicture, QImage::Format_RGB32);
    image.fill(Theme::light().surface);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(kScale, kScale);
    view.render(&painter);
    painter.end();
    return image;
}

DrawnPicture render(ChartId id, const app::MetricsStore& store) {
    TimeSeriesView view(Theme::light());
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.resize(kPictureAsWidget);
    ChartRequest request;
    const Range data = dataRange(store, app::XAxis::Time);
    request.window = {0, std::max(data.to, 1.0) * 1.015};  // keeps the last dot clear of the edge
    ChartContent content = buildChart(id, store, request);
    view.setContent(content);
    // A widget that was never shown gets its size on the first draw.
    static_cast<void>(view.grab());
    // The layout determined the width of the plot; the samples are fetched again for that width, at
    // twice the widget's resolution to match the picture.
    request.pixels = qRound(view.plotPixels() * kScale);
    content = buildChart(id, store, request);
    view.setContent(content);
    return {content.id,
            content.needed ? content.description : app::titled(content.title, content.empty),
            pictureOf(view)};
}

DrawnPicture render(HeatMap map, const ThemeSource& themes) {
    HeatMapView view(themes);
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.fixTheme(Theme::light());
    view.resize(kPictureAsWidget);
    DrawnPicture picture{map.id, map.description, {}};
    view.setMap(std::move(map));
    picture.image = pictureOf(view);
    return picture;
}

app::ChartImage fileOf(const DrawnPicture& drawn) {
    return {drawn.name, drawn.caption, pngOf(drawn.image)};
}

QVector<app::ChartImage> filesOf(const QVector<PictureSource>& sources) {
    QVector<app::ChartImage> images;
    for (const PictureSource& source : sources) images.push_back(fileOf(source()));
    return images;
}

}  // namespace

QVector<PictureSource> chartSources(const app::MetricsStore& store) {
    QVector<PictureSource> sources;
    for (const ChartId id : kCharts) sources.push_back([id, &store] { return render(id, store); });
    return sources;
}

QVector<PictureSource> mapSources(const app::RetentionView& view, const ThemeSource& themes) {
    if (view.tokens() == 0) return {};
    return {[view, &themes] { return render(headMap(view), themes); },
            [view, &themes] { return render(retentionMap(view), themes); }};
}

PictureSource widgetSource(QWidget& widget, const QString& name, const QString& caption) {
    return [&widget, name, caption] {
        return DrawnPicture{name, caption, widget.grab().toImage()};
    };
}

QVector<app::ChartImage> reportImages(const app::MetricsStore& store) {
    return filesOf(chartSources(store));
}

QVector<app::ChartImage> mapImages(const app::RetentionView& view, const ThemeSource& themes) {
    return filesOf(mapSources(view, themes));
}

app::ChartImage widgetImage(QWidget& widget, const QString& name, const QString& caption) {
    return fileOf(widgetSource(widget, name, caption)());
}

PictureQueue::PictureQueue(QObject* parent) : QObject(parent) {
    connect(&m_turn, &QTimer::timeout, this, &PictureQueue::step);
}

void PictureQueue::draw(QVector<PictureSource> sources, Done done) {
    m_sources = std::move(sources);
    m_next = 0;
    m_drawn.reset();
    m_images.clear();
    m_done = std::move(done);
    m_turn.start(0);
}

void PictureQueue::step() {
    if (m_drawn) {
        m_images.push_back(fileOf(*std::exchange(m_drawn, std::nullopt)));
    } else if (m_next < m_sources.size()) {
        m_drawn = m_sources[m_next++]();
    } else {
        m_turn.stop();
        m_sources.clear();
        const Done done = std::exchange(m_done, nullptr);
        done(std::exchange(m_images, {}));
    }
}

}  // namespace lacuna::ui
