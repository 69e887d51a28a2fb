#pragma once
/// \file
/// Pictures for a report: charts and maps, drawn in the light theme at 1600 x 600 pixels without
/// any window, and widgets as they look. All at once, or one after another between the events of
/// the window, which stays in use meanwhile. GUI thread (fonts and widgets).

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVector>
#include <functional>
#include <optional>

#include "app/state/view_types.h"

class QWidget;

namespace lacuna::app {
class MetricsStore;
}  // namespace lacuna::app

namespace lacuna::ui {

class ThemeSource;

/// One that is drawn, and not a file yet.
struct DrawnPicture {
    QString name;  ///< file stem
    QString caption;
    QImage image;
};
using PictureSource = std::function<DrawnPicture()>;

/// Every chart over the whole session. The caption is the chart's own description. `store` outlives
/// the sources.
[[nodiscard]] QVector<PictureSource> chartSources(const app::MetricsStore& store);
/// Slots by layer and head, and retention by token and layer, of one conversation; none of an empty
/// view. `themes` is lent only, and outlives the sources: the pictures are light.
[[nodiscard]] QVector<PictureSource> mapSources(const app::RetentionView& view,
                                                const ThemeSource& themes);
/// The widget as it looks when it is drawn.
[[nodiscard]] PictureSource widgetSource(QWidget& widget, const QString& name,
                                         const QString& caption);

/// At once.
[[nodiscard]] QVector<app::ChartImage> reportImages(const app::MetricsStore& store);
[[nodiscard]] QVector<app::ChartImage> mapImages(const app::RetentionView& view,
                                                 const ThemeSource& themes);
[[nodiscard]] app::ChartImage widgetImage(QWidget& widget, const QString& name,
                                          const QString& caption);

/// Draws pictures one after another: each is drawn in one turn of the event loop and made a file in
/// the next.
class PictureQueue final : public QObject {
    Q_OBJECT

  public:
    using Done = std::function<void(const QVector<app::ChartImage>& images)>;

    explicit PictureQueue(QObject* parent = nullptr);
    /// In place of what is being drawn, whose `done` is not told any more.
    void draw(QVector<PictureSource> sources, Done done);
    [[nodiscard]] bool drawing() const { return m_done != nullptr; }

  private:
    void step();

    QVector<PictureSource> m_sources;
    qsizetype m_next = 0;
    std::optional<DrawnPicture> m_drawn;
    QVector<app::ChartImage> m_images;
    Done m_done;
    QTimer m_turn;
};

}  // namespace lacuna::ui
