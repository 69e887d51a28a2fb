#include "ui/window_picture.h"

#include <QBuffer>
#include <QPixmap>
#include <QWidget>

namespace lacuna::ui {

app::ChartImage windowImage(QWidget& widget) {
    app::ChartImage image;
    image.name = QStringLiteral("window");
    image.caption = QWidget::tr("The window when the report was written");
    QBuffer buffer(&image.png);
    buffer.open(QIODevice::WriteOnly);
    widget.grab().save(&buffer, "PNG");
    return image;
}

}  // namespace lacuna::ui
