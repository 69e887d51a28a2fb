#include "ui/window_notices.h"

#include "app/state/application_state.h"
#include "app/state/config_controller.h"
#include "app/state/conversation_storage.h"
#include "app/state/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report_controller.h"
#include "ui/guided_demo.h"
#include "ui/notice_bar.h"
#include "ui/window_dialogs.h"

namespace lacuna::ui {

WindowNotices::WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs)
    : m_state(state), m_bar(bar), m_dialogs(dialogs) {
    const auto problem = [this](const QString& sentence) {
        m_bar.tell(NoticeKind::Problem, sentence);
    };
    connect(&state.model(), &app::ModelController::changed, this, &WindowNotices::showModel);
    connect(&state.config(), &app::ConfigController::methodBrought, this,
            &WindowNotices::showMethodBrought);
    connect(&state.report(), &app::ReportController::finished, this,
            [this](const QString& folder, const QStringList& files) {
                m_bar.tell(
                    NoticeKind::Info,
                    tr("Report written: %1 files in %2").arg(app::countText(files.size()), folder));
            });
    connect(&state.report(), &app::ReportController::failed, this, problem);
    if (app::ConversationStorage* keeper = state.keeper()) {
        connect(keeper, &app::ConversationStorage::noticed, this, problem);
        connect(keeper, &app::ConversationStorage::keepingChanged, this,
                [this](int, const QString& reason) { showKeeping(reason); });
    }
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

/// Once for each reason; the status line says it as long as it holds.
void WindowNotices::showKeeping(const QString& problem) {
    if (problem == m_notKept) return;
    m_bar.withdraw(m_notKept);
    if (!problem.isEmpty()) m_bar.tell(NoticeKind::Problem, problem);
    m_notKept = problem;
}

void WindowNotices::follow(GuidedDemo& demo) {
    m_demo = &demo;
    connect(&demo, &GuidedDemo::stepChanged, this, [this](const QString& sentence) {
        m_bar.tell(NoticeKind::Info, tr("Guided demo: %1").arg(sentence), tr("Stop the demo"),
                   [this] {
                       if (m_demo) m_demo->cancel();
                   });
    });
    connect(&demo, &GuidedDemo::finished, this,
            [this](const QString& sentence) { m_bar.tell(NoticeKind::Info, sentence); });
    connect(&demo, &GuidedDemo::failed, this,
            [this](const QString& sentence) { m_bar.tell(NoticeKind::Problem, sentence); });
}

}  // namespace lacuna::ui
