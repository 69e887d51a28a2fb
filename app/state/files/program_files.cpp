#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "app/state/files/bundled_texts.h"
#include "app/state/files/program_files.h"
#include "app/state/view_rows.h"
#include "engine/base/file.h"

namespace lacuna::app {

namespace {

constexpr int kLevelsUp = 4;

QString save(const QString& path, const QByteArray& bytes, FileAccess access) {
    const Status written = writeFileAtomically(
        QFile::encodeName(path).toStdString(),
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())), access);
    return written ? QString() : QString::fromStdString(written.error().what);
}

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

QString bundledText(const char* name) {
    QFile file(findResource(QStringLiteral("texts/") + QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

Result<std::string> calibrationBook() {
    std::string text = fromQt(bundledText(kCalibrationText));
    if (text.empty())
        return fail(ErrorCode::NotFound, "the text that ships with the program was not found");
    return text;
}

QString bundledModelPath() {
    return findResource(QStringLiteral("models/" LACUNA_BUNDLED_MODEL));
}

QString saveFile(const QString& path, const QByteArray& bytes) {
    return save(path, bytes, FileAccess::SameAsReplaced);
}

QString savePrivateFile(const QString& path, const QByteArray& bytes) {
    return save(path, bytes, FileAccess::OwnerOnly);
}

}  // namespace lacuna::app
