#pragma once
/// \file
/// The page of the built-in server: on/off switch, address, key and name for clients, current and
/// recent requests, and sample client code. GUI thread.

#include <QWidget>
#include <functional>

#include "ui/style/row_table.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTableView;
class QVBoxLayout;

namespace lacuna::app {
class ServerController;
struct ServedRequest;
}  // namespace lacuna::app

namespace lacuna::ui {

class ServerPage final : public QWidget {
    Q_OBJECT

  public:
    /// Shows a folder dialog and calls `chosen` with the selected folder, if any.
    using FolderChooser = std::function<void(std::function<void(const QString& path)> chosen)>;

    ServerPage(app::ServerController& server, FolderChooser chooseFolder, QWidget* parent);

  private:
    void buildHead(QVBoxLayout* layout);
    void buildSettings(QVBoxLayout* layout);
    QWidget* buildKey();
    QLayout* buildSaving();
    QWidget* buildRequests();
    QWidget* buildClients();
    void readSettings();
    void showSettings();
    void toggle();
    void refresh();
    void refreshClients();

    app::ServerController& m_server;
    const FolderChooser m_chooseFolder;
    QLabel* m_state = nullptr;
    QLabel* m_detail = nullptr;
    QPushButton* m_switch = nullptr;
    QWidget* m_settings = nullptr;
    QComboBox* m_address = nullptr;
    QSpinBox* m_port = nullptr;
    QLineEdit* m_key = nullptr;
    QPushButton* m_showKey = nullptr;
    QPushButton* m_copyKey = nullptr;
    QPushButton* m_newKey = nullptr;
    QLineEdit* m_alias = nullptr;
    QSpinBox* m_slots = nullptr;
    QComboBox* m_embeddings = nullptr;
    QLineEdit* m_slotFolder = nullptr;
    QPushButton* m_browse = nullptr;
    QLabel* m_now = nullptr;
    RowTable<app::ServedRequest>* m_rows = nullptr;
    QTableView* m_table = nullptr;
    QComboBox* m_client = nullptr;
    QCheckBox* m_withKey = nullptr;
    QPlainTextEdit* m_snippet = nullptr;
};

}  // namespace lacuna::ui
