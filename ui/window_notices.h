#pragma once
/// \file
/// The notice bar, and what is said in it of its own accord. GUI thread.

#include <QFrame>
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>

class QLabel;
class QPushButton;

namespace lacuna::app {
class ApplicationState;
struct CompactionRow;
struct RestoredRow;
}  // namespace lacuna::app

namespace lacuna::ui {

class GuidedDemo;
class WindowDialogs;

enum class NoticeKind { Problem, Info };

/// A sentence in place: what went wrong or what is worth knowing, with at most one button. Never
/// modal.
class NoticeBar final : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);
    void tell(NoticeKind kind, const QString& sentence);
    /// With a button that runs `action` and takes the notice away.
    void tell(NoticeKind kind, const QString& sentence, const QString& button,
              std::function<void()> action);
    /// Takes `sentence` away, if it is the one that is shown.
    void withdraw(const QString& sentence);
    [[nodiscard]] QString sentence() const;

  private:
    QLabel* m_sentence;
    QPushButton* m_button;
    QString m_told;
    std::function<void()> m_action;
};

/// What is said in the notice bar of its own accord: problems at the start and of the model, of
/// keeping conversations and of reports; a method that a setting brought.
/// GUI thread.
class WindowNotices final : public QObject {
    Q_OBJECT

  public:
    /// All outlive the notices. `dialogs` ask for another model when one cannot be loaded.
    WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs);
    /// While it runs, nothing is asked in a dialogue.
    void follow(GuidedDemo& demo);

  private:
    void showModel();
    void showMethodBrought(const QString& key, const QString& method);
    void showKeeping(const QString& problem);
    void showFull(qint64 conversation, const QString& sentence);
    void showNotCompacted(const app::CompactionRow& row);
    void showRestored(const app::RestoredRow& row);

    app::ApplicationState& m_state;
    NoticeBar& m_bar;
    WindowDialogs& m_dialogs;
    QPointer<GuidedDemo> m_demo;
    QString m_notCompacted;  ///< why nothing was compacted, as said last
    qint64 m_revision = 0;   ///< of the settings in force then
    QString m_notKept;       ///< why conversations are not on disk, as said last
};

}  // namespace lacuna::ui
