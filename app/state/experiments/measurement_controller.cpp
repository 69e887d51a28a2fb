#include "app/state/experiments/measurement_controller.h"

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/state/engine/compaction_text.h"
#include "app/state/engine/engine_text.h"
#include "app/state/experiments/measure_rows.h"
#include "app/state/list_text.h"
#include "app/state/settings/config_controller.h"
#include "app/state/view_rows.h"
#include "engine/base/clock.h"
#include "engine/session/command.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {

namespace {

/// Delay after an answer, so that a follow-up turn does not have to wait.
constexpr int kLossDelayMs = 600;

/// Returns the ratios to try: the doublings of the slider and its maximum.
std::vector<double> triedRatios() {
    std::vector<double> ratios;
    const SettingSpec* spec = findSetting("am_ratio");
    for (double ratio = 2; ratio < spec->maximum; ratio *= 2) ratios.push_back(ratio);
    ratios.push_back(spec->maximum);
    return ratios;
}

/// Returns the options that a trial depends on, apart from the ratio.
KvOptions besideRatio(KvOptions kv) {
    kv.method = CompactionMethod::AttentionMatching;
    kv.amRatio = 0;
    return kv;
}

}  // namespace

struct PreviewController::Impl {
    Impl(PreviewController& self, CommandSink& host) : owner(self), engine(host) {}

    PreviewController& owner;
    CommandSink& engine;
    EngineConfig asked = {};
    qint64 shown = 0;
    PreviewView view = {};  ///< prediction for the shown conversation
    struct Estimate {
        KvOptions kv;  ///< options of the request
        PreviewView view;
    };
    QHash<qint64, Estimate> estimates = {};

    /// Predicted losses of one conversation: the fixed ratios in order, then the requested one,
    /// whose kept information is measured as well while the slider moves.
    struct RatioTrial {
        KvOptions kv;  ///< result of besideRatio() for the measured points
        PredictedLossView view;

        /// Returns true if `ratio` needs a trial of its own: all fixed ratios are done, and it is
        /// neither among them nor known to be refused.
        [[nodiscard]] bool wants(double ratio) const {
            return view.total > 0 && view.done == view.total && view.problem.isEmpty() &&
                   ratio > 1 && view.at(ratio) == nullptr && view.refusedAt(ratio) == nullptr;
        }
        /// Returns true if the information kept at this ratio still has to be measured.
        [[nodiscard]] bool measures(double ratio) const {
            const RatioLoss* point = view.at(ratio);
            return !view.running() && view.problem.isEmpty() && point != nullptr &&
                   point->refusal.isEmpty() && !point->measured;
        }
        std::optional<KvOptions> sent = std::nullopt;  ///< options of the pending request
    };
    QHash<qint64, RatioTrial> trials = {};
    PredictedLossView predictedLoss = {};  ///< losses of the shown conversation
    bool answering = false;
    bool wanted = false;  ///< true if requested although the method compacts nothing
    QTimer rest;

    /// Results measured under other settings are not shown.
    void showPredictedLoss() {
        const auto found = trials.constFind(shown);
        const bool known = found != trials.constEnd() && found->kv == besideRatio(asked.kv);
        predictedLoss = known ? found->view : PredictedLossView{};
        predictedLoss.conversation = shown;
        Q_EMIT owner.predictedLossChanged();
    }

    /// A pending prediction must remain the latest request of the engine.
    [[nodiscard]] bool estimateWaits() const {
        const auto found = estimates.constFind(shown);
        if (found == estimates.constEnd()) return false;
        return found->view.stage == PreviewStage::Asked ||
               (found->view.stage == PreviewStage::Estimated && found->kv == asked.kv);
    }

    /// Requests the next trial unless one is pending.
    void tryNext() {
        const bool compacts = asked.kv.method == CompactionMethod::AttentionMatching;
        if (answering || !(compacts || wanted) || estimateWaits()) return;
        const auto found = trials.find(shown);  // Contains only conversations with a cache.
        if (found == trials.end() || found->sent) return;
        const KvOptions kv = besideRatio(asked.kv);
        RatioTrial& trial = *found;
        const std::vector<double> ratios = triedRatios();
        if (trial.view.total == 0 || !(trial.kv == kv)) {
            trial.kv = kv;
            trial.view = {};
            trial.view.total = static_cast<int>(ratios.size());
        }
        const bool next = trial.view.running();
        const bool measures = wanted && trial.measures(asked.kv.amRatio);
        if (!next && !measures && !trial.wants(asked.kv.amRatio)) return;
        trial.sent = kv;
        trial.sent->amRatio =
            next ? ratios[static_cast<std::size_t>(trial.view.done)] : asked.kv.amRatio;
        engine.send(RequestPreview{
            .conversation = ConversationId(shown), .kv = *trial.sent, .measuresLoss = measures});
        showPredictedLoss();
    }

    /// Returns true if `event` is the reply to a ratio trial.
    bool tried(const CompactionPreviewed& event) {
        const auto found = trials.find(event.conversation.value);
        if (found == trials.end() || !found->sent || !(*found->sent == event.kv)) return false;
        if (event.preview.keptFollows) return true;
        found->sent.reset();
        if (besideRatio(event.kv) == found->kv && found->view.total > 0) {
            if (RatioLoss* known = found->view.at(event.kv.amRatio)) {
                known->measured = true;
                known->kept = keptOf(event.preview.kept);
            } else {
                addPoint(found->view, event);
            }
        }
        if (event.conversation.value == shown) showPredictedLoss();
        tryNext();
        return true;
    }

    static void addPoint(PredictedLossView& view, const CompactionPreviewed& event) {
        if (view.done < view.total) ++view.done;
        if (event.error) {
            view.problem = engineText(event.error->what);
            return;
        }
        RatioLoss point{.ratio = event.kv.amRatio,
                        .error = event.preview.outputError,
                        .spread = event.preview.outputErrorSpread,
                        .refusal = {}};
        if (!event.preview.compacts) point.refusal = compactionText(event.preview.notes);
        const auto place = std::upper_bound(
            view.points.begin(), view.points.end(), point,
            [](const RatioLoss& a, const RatioLoss& b) { return a.ratio < b.ratio; });
        view.points.insert(place, point);
    }

    void refresh() {
        const auto found = estimates.constFind(shown);
        view = found == estimates.constEnd() ? PreviewView{} : found->view;
        view.conversation = shown;
        // An actual result remains valid whatever is requested next.
        view.stale = found != estimates.constEnd() && view.stage != PreviewStage::Carried &&
                     !(found->kv == asked.kv);
    }
};

PreviewController::PreviewController(CommandSink& engine, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, engine)) {
    m_impl->rest.setSingleShot(true);
    m_impl->rest.setInterval(kLossDelayMs);
    connect(&m_impl->rest, &QTimer::timeout, this, [this] { m_impl->tryNext(); });
}

PreviewController::~PreviewController() = default;

const PreviewView& PreviewController::view() const {
    return m_impl->view;
}

void PreviewController::estimate() {
    Impl::Estimate estimate;
    estimate.kv = m_impl->asked.kv;
    estimate.view.stage = PreviewStage::Asked;
    estimate.view.settings = app::settingsText(m_impl->asked);
    m_impl->estimates.insert(m_impl->shown, estimate);
    m_impl->engine.send(RequestPreview{
        .conversation = ConversationId(m_impl->shown), .kv = estimate.kv, .measuresLoss = true});
    m_impl->refresh();
    Q_EMIT changed();
}

const PredictedLossView& PreviewController::predictedLoss() const {
    return m_impl->predictedLoss;
}

EngineJob PreviewController::job() const {
    const auto& estimates = m_impl->estimates;
    if (std::any_of(estimates.cbegin(), estimates.cend(), [](const Impl::Estimate& one) {
            return one.view.stage == PreviewStage::Asked;
        }))
        return EngineJob::Estimate;
    const auto& trials = m_impl->trials;
    const bool tries = std::any_of(trials.cbegin(), trials.cend(), [](const Impl::RatioTrial& one) {
        return one.sent.has_value();
    });
    return tries ? EngineJob::RatioTrials : EngineJob::None;
}

void PreviewController::predictLoss() {
    m_impl->wanted = true;
    if (!m_impl->answering && !m_impl->rest.isActive()) m_impl->rest.start();
}

void PreviewController::setAnswering(bool answering) {
    if (answering == m_impl->answering) return;
    m_impl->answering = answering;
    m_impl->wanted = false;
    if (answering)
        m_impl->rest.stop();
    else
        m_impl->rest.start();
}

void PreviewController::onGrown(qint64 conversation) {
    m_impl->trials[conversation].view = {};
    if (conversation != m_impl->shown) return;
    m_impl->showPredictedLoss();
    if (!m_impl->answering) m_impl->rest.start();
}

void PreviewController::onHeadProfiles() {
    for (auto& trial : m_impl->trials) trial.view = {};
    m_impl->showPredictedLoss();
    if (!m_impl->answering) m_impl->rest.start();
}

void PreviewController::showConversation(qint64 conversation) {
    if (conversation == m_impl->shown) return;
    m_impl->shown = conversation;
    m_impl->wanted = false;
    m_impl->refresh();
    Q_EMIT changed();
    m_impl->showPredictedLoss();
    m_impl->rest.start();
}

void PreviewController::setRequested(const EngineConfig& config) {
    if (m_impl->asked.kv == config.kv) return;
    const bool same = besideRatio(m_impl->asked.kv) == besideRatio(config.kv) &&
                      m_impl->asked.kv.method == config.kv.method;
    m_impl->asked = config;
    m_impl->refresh();
    Q_EMIT changed();
    if (!same) m_impl->showPredictedLoss();
    if (!m_impl->answering) m_impl->rest.start();
}

void PreviewController::clear() {
    m_impl->estimates.clear();
    m_impl->trials.clear();
    m_impl->refresh();
    Q_EMIT changed();
    m_impl->showPredictedLoss();
}

void PreviewController::onPreviewed(const CompactionPreviewed& event) {
    if (m_impl->tried(event)) return;
    const auto asked = m_impl->estimates.find(event.conversation.value);
    // This is the reply to an older request.
    if (asked == m_impl->estimates.end() || !(asked->kv == event.kv)) return;
    if (asked->view.stage == PreviewStage::Carried)
        return;  // The compaction finished before its prediction was measured.
    const QString settings = asked->view.settings;
    asked->view = viewOf(event);
    asked->view.settings = settings;
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::onOutcome(const PreviewOutcome& event) {
    const auto made = m_impl->estimates.find(event.conversation.value);
    if (made == m_impl->estimates.end() || made->view.stage != PreviewStage::Estimated) return;
    made->view.stage = PreviewStage::Carried;
    made->view.result = outcomeOf(event);
    m_impl->refresh();
    Q_EMIT changed();
    m_impl->rest.start();
}

namespace {

/// Used by no conversation, so that a cancel with this id ends only measurements.
constexpr ConversationId kNobody{-1};

EngineConfig uncompressed(EngineConfig config) {
    config.kv.method = CompactionMethod::None;
    config.kv.budget.reset();
    config.kv.amRatio = EngineConfig{}.kv.amRatio;
    return config;
}

void take(ConfigController& side, const EngineConfig& config) {
    side.revert();
    side.adopt(config);
}

}  // namespace

struct MeasurementController::Impl {
    MeasurementController& owner;
    CommandSink& engine;
    MachineFacts machine;
    Ports ports;
    std::optional<ModelFacts> model;
    SteadyClock clock;
    QString busy, gone;
    MeasuringView view;
    QElapsedTimer since;
    QVector<SweptSetting> planned;  ///< settings of the running sweep
    qint64 sweptConversation = 0;
    std::array<std::unique_ptr<ConfigController>, 2> sides;

    Impl(MeasurementController& self, CommandSink& host, const MachineFacts& facts, Ports given)
        : owner(self), engine(host), machine(facts), ports(std::move(given)) {
        for (auto& side : sides) side = makeSide();
    }

    /// No engine uses the settings of a side, so requests are applied immediately.
    std::unique_ptr<ConfigController> makeSide() {
        auto holder = std::make_shared<ConfigController*>(nullptr);
        auto side = std::make_unique<ConfigController>(
            machine, ports.inEffect(),
            ConfigController::Ports{[this, holder](const SetConfig& command) {
                                        ConfigApplied applied;
                                        applied.revision = command.revision;
                                        applied.config = command.config;
                                        applied.timeNs = clock.nowNs();
                                        applied.changes =
                                            settingsDiff((*holder)->inEffect(), command.config);
                                        for (SettingChange& one : applied.changes)
                                            one.deferred = false;
                                        (*holder)->onApplied(applied);
                                    },
                                    [this] { return clock.nowNs(); },
                                    {}});
        *holder = side.get();
        return side;
    }

    void begin(Measuring what) {
        view = {.what = what, .done = 0, .total = 0, .seconds = 0, .cancelling = false};
        since.start();
        Q_EMIT owner.changed();
    }

    void end() {
        view = {};
        Q_EMIT owner.changed();
    }

    /// Adds the values that apply each setting to the rows of the engine.
    [[nodiscard]] SweepView sweepView(const std::vector<GridRow>& rows) const {
        SweepView shown;
        shown.conversation = sweptConversation;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            SweptSetting row = rowOf(rows[i]);
            if (const auto at = static_cast<qsizetype>(i); at < planned.size()) {
                row.values = planned[at].values;
                row.valuesBlocker = planned[at].valuesBlocker;
            }
            shown.rows.push_back(std::move(row));
        }
        return shown;
    }

    /// Returns the messages up to the user message that both sides answer; empty if there is none.
    [[nodiscard]] std::vector<ChatMessage> asked(const QString& question) const {
        std::vector<ChatMessage> messages = ports.messages();
        const auto answered = [&] {
            return !messages.empty() && messages.back().role == "assistant";
        };
        if (question.trimmed().isEmpty()) {
            while (answered()) messages.pop_back();
            return messages;
        }
        // An unanswered user message is replaced by the new one.
        if (!messages.empty() && messages.back().role == "user") messages.pop_back();
        messages.push_back({"user", fromQt(question.trimmed())});
        return messages;
    }
};

MeasurementController::MeasurementController(CommandSink& engine, const MachineFacts& machine,
                                             Ports ports, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, engine, machine, std::move(ports))) {}

MeasurementController::~MeasurementController() = default;

const MeasuringView& MeasurementController::view() const {
    return m_impl->view;
}

QString MeasurementController::disabledReason() const {
    if (!m_impl->gone.isEmpty()) return m_impl->gone;
    if (!m_impl->model) return tr("Load a model first.");
    switch (m_impl->view.what) {
        case Measuring::Nothing:
            return m_impl->busy;
        case Measuring::Comparison:
            return tr("A comparison is running.");
        case Measuring::Sweep:
            return tr("A sweep is running.");
    }
    return {};
}

ConfigController& MeasurementController::side(int number) {
    return *m_impl->sides.at(static_cast<std::size_t>(number));
}

void MeasurementController::resetSidesToSettings() {
    const EngineConfig inEffect = m_impl->ports.inEffect();
    EngineConfig compressed = inEffect;
    if (compressed.kv.method == CompactionMethod::None)
        compressed.kv.method = CompactionMethod::AttentionMatching;
    take(side(0), uncompressed(inEffect));
    take(side(1), compressed);
}

void MeasurementController::compare(const QString& question) {
    ComparisonView refused;
    refused.problem = disabledReason();
    for (int i = 0; i < 2 && refused.problem.isEmpty(); ++i) {
        side(i).submitNow();
        if (side(i).status().state == ChangeState::Rejected)
            refused.problem = tr("%1 has an invalid setting: %2")
                                  .arg(i == 0 ? tr("A") : tr("B"), side(i).status().sentence);
    }
    CompareSettings request;
    request.messages = m_impl->asked(question);
    request.sides = {side(0).inEffect(), side(1).inEffect()};
    if (refused.problem.isEmpty() && request.messages.empty())
        refused.problem =
            tr("There is no question yet. Write one here or ask one in the conversation.");
    if (!refused.problem.isEmpty()) {
        Q_EMIT compared(refused);
        return;
    }
    m_impl->engine.send(std::move(request));
    m_impl->begin(Measuring::Comparison);
}

QVector<std::pair<QString, QString>> MeasurementController::methods() {
    return {{QStringLiteral("am"), tr("Attention matching, current head budgets")},
            {QStringLiteral("am-uniform"), tr("Attention matching, equal heads")},
            {QStringLiteral("keydiff"), tr("Evict the most similar keys")},
            {QStringLiteral("keep_low"), tr("Keep keys with low norms")},
            {QStringLiteral("keep_high"), tr("Keep keys with high norms")},
            {QStringLiteral("recent"), tr("Keep only the newest")},
            {QStringLiteral("random"), tr("Keep random tokens (baseline)")}};
}

QString MeasurementController::methodLabel(const QString& name) {
    if (name == QLatin1String("am")) return choiceWords("method", "am");
    if (name == QLatin1String("am-uniform")) return tr("Attention matching, equal heads");
    // Rows of quality tables: "am coverage" denotes head budgets of that kind.
    if (name.startsWith(QLatin1String("am ")))
        return titled(choiceWords("method", "am"),
                      choiceWords("head_budgets", fromQt(name.mid(3))));
    const bool recent = name == QLatin1String("recent");
    return choiceWords("norm_policy", recent ? std::string("recent_only") : fromQt(name));
}

void MeasurementController::sweep(const SweepAsk& ask) {
    SweepView refused;
    refused.problem = disabledReason();
    if (!refused.problem.isEmpty()) {
        Q_EMIT swept(refused);
        return;
    }
    auto plan = sweepPlan(ask, m_impl->ports.inEffect(), *m_impl->model, m_impl->machine,
                          m_impl->ports.contextTokens());
    if (!plan) {
        refused.problem = engineText(plan.error().what);
        Q_EMIT swept(refused);
        return;
    }
    m_impl->planned = plan->rows;
    m_impl->sweptConversation = m_impl->ports.conversation();
    m_impl->engine.send(SweepSettings{m_impl->ports.messages(), std::move(plan->settings)});
    m_impl->begin(Measuring::Sweep);
}

void MeasurementController::cancel() {
    if (m_impl->view.what == Measuring::Nothing) return;
    m_impl->view.cancelling = true;
    m_impl->engine.send(CancelTurn{.conversation = kNobody, .measurement = true});
    Q_EMIT changed();
}

void MeasurementController::setModel(const ModelFacts* facts) {
    m_impl->model = facts == nullptr ? std::nullopt : std::optional<ModelFacts>(*facts);
    for (auto& side : m_impl->sides) side->setModel(facts);
    Q_EMIT changed();
}

void MeasurementController::setBusy(const QString& reason) {
    if (m_impl->busy == reason) return;
    m_impl->busy = reason;
    Q_EMIT changed();
}

void MeasurementController::onProgress(const QualityJobProgress& event) {
    MeasuringView& view = m_impl->view;
    if (view.what == Measuring::Nothing) return;
    view.done = event.done;
    view.total = event.total;
    view.seconds = static_cast<double>(m_impl->since.elapsed()) / 1e3;
    Q_EMIT changed();
    if (view.what == Measuring::Sweep && !event.rows.empty())
        Q_EMIT sweptSoFar(m_impl->sweepView(event.rows));
}

void MeasurementController::onText(const ComparedText& event) {
    if (m_impl->view.what != Measuring::Comparison) return;
    Q_EMIT wrote(event.side, toQt(event.text));
}

void MeasurementController::onCompared(const SettingsCompared& event) {
    if (m_impl->view.what != Measuring::Comparison) return;
    m_impl->end();
    Q_EMIT compared(viewOf(event));
}

void MeasurementController::onSwept(const SettingsSwept& event) {
    if (m_impl->view.what != Measuring::Sweep) return;
    m_impl->end();
    SweepView view = m_impl->sweepView(event.rows);
    if (event.error) {
        view.problem = engineText(event.error->what);
        view.cancelled = event.error->code == ErrorCode::Cancelled;
    }
    Q_EMIT swept(view);
}

void MeasurementController::onEngineEnded(const QString& reason) {
    m_impl->gone = reason;
    m_impl->view = {};
    Q_EMIT changed();
}

}  // namespace lacuna::app
