#include "ui/window_paths.h"

#include <QDateTime>
#include <QDir>
#include <QStandardPaths>

namespace lacuna::ui {

QString documentsPath() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return documents.isEmpty() ? QDir::homePath() : documents;
}

QString stamped(const QString& name) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return name + QLatin1Char('-') + stamp;
}

QString documentsFolder(const QString& name) {
    return QDir(documentsPath()).filePath(stamped(name));
}

}  // namespace lacuna::ui
