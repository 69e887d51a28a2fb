#pragma once
/// \file
/// File dialogs, the small dialogs of the window, and its pages other than the chat. GUI thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "app/state/chat/system_prompts.h"
#include "ui/window/navigation_rail.h"

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
class ComparePage;
class ContextFullDialog;
class PrefixPage;
class ModelDetails;
class ModelsPage;
class FormatPage;
class QualityPage;
class ServerPage;
class PageStack;
class RemotePage;
class SweepPage;
class ThemeSource;

/// Kinds of files; each kind has its own last-used folder.
enum class FileKind { Model, Report, Table, Picture, Text, Caches, Conversation };

/// Parameters of a file dialog.
struct FileQuestion {
    enum class Want {
        File,    ///< existing file
        Files,   ///< one or more existing files
        Folder,  ///< existing folder
        NewFile,
        NewFolder,
    };
    FileKind kind = FileKind::Model;
    Want want = Want::File;
    QString title;
    QString filter{};  ///< e.g. "Table (*.csv)"; files only
    QString name{};    ///< proposed name of a new file or folder
};

/// Returns `folder`, or its nearest ancestor that is neither a report nor inside one.
[[nodiscard]] QString folderNextToReport(const QString& folder);
/// `name`-DATE-TIME.
[[nodiscard]] QString withTimestamp(const QString& name);
/// `name`-DATE-TIME in the user's documents folder.
[[nodiscard]] QString documentsFolder(const QString& name);

/// File dialogs of the window. Each kind of file opens in the folder last used for it, in this
/// session and, by the window's settings, in the next. GUI thread.
class FileDialogs {
  public:
    /// Opens the dialog over `window`, which owns it, and calls `chosen` with each selected path;
    /// not called if the user cancels.
    void ask(QWidget* window, const FileQuestion& question,
             std::function<void(const QString& path)> chosen);

    /// Remembers the folder of a file or folder that was written or chosen.
    void storeFolder(FileKind kind, const QString& path);
    /// Folder last used for this kind; empty if there is none or it no longer exists.
    [[nodiscard]] QString folder(FileKind kind) const;
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    QMap<FileKind, QString> m_folders;
};

/// Opens file dialogs and small dialogs, and builds the pages other than the chat, each when it is
/// first opened. GUI thread.
class WindowDialogs final : public QObject {
    Q_OBJECT

  public:
    using Chosen = std::function<void(const QString& path)>;

    /// Dialogs open over `window`, which owns them; pages are added to `pages`. Shows the page of a
    /// model when one arrives.
    WindowDialogs(app::ApplicationState& state, app::RemoteController& remote,
                  const ThemeSource& themes, PageStack& pages, QWidget& window);
    ~WindowDialogs() override;

    /// These functions load or show the user's selection.
    void chooseModel();
    void chooseModelFolder();
    void chooseModelToInspect();
    /// Shows the loaded model, or asks for a file if none is loaded.
    void showModelDetails();
    /// These functions ask for a path to write to and pass it to `chosen`.
    void chooseTableFile(Chosen chosen);
    void choosePictureFile(Chosen chosen);
    void chooseReportFolder(Chosen chosen);
    /// A folder that does not exist yet, next to the last report.
    [[nodiscard]] QString proposedReportFolder() const;
    /// Opens the recorded session that the user chooses.
    void chooseReport();
    /// Selects texts to attach to a question; `chosen` is called for each.
    void chooseTexts(Chosen chosen);

    /// Asks for a new title of the current conversation.
    void renameConversation();
    void editSystemPrompt();
    /// Shows the options for a full context; `sentence` states what did not fit.
    void showContextFull(const QString& sentence);
    /// Builds the tabs of a page unless they exist already.
    void buildPage(Page page);
    /// These functions show a tab of a page.
    void openCompare();
    void openSweep();
    /// Remote engines: list, test, connection.
    void openRemote();
    [[nodiscard]] RemotePage* remoteWindow() const { return m_remoteWindow; }
    /// The quality table of the current model.
    void openQuality();
    /// Presets and formats of the cache, measured on the current model.
    void openFormats();
    /// Reusable prefixes in memory and on disk.
    void openMemory();
    /// Models on this machine, downloads and preparation.
    ModelsPage& openModels();
    /// These functions ask for a file to save the current conversation's cache to, or to load it
    /// from.
    void chooseCacheToSave();
    void chooseCacheToLoad();
    /// The built-in server.
    void openServer();
    /// Asks what to do if the window is closed while clients are being answered: `finish` them
    /// first or close `now`.
    void confirmClosing(std::function<void()> finish, std::function<void()> now);
    void showShortcuts(const ActionRegistry& actions);
    /// Log of the program in this run and earlier ones.
    void showLog();
    void showAbout();

    /// Folders last used in file dialogs.
    [[nodiscard]] FileDialogs& files() { return m_files; }
    [[nodiscard]] const FileDialogs& files() const { return m_files; }

  private:
    void buildMonitor();
    void buildExperiments();
    void buildModels();
    void buildEngines();
    void useSide(int side);
    void showModelPage(const app::ModelPageView& page);

    app::ApplicationState& m_state;
    app::RemoteController& m_remote;
    const ThemeSource& m_themes;
    QWidget* m_window;
    PageStack& m_pages;
    FileDialogs m_files;
    app::SystemPrompts m_prompts;
    ContextFullDialog* m_full = nullptr;
    ModelDetails* m_details = nullptr;
    ComparePage* m_compare = nullptr;
    SweepPage* m_sweep = nullptr;
    QualityPage* m_quality = nullptr;
    RemotePage* m_remoteWindow = nullptr;
    FormatPage* m_formats = nullptr;
    ServerPage* m_server = nullptr;
    PrefixPage* m_memory = nullptr;
    ModelsPage* m_models = nullptr;
    std::unique_ptr<app::HubController> m_hub;  ///< created with the models page
};

}  // namespace lacuna::ui
