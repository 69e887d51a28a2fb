#pragma once
/// \file
/// Profiles above the settings: select one, save the current settings as a new one, rename or
/// delete it. Shows the measured cost of the selected profile on this model and when it takes
/// effect. GUI thread.

#include <QWidget>
#include <functional>

class QAction;
class QComboBox;
class QLabel;
class QToolButton;

namespace lacuna::app {
class ChatController;
class ProfileController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ProfilePanel final : public QWidget {
    Q_OBJECT

  public:
    ProfilePanel(app::ProfileController& profiles, app::ChatController& chat,
                 QWidget* parent = nullptr);
    [[nodiscard]] QComboBox& choice() { return *m_choice; }
    [[nodiscard]] QToolButton& more() { return *m_more; }
    /// Text under the selection.
    [[nodiscard]] QString sentence() const;

  private:
    void refresh();
    void choose(int index);
    void promptForSave();
    void promptForRename();
    void remove();
    void promptForName(const QString& title, const QString& proposed,
                       const std::function<QString(const QString& name)>& take);
    void showMessage(const QString& sentence);
    [[nodiscard]] QString effect() const;

    app::ProfileController& m_profiles;
    app::ChatController& m_chat;
    QComboBox* m_choice;
    QToolButton* m_save;
    QToolButton* m_more;
    QAction* m_rename = nullptr;
    QAction* m_remove = nullptr;
    QLabel* m_sentence;
    QString m_applied;  ///< name of the profile last applied here
    QString m_problem;  ///< why the last request failed; kept until the next one
};

}  // namespace lacuna::ui
