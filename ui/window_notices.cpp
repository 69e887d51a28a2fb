#include "ui/window_notices.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QUrl>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/config_controller.h"
#include "app/state/conversation_storage.h"
#include "app/state/engine_text.h"
#include "app/state/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report_controller.h"
#include "app/state/session_feed.h"
#include "ui/guided_demo.h"
#include "ui/widget_roles.h"
#include "ui/window_dialogs.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxNoticeLength = 2000;  ///< signs

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent), m_sentence(plainLabel({}, this)), m_button(new QPushButton(this)) {
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QPushButton(tr("Dismiss"), this);
    setRole(close, QStringLiteral("quiet"));
    setAccessible(close, tr("Dismiss this notice"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 6);
    layout->addWidget(m_sentence, 1);
    layout->addWidget(m_button);
    layout->addWidget(close);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        if (m_action) m_action();
    });
    setAccessible(m_button, tr("Do what the notice offers"));
    hide();
}

void NoticeBar::tell(NoticeKind kind, const QString& sentence) {
    tell(kind, sentence, {}, {});
}

void NoticeBar::tell(NoticeKind kind, const QString& sentence, const QString& button,
                     std::function<void()> action) {
    setRole(this,
            kind == NoticeKind::Problem ? QStringLiteral("problemBar") : QStringLiteral("infoBar"));
    const QString shown = sentence.left(kMaxNoticeLength);
    m_sentence->setText(kind == NoticeKind::Problem ? tr("Problem: %1").arg(shown) : shown);
    setAccessible(this, tr("Notice"), shown);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessible(m_button, button);
    m_action = std::move(action);
    m_told = sentence;
    setVisible(!sentence.isEmpty());
}

void NoticeBar::withdraw(const QString& sentence) {
    if (sentence == m_told) hide();
}

QString NoticeBar::sentence() const {
    return isHidden() ? QString() : m_sentence->text();
}

WindowNotices::WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs)
    : m_state(state), m_bar(bar), m_dialogs(dialogs) {
    const auto problem = [this](const QString& sentence) {
        m_bar.tell(NoticeKind::Problem, sentence);
    };
    connect(&state.model(), &app::ModelController::changed, this, &WindowNotices::showModel);
    connect(&state.config(), &app::ConfigController::methodBrought, this,
            &WindowNotices::showMethodBrought);
    connect(&state.feed(), &app::SessionFeed::compactionArrived, this,
            &WindowNotices::showNotCompacted);
    // Under other settings, or in another conversation, it says nothing true any more.
    const auto untrue = [this] { m_bar.withdraw(std::exchange(m_notCompacted, QString())); };
    connect(&state.config(), &app::ConfigController::statusChanged, this, [this, untrue] {
        if (std::exchange(m_revision, m_state.config().status().effectiveRevision) !=
            m_state.config().status().effectiveRevision)
            untrue();
    });
    connect(&state.chat(), &app::ChatController::currentChanged, this, untrue);
    connect(&state.feed(), &app::SessionFeed::restoredArrived, this, &WindowNotices::showRestored);
    connect(&state.report(), &app::ReportController::finished, this,
            [this](const QString& folder, const QStringList& files) {
                m_bar.tell(
                    NoticeKind::Info,
                    tr("Report written: %1 files in %2").arg(app::countText(files.size()), folder),
                    tr("Open folder"),
                    [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
            });
    connect(&state.report(), &app::ReportController::failed, this, problem);
    if (app::ConversationStorage* keeper = state.keeper()) {
        connect(keeper, &app::ConversationStorage::noticed, this, problem);
        connect(keeper, &app::ConversationStorage::keepingChanged, this,
                [this](int, const QString& reason) { showKeeping(reason); });
    }
    connect(&state.chat(), &app::ChatController::contextFull, this, &WindowNotices::showFull);
    if (!state.startProblem().isEmpty()) problem(state.startProblem());
    showModel();
}

void WindowNotices::showModel() {
    const QString& problem = m_state.model().view().problem;
    if (problem.isEmpty()) return;
    m_bar.tell(NoticeKind::Problem, problem, tr("Load another model"),
               [this] { m_dialogs.chooseModel(); });
}

void WindowNotices::showMethodBrought(const QString& key, const QString& method) {
    // Tried first, it shows next to the method that nothing is in force yet.
    if (m_state.config().sending() == app::SendPolicy::WhenTold) return;
    m_bar.tell(NoticeKind::Info,
               tr("Method is now %1: \u201c%2\u201d has no effect without one.")
                   .arg(method, m_state.config().knob(key).label),
               tr("Method none"), [this] {
                   m_state.config().edit(QStringLiteral("method"), QStringLiteral("none"),
                                         app::EditPace::Settled);
               });
}

/// Asked for or due, and refused: a text too short for its ratio, nothing to gain.
void WindowNotices::showNotCompacted(const app::CompactionRow& row) {
    m_bar.withdraw(std::exchange(m_notCompacted, QString()));
    if (row.result != CompactionResult::Skipped || row.reason.empty()) return;
    m_notCompacted = tr("Not compacted: %1.").arg(app::engineText(row.reason));
    m_bar.tell(NoticeKind::Info, m_notCompacted);
}

/// Before tokens are read again for it, and at its end. What came back for a question stands below
/// its answer.
void WindowNotices::showRestored(const app::RestoredRow& row) {
    if (row.conversation != m_state.chat().current()) return;
    if (row.forQuestion) {
        if (row.offered)
            m_bar.tell(NoticeKind::Info, row.sentence, tr("Bring back and answer again"),
                       [this] { m_state.chat().regenerateBroughtBack(); });
        return;
    }
    m_bar.tell(row.problem.isEmpty() ? NoticeKind::Info : NoticeKind::Problem, row.sentence);
}

/// Every way on is in one dialogue, which can be opened again as long as the notice stands.
void WindowNotices::showFull(qint64 conversation, const QString& sentence) {
    if (conversation != m_state.chat().current()) return;
    const auto ways = [this, sentence] { m_dialogs.showContextFull(sentence); };
    m_bar.tell(NoticeKind::Problem, sentence, tr("Make room..."), ways);
    if (!m_demo) ways();
}

/// Once for each reason; the status line says it as long as it holds.
void WindowNotices::showKeeping(const QString& problem) {
    if (problem == m_notKept) return;
    m_bar.withdraw(m_notKept);
    if (!problem.isEmpty()) m_bar.tell(NoticeKind::Problem, problem);
    m_notKept = problem;
}

void WindowNotices::follow(GuidedDemo& demo) {
    m_demo = &demo;
}

}  // namespace lacuna::ui
