#include "ui/window/guided_demo.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/files/program_files.h"
#include "app/state/list_text.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/chat/prompt_box.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {

namespace {

constexpr int kTickMs = 50;
constexpr qint64 kStepLimitMs = 180'000;
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
    script.read = root.value(QLatin1String("read")).toString();
    script.story = root.value(QLatin1String("story")).toString();
    const QJsonArray messages = root.value(QLatin1String("talk")).toArray();
    for (const auto line : messages) script.messages << line.toString();
    const QJsonArray questions = root.value(QLatin1String("questions")).toArray();
    for (const auto value : questions) {
        const QJsonObject question = value.toObject();
        script.questions.push_back({question.value(QLatin1String("ask")).toString(),
                                    question.value(QLatin1String("answer")).toString(),
                                    question.value(QLatin1String("what")).toString()});
    }
    if (!name.isEmpty())
        script.text = readSmallFile(QFileInfo(path).dir().filePath(name)).trimmed();
    if (script.text.isEmpty() || script.read.isEmpty() || script.questions.isEmpty()) {
        script.problem =
            GuidedDemo::tr(
                "The text of the demo was not found: texts/opening_prompts.json is missing or "
                "names no text and questions; searched in %1.")
                .arg(app::listed(app::resourceFolders()));
    }
    return script;
}

GuidedDemo::GuidedDemo(app::ApplicationState& state, MainWindow& window, Plan plan)
    : QObject(&window),
      m_state(state),
      m_window(window),
      m_plan(std::move(plan)),
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
    storeSettings();
    m_state.config().setSending(app::SendPolicy::AfterRest);  // the script's changes apply
                                                              // immediately
    if (m_plan.length == DemoLength::Short) {
        addShortDemo();
    } else {
        addLoading();
        addMessages();
        addFullCache();
        addEviction();
        addAttentionMatching();
        addLiveChanges();
        addReport();
    }
    m_timer.start();
    beginStep();
}

void GuidedDemo::cancel() {
    if (!running()) return;
    m_cancelled = true;
    m_timer.stop();
    m_state.chat().stop();
    removeDemoText();
    restoreSettings();
    Q_EMIT finished(tr("The demo was stopped. Your settings are restored."));
}

void GuidedDemo::storeSettings() {
    for (const char* key : {"method", "budget", "norm_policy", "am_ratio", "background",
                            "loss_limit", "temperature", "max_tokens"}) {
        const QString name = QString::fromLatin1(key);
        m_before.push_back({name, m_state.config().effective(name)});
    }
}

/// Removes the text that the demo wrote into the prompt but did not send.
void GuidedDemo::removeDemoText() {
    const app::PromptDraft draft = m_window.prompt().draft();
    if (draft.text == m_script.read && draft.attachmentName == m_script.title)
        m_window.prompt().clear();
}

void GuidedDemo::restoreSettings() {
    for (const auto& [key, value] : m_before) m_state.config().discard(key);
    m_state.config().editAll(m_before);
}

int GuidedDemo::step() const {
    const auto end = m_steps.begin() + std::min(m_at + 1, m_steps.size());
    return static_cast<int>(std::count_if(m_steps.begin(), end,
                                          [](const Step& one) { return !one.sentence.isEmpty(); }));
}

int GuidedDemo::steps() const {
    return static_cast<int>(std::count_if(m_steps.begin(), m_steps.end(),
                                          [](const Step& one) { return !one.sentence.isEmpty(); }));
}

void GuidedDemo::skip() {
    m_skips = true;
}

namespace {

/// Time to read a sentence and look at the part it describes.
constexpr int kReadMs = 2600;
constexpr int kShortRestMs = 1800;

}  // namespace

void GuidedDemo::addShortDemo() {
    const DemoScript::Question first = m_script.questions.front();
    const DemoScript::Question second =
        m_script.questions.at(m_script.questions.size() > 1 ? 1 : 0);
    const QVector<std::pair<QString, QString>> whole{
        {QStringLiteral("method"), QStringLiteral("none")},
        {QStringLiteral("budget"), QStringLiteral("off")},
        {QStringLiteral("temperature"), QStringLiteral("0")},
        {QStringLiteral("max_tokens"), QStringLiteral("60")},
        {QStringLiteral("background"), QStringLiteral("off")}};
    const QVector<std::pair<QString, QString>> quarter{
        {QStringLiteral("method"), QStringLiteral("am")},
        {QStringLiteral("am_ratio"), QStringLiteral("4")},
        // The demo shows the announced sizes, whatever the loss.
        {QStringLiteral("loss_limit"), QStringLiteral("off")}};
    if (m_state.model().view().state != app::ModelState::Ready) addLoading();
    m_steps.push_back({tr("The model reads four pages with hidden facts. The KV cache is its "
                          "memory of them: watch its size rise in the charts below."),
                       [this, whole] {
                           m_series.push_back({tr("the full cache"), 0, {}});
                           m_state.chat().rename(m_state.chat().newConversation(), tr("Demo"));
                           m_state.config().editAll(whole);
                           m_window.prompt().attach(m_script.title, m_script.text);
                           m_window.prompt().setText(m_script.read);
                       },
                       [this, whole] { return inEffect(whole); }, kReadMs});
    m_steps.push_back({{},
                       [this] {
                           const app::PromptDraft text = m_window.prompt().draft();
                           m_window.prompt().clear();
                           m_state.chat().submit(text);
                       },
                       [this] { return settled(); },
                       0});
    m_steps.push_back({tr("The model is asked for one of the facts: %1").arg(first.ask),
                       [this, first] { ask(first.ask); }, [this] { return settled(); },
                       kShortRestMs, 0});
    m_steps.push_back(
        {tr("Now the cache is made four times smaller. Attention matching keeps a quarter of the "
            "slots and fits them so that attention hardly changes: the size falls."),
         [this, quarter] {
             m_series.push_back({tr("a quarter of the cache"), 0, {}});
             m_compactionsBefore = m_state.feed().compactionsDone();
             m_state.config().editAll(quarter);
             m_state.chat().compactNow();
         },
         [this] { return m_state.feed().compactionsDone() > m_compactionsBefore; }, kReadMs});
    m_steps.push_back(
        {tr("With the remaining quarter, the model is asked for another fact: %1").arg(second.ask),
         [this, second] { ask(second.ask); }, [this] { return settled(); }, kShortRestMs,
         m_script.questions.size() > 1 ? 1 : 0});
    m_steps.push_back({tr("Tints show what the cache still holds of each word: kept, merged into "
                          "others, or evicted. F7 shows them at any time."),
                       [this] { m_window.showRetention(); }, [] { return true; }, kReadMs});
}

void GuidedDemo::addLoading() {
    app::ModelController& model = m_state.model();
    m_steps.push_back(
        {m_plan.model.isEmpty() ? tr("loading the bundled model") : tr("loading the model"),
         [this, &model] {
             if (m_plan.length == DemoLength::Short && model.loading()) return;
             if (m_plan.model.isEmpty()) {
                 model.loadBundled();
             } else {
                 model.load(m_plan.model);
             }
         },
         [&model] { return model.view().state == app::ModelState::Ready; }});
}

void GuidedDemo::addMessages() {
    const QVector<std::pair<QString, QString>> settings{
        {QStringLiteral("method"), QStringLiteral("none")},
        {QStringLiteral("budget"), QStringLiteral("off")},
        {QStringLiteral("temperature"), QStringLiteral("0")},
        {QStringLiteral("max_tokens"), QStringLiteral("160")}};
    m_steps.push_back({tr("a short chat first: temperature 0, compression off"),
                       [this, settings] {
                           m_state.chat().newConversation();
                           m_window.showRetention();
                           m_state.config().editAll(settings);
                       },
                       [this, settings] { return inEffect(settings); }});
    for (const QString& line : m_script.messages)
        m_steps.push_back({tr("question: %1").arg(line), [this, line] { ask(line); },
                           [this] { return settled(); }, 1500});
}

void GuidedDemo::addFullCache() {
    addSeries(tr("the full cache"), tr("nothing is evicted"),
              {{QStringLiteral("method"), QStringLiteral("none")}});
}

void GuidedDemo::addEviction() {
    addSeries(tr("eviction"), tr("512 slots per head are kept, chosen by their keys alone"),
              {{QStringLiteral("method"), QStringLiteral("l2")},
               {QStringLiteral("norm_policy"), QStringLiteral("keydiff")},
               {QStringLiteral("budget"), QStringLiteral("512")},
               // The demo shows the loss of such an eviction, which the limit would prevent.
               {QStringLiteral("loss_limit"), QStringLiteral("off")}});
    m_steps.push_back(
        {{}, [this] { m_evicted = m_state.chat().current(); }, [] { return true; }, 0});
}

void GuidedDemo::addAttentionMatching() {
    addSeries(tr("attention matching"), tr("attention matching makes the cache 4 times smaller"),
              {{QStringLiteral("method"), QStringLiteral("am")},
               {QStringLiteral("budget"), QStringLiteral("off")},
               {QStringLiteral("am_ratio"), QStringLiteral("4")},
               // Runs synchronously on all threads: on a busy machine a script cannot wait for
               // background work, which gets only spare CPU time.
               {QStringLiteral("background"), QStringLiteral("off")},
               {QStringLiteral("loss_limit"), QStringLiteral("off")}});
}

void GuidedDemo::addSeries(const QString& cache, const QString& sentence,
                           const QVector<std::pair<QString, QString>>& settings) {
    const bool compacts = settings.first().second != QLatin1String("none");
    m_steps.push_back(
        {compacts ? tr("a new conversation; once the text is read, %1").arg(sentence)
                  : tr("a long text with hidden facts: %1; %2").arg(m_script.title, sentence),
         [this, cache, settings] {
             m_series.push_back({cache, 0, {}});
             m_state.chat().rename(m_state.chat().newConversation(), cache);
             m_window.showRetention();
             m_state.config().editAll(settings);
             m_window.prompt().attach(m_script.title, m_script.text);
             m_window.prompt().setText(m_script.read);
         },
         [this, settings] { return inEffect(settings); }, 1500});
    m_steps.push_back({compacts ? tr("the text is read and compacted before any question")
                                : tr("the text is read before any question"),
                       [this] {
                           m_compactionsBefore = m_state.feed().compactionsDone();
                           const app::PromptDraft text = m_window.prompt().draft();
                           m_window.prompt().clear();
                           m_state.chat().submit(text);
                       },
                       [this, compacts] {
                           return settled() && (!compacts || m_state.feed().compactionsDone() >
                                                                 m_compactionsBefore);
                       },
                       900});
    for (int i = 0; i < m_script.questions.size(); ++i)
        addQuestion(i, tr("question with %1: %2").arg(cache, m_script.questions.at(i).ask));
    m_steps.push_back(
        {{}, [this] { Q_EMIT stepChanged(outcome(m_series.last())); }, [] { return true; }, 2500});
}

void GuidedDemo::addLiveChanges() {
    app::ConfigController& config = m_state.config();
    const QString ratio = QStringLiteral("am_ratio");
    const auto setRatio = [&config, ratio](const QString& value) {
        config.edit(ratio, value, app::EditPace::Settled);
    };
    m_steps.push_back({tr("a longer answer; the ratio changes to 8 while it is written"),
                       [this, setRatio] {
                           m_state.config().editAll(
                               {{QStringLiteral("max_tokens"), QStringLiteral("480")},
                                {QStringLiteral("background"), QStringLiteral("on")}});
                           ask(m_script.story);
                           whileWriting(200, [setRatio] { setRatio(QStringLiteral("8")); });
                       },
                       [this] { return settled(); }, 1200});
    const QString tooMuch = app::realText(config.spec(ratio).maximum + 0.1, 1);
    m_steps.push_back(
        {tr("ratio %1 is rejected, with the reason and the nearest valid value").arg(tooMuch),
         [setRatio, tooMuch] { setRatio(tooMuch); },
         [&config, ratio] { return config.spec(ratio).state == app::ChangeState::Rejected; },
         3000});
    m_steps.push_back({tr("the suggested value is used and the cache is compacted"),
                       [this, &config, ratio] {
                           config.useNearest(ratio);
                           m_state.chat().compactNow();
                       },
                       // A rejection also ends the step: model or text may not permit this ratio,
                       // and the demo continues.
                       [&config, ratio] {
                           const app::ChangeState state = config.spec(ratio).state;
                           return state == app::ChangeState::Settled ||
                                  state == app::ChangeState::Applied ||
                                  state == app::ChangeState::Rejected;
                       },
                       2000});
}

void GuidedDemo::addReport() {
    m_steps.push_back(
        {tr("back to the conversation with eviction: struck-out words are evicted in all heads"),
         [this] {
             m_window.showWholeSession();
             m_state.chat().select(m_evicted);
             m_window.showRetention();
         },
         [] { return true; }, 2500});
    m_steps.push_back({tr("and its cache map: which layers and heads still hold which tokens"),
                       [this] { m_window.showMaps(); }, [] { return true; }, 2500});
    m_steps.push_back({{},
                       [this] {
                           m_window.addPicture(QStringLiteral("cache-map"),
                                               tr("The window with the cache map"));
                       },
                       [] { return true; },
                       0});
    m_steps.push_back({tr("the charts again, over the whole session"),
                       [this] { m_window.showTelemetry(); }, [] { return true; }, 500});
    // The folder is named only at the end, so no local path appears in the picture.
    m_steps.push_back({tr("writing the report"),
                       [this] {
                           m_reportDone = false;
                           m_window.exportReport(m_plan.folder);
                       },
                       [this] { return m_reportDone; }, 200});
}

void GuidedDemo::addQuestion(int index, const QString& sentence) {
    m_steps.push_back({sentence, [this, index] { ask(m_script.questions.at(index).ask); },
                       [this] { return settled(); }, 700, index});
}

bool GuidedDemo::inEffect(const QVector<std::pair<QString, QString>>& settings) const {
    return std::ranges::all_of(settings, [this](const auto& one) {
        return m_state.config().effective(one.first) == one.second;
    });
}

QString GuidedDemo::outcome(const Series& series) const {
    const QString counts = tr("%2 of %3 right with %1")
                               .arg(series.cache)
                               .arg(series.right)
                               .arg(series.right + series.lost.size());
    return series.lost.isEmpty() ? counts
                                 : tr("%1 (lost: %2)").arg(counts, app::listed(series.lost));
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

void GuidedDemo::checkAnswer(const DemoScript::Question& question) {
    const auto& lines = m_state.chat().currentModel().lines();
    if (!lines.isEmpty() && lines.back().text.contains(question.answer)) {
        ++m_series.last().right;
    } else {
        m_series.last().lost << question.what;
    }
}

void GuidedDemo::beginStep() {
    ++m_at;
    m_doneAt = -1;
    m_skips = false;
    if (m_at >= m_steps.size()) {
        m_timer.stop();
        restoreSettings();
        if (!m_reportProblem.isEmpty()) {
            Q_EMIT failed(m_reportProblem);
            return;
        }
        QStringList outcomes;
        for (const Series& series : m_series) outcomes << outcome(series);
        if (m_plan.length == DemoLength::Short) {
            Q_EMIT finished(
                tr("Demo finished: %1. Your settings are restored.").arg(app::clauses(outcomes)));
            return;
        }
        Q_EMIT finished(tr("Demo finished: %1. %2 compactions. Report in %3")
                            .arg(app::clauses(outcomes),
                                 app::countText(m_state.feed().compactionsDone()), m_plan.folder));
        return;
    }
    m_stepClock.start();
    m_progressAt = 0;
    if (!m_steps.at(m_at).sentence.isEmpty()) Q_EMIT stepChanged(m_steps.at(m_at).sentence);
    m_steps.at(m_at).begin();
}

void GuidedDemo::tick() {
    const qint64 now = m_stepClock.elapsed();
    const bool reached = answerLength() >= m_changeAt || !m_state.chat().answering();
    if (m_change && reached) std::exchange(m_change, {})();
    const Step& step = m_steps.at(m_at);
    if (m_doneAt < 0 && step.done()) {
        m_doneAt = now;
        if (step.question >= 0) checkAnswer(m_script.questions.at(step.question));
    }
    if (m_doneAt >= 0 && (m_skips || now - m_doneAt >= step.restMs)) {
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
        removeDemoText();
        restoreSettings();
        Q_EMIT failed(
            tr("The demo stopped at \"%1\": nothing happened for %2.")
                .arg(step.sentence, app::durationText(static_cast<double>(kStepLimitMs) / 1e3)));
    }
}

}  // namespace lacuna::ui
