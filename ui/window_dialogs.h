#pragma once
/// \file
/// What the window opens over or next to itself: questions for files, the page of a model,
/// comparison and sweep, and the small ones. A window that stays is made when it is opened first
/// and kept. GUI thread.

#include <QObject>
#include <functional>

#include "ui/file_dialogs.h"

class QWidget;

namespace lacuna::app {
class ApplicationState;
struct ModelPageView;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class CompareWindow;
class ModelDetails;
class SweepWindow;
class ThemeSource;

class WindowDialogs final : public QObject {
    Q_OBJECT

  public:
    using Chosen = std::function<void(const QString& path)>;

    /// Opens over `window`, which it belongs to. Shows the page of a model when one arrives.
    WindowDialogs(app::ApplicationState& state, const ThemeSource& themes, QWidget& window);

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

    /// Of the conversation on screen.
    void renameConversation();
    void openCompare();
    void openSweep();
    void showShortcuts(const ActionRegistry& actions);
    /// What the program did, in this run and earlier ones.
    void showLog();
    void showAbout();

    /// Folders that files were last chosen from.
    [[nodiscard]] FileDialogs& files() { return m_files; }
    [[nodiscard]] const FileDialogs& files() const { return m_files; }

  private:
    void showModelPage(const app::ModelPageView& page);

    app::ApplicationState& m_state;
    const ThemeSource& m_themes;
    QWidget* m_window;
    FileDialogs m_files;
    ModelDetails* m_details = nullptr;
    CompareWindow* m_compare = nullptr;
    SweepWindow* m_sweep = nullptr;
};

}  // namespace lacuna::ui
