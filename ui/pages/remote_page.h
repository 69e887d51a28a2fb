#pragma once
/// \file
/// The remote engines page: saved connections, a form to name, test and connect one, and for the
/// connected engine its figures and the controls it supports. The main window stays usable. GUI
/// thread.

#include <QTimer>
#include <QWidget>
#include <functional>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTableWidget;
class QVBoxLayout;

namespace lacuna::app {
class ApplicationState;
class RemoteController;
struct RemoteDraft;
}  // namespace lacuna::app

namespace lacuna::ui {

/// Figures, slots and controls of the connected engine.
class RemoteFigures final : public QWidget {
    Q_OBJECT

  public:
    RemoteFigures(app::ApplicationState& state, app::RemoteController& remote, QWidget* parent);
    [[nodiscard]] QTableWidget& table() { return *m_table; }

  Q_SIGNALS:
    /// Reports the result of a control.
    void messageChanged(bool ok, const QString& sentence);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void showModels();
    void showControls();
    void showFigures();

    app::ApplicationState& m_state;
    app::RemoteController& m_remote;
    QLabel* m_heading;
    QComboBox* m_model;
    QHBoxLayout* m_controls;
    QTableWidget* m_table;
    QLabel* m_details;
    QTimer m_refresh;
};

class RemotePage final : public QWidget {
    Q_OBJECT

  public:
    RemotePage(app::ApplicationState& state, app::RemoteController& remote,
               QWidget* parent = nullptr);

    [[nodiscard]] QListWidget& engines() { return *m_list; }
    [[nodiscard]] RemoteFigures& figures() { return *m_figures; }
    /// Result of the last action.
    [[nodiscard]] QString sentence() const;

  private:
    [[nodiscard]] QWidget* buildList();
    [[nodiscard]] QWidget* buildForm();
    void connectButtons();
    void refresh();
    void showButtons();
    void showChosen();
    void showMessage(bool ok, const QString& sentence);
    [[nodiscard]] QString chosen() const;
    [[nodiscard]] app::RemoteDraft draft() const;
    void saveThen(const std::function<void(const QString& id)>& then);

    app::ApplicationState& m_state;
    app::RemoteController& m_remote;
    QListWidget* m_list = nullptr;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_address = nullptr;
    QLineEdit* m_key = nullptr;
    QLabel* m_place = nullptr;
    QPushButton* m_new = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_test = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_connect = nullptr;
    QLabel* m_sentence = nullptr;
    RemoteFigures* m_figures = nullptr;
    bool m_keyTouched = false;  ///< false: the stored key is kept
};

}  // namespace lacuna::ui
