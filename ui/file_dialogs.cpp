#include "ui/file_dialogs.h"

#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include <array>
#include <utility>

namespace lacuna::ui {

namespace {

struct KindName {
    FileKind kind;
    const char* key;
};
constexpr std::array kKinds{
    KindName{FileKind::Model, "folders/model"}, KindName{FileKind::Report, "folders/report"},
    KindName{FileKind::Table, "folders/table"}, KindName{FileKind::Picture, "folders/picture"}};

/// The person's documents folder, or their home where there is none.
QString documentsPath() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return documents.isEmpty() ? QDir::homePath() : documents;
}

}  // namespace

QString stamped(const QString& name) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return name + QLatin1Char('-') + stamp;
}

QString documentsFolder(const QString& name) {
    return QDir(documentsPath()).filePath(stamped(name));
}

void FileDialogs::ask(QWidget* window, const FileQuestion& question,
                      std::function<void(const QString& path)> chosen) {
    using Want = FileQuestion::Want;
    const bool folders = question.want == Want::Folder || question.want == Want::NewFolder;
    const bool fresh = question.want == Want::NewFile || question.want == Want::NewFolder;
    auto* dialog = new QFileDialog(window, question.title, folder(question.kind), question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (fresh) {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setFileMode(QFileDialog::AnyFile);
        if (folder(question.kind).isEmpty())
            dialog->setDirectory(QFileInfo(documentsPath()).isDir() ? documentsPath()
                                                                    : QDir::homePath());
        dialog->setDefaultSuffix(QFileInfo(question.name).suffix());
    }
    if (folders) {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
    } else if (!fresh) {
        dialog->setFileMode(QFileDialog::ExistingFile);
    }
    if (!question.name.isEmpty()) dialog->selectFile(dialog->directory().filePath(question.name));
    QObject::connect(dialog, &QFileDialog::fileSelected, window,
                     [this, kind = question.kind, chosen = std::move(chosen)](const QString& path) {
                         m_folders[kind] = QFileInfo(path).absolutePath();
                         chosen(path);
                     });
    dialog->open();
}

QString FileDialogs::folder(FileKind kind) const {
    const QString path = m_folders.value(kind);
    return QFileInfo(path).isDir() ? path : QString();
}

void FileDialogs::restore(const QSettings& settings) {
    for (const KindName& one : kKinds)
        m_folders[one.kind] = settings.value(QString::fromLatin1(one.key)).toString();
}

void FileDialogs::save(QSettings& settings) const {
    for (const KindName& one : kKinds)
        if (const QString path = m_folders.value(one.kind); !path.isEmpty())
            settings.setValue(QString::fromLatin1(one.key), path);
}

}  // namespace lacuna::ui
