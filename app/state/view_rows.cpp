#include "app/state/view_rows.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>
#include <cmath>

#include "app/state/engine/engine_text.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/setting_help.h"

namespace lacuna::app {

namespace {

struct RowTexts {
    Q_DECLARE_TR_FUNCTIONS(Settings)
};

/// Returns the ratio of tokens to slots requested by the settings; 0 if none is requested.
double configuredRatio(const KvOptions& options, std::int64_t tokens) {
    switch (options.method) {
        case CompactionMethod::None:
            return 0;
        case CompactionMethod::AttentionMatching:
            return options.amRatio;
        case CompactionMethod::Eviction:
            if (!options.budget || *options.budget <= 0) return 0;
            return static_cast<double>(tokens) / *options.budget;
    }
    return 0;
}

/// Returns an empty text for an unknown key.
QString textOf(const QString& key, const SettingValue& value) {
    const SettingSpec* const spec = findSetting(fromQt(key));
    return spec == nullptr ? QString() : toQt(settingText(*spec, value));
}

/// Returns the size of `slots` slots in every head, computed from the size of a token in this
/// cache.
qint64 bytesOfSlots(const KvStats& kv, int slots) {
    if (kv.tokens <= 0) return 0;
    const double perToken = static_cast<double>(kv.logicalBytes) / static_cast<double>(kv.tokens);
    return static_cast<qint64>(std::llround(perToken * slots));
}

}  // namespace

QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::string fromQt(const QString& text) {
    return text.toStdString();
}

SampleRow rowOf(const StepSample& sample) {
    SampleRow row;
    row.timeNs = sample.timeNs;
    row.turn = sample.at.turn;
    row.step = sample.at.index;
    row.conversation = sample.conversation.value;
    row.revision = sample.revision.value;
    row.phase = sample.phase;
    row.tokens = sample.tokens;
    row.stepMs = sample.stepMs;
    row.contextTokens = sample.kv.tokens;
    row.slotsTotal = sample.kv.slotsTotal;
    row.slotsLargestHead = sample.kv.slotsLargestHead;
    row.logicalBytes = sample.kv.logicalBytes;
    row.liveBytes = sample.kv.liveBytes;
    row.scaleBytes = sample.kv.scaleBytes;
    row.exactBytes = sample.kv.exactBytes;
    row.allocatedBytes = sample.kv.allocatedBytes;
    row.stateBytes = sample.kv.stateBytes;
    row.checkpointBytes = sample.kv.checkpointBytes;
    row.compactions = sample.kv.compactions;
    row.rssBytes = sample.rssBytes;
    row.compressionEnabled = sample.compaction.enabled;
    row.compactionDue = sample.compaction.due;
    if (sample.compaction.enabled) {
        row.comparedSlots = sample.compaction.slots;
        row.targetSlots = sample.compaction.target;
        row.triggerSlots = sample.compaction.trigger;
        row.targetBytes = bytesOfSlots(sample.kv, sample.compaction.target);
        row.triggerBytes = bytesOfSlots(sample.kv, sample.compaction.trigger);
    }
    return row;
}

CompactionRow rowOf(const CompactionHappened& happened, const EngineConfig& config, qint64 number) {
    CompactionRow row{happened.report};
    row.number = number;
    row.timeNs = happened.timeNs;
    row.turn = happened.at.turn;
    row.step = happened.at.index;
    row.conversation = happened.conversation.value;
    row.revision = happened.revision.value;
    row.configuredRatio = configuredRatio(config.kv, row.tokens);
    return row;
}

QualityRow rowOf(const QualitySampled& sampled) {
    QualityRow row;
    row.timeNs = sampled.timeNs;
    row.turn = sampled.at.turn;
    row.conversation = sampled.conversation.value;
    row.revision = sampled.revision.value;
    row.contextTokens = sampled.sample.tokens;
    row.kl = sampled.sample.kl;
    row.sameTop = sampled.sample.sameTop;
    row.outputError = sampled.sample.outputError;
    row.costShare = sampled.sample.costShare();
    row.shadowBytes = sampled.sample.shadowBytes;
    return row;
}

TurnRow rowOf(const TurnFinished& finished, qint64 timeNs) {
    TurnRow row;
    row.timeNs = timeNs;
    row.turn = finished.turn;
    row.conversation = finished.conversation.value;
    row.promptTokens = finished.stats.promptTokens;
    row.reusedTokens = finished.stats.reusedTokens;
    row.answerTokens = finished.stats.generatedTokens;
    row.compactions = finished.stats.compactions;
    row.prefillSeconds = finished.stats.prefillSeconds;
    row.decodeSeconds = finished.stats.decodeSeconds;
    row.firstTokenSeconds = finished.stats.timeToFirstTokenSeconds;
    row.regenerateTokens = finished.stats.regenerateTokens;
    row.editTokens = finished.stats.editTokens;
    row.restoredTokens = finished.stats.restoredTokens;
    row.finish = finishText(finished.reason);
    return row;
}

namespace {

/// "Key heads by layer: 1-4: 1 x 256, 5: 1 x 512, 6-8: none".
QString layerHeadsText(const std::vector<KvExtent>& extents) {
    QStringList runs;
    for (std::size_t first = 0, end = 0; first < extents.size(); first = end) {
        const KvExtent& one = extents[first];
        while (end < extents.size() && extents[end] == one) ++end;
        QString layers = countText(static_cast<qint64>(first) + 1);
        if (end - first > 1) layers += QChar(0x2013) + countText(static_cast<qint64>(end));
        runs << layers + QStringLiteral(": ") +
                    (one.heads == 0
                         ? QCoreApplication::translate("ModelView", "none")
                         : QStringLiteral("%1 \u00d7 %2").arg(one.heads).arg(one.keyDim));
    }
    return QCoreApplication::translate("ModelView", "Key heads by layer: %1")
        .arg(runs.join(QStringLiteral(", ")));
}

}  // namespace

ModelView viewOf(const ModelFacts& facts, double seconds) {
    ModelView view;
    view.state = ModelState::Ready;
    view.name = toQt(facts.name);
    view.path = toQt(facts.path);
    view.architecture = toQt(facts.architecture);
    view.fileType = toQt(facts.fileType);
    view.licence = toQt(facts.licence);
    view.fingerprint = toQt(facts.fingerprint);
    view.templateNote = engineText(facts.templateNote);
    view.precisionNote = engineText(facts.precisionNote);
    view.loadShare = 1;
    view.loadSeconds = seconds;
    view.parameters = facts.parameters;
    view.weightBytes = facts.weightBytes;
    view.layers = facts.layers;
    view.heads = facts.heads;
    view.kvHeads = facts.kvHeads;
    view.headDim = facts.headDim;
    if (!facts.extents.empty()) view.layerHeads = layerHeadsText(facts.extents);
    view.vocabulary = facts.vocabulary;
    view.context = facts.context;
    return view;
}

ModelPageView viewOf(const ModelInspected& answer) {
    ModelPageView view;
    view.path = toQt(answer.page.path);
    view.heading = answer.error ? QFileInfo(view.path).fileName() : toQt(answer.page.heading);
    view.problem = engineText(answer.error ? answer.error->what : answer.page.reason);
    view.verdict = engineText(answer.page.verdict);
    for (const PageSection& section : answer.page.sections) {
        ModelPageView::Section rows{engineText(section.title), {}};
        for (const PageLine& line : section.lines)
            rows.lines.push_back({engineText(line.label), engineText(line.value)});
        view.sections.push_back(std::move(rows));
    }
    return view;
}

QString choiceWords(std::string_view key, std::string_view choice) {
    struct Row {
        std::string_view key;  ///< setting to which the text belongs; empty for all settings
        std::string_view choice;
        const char* words;
    };
    static constexpr Row kRows[] = {
        {"method", "none", QT_TRANSLATE_NOOP("Choices", "None")},
        {"method", "l2", QT_TRANSLATE_NOOP("Choices", "Evict tokens")},
        {"method", "am", QT_TRANSLATE_NOOP("Choices", "Attention matching")},
        {"norm_policy", "keep_low", QT_TRANSLATE_NOOP("Choices", "Low key norms")},
        {"norm_policy", "keep_high", QT_TRANSLATE_NOOP("Choices", "High key norms")},
        {"norm_policy", "keydiff", QT_TRANSLATE_NOOP("Choices", "Least similar keys (KeyDiff)")},
        {"norm_policy", "recent_only", QT_TRANSLATE_NOOP("Choices", "Newest only (StreamingLLM)")},
        {"norm_policy", "observation_window",
         QT_TRANSLATE_NOOP("Choices", "Attended by the newest queries (SnapKV)")},
        {"norm_policy", "accumulated_attention",
         QT_TRANSLATE_NOOP("Choices", "Attended by all queries (H2O)")},
        {"norm_policy", "reconstruct",
         QT_TRANSLATE_NOOP("Choices", "Attended when the text is repeated (KVzip)")},
        {"norm_policy", "expected_attention",
         QT_TRANSLATE_NOOP("Choices", "Expected to be attended (Expected Attention)")},
        {"norm_policy", "tri_attention",
         QT_TRANSLATE_NOOP("Choices", "By distance and query centres (TriAttention)")},
        {"coherence", "per_head", QT_TRANSLATE_NOOP("Choices", "Each head alone")},
        {"coherence", "per_layer", QT_TRANSLATE_NOOP("Choices", "Heads of a layer together")},
        {"coherence", "cross_layer", QT_TRANSLATE_NOOP("Choices", "All layers together")},
        {"eviction_budgets", "equal", QT_TRANSLATE_NOOP("Choices", "Equal for all heads")},
        {"eviction_budgets", "adaptive",
         QT_TRANSLATE_NOOP("Choices", "By score within a layer (Ada-KV)")},
        {"eviction_budgets", "whole_model",
         QT_TRANSLATE_NOOP("Choices", "By score across all layers (KVzip)")},
        {"head_budgets", "uniform", QT_TRANSLATE_NOOP("Choices", "Equal for all heads")},
        {"head_budgets", "entropy",
         QT_TRANSLATE_NOOP("Choices", "By the spread of a head's attention")},
        {"head_budgets", "coverage", QT_TRANSLATE_NOOP("Choices", "By the fall of a head's error")},
        {"head_budgets", "task_free", QT_TRANSLATE_NOOP("Choices", "Measured without a task")},
        {"head_budgets", "questions",
         QT_TRANSLATE_NOOP("Choices", "Measured with questions (bench)")},
        {"score_source", "repetition", QT_TRANSLATE_NOOP("Choices", "A repetition of the text")},
        {"score_source", "surrogate",
         QT_TRANSLATE_NOOP("Choices", "A surrogate fitted to the model")},
        {"head_budgets", "reconstruction",
         QT_TRANSLATE_NOOP("Choices", "By a repetition of the text")},
        {"query_source", "captured", QT_TRANSLATE_NOOP("Choices", "Queries so far")},
        {"query_source", "context", QT_TRANSLATE_NOOP("Choices", "Text read again")},
        {"query_source", "repeat", QT_TRANSLATE_NOOP("Choices", "Text repeated")},
        {"compact_when", "at_budget", QT_TRANSLATE_NOOP("Choices", "At the budget")},
        {"compact_when", "turn_late", QT_TRANSLATE_NOOP("Choices", "One turn late")},
        {"loss_limit", "strict", QT_TRANSLATE_NOOP("Choices", "Strict")},
        {"loss_limit", "balanced", QT_TRANSLATE_NOOP("Choices", "Balanced")},
        {"prefill_policy", "after_prefill", QT_TRANSLATE_NOOP("Choices", "After the prompt")},
        {"prefill_policy", "per_chunk", QT_TRANSLATE_NOOP("Choices", "After each chunk")},
        {"layer_caches", "uniform", QT_TRANSLATE_NOOP("Choices", "Same for all layers")},
        {"kv_rotation", "hadamard", QT_TRANSLATE_NOOP("Choices", "Random (Hadamard)")},
        {"kv_rotation", "calibrated", QT_TRANSLATE_NOOP("Choices", "Calibrated on the model")},
        {"passes", "shared", QT_TRANSLATE_NOOP("Choices", "Shared")},
        {"passes", "apart", QT_TRANSLATE_NOOP("Choices", "Separate for each answer")},
        {"draft_source", "lookup", QT_TRANSLATE_NOOP("Choices", "Earlier text")},
        {"draft_source", "mtp", QT_TRANSLATE_NOOP("Choices", "Multi-token prediction")},
        {"precision", "fast", QT_TRANSLATE_NOOP("Choices", "Fast (8 bits)")},
        {"precision", "exact", QT_TRANSLATE_NOOP("Choices", "Exact (slow)")},
        {"precision", "two_terms", QT_TRANSLATE_NOOP("Choices", "8 bits in two terms")},
        {"", "auto", QT_TRANSLATE_NOOP("Choices", "Automatic")},
        {"", "random", QT_TRANSLATE_NOOP("Choices", "Random")},
        {"", "off", QT_TRANSLATE_NOOP("Choices", "Off")},
        {"", "on", QT_TRANSLATE_NOOP("Choices", "On")},
    };
    for (const Row& row : kRows)
        if (row.choice == choice && (row.key.empty() || row.key == key))
            return QCoreApplication::translate("Choices", row.words);
    return toQt(choice);
}

QString ruleText(std::string_view english) {
    QString said = engineText(english);
    // English sentences use command-line keys, while translations use display names.
    for (const std::string_view method : {"l2", "am"}) {
        const QRegularExpression key(QStringLiteral("\\bmethod is %1\\b").arg(toQt(method)));
        said.replace(key, QStringLiteral("method is ") + choiceWords("method", method));
    }
    return keysInWords(said);
}

QString SettingView::requestedText() const {
    return typed.isEmpty() ? textOf(key, requested) : typed;
}

QString SettingView::effectiveText() const {
    return textOf(key, effective);
}

double SettingView::number() const {
    const double number = typed.isEmpty() ? numberOf(requested).value_or(0) : 0;
    return std::isfinite(number) ? number : 0;
}

SettingValue SettingView::valueOf(double number) const {
    return settingNumber(*findSetting(fromQt(key)), number);
}

SettingView viewOf(const SettingSpec& spec) {
    SettingView view;
    view.key = toQt(spec.key);
    view.label = engineText(spec.label);
    view.unit = engineText(spec.unit);
    view.help = settingHelp(spec.key);
    if (view.help.isEmpty()) view.help = engineText(spec.help);
    view.group = spec.group;
    view.kind = spec.field.kind;
    view.minimum = spec.minimum;
    view.maximum = spec.maximum;
    view.step = spec.step;
    view.sliderMaximum = spec.sliderMaximum;
    view.first = spec.place == SettingPlacement::First;
    for (const std::string_view choice : spec.field.choices) {
        view.choices.push_back(toQt(choice));
        view.choiceWords.push_back(choiceWords(spec.key, choice));
    }
    view.when = spec.when;
    view.ofConversation = spec.scope == SettingScope::Conversation;
    return view;
}

MachineView viewOf(const MachineFacts& facts) {
    MachineView view;
    view.cpu = toQt(facts.cpu);
    view.isa = toQt(facts.isa);
    view.system = toQt(facts.system);
    view.cores = facts.cores;
    view.memoryBytes = facts.memoryBytes;
    return view;
}

QString finishText(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "stop"));
        case FinishReason::StopString:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "stop string"));
        case FinishReason::Length:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "length"));
        case FinishReason::ContextFull:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "context full"));
        case FinishReason::Cancelled:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "cancelled"));
        case FinishReason::Error:
            return QString::fromLatin1(QT_TRANSLATE_NOOP("Engine", "error"));
    }
    return {};
}

QString differenceText(const SettingsDiff& changes) {
    QStringList parts;
    for (const auto& [spec, before, after, deferred] : changes)
        parts << RowTexts::tr("%1 %2 to %3")
                     .arg(engineText(spec->label),
                          choiceWords(spec->key, settingText(*spec, before)),
                          choiceWords(spec->key, settingText(*spec, after)));
    return listed(parts);
}

QMap<QString, QString> settingsChosen(const EngineConfig& config) {
    QMap<QString, QString> chosen;
    for (const SettingChange& change : settingsDiff(EngineConfig{}, config))
        chosen.insert(toQt(change.spec->key), toQt(settingText(*change.spec, change.after)));
    return chosen;
}

QString settingsText(const EngineConfig& config) {
    QStringList parts;
    for (const SettingChange& change : settingsDiff(EngineConfig{}, config))
        parts << RowTexts::tr("%1 %2").arg(
            engineText(change.spec->label),
            choiceWords(change.spec->key, settingText(*change.spec, change.after)));
    return listed(parts);
}

}  // namespace lacuna::app
