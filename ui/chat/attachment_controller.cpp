#include "ui/chat/attachment_controller.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/state/application_state.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/recording_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/chat/prompt_box.h"
#include "ui/style/widget_roles.h"
#include "ui/window/status_line.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

constexpr int kRestMs = 250;

}  // namespace

AttachmentController::AttachmentController(app::ApplicationState& state, PromptBox& prompt,
                                           ContextStrip& context, NoticeBar& notice)
    : m_state(state), m_prompt(prompt), m_context(context), m_notice(notice) {
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &AttachmentController::count);
    connect(&prompt, &PromptBox::textsChanged, this, [this] {
        m_context.showQuestion(std::nullopt);
        m_rest.start();
    });
    connect(&prompt, &PromptBox::filesDropped, this, &AttachmentController::attachFiles);
    connect(&m_files, &app::TextFiles::arrived, &prompt, &PromptBox::attach);
    connect(&m_files, &app::TextFiles::refused, this, [this](const QString& sentence) {
        m_notice.showMessage(NoticeKind::Problem, sentence);
    });
    connect(&m_files, &app::TextFiles::noted, this,
            [this](const QString& sentence) { m_notice.showMessage(NoticeKind::Info, sentence); });
    connect(&m_counts, &app::TokenCounts::counted, this, [this](const QVector<qint64>& tokens) {
        m_prompt.showTokens(tokens);
        m_context.showQuestion(m_prompt.tokens());
        showRoom();
    });
    connect(&state.feed(), &app::SessionFeed::engineChanged, this, &AttachmentController::showRoom);
    connect(&state.config(), &app::ConfigController::statusChanged, this,
            &AttachmentController::showRoom);
    connect(&state.model(), &app::ModelController::changed, this,
            &AttachmentController::followModel);
    followModel();
}

/// For a report, asks whether to open it as a session or to attach it as text.
void AttachmentController::attachFiles(const QStringList& paths) {
    QStringList texts;
    QStringList reports;
    for (const QString& path : paths) {
        const QString report = app::reportAt(path);
        if (report.isEmpty())
            texts << path;
        else
            reports << report;
    }
    m_files.read(texts);
    if (reports.isEmpty()) return;
    const QString first = reports.front();
    m_notice.showMessage(
        NoticeKind::Info,
        tr("%1 is a session report.")
            .arg(oneLine(QDir::toNativeSeparators(first), kMaxTitleLength)),
        {tr("Open the session"), [this, first] { m_state.recording().open(first); },
         [first] { return QFileInfo::exists(first); }},
        {tr("Attach as text"), [this, reports] { m_files.read(reports); },
         [reports] {
             return std::all_of(reports.begin(), reports.end(),
                                [](const QString& path) { return QFileInfo::exists(path); });
         }});
}

/// Token counts depend on the model.
void AttachmentController::followModel() {
    const app::ModelView& model = m_state.model().view();
    if (model.state == app::ModelState::Loading) return;
    m_counts.setModel(model.state == app::ModelState::Ready ? model.path : QString());
    m_rest.start();
}

/// Explains why the prompt cannot be sent: cached and typed tokens exceed the context. A remote
/// engine manages its own context, and a context shift drops older tokens.
void AttachmentController::showRoom() {
    const app::EngineView& engine = m_state.feed().engine();
    const std::optional<qint64> tokens = m_prompt.tokens();
    const qint64 room = std::max<qint64>(0, engine.contextLimit - engine.contextTokens);
    const QString shift = m_state.config().effective(QStringLiteral("context_shift"));
    const bool shifts = !shift.isEmpty() && shift != QLatin1String("off");
    if (!tokens || engine.remote || engine.contextLimit <= 0 || shifts || *tokens <= room)
        return m_prompt.setNoRoom({});
    const QString facts = tr("Too long: about %1 tokens, but the context has room for %2.")
                              .arg(app::countText(*tokens), app::countText(room));
    const QString longest = m_prompt.longestAttached();
    const QString way = !longest.isEmpty() ? tr("Shorten or remove \u201c%1\u201d.").arg(longest)
                        : *tokens <= engine.contextLimit
                            ? tr("Shorten the question, or start a new conversation.")
                            : tr("Shorten the question, or raise the context.");
    m_prompt.setNoRoom(facts + QLatin1Char(' ') + way);
}

/// Empty text must not load the tokenizer.
void AttachmentController::count() {
    const QStringList texts = m_prompt.texts();
    const bool empty =
        std::all_of(texts.begin(), texts.end(), [](const QString& text) { return text.isEmpty(); });
    if (!empty) m_counts.count(texts);
}

}  // namespace lacuna::ui
