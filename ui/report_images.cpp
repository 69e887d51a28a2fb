#include "ui/report_images.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPixmap>
#include <QWidget>
#include <utility>

#include "ui/chart_builders.h"
#include "ui/heat_map_view.h"
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

}  // namespace lacuna::ui
