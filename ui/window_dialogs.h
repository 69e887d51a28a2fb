#pragma once
/// \file
/// What the window asks the person: which file or folder to take, and all other questions. GUI
/// thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "app/state/system_prompts.h"
#include "ui/window_places.h"

class QSettings;
class QWidget;

namespace lacuna::app {
class ApplicationState;
class HubController;
class RemoteController;
struct ModelPageView;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class CompareWindow;
class ContextFullDialog;
class LogWindow;
class MemoryWindow;
class ModelDetails;
class ModelsWindow;
class FormatWindow;
class QualityWindow;
class ServerWindow;
class RemoteWindow;
class SweepWindow;
class ThemeSource;

/// Files that are kept together: each has a folder of its own.
enum class FileKind { Model, Report, Table, Picture, Text, Caches };

/// What is asked for.
struct FileQuestion {
    enum class Want {
        File,    ///< that is there
        Files,   ///< that are there, one or more
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

/// The folder, or the first above it that is neither a report nor in one.
[[nodiscard]] QString besideReport(const QString& folder);
/// `name`-DATE-TIME.
[[nodiscard]] QString stamped(const QString& name);
/// `name`-DATE-TIME in the person's documents folder.
[[nodiscard]] QString documentsFolder(const QString& name);

/// What the window asks the person to choose on disk. Every kind of file opens where the last one
/// of its kind was, in this session and, by the window's settings, in the next. GUI thread.
class FileDialogs {
  public:
    /// Shows the question over `window`, which it goes with, and calls `chosen` with the path, or
    /// with each of several; nothing when the person closes it.
    void ask(QWidget* window, const FileQuestion& question,
             std::function<void(const QString& path)> chosen);

    /// A file or folder that was written or chosen.
    void remember(FileKind kind, const QString& path);
    /// Folder that holds the last of its kind; empty: none yet, or it is gone.
    [[nodiscard]] QString folder(FileKind kind) const;
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    QMap<FileKind, QString> m_folders;
};

/// What the window opens over or next to itself: questions for files, the page of a model,
/// comparison and sweep, and the small ones. A window that stays is made when it is opened first
/// and kept. GUI thread.
class WindowDialogs final : public QObject {
    Q_OBJECT

  public:
    using Chosen = std::function<void(const QString& path)>;

    /// Opens over `window`, which it belongs to. Shows the page of a model when one arrives.
    WindowDialogs(app::ApplicationState& state, app::RemoteController& remote,
                  const ThemeSource& themes, QWidget& window);
    ~WindowDialogs() override;

    /// Each loads or shows what the person chooses.
    void chooseModel();
    void chooseModelFolder();
    void chooseModelToInspect();
    /// Of the loaded model, else of a file that is asked for.
    void showModelDetails();
    /// Each asks where to write.
    void chooseTableFile(Chosen chosen);
    void choosePictureFile(Chosen chosen);
    void chooseReportFolder(Chosen chosen);
    /// A folder that is not there yet, next to the last report.
    [[nodiscard]] QString proposedReportFolder() const;
    /// Opens the recorded session that the person chooses.
    void chooseReport();
    /// Texts to be attached to a question; `chosen` is called for each.
    void chooseTexts(Chosen chosen);

    /// Of the conversation on screen.
    void renameConversation();
    void editSystemPrompt();
    /// Every way on when the context has no room; `sentence` says for what.
    void showContextFull(const QString& sentence);
    void openCompare();
    void openSweep();
    /// Engines elsewhere: their list, a test, the connection.
    void openRemote();
    [[nodiscard]] RemoteWindow* remoteWindow() const { return m_remoteWindow; }
    /// The quality table of the model in use.
    void openQuality();
    /// Presets and formats of the cache, measured on the model in use.
    void openFormats();
    /// What is kept of texts that were read.
    void openMemory();
    /// Models on this machine, downloads, and what is prepared of them.
    ModelsWindow& openModels();
    /// The cache of the conversation on screen, to a file or from one.
    void chooseCacheToSave();
    void chooseCacheToLoad();
    /// The server beside the window.
    void openServer();
    /// Before the window closes while clients are answered: `finish` them first, or close `now`.
    void askClosing(std::function<void()> finish, std::function<void()> now);
    void showShortcuts(const ActionRegistry& actions);
    /// What the program did, in this run and earlier ones.
    void showLog();
    void showAbout();

    /// Folders that files were last chosen from.
    [[nodiscard]] FileDialogs& files() { return m_files; }
    [[nodiscard]] const FileDialogs& files() const { return m_files; }
    /// Where these windows stand.
    [[nodiscard]] WindowPlaces& places() { return m_places; }
    [[nodiscard]] const WindowPlaces& places() const { return m_places; }

  private:
    void useSide(int side);
    void showModelPage(const app::ModelPageView& page);

    app::ApplicationState& m_state;
    app::RemoteController& m_remote;
    const ThemeSource& m_themes;
    QWidget* m_window;
    FileDialogs m_files;
    WindowPlaces m_places;
    app::SystemPrompts m_prompts;
    ContextFullDialog* m_full = nullptr;
    ModelDetails* m_details = nullptr;
    CompareWindow* m_compare = nullptr;
    SweepWindow* m_sweep = nullptr;
    QualityWindow* m_quality = nullptr;
    RemoteWindow* m_remoteWindow = nullptr;
    FormatWindow* m_formats = nullptr;
    ServerWindow* m_server = nullptr;
    MemoryWindow* m_memory = nullptr;
    LogWindow* m_log = nullptr;
    ModelsWindow* m_models = nullptr;
    std::unique_ptr<app::HubController> m_hub;  ///< made with the page of models
};

}  // namespace lacuna::ui
