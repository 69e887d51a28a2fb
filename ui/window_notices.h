#pragma once
/// \file
/// The notice bar, and what is said in it of its own accord. GUI thread.

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QVector>
#include <array>
#include <functional>

#include "ui/sentence_bar.h"

class QPushButton;

namespace lacuna::app {
class ApplicationState;
struct CompactionRow;
struct RestoredRow;
}  // namespace lacuna::app

namespace lacuna::ui {

class GuidedDemo;
class WindowDialogs;

/// A success disappears after some seconds or with the next action, whichever comes first.
enum class NoticeKind { Problem, Info, Success };

/// A sentence in place: what went wrong or what is worth knowing, with at most two buttons. Never
/// modal. A notice is hidden once none of its buttons can do what they offer.
class NoticeBar final : public SentenceBar {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);
    /// What a button of a notice does; the notice goes.
    struct Offer {
        QString text = {};  ///< empty: no button
        std::function<void()> run = {};
        std::function<bool()> possible = {};  ///< empty: always
    };
    void tell(NoticeKind kind, const QString& sentence);
    /// With a button that runs `action`, as long as that is `possible`.
    void tell(NoticeKind kind, const QString& sentence, const QString& button,
              std::function<void()> action, std::function<bool()> possible = {});
    void tell(NoticeKind kind, const QString& sentence, Offer first, Offer second);
    /// Takes `sentence` away, if it is the one that is shown.
    void withdraw(const QString& sentence);
    /// A sentence that goes with the first review that finds it true no more.
    void standsWhile(const QString& sentence, std::function<bool()> holds);
    void review();
    /// The user does something else: hides what only reports what was done before.
    void nextAction();
    [[nodiscard]] QString sentence() const;

  private:
    struct Button {
        QPushButton* widget = nullptr;
        std::function<void()> run;
        std::function<bool()> possible;
    };
    struct Standing {
        QString sentence;
        std::function<bool()> holds;
    };

    void expire();
    [[nodiscard]] bool offersSomething() const;

    std::array<Button, 2> m_buttons;
    QString m_told;
    NoticeKind m_kind = NoticeKind::Info;
    QTimer m_expiry;  ///< of a success
    QVector<Standing> m_standing;
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
    qint64 m_compactions = 0;  ///< heard of
    QString m_notKept;         ///< why conversations are not on disk, as said last
};

}  // namespace lacuna::ui
