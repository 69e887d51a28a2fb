#include "ui/guided_demo.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_model.h"
#include "app/state/config_controller.h"
#include "app/state/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/program_files.h"
#include "app/state/report_controller.h"
#include "app/state/session_feed.h"
#include "ui/main_window.h"
#include "ui/prompt_box.h"

namespace lacuna::ui {

namespace {

constexpr int kTickMs = 50;
constexpr qint64 kStepLimitMs = 90'000;
constexpr qint64 kSmallFile = 256 * 1024;

QString readSmallFile(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.read(kSmallFile));
}

}  // namespace

DemoScript loadDemoScript() {
    DemoScript script;
    const QString path = app::findResource(QStringLiteral("texts/opening_prompts.json"));
    const QJsonObject root = QJsonDocument::fromJson(readSmallFile(path).toUtf8()).object();
    const QString name = root.value(QLatin1String("text")).toString();
    script.title = root.value(QLatin1String("title")).toString();
    script.story = root.value(QLatin1String("story")).toString();
    for (const QJsonValue& value : root.value(QLatin1String("questions")).toArray()) {
        const QJsonObject question = value.toObject();
        script.questions.push_back({question.value(QLatin1String("ask")).toString(),
                                    question.value(QLatin1String("answer")).toString()});
    }
    if (!name.isEmpty())
        script.text = readSmallFile(QFileInfo(path).dir().filePath(name)).trimmed();
    if (script.text.isEmpty() || script.questions.size() < 5) {
        script.problem =
            GuidedDemo::tr(
                "The demo's text was not found: texts/opening_prompts.json is missing or "
                "does not name a text and five questions; looked in %1.")
                .arg(app::resourceFolders().join(QStringLiteral(", ")));
    }
    return script;
}

GuidedDemo::GuidedDemo(app::ApplicationState& state, MainWindow& window, QString folder)
    : QObject(&window),
      m_state(state),
      m_window(window),
      m_folder(std::move(folder)),
      m_script(loadDemoScript()) {
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &GuidedDemo::tick);
    connect(&state.report(), &app::ReportController::finished, this,
            [this] { m_reportDone = true; });
    connect(&state.report(), &app::ReportController::failed, this, [this](const QString& sentence) {
        m_reportDone = true;
        m_reportProblem = sentence;
    });
}

void GuidedDemo::start() {
    if (!m_script.problem.isEmpty()) {
        Q_EMIT failed(m_script.problem);
        return;
    }
    rememberSettings();
    m_state.config().setSending(app::SendPolicy::AfterRest);  // the script's changes apply at once
    addLoading();
    addRecall();
    addEviction();
    addAttentionMatching();
    addReport();
    m_timer.start();
    beginStep();
}

void GuidedDemo::cancel() {
    if (!running()) return;
    m_timer.stop();
    m_state.chat().stop();
    putSettingsBack();
    Q_EMIT finished(tr("The guided demo was stopped. Settings are as they were before."));
}

void GuidedDemo::rememberSettings() {
    for (const char* key : {"method", "budget", "am_ratio", "temperature", "max_tokens"}) {
        const QString name = QString::fromLatin1(key);
        m_before.push_back({name, m_state.config().effective(name)});
    }
}

void GuidedDemo::putSettingsBack() {
    for (const auto& [key, value] : m_before) m_state.config().discard(key);
    m_state.config().editAll(m_before);
}

void GuidedDemo::addLoading() {
    app::ModelController& model = m_state.model();
    m_steps.push_back({tr("loading the bundled model"), [&model] { model.loadBundled(); },
                       [&model] { return model.view().state == app::ModelState::Ready; }});
    m_steps.push_back(
        {tr("a new conversation, temperature 0, compression off"),
         [this] {
             m_state.chat().newConversation();
             m_window.showRetention();
             m_state.config().editAll({{QStringLiteral("method"), QStringLiteral("none")},
                                       {QStringLiteral("budget"), QStringLiteral("off")},
                                       {QStringLiteral("temperature"), QStringLiteral("0")},
                                       {QStringLiteral("max_tokens"), QStringLiteral("160")}});
         },
         [this] {
             return m_state.config().effective(QStringLiteral("temperature")) == QLatin1String("0");
         }});
}

void GuidedDemo::addRecall() {
    addPaste(tr("a long text with facts hidden in it is pasted: %1").arg(m_script.title), 0);
    addQuestion(0, tr("the full cache is asked for the first fact"));
    addQuestion(1, tr("and for the second; the text is reused from the cache"));
}

void GuidedDemo::addEviction() {
    app::ConfigController& config = m_state.config();
    m_steps.push_back(
        {tr("a new conversation with a budget of 1,024 slots a head: half of the text's"),
         [this, &config] {
             m_recalled = m_state.chat().newConversation();
             config.editAll({{QStringLiteral("method"), QStringLiteral("l2")},
                             {QStringLiteral("budget"), QStringLiteral("1024")}});
         },
         [&config] { return config.effective(QStringLiteral("budget")) == QLatin1String("1024"); },
         800});
    addPaste(tr("the same text again"), 2);
    addQuestion(2, tr("the halved cache is asked for the third fact"));
    addQuestion(3, tr("and for the fourth"));
    // The change follows the question at once: an answer of a few words is over before a timer
    // could act.
    m_steps.push_back({tr("the budget moves to 512 as the next answer begins"),
                       [this, &config] {
                           m_state.chat().submit(question(4));
                           config.edit(QStringLiteral("budget"), QStringLiteral("512"),
                                       app::EditPace::Settled);
                       },
                       [this] { return settled(); }, 1200, 4});
}

void GuidedDemo::addAttentionMatching() {
    app::ConfigController& config = m_state.config();
    const auto setRatio = [&config](const char* value) {
        config.edit(QStringLiteral("am_ratio"), QString::fromLatin1(value), app::EditPace::Settled);
    };
    m_steps.push_back(
        {tr("a third conversation, with attention matching at ratio 2"),
         [this, &config] {
             m_state.chat().newConversation();
             config.editAll({{QStringLiteral("method"), QStringLiteral("am")},
                             {QStringLiteral("budget"), QStringLiteral("off")},
                             {QStringLiteral("am_ratio"), QStringLiteral("2")},
                             {QStringLiteral("max_tokens"), QStringLiteral("480")}});
         },
         [&config] { return config.effective(QStringLiteral("method")) == QLatin1String("am"); },
         600});
    m_steps.push_back({tr("a longer answer; the ratio moves to 4 while it is written"),
                       [this, setRatio] {
                           ask(m_script.story);
                           whileWriting(400, [setRatio] { setRatio("4"); });
                       },
                       [this] { return settled(); }, 1200});
    m_steps.push_back({tr("ratio 8.1 is refused, with the reason and the nearest valid value"),
                       [setRatio] { setRatio("8.1"); },
                       [&config] {
                           return config.knob(QStringLiteral("am_ratio")).state ==
                                  app::ChangeState::Rejected;
                       },
                       3000});
    m_steps.push_back(
        {tr("the offered value 8 is taken and the cache compacted"),
         [this, &config] {
             config.useNearest(QStringLiteral("am_ratio"));
             m_state.chat().compactNow();
         },
         [&config] { return config.effective(QStringLiteral("am_ratio")) == QLatin1String("8"); },
         2000});
}

void GuidedDemo::addReport() {
    m_steps.push_back({tr("back to the conversation with the halved cache: words struck out are "
                          "evicted everywhere"),
                       [this] {
                           m_window.showWholeSession();
                           m_state.chat().select(m_recalled);
                           m_window.showRetention();
                       },
                       [] { return true; }, 2500});
    const QString maps = tr("and its cache map: which layers and heads still hold which tokens");
    m_steps.push_back({maps, [this] { m_window.showMaps(); }, [] { return true; }, 2500});
    m_steps.push_back({maps,
                       [this] {
                           m_window.keepPicture(QStringLiteral("cache-map"),
                                                tr("The window with the cache map"));
                       },
                       [] { return true; }, 0});
    m_steps.push_back({tr("the charts again, over the whole session"),
                       [this] { m_window.showTelemetry(); }, [] { return true; }, 500});
    // The folder is named at the end only: a path of this machine has no place in the picture.
    m_steps.push_back({tr("writing the report"),
                       [this] {
                           m_reportDone = false;
                           m_window.exportReport(m_folder);
                       },
                       [this] { return m_reportDone; }, 200});
}

void GuidedDemo::addPaste(const QString& sentence, int index) {
    m_steps.push_back({sentence,
                       [this, index] {
                           m_window.prompt().attach(m_script.title, m_script.text);
                           m_window.prompt().setText(m_script.questions.at(index).ask);
                       },
                       [] { return true; }, 1500});
}

void GuidedDemo::addQuestion(int index, const QString& sentence) {
    m_steps.push_back({sentence,
                       [this, index] {
                           // What stands in the prompt is sent; after a paste that is text and
                           // question.
                           const app::PromptDraft written = m_window.prompt().draft();
                           m_window.prompt().clear();
                           m_state.chat().submit(written.isEmpty() ? question(index) : written);
                       },
                       [this] { return settled(); }, 900, index});
}

app::PromptDraft GuidedDemo::question(int index) const {
    app::PromptDraft draft;
    draft.text = m_script.questions.at(index).ask;
    return draft;
}

void GuidedDemo::ask(const QString& text) {
    app::PromptDraft draft;
    draft.text = text;
    m_state.chat().submit(draft);
}

void GuidedDemo::whileWriting(int characters, const std::function<void()>& change) {
    m_change = change;
    m_changeAt = characters;
}

bool GuidedDemo::settled() const {
    return !m_state.chat().answering() && m_change == nullptr;
}

qsizetype GuidedDemo::answerLength() const {
    const auto& lines = m_state.chat().currentModel().lines();
    return lines.isEmpty() ? 0 : lines.back().text.size();
}

qint64 GuidedDemo::progress() const {
    const auto prefill = m_state.chat().prefill();
    return answerLength() + (prefill ? prefill->done : 0);
}

void GuidedDemo::checkAnswer(const QString& expected) {
    const auto& lines = m_state.chat().currentModel().lines();
    ++m_asked;
    if (!lines.isEmpty() && lines.back().text.contains(expected)) ++m_right;
}

void GuidedDemo::beginStep() {
    ++m_at;
    m_doneAt = -1;
    if (m_at >= m_steps.size()) {
        m_timer.stop();
        putSettingsBack();
        if (!m_reportProblem.isEmpty()) {
            Q_EMIT failed(m_reportProblem);
            return;
        }
        Q_EMIT finished(
            tr("Guided demo done: %1 of %2 questions answered right, %3 compactions. Report in %4")
                .arg(m_right)
                .arg(m_asked)
                .arg(app::countText(m_state.feed().compactionsDone()), m_folder));
        return;
    }
    m_stepClock.start();
    m_progressAt = 0;
    Q_EMIT stepChanged(m_steps.at(m_at).sentence);
    m_steps.at(m_at).begin();
}

void GuidedDemo::tick() {
    const qint64 now = m_stepClock.elapsed();
    const bool reached = answerLength() >= m_changeAt || !m_state.chat().answering();
    if (m_change && reached) std::exchange(m_change, {})();
    const Step& step = m_steps.at(m_at);
    if (m_doneAt < 0 && step.done()) {
        m_doneAt = now;
        if (step.question >= 0) checkAnswer(m_script.questions.at(step.question).answer);
    }
    if (m_doneAt >= 0 && now - m_doneAt >= step.restMs) {
        beginStep();
        return;
    }
    if (const qint64 here = progress(); here != m_progress) {
        m_progress = here;
        m_progressAt = now;
    }
    if (m_doneAt < 0 && now - m_progressAt > kStepLimitMs) {
        m_timer.stop();
        m_state.chat().stop();
        putSettingsBack();
        Q_EMIT failed(
            tr("The demo stopped at \"%1\": nothing happened for %2.")
                .arg(step.sentence, app::durationText(static_cast<double>(kStepLimitMs) / 1e3)));
    }
}

}  // namespace lacuna::ui
