#include "ui/window_paths.h"

#include <QDateTime>
#include <QDir>
#include <QStandardPaths>

namespace lacuna::ui {

QString documentsFolder(const QString& name) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const QString home = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QDir(home.isEmpty() ? QDir::homePath() : home).filePath(name + QLatin1Char('-') + stamp);
}

}  // namespace lacuna::ui
