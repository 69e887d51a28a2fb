#pragma once
/// \file
/// Pictures for a report: charts and maps, drawn without a window in the light theme at 1600 x 600
/// pixels, and widgets as displayed. Drawn all at once, or one per turn of the event loop to keep
/// the window responsive. GUI thread (fonts and widgets).

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

/// A picture that is drawn but not encoded yet.
struct DrawnPicture {
    QString name;  ///< file stem
    QString caption;
    QImage image;
};
using PictureSource = std::function<DrawnPicture()>;

/// Every chart over the whole session, captioned with its description. `store` must outlive the
/// sources.
[[nodiscard]] QVector<PictureSource> chartSources(const app::MetricsStore& store);
/// Slots by layer and head, and retention by token and layer, of one conversation; empty for an
/// empty view. `themes` must outlive the sources; it does not affect the colours, since pictures
/// are light.
[[nodiscard]] QVector<PictureSource> mapSources(const app::RetentionView& view,
                                                const ThemeSource& themes);
/// The widget as displayed when it is drawn.
[[nodiscard]] PictureSource widgetSource(QWidget& widget, const QString& name,
                                         const QString& caption);

/// Draws all charts synchronously.
[[nodiscard]] QVector<app::ChartImage> reportImages(const app::MetricsStore& store);
[[nodiscard]] QVector<app::ChartImage> mapImages(const app::RetentionView& view,
                                                 const ThemeSource& themes);
[[nodiscard]] app::ChartImage widgetImage(QWidget& widget, const QString& name,
                                          const QString& caption);

/// Draws pictures one after another: each is drawn in one turn of the event loop and encoded in the
/// next.
class PictureQueue final : public QObject {
    Q_OBJECT

  public:
    using Done = std::function<void(const QVector<app::ChartImage>& images)>;

    explicit PictureQueue(QObject* parent = nullptr);
    /// Replaces the pictures in progress, whose `done` is not called.
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
