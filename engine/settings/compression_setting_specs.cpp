// Settings of compaction: what is kept, how much, and when.

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/driver/query_source.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/setting_spec_rows.h"

namespace lacuna {
namespace {

// ---------------------------------------------------------------- when settings are idle
// A setting is idle if another value would give the same tokens and the same compactions.

bool methodIs(const EngineConfig& config, CompactionMethod method) {
    return config.kv.method == method;
}
bool matches(const EngineConfig& config) {
    return methodIs(config, CompactionMethod::AttentionMatching);
}

/// Neither budget nor ratio makes a compaction due.
bool neverDue(const EngineConfig& config) {
    if (methodIs(config, CompactionMethod::None) || config.kv.budget) return false;
    return !matches(config) || !(config.kv.amRatio > 1.0);
}
bool limited(const EngineConfig& config) {
    return config.cacheLimitMiB > 0;
}

constexpr IdleWhen kNone{
    [](const EngineConfig& c, const ModelFacts*) { return methodIs(c, CompactionMethod::None); },
    "method is none", IdleCause::NoMethod};
constexpr IdleWhen kNothingKept{[](const EngineConfig& c, const ModelFacts*) {
                                    return c.prefixCacheMiB <= 0 && c.prefixDiskMiB <= 0;
                                },
                                "prefix_cache and prefix_disk are 0"};
constexpr IdleWhen kEvicting{[](const EngineConfig& c, const ModelFacts*) {
                                 return methodIs(c, CompactionMethod::Eviction);
                             },
                             "method is l2", IdleCause::Eviction};
constexpr IdleWhen kMatching{[](const EngineConfig& c, const ModelFacts*) { return matches(c); },
                             "method is am", IdleCause::Matching};
constexpr IdleWhen kNothingDue{
    [](const EngineConfig& c, const ModelFacts*) { return neverDue(c) && !limited(c); },
    "the AM ratio is 1 and there is no budget"};
constexpr IdleWhen kLimitAlone{
    [](const EngineConfig& c, const ModelFacts*) { return neverDue(c) && limited(c); },
    "only the cache limit compacts"};
constexpr IdleWhen kEvictingForLimit{[](const EngineConfig& c, const ModelFacts*) {
                                         return neverDue(c) && limited(c) && !matches(c);
                                     },
                                     "only the cache limit compacts"};
// A cache that keeps some rows in 16 bits includes the first tokens among them.
constexpr IdleWhen kNoneAndNoWindow{
    [](const EngineConfig& c, const ModelFacts*) {
        return methodIs(c, CompactionMethod::None) && !c.kv.window && !c.kv.keepsExact();
    },
    "method is none, there is no window and no rows are kept in 16 bits", IdleCause::NoMethod};
constexpr IdleWhen kNothingDueAndAllCoded{
    [](const EngineConfig& c, const ModelFacts*) {
        return neverDue(c) && !limited(c) && !c.kv.keepsExact();
    },
    "the AM ratio is 1, there is no budget and no rows are kept in 16 bits"};

constexpr IdleWhen kUnreconstructed{[](const EngineConfig& c, const ModelFacts*) {
                                        const bool automatic =
                                            (methodIs(c, CompactionMethod::Eviction) &&
                                             c.kv.evictionPolicy == EvictionPolicy::Auto) ||
                                            (methodIs(c, CompactionMethod::AttentionMatching) &&
                                             c.kv.headBudgets == HeadBudgets::Auto);
                                        return !usesReconstruction(c.kv) && !automatic;
                                    },
                                    "reconstruction scores are not used"};

constexpr IdleWhen kByKeys{
    [](const EngineConfig& c, const ModelFacts*) { return !usesAttention(policyInEffect(c.kv)); },
    "the policy chooses by keys, not by attention"};

constexpr IdleWhen kEvictingUnread{[](const EngineConfig& c, const ModelFacts*) {
                                       return methodIs(c, CompactionMethod::Eviction) &&
                                              !usesReconstruction(c.kv) &&
                                              c.kv.evictionPolicy != EvictionPolicy::Auto;
                                   },
                                   "method is l2 and its policy does not read the text again"};

using Idle = std::vector<IdleWhen>;

// The loss of coded rows is measured without any compaction.
bool uncompressed(const EngineConfig& config) {
    return config.kv.quant.plain() && (!config.kv.values || config.kv.values->quant.plain());
}
constexpr IdleWhen kNoneAndUncompressed{
    [](const EngineConfig& c, const ModelFacts*) {
        return methodIs(c, CompactionMethod::None) && uncompressed(c);
    },
    "method is none and the cache is not compressed", IdleCause::NoMethod};
constexpr IdleWhen kNothingDueAndUncompressed{
    [](const EngineConfig& c, const ModelFacts*) {
        return neverDue(c) && !limited(c) && uncompressed(c);
    },
    "the AM ratio is 1, there is no budget and the cache is not compressed"};

/// Conditions for settings that affect how a compaction is done.
Idle unlessCompacting() {
    return {kNone, kNothingDue};
}
/// Conditions for settings that affect when one is triggered automatically; the cache limit ignores
/// them.
Idle unlessDueByItself() {
    return {kNone, kNothingDue, kLimitAlone};
}
Idle unlessMatching() {
    return {kNone, kEvicting, kNothingDue};
}
Idle unlessEvicting() {
    return {kNone, kMatching};
}
Idle unlessReconstructing() {
    return {kNone, kNothingDue, kUnreconstructed};
}

// ---------------------------------------------------------------- rules

using Broken = std::optional<RuleViolation>;

Broken evictionsNeedABudget(const RuleScene& scene) {
    const EngineConfig& config = scene.config;
    if (config.kv.method != CompactionMethod::Eviction || config.kv.budget) return {};
    if (limited(config)) return {};  // the budget follows from the limit
    const int least = std::max(config.kv.nSink, 0) + std::max(config.kv.keepRecent, 0) + 1;
    return refused(config, {.rule = "BUD-REQ",
                            .key = "budget",
                            .allowed = format("{} or more while method is l2", least),
                            .nearest = format("{}", least),
                            .reason = "eviction needs a budget of slots to keep"});
}

/// Refuses a method that cannot shrink any layer.
Broken someLayerIsReached(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || config.kv.method == CompactionMethod::None) return {};
    const CompactionReach reach = compactionReach(config, *model);
    if (reach.windowed + reach.rowless < reach.layers || reach.layers == 0) return {};
    if (reach.windowed == 0)
        return refused(config,
                       {.rule = "METHOD-LAYERS",
                        .key = "method",
                        .allowed = "none",
                        .nearest = "none",
                        .reason = format("no layer of {} stores keys and values", model->name)});
    EngineConfig uniform = config;
    uniform.kv.layerCaches = LayerCaches::Uniform;
    const bool worksUniformly = compactionReach(uniform, *model).touched > 0;
    return refused(config,
                   {.rule = "METHOD-LAYERS",
                    .key = "method",
                    .allowed = "none",
                    .nearest = "none",
                    .reason = format("every layer of {} has its own window{}", model->name,
                                     worksUniformly ? ", unless layer_caches is uniform" : "")});
}

Broken budgetHoldsWhatIsProtected(const RuleScene& scene) {
    const EngineConfig& config = scene.config;
    if (!config.kv.budget) return {};
    const std::int64_t least = std::int64_t{config.kv.nSink} + config.kv.keepRecent + 1;
    const std::optional<int> most = contextLimit(config, scene.model);
    const bool possible = !most || least <= *most;
    Refusal parts{.rule = "BUD-MIN",
                  .key = "budget",
                  .allowed = most ? format("{} to {}", least, *most) : format("{} or more", least),
                  .nearest = possible ? format("{}", least) : ""};
    if (*config.kv.budget < least) {
        parts.reason = format("{} sinks, {} recent tokens and one more slot must fit",
                              config.kv.nSink, config.kv.keepRecent);
        return refused(config, std::move(parts));
    }
    if (!most || *config.kv.budget <= *most) return {};
    parts.rule = "BUD-CTX";
    parts.nearest = possible ? format("{}", *most) : "";
    parts.reason = format("the context has {} tokens", *most);
    return refused(config, std::move(parts));
}

/// Without a budget, the protected tokens must leave something to compact.
Broken somethingIsUnprotected(const RuleScene& scene) {
    const EngineConfig& config = scene.config;
    const std::optional<int> most = contextLimit(config, scene.model);
    if (scene.idle("keep_recent") || config.kv.budget || !most) return {};
    const std::int64_t room = std::int64_t{*most} - config.kv.nSink - 1;
    if (config.kv.keepRecent <= room || room < 0) return {};
    return refused(
        config,
        {.rule = "REC-RANGE",
         .key = "keep_recent",
         .allowed = format("0 to {}", room),
         .nearest = format("{}", room),
         .reason = format("the context has {} tokens and would leave nothing to compact", *most)});
}

Broken marginIsWithinTheBudget(const RuleScene& scene) {
    const KvOptions& kv = scene.config.kv;
    if (!kv.margin || !kv.budget || *kv.budget < 1 || *kv.margin <= *kv.budget) return {};
    return refused(scene.config, {.rule = "MARGIN-RANGE",
                                  .key = "margin",
                                  .allowed = format("off, or 1 to {}", *kv.budget),
                                  .nearest = format("{}", *kv.budget),
                                  .reason = "the margin must not exceed the budget"});
}

Broken questionsProfileIsThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || model->questionsProfile || !matches(config) ||
        config.kv.headBudgets != HeadBudgets::Questions)
        return {};
    return refused(
        config,
        {.rule = "HEADS-PROFILE",
         .key = "head_budgets",
         .allowed = "auto, uniform, entropy, coverage, task_free, reconstruction",
         .nearest = "auto",
         .reason = format(
             "{} has no head profile measured with questions; run lacuna calibrate-kv --questions",
             model->name)});
}

Broken surrogateIsThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("score_source") || model == nullptr || model->surrogate ||
        config.kv.scoreSource != ScoreSource::Surrogate)
        return {};
    return refused(
        config,
        {.rule = "SURROGATE",
         .key = "score_source",
         .allowed = "auto, repetition",
         .nearest = "auto",
         .reason = format(
             "{} has no surrogate for reconstruction scores; run lacuna calibrate-kv --surrogate",
             model->name)});
}

/// Ada-KV and KVzip assign unequal numbers of slots to heads by their own scores.
Broken unequalHeadsChooseAlone(const RuleScene& scene) {
    const KvOptions& kv = scene.config.kv;
    const bool unequal = kv.evictionBudgets == EvictionBudgets::Adaptive ||
                         kv.evictionBudgets == EvictionBudgets::WholeModel;
    if (scene.idle("eviction_budgets") || !unequal || kv.coherence == LayerCoherence::PerHead)
        return {};
    return refused(
        scene.config,
        {.rule = "SHARE-HEADS",
         .key = "eviction_budgets",
         .allowed = format("auto or equal while coherence is {}", choiceName(kv.coherence)),
         .nearest = "equal",
         .reason =
             "heads that choose together keep the same tokens and so the same number of slots"});
}

/// TriAttention predicts queries at future positions.
Broken queriesCanBePredicted(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("norm_policy") || model == nullptr ||
        !(model->rotaryVaries || model->normedAfterRotary) ||
        config.kv.evictionPolicy != EvictionPolicy::TriAttention)
        return {};
    return refused(
        config,
        {.rule = "TRI-ROTARY",
         .key = "norm_policy",
         .allowed = "any other policy",
         .nearest = "keydiff",
         .reason = model->rotaryVaries ? format("the rotary angles of {} depend on the length of "
                                                "the text, so future queries cannot be predicted",
                                                model->name)
                                       : format("queries of {} are normalised after the rotation, "
                                                "so future queries cannot be predicted",
                                                model->name)});
}

/// Key norms, cosines and positions are not comparable across layers.
Broken scoresOfLayersCompare(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("eviction_budgets") || config.kv.evictionBudgets != EvictionBudgets::WholeModel)
        return {};
    const EvictionPolicy policy = policyInEffect(config.kv);
    if (usesAttention(policy)) return {};
    return refused(
        config,
        {.rule = "SHARE-SCORES",
         .key = "eviction_budgets",
         .allowed = "auto, equal, adaptive",
         .nearest = "adaptive",
         .reason = format("scores of {} are not comparable across layers, unlike attention scores",
                          choiceName(policy))});
}

int layersOf(const ModelFacts* model) {
    return model != nullptr ? model->layers : 4096;
}

/// Returns the named layers that exist, without duplicates.
std::string validLayers(const RuleScene& scene) {
    const int layers = layersOf(scene.model);
    std::set<int> valid;
    for (const int layer : scene.config.kv.skipLayers)
        if (layer >= 0 && layer < layers) valid.insert(layer);
    return valid.empty() ? "off" : format("{}", fmt::join(valid, ","));
}

Broken layersAreThere(const RuleScene& scene) {
    const int layers = layersOf(scene.model);
    const auto refuse = [&](std::string allowed, std::string why) {
        return refused(scene.config, {.rule = "LAYER-RANGE",
                                      .key = "skip_layers",
                                      .allowed = std::move(allowed),
                                      .nearest = validLayers(scene),
                                      .reason = std::move(why)});
    };
    std::set<int> seen;
    for (const int layer : scene.config.kv.skipLayers) {
        if (!(layer >= 0 && layer < layers))
            return refuse(format("layers 0 to {}", layers - 1),
                          scene.model == nullptr
                              ? std::string()
                              : format("{} has {} layers", scene.model->name, layers));
        if (!seen.insert(layer).second)
            return refuse("each layer once", format("layer {} is named twice", layer));
    }
    return {};
}

Broken someLayerIsLeft(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || scene.idle("skip_layers") || scene.broken("method")) return {};
    const CompactionReach reach = compactionReach(config, *model);
    if (reach.touched > 0) return {};
    return refused(
        config,
        {.rule = "LAYER-RANGE",
         .key = "skip_layers",
         .allowed = reach.windowed == 0 ? format("fewer than all {} layers", layersOf(model))
                                        : "fewer layers that have no window of their own",
         .nearest = "off",
         .reason = format("{} would not change any layer", choiceName(config.kv.method))});
}

// ---------------------------------------------------------------- a level or a number

SettingValue lossLimit(const EngineConfig& config) {
    const LossLimit& limit = config.kv.lossLimit;
    if (limit.level == LossLimit::Level::Share) return limit.share;
    return SettingChoice{static_cast<std::size_t>(limit.level)};
}

void setLossLimit(EngineConfig& config, const SettingValue& value) {
    config.kv.lossLimit = {};
    if (const auto* share = std::get_if<double>(&value))
        config.kv.lossLimit = {.level = LossLimit::Level::Share, .share = *share};
    else
        config.kv.lossLimit.level =
            static_cast<LossLimit::Level>(std::get<SettingChoice>(value).place);
}

/// Returns the number of tokens of a conversation as the maximum of sliders for slots and tokens;
/// 4096 until a model is known.
double contextTokens(const EngineConfig& config, const ModelFacts* model) {
    if (config.context > 0) return config.context;
    return model != nullptr ? model->context : 4096;
}

}  // namespace

std::vector<SettingSpec> compressionSettingSpecs() {
    return {
        {.key = "method",
         .label = "Method",
         .field = kvField<&KvOptions::method>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "How the cache is made smaller: none, l2 (eviction: instant, but evicted tokens "
                 "are lost) or am (attention matching: loses less at the same size, but takes work "
                 "in the background). l2 without a budget keeps 1024 slots (arXiv 2406.11430, "
                 "arXiv 2602.16284).",
         .relations = {evictionsNeedABudget, someLayerIsReached},
         .meaning =
             [](const EngineConfig& c, const ModelFacts* model) {
                 return model != nullptr ? reachNote(c, *model) : std::string();
             },
         .place = SettingPlacement::First},
        {.key = "am_ratio",
         .label = "AM ratio",
         .unit = "x",
         .field = kvField<&KvOptions::amRatio>(),
         .minimum = 1,
         .maximum = 50,
         .step = 0.1,
         .when = SettingTiming::Live,
         .ruleId = "AM-RANGE",
         .help =
             "How many times smaller attention matching makes the cache, sinks and recent tokens "
             "included; more saves memory, less loses less. If protected tokens leave fewer than "
             "16 other slots, the largest possible ratio is used and shown (arXiv 2602.16284).",
         .idleWhen = {kNone, kEvicting},
         .impliedMethod = CompactionMethod::AttentionMatching,
         .place = SettingPlacement::First},
        {.key = "budget",
         .label = "Slot budget",
         .unit = "slots",
         .field = kvField<&KvOptions::budget>(),
         .minimum = 1,
         .maximum = kMaxTokens,
         .step = 64,
         .when = SettingTiming::Live,
         .ruleId = "BUD-MIN",
         .ruleIdAbove = "BUD-CTX",
         .help = "Slots each head keeps after a compaction: fewer save memory, more lose less. At "
                 "least sinks + keep recent + 1, at most the context; between two compactions the "
                 "cache may pass it by the margin.",
         .relations = {budgetHoldsWhatIsProtected},
         .idleWhen = {kNone},
         .impliedMethod = CompactionMethod::Eviction,
         .effectiveMaximum = contextTokens,
         .place = SettingPlacement::First},
        {.key = "keep_recent",
         .label = "Keep recent",
         .unit = "tokens",
         .field = kvField<&KvOptions::keepRecent>(),
         .minimum = 0,
         .maximum = kMaxTokens,
         .step = 8,
         .when = SettingTiming::Live,
         .ruleId = "REC-RANGE",
         .help = "The newest tokens, which no compaction touches.",
         .relations = {somethingIsUnprotected},
         .idleWhen = unlessCompacting(),
         .effectiveMaximum = contextTokens,
         .place = SettingPlacement::First,
         .sliderMaximum = 512},
        {.key = "n_sink",
         .label = "Sinks",
         .unit = "tokens",
         .field = kvField<&KvOptions::nSink>(),
         .minimum = 0,
         .maximum = 64,
         .step = 1,
         .when = SettingTiming::Live,
         .ruleId = "SINK-RANGE",
         .help = "The first tokens, which no compaction touches, because answers degrade without "
                 "them (attention sinks, arXiv 2309.17453). A new cache of rotated codes keeps as "
                 "many tokens in 16 bits.",
         .idleWhen = {kNoneAndNoWindow, kNothingDueAndAllCoded},
         .place = SettingPlacement::First},
        {.key = "compaction_floor",
         .label = "Compaction floor",
         .unit = "tokens",
         .field = kvField<&KvOptions::compactionFloor>(),
         .minimum = 0,
         .maximum = kMaxTokens,
         .step = 128,
         .when = SettingTiming::Live,
         .ruleId = "FLOOR-RANGE",
         .help = "Conversations with fewer tokens are not compacted, because there is little to "
                 "gain and answers suffer; 0 compacts any conversation. The cache limit ignores "
                 "this setting.",
         .idleWhen = unlessDueByItself(),
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.kv.compactionFloor == 0 ? "any length" : "");
             },
         .sliderMaximum = 8192},
        {.key = "loss_limit",
         .label = "Loss limit",
         .field = {.kind = SettingKind::Choice,
                   .get = lossLimit,
                   .set = setLossLimit,
                   .choices = kLossLimitNames,
                   .orNumber = true},
         .minimum = 0,
         .maximum = 1,
         .when = SettingTiming::Live,
         .ruleId = "LOSS-RANGE",
         .help =
             "The most that a compaction may lose: balanced and strict aim to keep 98 % and 99.5 % "
             "of the answers, a number is the share of the text's information to keep (0 to 1), "
             "off sets no limit. The loss is measured before compacting, once the answer has "
             "ended, and a ratio that loses more is lowered; the cache limit ignores this setting.",
         .idleWhen = {kNoneAndUncompressed, kNothingDueAndUncompressed}},
        {.key = "margin",
         .label = "Margin",
         .unit = "slots",
         .field = kvField<&KvOptions::margin>(),
         .minimum = 1,
         .maximum = kMaxTokens,
         .step = 8,
         .when = SettingTiming::Live,
         .ruleId = "MARGIN-RANGE",
         .help = "Slots above the target before a compaction starts; off means an eighth of the "
                 "target, between 16 and 256. A larger margin compacts less often and uses more "
                 "memory.",
         .relations = {marginIsWithinTheBudget},
         .idleWhen = unlessDueByItself(),
         .sliderMaximum = 512},
        {.key = "norm_policy",
         .label = "Norm policy",
         .field = kvField<&KvOptions::evictionPolicy>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help =
             "Which keys an l2 eviction keeps: low norms, high norms, keys least like the others "
             "(keydiff), keys that queries attend to (observation_window, accumulated_attention, "
             "reconstruct, expected_attention, tri_attention), or the controls recent_only and "
             "random. auto is reconstruct if its scores are available, otherwise the policy with "
             "the best recall for the model family (arXiv 2406.11430; KeyDiff, arXiv 2504.15364; "
             "SnapKV, arXiv 2404.14469; H2O, arXiv 2306.14048; KVzip, arXiv 2505.23416; Expected "
             "Attention, arXiv 2510.00636; TriAttention, arXiv 2604.04921).",
         .relations = {queriesCanBePredicted},
         .idleWhen = unlessEvicting(),
         .meaning =
             [](const EngineConfig& c, const ModelFacts* model) {
                 return model != nullptr && c.kv.evictionPolicy == EvictionPolicy::Auto
                            ? automaticPolicy(*model)
                            : std::string();
             },
         .place = SettingPlacement::First},
        {.key = "coherence",
         .label = "Head coherence",
         .field = kvField<&KvOptions::coherence>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help =
             "Heads choose what to evict alone (per_head, loses least), per layer or all together.",
         .idleWhen = unlessEvicting()},
        {.key = "eviction_budgets",
         .label = "Eviction budgets",
         .field = kvField<&KvOptions::evictionBudgets>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help =
             "How an l2 eviction divides its slots among heads: equal, adaptive (by score within a "
             "layer, at least a fifth each; Ada-KV, arXiv 2407.11550) or whole_model (by score "
             "across all layers, only for attention scores). adaptive and whole_model lose less "
             "and need coherence=per_head; auto is whole_model for reconstruct, otherwise equal.",
         .relations = {unequalHeadsChooseAlone, scoresOfLayersCompare},
         .idleWhen = unlessEvicting()},
        {.key = "head_budgets",
         .label = "Head budgets",
         .field = kvField<&KvOptions::headBudgets>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help =
             "How attention matching divides its slots among heads: uniform, entropy (how widely a "
             "head attends), coverage (how far its error falls), task_free or questions (measured "
             "once per model on random tokens or on questions) or reconstruction (what a "
             "repetition of the text attends to). auto is reconstruction if its scores are "
             "available, otherwise task_free if measured, otherwise coverage.",
         .relations = {questionsProfileIsThere},
         .idleWhen = unlessMatching(),
         .former = {{"profile", "questions"}}},
        {.key = "score_source",
         .label = "Score source",
         .field = kvField<&KvOptions::scoreSource>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "Where reconstruction scores come from: surrogate predicts them while the text is "
                 "read, so nothing waits; repetition is exact and reads the text up to three "
                 "times. auto is surrogate if one was fitted to the model (automatically while the "
                 "engine is idle, or by lacuna calibrate-kv --surrogate).",
         .relations = {surrogateIsThere},
         .idleWhen = unlessReconstructing()},
        {.key = "demote_structure",
         .label = "Demote structure",
         .field = kvField<&KvOptions::demoteStructure>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "on counts punctuation, blanks and markup as a fifth when an l2 eviction chooses "
                 "by attention, which leaves more slots for words at high ratios. Tokens that join "
                 "two words or numbers count fully.",
         .idleWhen = {kNone, kMatching, kNothingDue, kByKeys}},
        {.key = "query_source",
         .label = "Query source",
         .field = kvField<&KvOptions::querySource>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "Queries that an am compaction is fitted to: captured (those seen so far, at no "
                 "cost), context (the text is read once more), repeat (the text is repeated, more "
                 "than two readings) or random (a control for measurements). Readings need memory "
                 "within cache_limit; without it the next cheaper choice is used and reported.",
         .idleWhen = unlessMatching()},
        {.key = "compact_when",
         .label = "Compact when",
         .field = kvField<&KvOptions::compactWhen>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help =
             "at_budget compacts as soon as the budget or ratio is exceeded by the margin; "
             "turn_late compacts, at the end of each answer, the text before its question, fitted "
             "to the queries of that turn; it may exceed the budget by one turn (delayed "
             "compaction, arXiv 2608.00902). cache_limit and manual compaction always act at once.",
         .idleWhen = {kNone, kNothingDue, kEvictingForLimit}},
        {.key = "pin_percent",
         .label = "Pin rare tokens",
         .unit = "%",
         .field = kvField<&KvOptions::pinPercent>(),
         .minimum = 0,
         .maximum = 20,
         .step = 0.5,
         .when = SettingTiming::Live,
         .ruleId = "PIN-RANGE",
         .help = "Share of tokens with the rarest keys (names, numbers, codes) that an am "
                 "compaction keeps exactly, with four neighbours on either side; at most a quarter "
                 "of what a head keeps. 0 pins nothing.",
         .idleWhen = unlessMatching()},
        {.key = "background",
         .label = "Background compaction",
         .field = kvField<&KvOptions::background>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "on fits an am compaction on low-priority threads while the conversation "
                 "continues; off pauses the answer meanwhile. A compaction that reads the text "
                 "again waits for a pause between answers; other l2 compactions are immediate.",
         .idleWhen = {kNone, kEvictingUnread, kNothingDue, kLimitAlone}},
        {.key = "skip_layers",
         .label = "Skip layers",
         .field = kvField<&KvOptions::skipLayers>(),
         .minimum = 0,
         .maximum = 4095,
         .step = 1,
         .when = SettingTiming::Live,
         .ruleId = "LAYER-RANGE",
         .help = "Layers that compactions leave uncompressed, for example 0,1. The achieved ratio "
                 "falls accordingly.",
         .relations = {layersAreThere, someLayerIsLeft},
         .idleWhen = unlessCompacting()},
        {.key = "prefill_policy",
         .label = "Prefill policy",
         .field = fieldAt<&EngineConfig::prefillPolicy>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "after_prefill compacts once the prompt is read (best quality); per_chunk "
                 "compacts between chunks (memory stays bounded).",
         .idleWhen = unlessDueByItself()},
        {.key = "bring_back",
         .label = "Restore evicted tokens",
         .field = fieldAt<&EngineConfig::bringBack>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "Finds evicted tokens that a question needs, by reading it with the full text if "
                 "that is still stored (prefix_cache, prefix_disk); ask names them, auto restores "
                 "them within what compactions may keep. Costs a second reading of the question "
                 "and of the answer before it, and a compaction if tokens are restored.",
         .idleWhen = {kNone, kNothingKept}},
    };
}

}  // namespace lacuna
