#pragma once
/// \file
/// What the window asks the person to choose on disk. Every kind of file opens where the last one
/// of its kind was, in this session and, by the window's settings, in the next. GUI thread.

#include <QMap>
#include <QString>
#include <functional>

class QSettings;
class QWidget;

namespace lacuna::ui {

/// Files that are kept together: each has a folder of its own.
enum class FileKind { Model, Report, Table, Picture };

/// What is asked for.
struct FileQuestion {
    enum class Want {
        File,    ///< that is there
        Folder,  ///< that is there
        NewFile,
        NewFolder,
    };
    FileKind kind = FileKind::Model;
    Want want = Want::File;
    QString title;
    QString filter{};  ///< "Table (*.csv)"; of files
    QString name{};    ///< proposed for what is new
};

/// `name`-DATE-TIME.
[[nodiscard]] QString stamped(const QString& name);
/// `name`-DATE-TIME in the person's documents folder.
[[nodiscard]] QString documentsFolder(const QString& name);

class FileDialogs {
  public:
    /// Shows the question over `window`, which it goes with, and calls `chosen` with the path;
    /// nothing when the person closes it.
    void ask(QWidget* window, const FileQuestion& question,
             std::function<void(const QString& path)> chosen);

    /// Folder that holds the last of its kind; empty: none yet, or it is gone.
    [[nodiscard]] QString folder(FileKind kind) const;
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    QMap<FileKind, QString> m_folders;
};

}  // namespace lacuna::ui
