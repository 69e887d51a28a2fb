#include "app/state/resource_paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace lacuna::app {

namespace {

constexpr int kLevelsUp = 4;

}  // namespace

QStringList resourceFolders() {
    QStringList folders;
    const QString chosen = qEnvironmentVariable("LACUNA_RESOURCES");
    if (!chosen.isEmpty()) folders.push_back(chosen);
    QDir folder(QCoreApplication::applicationDirPath());
    folders.push_back(folder.filePath(QStringLiteral("../share/lacuna")));
    for (int level = 0; level <= kLevelsUp; ++level) {
        folders.push_back(folder.filePath(QStringLiteral("resources")));
        if (!folder.cdUp()) break;
    }
#ifdef LACUNA_SOURCE_RESOURCES
    folders.push_back(QStringLiteral(LACUNA_SOURCE_RESOURCES));
#endif
    folders.push_back(QStringLiteral("/usr/share/lacuna"));
    return folders;
}

QString findResource(const QString& relative) {
    for (const QString& folder : resourceFolders()) {
        const QFileInfo file(QDir(folder).filePath(relative));
        if (file.isFile()) return file.canonicalFilePath();
    }
    return {};
}

QString bundledModelPath() {
    return findResource(QStringLiteral("models/pilot-29m-q8_0.gguf"));
}

}  // namespace lacuna::app
