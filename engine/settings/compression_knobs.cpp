// Settings of compaction: what is kept, how much, when.

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/query_source.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/knob_rows.h"

namespace lacuna {
namespace {

// ---------------------------------------------------------------- when settings are idle
// Said of a setting that is idle: another value in its place gives the same tokens and the same
// compactions.

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
// The first tokens of a cache that keeps some rows in 16 bits are among those.
constexpr IdleWhen kNoneAndNoWindow{
    [](const EngineConfig& c, const ModelFacts*) {
        return methodIs(c, CompactionMethod::None) && !c.kv.window && !c.kv.keepsExact();
    },
    "method is none, there is no window and no row of codes is kept in 16 bits",
    IdleCause::NoMethod};
constexpr IdleWhen kNothingDueAndAllCoded{
    [](const EngineConfig& c, const ModelFacts*) {
        return neverDue(c) && !limited(c) && !c.kv.keepsExact();
    },
    "the AM ratio is 1, there is no budget and no row of codes is kept in 16 bits"};

constexpr IdleWhen kUnreconstructed{[](const EngineConfig& c, const ModelFacts*) {
                                        const bool automatic =
                                            (methodIs(c, CompactionMethod::Eviction) &&
                                             c.kv.evictionPolicy == EvictionPolicy::Auto) ||
                                            (methodIs(c, CompactionMethod::AttentionMatching) &&
                                             c.kv.headBudgets == HeadBudgets::Auto);
                                        return !usesReconstruction(c.kv) && !automatic;
                                    },
                                    "nothing is chosen by reconstruction scores"};

constexpr IdleWhen kByKeys{
    [](const EngineConfig& c, const ModelFacts*) { return !usesAttention(policyInForce(c.kv)); },
    "the policy chooses by keys, not by attention"};

constexpr IdleWhen kEvictingUnread{[](const EngineConfig& c, const ModelFacts*) {
                                       return methodIs(c, CompactionMethod::Eviction) &&
                                              !usesReconstruction(c.kv) &&
                                              c.kv.evictionPolicy != EvictionPolicy::Auto;
                                   },
                                   "method is l2 and no text is read again for it"};

using Idle = std::vector<IdleWhen>;

/// Of what any compaction is done by.
Idle unlessCompacting() {
    return {kNone, kNothingDue};
}
/// Of what decides when one comes by itself: the cache limit asks nobody.
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
    if (limited(config)) return {};  // the budget follows from it
    const int least = std::max(config.kv.nSink, 0) + std::max(config.kv.keepRecent, 0) + 1;
    return refused(config, {.rule = "BUD-REQ",
                            .key = "budget",
                            .allowed = format("{} or more while method is l2", least),
                            .nearest = format("{}", least),
                            .why = "eviction goes down to a budget"});
}

/// A method that could never make anything smaller.
Broken someLayerIsReached(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || config.kv.method == CompactionMethod::None) return {};
    const CompactionReach reach = compactionReach(config, *model);
    if (reach.windowed < reach.layers || reach.layers == 0) return {};
    EngineConfig uniform = config;
    uniform.kv.layerCaches = LayerCaches::Uniform;
    const bool worksUniformly = compactionReach(uniform, *model).touched > 0;
    return refused(config,
                   {.rule = "METHOD-LAYERS",
                    .key = "method",
                    .allowed = "none",
                    .nearest = "none",
                    .why = format("every layer of {} keeps a window of its own{}", model->name,
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
        parts.why = format("{} sinks, {} recent tokens and one more slot must fit", config.kv.nSink,
                           config.kv.keepRecent);
        return refused(config, std::move(parts));
    }
    if (!most || *config.kv.budget <= *most) return {};
    parts.rule = "BUD-CTX";
    parts.nearest = possible ? format("{}", *most) : "";
    parts.why = format("the context has {} tokens", *most);
    return refused(config, std::move(parts));
}

/// Without a budget the protected tokens must still leave something to compact.
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
         .why = format("the context has {} tokens and nothing would be left to compact", *most)});
}

Broken marginIsWithinTheBudget(const RuleScene& scene) {
    const KvOptions& kv = scene.config.kv;
    if (!kv.margin || !kv.budget || *kv.budget < 1 || *kv.margin <= *kv.budget) return {};
    return refused(scene.config, {.rule = "MARGIN-RANGE",
                                  .key = "margin",
                                  .allowed = format("off, or 1 to {}", *kv.budget),
                                  .nearest = format("{}", *kv.budget),
                                  .why = "a margin may not pass the budget"});
}

Broken questionsProfileIsThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || model->questionsProfile || !matches(config) ||
        config.kv.headBudgets != HeadBudgets::Questions)
        return {};
    return refused(config,
                   {.rule = "HEADS-PROFILE",
                    .key = "head_budgets",
                    .allowed = "auto, uniform, entropy, coverage, task_free, reconstruction",
                    .nearest = "auto",
                    .why = format("{} has no head profile made with questions (lacuna calibrate-kv "
                                  "--questions makes it)",
                                  model->name)});
}

Broken surrogateIsThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("score_source") || model == nullptr || model->surrogate ||
        config.kv.scoreSource != ScoreSource::Surrogate)
        return {};
    return refused(config, {.rule = "SURROGATE",
                            .key = "score_source",
                            .allowed = "auto, repetition",
                            .nearest = "auto",
                            .why = format("{} has no surrogate of reconstruction scores (lacuna "
                                          "calibrate-kv --surrogate fits one)",
                                          model->name)});
}

/// Ada-KV and KVzip give heads unequal numbers of slots by their own scores.
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
         .why = "heads that choose together keep the same tokens, so none can keep more"});
}

/// TriAttention foretells queries at positions to come.
Broken queriesCanBeForetold(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("norm_policy") || model == nullptr ||
        !(model->rotaryVaries || model->normedAfterRotary) ||
        config.kv.evictionPolicy != EvictionPolicy::TriAttention)
        return {};
    return refused(config, {.rule = "TRI-ROTARY",
                            .key = "norm_policy",
                            .allowed = "any other policy",
                            .nearest = "keydiff",
                            .why = model->rotaryVaries
                                       ? format("the rotary angles of {} follow the length of the "
                                                "text, so that queries to come cannot be foretold",
                                                model->name)
                                       : format("queries of {} are normed once they are rotated, "
                                                "so that those to come cannot be foretold",
                                                model->name)});
}

/// Key norms, cosines and positions of different layers say nothing about each other.
Broken scoresOfLayersCompare(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("eviction_budgets") || config.kv.evictionBudgets != EvictionBudgets::WholeModel)
        return {};
    const EvictionPolicy policy = policyInForce(config.kv);
    if (usesAttention(policy)) return {};
    return refused(config, {.rule = "SHARE-SCORES",
                            .key = "eviction_budgets",
                            .allowed = "auto, equal, adaptive",
                            .nearest = "adaptive",
                            .why = format("scores of {} cannot be compared between layers, only "
                                          "shares of attention can",
                                          choiceName(policy))});
}

int layersOf(const ModelFacts* model) {
    return model != nullptr ? model->layers : 4096;
}

/// Of the layers named, those that there are, each once.
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
                                      .why = std::move(why)});
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
                                        : "fewer layers without a window of their own",
         .nearest = "off",
         .why = format("{} would leave every layer as it is", choiceName(config.kv.method))});
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

/// Tokens of a conversation, where sliders for slots and tokens end; 4096 until a model is known.
double contextTokens(const EngineConfig& config, const ModelFacts* model) {
    if (config.context > 0) return config.context;
    return model != nullptr ? model->context : 4096;
}

}  // namespace

std::vector<KnobSpec> compressionKnobs() {
    return {
        {.key = "method",
         .label = "Method",
         .field = kvField<&KvOptions::method>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "How the cache is made smaller: none, l2 (eviction by key norm, arXiv "
                 "2406.11430; without a budget it takes one of 1024) or am "
                 "(attention matching, arXiv 2602.16284).",
         .relations = {evictionsNeedABudget, someLayerIsReached},
         .meaning =
             [](const EngineConfig& c, const ModelFacts* model) {
                 return model != nullptr ? reachNote(c, *model) : std::string();
             },
         .place = KnobPlace::First},
        {.key = "am_ratio",
         .label = "AM ratio",
         .unit = "x",
         .field = kvField<&KvOptions::amRatio>(),
         .minimum = 1,
         .maximum = 50,
         .step = 0.1,
         .when = KnobWhen::Live,
         .ruleId = "AM-RANGE",
         .help = "Attention matching keeps tokens / ratio slots per head on average (arXiv "
                 "2602.16284), sinks and recent tokens included. An unanswered question stays as "
                 "it is, on top of that. Where protected tokens leave fewer than 16 other slots, "
                 "the largest ratio that is possible is used and shown.",
         .idleWhen = {kNone, kEvicting},
         .brings = CompactionMethod::AttentionMatching,
         .place = KnobPlace::First},
        {.key = "budget",
         .label = "Token budget",
         .unit = "slots",
         .field = kvField<&KvOptions::budget>(),
         .minimum = 1,
         .maximum = kMaxTokens,
         .step = 64,
         .when = KnobWhen::Live,
         .ruleId = "BUD-MIN",
         .ruleIdAbove = "BUD-CTX",
         .help = "Slots each head keeps after a compaction; at least sinks + keep recent + 1, at "
                 "most the "
                 "context. Between two compactions the cache may pass it by the margin.",
         .relations = {budgetHoldsWhatIsProtected},
         .idleWhen = {kNone},
         .brings = CompactionMethod::Eviction,
         .mostNow = contextTokens,
         .place = KnobPlace::First},
        {.key = "keep_recent",
         .label = "Keep recent",
         .unit = "tokens",
         .field = kvField<&KvOptions::keepRecent>(),
         .minimum = 0,
         .maximum = kMaxTokens,
         .step = 8,
         .when = KnobWhen::Live,
         .ruleId = "REC-RANGE",
         .help = "The newest tokens, which no compaction touches.",
         .relations = {somethingIsUnprotected},
         .idleWhen = unlessCompacting(),
         .mostNow = contextTokens,
         .place = KnobPlace::First,
         .sliderMost = 512},
        {.key = "n_sink",
         .label = "Sinks",
         .unit = "tokens",
         .field = kvField<&KvOptions::nSink>(),
         .minimum = 0,
         .maximum = 64,
         .step = 1,
         .when = KnobWhen::Live,
         .ruleId = "SINK-RANGE",
         .help =
             "The first tokens, which no compaction touches (attention sinks, arXiv 2309.17453). A "
             "new cache of rotated codes keeps so many in 16 bits too.",
         .idleWhen = {kNoneAndNoWindow, kNothingDueAndAllCoded},
         .place = KnobPlace::First},
        {.key = "compaction_floor",
         .label = "Compact from",
         .unit = "tokens",
         .field = kvField<&KvOptions::compactionFloor>(),
         .minimum = 0,
         .maximum = kMaxTokens,
         .step = 128,
         .when = KnobWhen::Live,
         .ruleId = "FLOOR-RANGE",
         .help =
             "A conversation of fewer tokens is not compacted: there is little to gain, and its "
             "answers suffer. Only the cache limit compacts it all the same. 0 compacts any "
             "conversation.",
         .idleWhen = unlessDueByItself(),
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.kv.compactionFloor == 0 ? "any length" : "");
             },
         .sliderMost = 8192},
        {.key = "loss_limit",
         .label = "Limit on the loss",
         .field = {.kind = KnobKind::Choice,
                   .get = lossLimit,
                   .set = setLossLimit,
                   .choices = kLossLimitNames,
                   .orNumber = true},
         .minimum = 0,
         .maximum = 1,
         .when = KnobWhen::Live,
         .ruleId = "LOSS-RANGE",
         .help =
             "What a compaction may lose, measured before it is carried out: the model repeats its "
             "text with the full and with the compacted cache. Where the asked ratio loses more, "
             "the largest ratio that keeps the limit is used, or none, and the compaction says so. "
             "balanced and strict are to keep 98 and 99.5 % of the answers; a number is the least "
             "share of the text's information, 0 to 1. A compaction that is due waits for the end "
             "of the answer. off carries out what is asked. The cache limit does not wait.",
         .idleWhen = unlessCompacting()},
        {.key = "margin",
         .label = "Margin",
         .unit = "slots",
         .field = kvField<&KvOptions::margin>(),
         .minimum = 1,
         .maximum = kMaxTokens,
         .step = 8,
         .when = KnobWhen::Live,
         .ruleId = "MARGIN-RANGE",
         .help = "Slots above the target before a compaction fires; off means an eighth of the "
                 "target, "
                 "between 16 and 256. A larger margin compacts less often and holds more.",
         .relations = {marginIsWithinTheBudget},
         .idleWhen = unlessDueByItself(),
         .sliderMost = 512},
        {.key = "norm_policy",
         .label = "Keep which keys",
         .field = kvField<&KvOptions::evictionPolicy>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help =
             "Which keys an l2 eviction keeps: low norms (arXiv 2406.11430), high norms, those "
             "least like the others (KeyDiff, arXiv 2504.15364), those that the newest 64 queries "
             "look at (observation_window, SnapKV, arXiv 2404.14469) or all queries looked at "
             "(accumulated_attention, H2O, arXiv 2306.14048; reads the cache twice for every "
             "token), those that a repetition of the text looks at (reconstruct, KVzip, arXiv "
             "2505.23416; up to three readings, see background, and where there is no room "
             "for them KeyDiff chooses and the compaction says so) or that queries to come are "
             "expected to look at (expected_attention, arXiv 2510.00636; tri_attention, arXiv "
             "2604.04921, by the distance to a key and the centres of the model's queries, for "
             "long answers; lacuna calibrate-kv --query-centres calibrates them, else those of the "
             "conversation count), or the controls recent_only and random. auto is reconstruct, "
             "foretold where the model has a surrogate and by a repetition in pauses until then; "
             "where neither is to be had, as in the middle of an answer, what recall was best with "
             "for the family of the model.",
         .relations = {queriesCanBeForetold},
         .idleWhen = unlessEvicting(),
         .meaning =
             [](const EngineConfig& c, const ModelFacts* model) {
                 return model != nullptr && c.kv.evictionPolicy == EvictionPolicy::Auto
                            ? automaticPolicy(*model)
                            : std::string();
             },
         .place = KnobPlace::First},
        {.key = "coherence",
         .label = "Heads decide",
         .field = kvField<&KvOptions::coherence>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "Whether each head evicts for itself, the heads of a layer together, or all "
                 "layers together.",
         .idleWhen = unlessEvicting()},
        {.key = "eviction_budgets",
         .label = "Slots by head (eviction)",
         .field = kvField<&KvOptions::evictionBudgets>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "How an l2 eviction shares its slots out; the total is the same. equal: every "
                 "head the budget. adaptive: the heads of a layer share, those with higher scores "
                 "keep more, and each a fifth for itself (Ada-KV, arXiv 2407.11550); scores that "
                 "are no attention count in units of their own spread. whole_model: all heads of "
                 "all layers share, for policies by attention alone. With either, heads choose "
                 "alone (coherence=per_head). auto is whole_model for reconstruct, else equal.",
         .relations = {unequalHeadsChooseAlone, scoresOfLayersCompare},
         .idleWhen = unlessEvicting()},
        {.key = "head_budgets",
         .label = "Slots by head",
         .field = kvField<&KvOptions::headBudgets>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "Who gets the slots of an am compaction: all heads the same, those that look "
                 "widely, those whose error falls most, or those that fetch what stands far "
                 "back, measured once per model: task_free on random tokens read twice, questions "
                 "(a bench option) with questions about texts; or, by text, those that a "
                 "repetition of it looks at most, halfway to task_free where the model was "
                 "measured so (reconstruction, up to three readings, see background). auto is "
                 "reconstruction, foretold where the model has a surrogate and by a repetition in "
                 "pauses until then; where neither is to be had, as in the middle of an answer, "
                 "task_free where the model was measured so, else coverage.",
         .relations = {questionsProfileIsThere},
         .idleWhen = unlessMatching(),
         .former = {{"profile", "questions"}}},
        {.key = "score_source",
         .label = "Reconstruction scores by",
         .field = kvField<&KvOptions::scoreSource>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "Where norm_policy=reconstruct and head_budgets=reconstruction have their scores. "
                 "repetition: the text is repeated, up to three readings, see background. "
                 "surrogate: one linear map a layer, fitted once to the model (by itself while "
                 "the engine is idle, or by lacuna calibrate-kv --surrogate), foretells them while "
                 "the text is read, and nothing waits. auto is surrogate where the model has one.",
         .relations = {surrogateIsThere},
         .idleWhen = unlessReconstructing()},
        {.key = "demote_structure",
         .label = "Demote punctuation",
         .field = kvField<&KvOptions::demoteStructure>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "on lets tokens without a letter or a digit count a fifth where an l2 eviction "
                 "chooses by attention: punctuation, blanks and markup, unless they join two words "
                 "or numbers. At high ratios they take many slots of larger models.",
         .idleWhen = {kNone, kMatching, kNothingDue, kByKeys}},
        {.key = "query_source",
         .label = "Judged by queries of",
         .field = kvField<&KvOptions::fitQueries>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "Whose queries an am compaction is fitted to. captured: those the model asked so "
                 "far, at no cost; where rows came from elsewhere and these are too few, as "
                 "context. context: those of the text, which is read once more; nothing is "
                 "collected while it answers. repeat: those of the text repeated after an "
                 "instruction to do so, which takes more than two readings, see background. The "
                 "cache of such a reading takes memory meanwhile, within cache_limit; where "
                 "there is no room, or a repetition passes the context of the model, the next "
                 "lesser choice is taken, and the compaction says so. random: nobody's, a control "
                 "for measurements only.",
         .idleWhen = unlessMatching()},
        {.key = "compact_when",
         .label = "Compact when",
         .field = kvField<&KvOptions::compactWhen>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "at_budget compacts as soon as budget or ratio and margin are passed. turn_late "
                 "waits for the end of an answer and compacts what stood before its question; "
                 "question and answer stay as they are until the next answer has ended, and "
                 "their queries alone judge the rest (delayed compaction, arXiv 2608.00902). The "
                 "AM ratio then counts for what stood before; the cache may grow by a whole turn "
                 "beyond the budget. cache_limit and compacting by hand act at once all the same. "
                 "A conversation that is read anew or from a file counts as one turn of the past.",
         .idleWhen = {kNone, kNothingDue, kEvictingForLimit}},
        {.key = "pin_percent",
         .label = "Pin rare tokens",
         .unit = "%",
         .field = kvField<&KvOptions::pinPercent>(),
         .minimum = 0,
         .maximum = 20,
         .step = 0.5,
         .when = KnobWhen::Live,
         .ruleId = "PIN-RANGE",
         .help = "The rarest tokens by their keys, names, numbers and codes, stay verbatim with "
                 "four neighbours on either side in an am compaction; at most a quarter of what a "
                 "head keeps. 0 pins nothing.",
         .idleWhen = unlessMatching()},
        {.key = "background",
         .label = "Compact beside the answer",
         .field = kvField<&KvOptions::background>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "on fits an am compaction on threads of low priority while the conversation goes "
                 "on, and takes it over between two tokens; where the text is read again for a "
                 "compaction, that waits for a pause between answers. off stops the answer "
                 "meanwhile. Other l2 compactions take no time worth mentioning and are always "
                 "done at once.",
         .idleWhen = {kNone, kEvictingUnread, kNothingDue, kLimitAlone}},
        {.key = "skip_layers",
         .label = "Skip layers",
         .field = kvField<&KvOptions::skipLayers>(),
         .minimum = 0,
         .maximum = 4095,
         .step = 1,
         .when = KnobWhen::Live,
         .ruleId = "LAYER-RANGE",
         .help = "Layers a compaction leaves whole, as 0,1. The real ratio then falls accordingly.",
         .relations = {layersAreThere, someLayerIsLeft},
         .idleWhen = unlessCompacting()},
        {.key = "prefill_policy",
         .label = "Compact prompts",
         .field = fieldAt<&EngineConfig::prefillPolicy>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "after_prefill compacts once the prompt is in (best quality); per_chunk compacts "
                 "between "
                 "chunks (memory stays bounded).",
         .idleWhen = unlessDueByItself()},
        {.key = "bring_back",
         .label = "Bring back for questions",
         .field = fieldAt<&EngineConfig::bringBack>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "Before an answer, the question is read over the whole text as well, where it is "
                 "still kept (prefix_cache, prefix_disk), to see which forgotten tokens it looks "
                 "for. ask names them; auto brings them back, at most within what compactions may "
                 "keep. Costs a second reading of the question and of the answer before it, and a "
                 "compaction where something comes back.",
         .idleWhen = {kNone, kNothingKept}},
    };
}

}  // namespace lacuna
