#include "ui/window_picture.h"

#include <QBuffer>
#include <QPixmap>
#include <QWidget>

namespace lacuna::ui {

app::ChartImage windowImage(QWidget& widget, const QString& name, const QString& caption) {
    app::ChartImage image{name, caption, {}};
    QBuffer buffer(&image.png);
    buffer.open(QIODevice::WriteOnly);
    widget.grab().save(&buffer, "PNG");
    return image;
}

}  // namespace lacuna::ui
