#pragma once
/// \file
/// Profiles above the settings: choose one, save the settings as one's own, rename or delete it,
/// with what the chosen one was measured to cost on this model and when it takes effect. GUI
/// thread.

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

class ProfileBox final : public QWidget {
    Q_OBJECT

  public:
    ProfileBox(app::ProfileController& profiles, app::ChatController& chat,
               QWidget* parent = nullptr);
    [[nodiscard]] QComboBox& choice() { return *m_choice; }
    [[nodiscard]] QToolButton& more() { return *m_more; }
    /// What stands under the choice.
    [[nodiscard]] QString sentence() const;

  private:
    void refresh();
    void choose(int index);
    void askSave();
    void askRename();
    void remove();
    void askName(const QString& title, const QString& proposed,
                 const std::function<QString(const QString& name)>& take);
    void tell(const QString& sentence);
    [[nodiscard]] QString effect() const;

    app::ProfileController& m_profiles;
    app::ChatController& m_chat;
    QComboBox* m_choice;
    QToolButton* m_save;
    QToolButton* m_more;
    QAction* m_rename = nullptr;
    QAction* m_remove = nullptr;
    QLabel* m_sentence;
    QString m_applied;  ///< name of the profile applied here last
    QString m_told;     ///< why the last wish was not fulfilled, until the next
};

}  // namespace lacuna::ui
