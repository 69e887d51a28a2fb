#pragma once
/// \file
/// The notice bar, and the notices that appear in it automatically. GUI thread.

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QVector>
#include <array>
#include <functional>

#include "ui/style/message_bar.h"

class QPushButton;

namespace lacuna::app {
class ApplicationState;
struct CompactionRow;
struct RestoredRow;
}  // namespace lacuna::app

namespace lacuna::ui {

class GuidedDemo;
class WindowDialogs;

/// A success, or a fact without a button, disappears after some seconds or with the next action,
/// whichever comes first.
enum class NoticeKind { Problem, Info, Success };

/// A non-modal sentence about a problem or a useful fact, with at most two buttons. A notice is
/// hidden when none of its buttons is usable any more.
class NoticeBar final : public MessageBar {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);
    /// A button of a notice and its action; using it closes the notice.
    struct Offer {
        QString text = {};  ///< empty: no button
        std::function<void()> run = {};
        std::function<bool()> possible = {};  ///< null: always possible
    };
    void showMessage(NoticeKind kind, const QString& sentence);
    /// Shows a sentence with a button that runs `action`, as long as `possible` returns true.
    void showMessage(NoticeKind kind, const QString& sentence, const QString& button,
                     std::function<void()> action, std::function<bool()> possible = {});
    void showMessage(NoticeKind kind, const QString& sentence, Offer first, Offer second);
    /// Hides `sentence` if it is the one displayed.
    void withdraw(const QString& sentence);
    /// Binds a sentence to a condition: the first review that finds it false hides the sentence.
    void showWhile(const QString& sentence, std::function<bool()> holds);
    void review();
    /// Hides notices about the previous action; called when the user starts another one.
    void nextAction();
    [[nodiscard]] QString sentence() const;

  private:
    struct Button {
        QPushButton* widget = nullptr;
        std::function<void()> run;
        std::function<bool()> possible;
    };
    struct BoundMessage {
        QString sentence;
        std::function<bool()> holds;
    };

    void expire();
    [[nodiscard]] bool offersSomething() const;

    std::array<Button, 2> m_buttons;
    QString m_message;
    NoticeKind m_kind = NoticeKind::Info;
    QTimer m_expiry;  ///< runs for a success or a fact without a button
    QVector<BoundMessage> m_bound;
};

/// Notices that appear automatically: problems at start-up, of the model, of saving conversations
/// and of reports; a change of method caused by a setting. GUI thread.
class WindowNotices final : public QObject {
    Q_OBJECT

  public:
    /// All references must outlive this object. `dialogs` asks for another model if one cannot be
    /// loaded.
    WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs);
    /// Suppresses dialogs while the demo runs.
    void follow(GuidedDemo& demo);

  private:
    void showModel();
    void showImpliedMethod(const QString& key, const QString& method);
    void showSaving(const QString& problem);
    void showFull(qint64 conversation, const QString& sentence);
    void showNotCompacted(const app::CompactionRow& row);
    void showRestored(const app::RestoredRow& row);

    app::ApplicationState& m_state;
    NoticeBar& m_bar;
    WindowDialogs& m_dialogs;
    QPointer<GuidedDemo> m_demo;
    qint64 m_compactions = 0;  ///< number of compactions seen
    QString m_notSaved;        ///< why conversations are not saved, as last displayed
};

}  // namespace lacuna::ui
