#pragma once
/// \file
/// The models page: models on this machine with size, shape and whether they fit, the memory plan
/// of the selected one, loading and unloading; downloads (download_page.h); drafts, calibrations
/// and conversions (prepare_page.h). The main window stays usable. GUI thread.

#include <QString>
#include <QWidget>

class QCheckBox;
class QDragEnterEvent;
class QDropEvent;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QTableWidget;
class QToolButton;

namespace lacuna::app {
class ApplicationState;
class HubController;
struct ModelLibraryEntry;
}  // namespace lacuna::app

namespace lacuna::ui {

class DownloadPage;
class FileDialogs;
class MemoryPlanChart;
class PreparePage;
class ModelLibraryTable;
class ThemeSource;

class ModelsPage final : public QWidget {
    Q_OBJECT

  public:
    ModelsPage(app::ApplicationState& state, app::HubController& hub, FileDialogs& files,
               const ThemeSource& themes, QWidget* parent = nullptr);
    /// Takes dropped files and folders: models are added to the list, other folders are scanned.
    void take(const QStringList& paths);

    [[nodiscard]] QTabWidget& tabs() { return *m_tabs; }
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] MemoryPlanChart& chart() { return *m_chart; }
    [[nodiscard]] QTableWidget& planTable() { return *m_planTable; }
    [[nodiscard]] DownloadPage& downloads() { return *m_downloads; }
    [[nodiscard]] PreparePage& prepare() { return *m_prepare; }
    [[nodiscard]] QPushButton& loadButton() { return *m_load; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QPushButton& unloadButton() { return *m_unload; }
    [[nodiscard]] QPushButton& removeButton() { return *m_remove; }
    [[nodiscard]] QPushButton& deleteButton() { return *m_delete; }
    [[nodiscard]] QPushButton& planTableButton() { return *m_asTable; }
    [[nodiscard]] QCheckBox& loadAgainBox() { return *m_again; }
    [[nodiscard]] QString sentence() const;
    /// Selects the row of a model; no effect if it is not in the list.
    void choose(const QString& path);
    [[nodiscard]] QString chosen() const;

  Q_SIGNALS:
    void formatsRequested();
    void qualityRequested();
    void detailsRequested(const QString& path);

  protected:
    /// Rescans the folders.
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    [[nodiscard]] QWidget* buildList();
    [[nodiscard]] QWidget* buildHead(QWidget* parent);
    [[nodiscard]] QWidget* buildPlan(QWidget* parent);
    [[nodiscard]] QWidget* buildFoot(QWidget* parent);
    void addFolder();
    void addModel();
    void load();
    void confirmDeleting();
    void refresh();
    void showChosen();
    void showPlan(const app::ModelLibraryEntry* row);
    void showLoading();
    void fillFolders();
    [[nodiscard]] bool inUse(const QString& path) const;
    void showMessage(const QString& sentence, bool problem);

    app::ApplicationState& m_state;
    app::HubController& m_hub;
    FileDialogs& m_files;
    const ThemeSource& m_themes;
    ModelLibraryTable* m_rows;
    QString m_lastChosen;
    QString m_message;  ///< result of the last action; cleared when another model is selected
    bool m_messageIsProblem = false;
    qint64 m_shadow = 0;  ///< bytes of the shadow cache for live quality, from the last quality row
    QTabWidget* m_tabs = nullptr;
    QTableView* m_table = nullptr;
    QStackedWidget* m_planStack = nullptr;
    MemoryPlanChart* m_chart = nullptr;
    QTableWidget* m_planTable = nullptr;
    QPushButton* m_asTable = nullptr;
    QToolButton* m_folders = nullptr;
    QMenu* m_folderMenu = nullptr;
    QLabel* m_sentence = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_load = nullptr;
    QPushButton* m_unload = nullptr;
    QPushButton* m_details = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_delete = nullptr;
    QCheckBox* m_again = nullptr;
    DownloadPage* m_downloads = nullptr;
    PreparePage* m_prepare = nullptr;
};

}  // namespace lacuna::ui
