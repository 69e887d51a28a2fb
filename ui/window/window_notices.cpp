#include "ui/window/window_notices.h"

#include <QApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QUrl>
#include <algorithm>
#include <tuple>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/engine/compaction_text.h"
#include "app/state/engine/engine_text.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/storage/conversation_storage.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/style/widget_roles.h"
#include "ui/window/guided_demo.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxNoticeLength = 2000;  ///< characters
constexpr int kSuccessMs = 10'000;
constexpr int kRemarkMs = 20'000;  ///< of a useful fact without a button

}  // namespace

NoticeBar::NoticeBar(QWidget* parent) : MessageBar(parent) {
    words().setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (Button& button : m_buttons) {
        button.widget = new QPushButton(this);
        setAccessible(button.widget, tr("Notice action"));
        addButton(button.widget);
        connect(button.widget, &QPushButton::clicked, this, [this, &button] {
            hide();
            // The handler may show the next notice, which replaces these buttons.
            const auto run = std::exchange(button.run, nullptr);
            if (run) run();
        });
    }
    // Created last, so the focus reaches the offers first.
    auto* close = new QPushButton(tr("Dismiss"), this);
    setRole(close, QStringLiteral("quiet"));
    setAccessible(close, tr("Dismiss this notice"));
    addButton(close);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    m_expiry.setSingleShot(true);
    connect(&m_expiry, &QTimer::timeout, this, &NoticeBar::expire);
    hide();
}

void NoticeBar::showMessage(NoticeKind kind, const QString& sentence) {
    showMessage(kind, sentence, Offer(), Offer());
}

void NoticeBar::showMessage(NoticeKind kind, const QString& sentence, const QString& button,
                            std::function<void()> action, std::function<bool()> possible) {
    showMessage(kind, sentence, Offer{button, std::move(action), std::move(possible)}, Offer());
}

void NoticeBar::showMessage(NoticeKind kind, const QString& sentence, Offer first, Offer second) {
    setRole(this,
            kind == NoticeKind::Problem ? QStringLiteral("problemBar") : QStringLiteral("infoBar"));
    const QString shown = sentence.left(kMaxNoticeLength);
    words().setText(kind == NoticeKind::Problem ? tr("Problem: %1").arg(shown) : shown);
    words().setToolTip(tipText(shown));
    setAccessible(this, tr("Notice"), shown);
    const auto offer = [](Button& button, Offer& made) {
        button.widget->setText(made.text);
        button.widget->setVisible(!made.text.isEmpty());
        setAccessible(button.widget, made.text);
        button.run = std::move(made.run);
        button.possible = std::move(made.possible);
    };
    offer(m_buttons[0], first);
    offer(m_buttons[1], second);
    m_message = sentence;
    m_kind = kind;
    setVisible(!sentence.isEmpty());
    m_expiry.stop();
    if (kind == NoticeKind::Success)
        m_expiry.start(kSuccessMs);
    else if (kind == NoticeKind::Info && !offersSomething())
        m_expiry.start(kRemarkMs);
}

/// Postponed while the mouse is over the notice or a button has the focus.
void NoticeBar::expire() {
    const QWidget* const focus = QApplication::focusWidget();
    if (underMouse() || (focus != nullptr && isAncestorOf(focus)))
        m_expiry.start();
    else
        hide();
}

bool NoticeBar::offersSomething() const {
    return std::any_of(m_buttons.begin(), m_buttons.end(),
                       [](const Button& button) { return !button.widget->isHidden(); });
}

void NoticeBar::nextAction() {
    const bool stands = std::any_of(m_bound.begin(), m_bound.end(),
                                    [this](const auto& one) { return one.sentence == m_message; });
    const bool remark = m_kind == NoticeKind::Info && !offersSomething() && !stands;
    if (m_kind == NoticeKind::Success || remark) hide();
}

void NoticeBar::withdraw(const QString& sentence) {
    if (sentence == m_message) hide();
}

void NoticeBar::showWhile(const QString& sentence, std::function<bool()> holds) {
    m_bound.push_back({sentence, std::move(holds)});
}

/// Hides sentences whose condition no longer holds.
void NoticeBar::review() {
    const QVector<BoundMessage> standing = std::exchange(m_bound, {});
    for (const BoundMessage& one : standing) {
        if (one.holds())
            m_bound.push_back(one);
        else
            withdraw(one.sentence);
    }
    if (!offersSomething()) return;
    for (const Button& button : m_buttons)
        if (button.possible && !button.possible()) button.widget->hide();
    if (!offersSomething()) hide();
}

QString NoticeBar::sentence() const {
    return isHidden() ? QString() : words().text();
}

WindowNotices::WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs)
    : m_state(state), m_bar(bar), m_dialogs(dialogs) {
    const auto problem = [this](const QString& sentence) {
        m_bar.showMessage(NoticeKind::Problem, sentence);
    };
    const auto review = [this] { m_bar.review(); };
    connect(&state.chat(), &app::ChatController::currentChanged, this,
            [this] { m_bar.nextAction(); });
    connect(&state.chat(), &app::ChatController::stateChanged, this, [this] {
        if (m_state.chat().answering()) m_bar.nextAction();
    });
    connect(&state.chat(), &app::ChatController::pinsChanged, this, review);
    connect(&state.model(), &app::ModelController::changed, this, &WindowNotices::showModel);
    connect(&state.config(), &app::ConfigController::impliedMethod, this,
            &WindowNotices::showImpliedMethod);
    connect(&state.feed(), &app::SessionFeed::compactionArrived, this,
            &WindowNotices::showNotCompacted);
    connect(&state.config(), &app::ConfigController::statusChanged, this, review);
    connect(&state.chat(), &app::ChatController::currentChanged, this, review);
    connect(&state.chat(), &app::ChatController::stateChanged, this, review);
    connect(&state.feed(), &app::SessionFeed::restoredArrived, this, &WindowNotices::showRestored);
    connect(&state.report(), &app::ReportController::finished, this,
            [this](const QString& folder, const QStringList& files) {
                const QString sentence =
                    tr("Report written: %1 files in %2").arg(app::countText(files.size()), folder);
                m_bar.showMessage(
                    NoticeKind::Success, sentence, tr("Open folder"),
                    [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); },
                    [folder] { return QFileInfo::exists(folder); });
                // Opening a session makes the notice obsolete.
                m_bar.showWhile(sentence,
                                [this] { return m_state.recording().session() == nullptr; });
            });
    connect(&state.recording(), &app::RecordingController::changed, this, review);
    connect(&state.report(), &app::ReportController::failed, this, problem);
    if (app::ConversationStorage* storage = state.storage()) {
        connect(storage, &app::ConversationStorage::noticed, this, problem);
        connect(storage, &app::ConversationStorage::savingChanged, this,
                [this](int, const QString& reason) { showSaving(reason); });
    }
    connect(&state.chat(), &app::ChatController::contextFull, this, &WindowNotices::showFull);
    showModel();
}

void WindowNotices::showModel() {
    m_bar.review();
    const QString problem = m_state.model().view().problem;
    if (problem.isEmpty()) return;
    m_bar.showMessage(NoticeKind::Problem, problem, tr("Load another model"),
                      [this] { m_dialogs.chooseModel(); });
    m_bar.showWhile(problem, [this, problem] { return m_state.model().view().problem == problem; });
}

void WindowNotices::showImpliedMethod(const QString& key, const QString& method) {
    // If changes are tried first, the method row shows that nothing is active yet.
    if (m_state.config().sending() == app::SendPolicy::OnSubmit) return;
    const QString sentence = tr("Method is now %1: \u201c%2\u201d has no effect without one.")
                                 .arg(method, m_state.config().spec(key).label);
    const auto asked = [this] { return m_state.config().spec(QStringLiteral("method")).requested; };
    m_bar.showMessage(NoticeKind::Info, sentence, tr("Method none"), [this] {
        m_state.config().edit(QStringLiteral("method"), QStringLiteral("none"),
                              app::EditPace::Settled);
    });
    m_bar.showWhile(sentence, [asked, implied = asked()] { return asked() == implied; });
}

/// Reports a requested or due compaction that was refused: text too short for its ratio, or nothing
/// to gain. It becomes obsolete with other settings, in another conversation or after the next
/// compaction.
void WindowNotices::showNotCompacted(const app::CompactionRow& row) {
    ++m_compactions;
    m_bar.review();
    // A row with `kept` was compacted and only measured afterwards. A limited loss needs no notice
    // after every answer: the line above the prompt and the timeline show it.
    const bool limited = row.limited && row.cause != CompactionCause::Manual;
    const bool skipped = outcomeOf(row) == CompactionOutcome::Skipped;
    const bool elsewhere = row.conversation != m_state.chat().current();
    if (!skipped || row.notes.empty() || row.kept || limited || elsewhere) return;
    const QString sentence =
        tr("Not compacted: %1.").arg(app::keysInWords(app::compactionText(row.notes)));
    m_bar.showMessage(NoticeKind::Info, sentence);
    const auto now = [this] {
        return std::tuple(m_state.config().status().effectiveRevision, m_state.chat().current(),
                          m_compactions);
    };
    m_bar.showWhile(sentence, [now, then = now()] { return now() == then; });
}

/// Reports tokens restored by the user before the model reads them and at the end. Tokens restored
/// for a question are reported below its answer. Valid until the next question in this
/// conversation.
void WindowNotices::showRestored(const app::RestoredRow& row) {
    if (row.conversation != m_state.chat().current()) return;
    const auto said = [this] { return m_state.chat().currentModel().rowCount(); };
    m_bar.showWhile(row.sentence, [this, said, conversation = row.conversation, then = said()] {
        return m_state.chat().current() == conversation && said() <= then + 1;
    });
    if (row.forQuestion) {
        if (row.offered)
            m_bar.showMessage(NoticeKind::Info, row.sentence, tr("Restore and regenerate"),
                              [this] { m_state.chat().regenerateRestored(); });
        return;
    }
    m_bar.showMessage(row.problem.isEmpty() ? NoticeKind::Info : NoticeKind::Problem, row.sentence);
}

/// A dialog shows all options and can be reopened as long as the notice is visible: until something
/// is answered in that conversation or another one is selected.
void WindowNotices::showFull(qint64 conversation, const QString& sentence) {
    if (conversation != m_state.chat().current()) return;
    const auto ways = [this, sentence] { m_dialogs.showContextFull(sentence); };
    m_bar.showMessage(NoticeKind::Problem, sentence, tr("Make room..."), ways);
    m_bar.showWhile(sentence, [this, conversation] {
        return m_state.chat().current() == conversation && !m_state.chat().answering();
    });
    if (!m_demo) ways();
}

/// Shown once per reason; the status line shows it as long as it persists.
void WindowNotices::showSaving(const QString& problem) {
    if (problem == m_notSaved) return;
    m_bar.withdraw(m_notSaved);
    if (!problem.isEmpty()) m_bar.showMessage(NoticeKind::Problem, problem);
    m_notSaved = problem;
}

void WindowNotices::follow(GuidedDemo& demo) {
    m_demo = &demo;
}

}  // namespace lacuna::ui
