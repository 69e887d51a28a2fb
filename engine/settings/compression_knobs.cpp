// Settings of compaction: what is kept, how much, when.

#include "engine/settings/idle_rules.h"
#include "engine/settings/knob_rows.h"

namespace lacuna {
namespace {

CompactionMethod& methodField(EngineConfig& c) {
    return c.kv.method;
}
NormPolicy& policyField(EngineConfig& c) {
    return c.kv.normPolicy;
}
LayerCoherence& coherenceField(EngineConfig& c) {
    return c.kv.coherence;
}
HeadBudgets& headBudgetsField(EngineConfig& c) {
    return c.kv.headBudgets;
}
QuerySource& fitQueriesField(EngineConfig& c) {
    return c.kv.fitQueries;
}
CompactWhen& compactWhenField(EngineConfig& c) {
    return c.kv.compactWhen;
}
PrefillPolicy& prefillField(EngineConfig& c) {
    return c.prefillPolicy;
}

}  // namespace

std::vector<KnobRow> compressionKnobs() {
    using C = EngineConfig;
    return {
        {{.key = "method",
          .label = "Method",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"none", "l2", "am"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "How the cache is made smaller: none, l2 (eviction by key norm, arXiv "
                  "2406.11430) or am "
                  "(attention matching, arXiv 2602.16284)."},
         choiceOf<CompactionMethod, methodField>()},
        {{.key = "am_ratio",
          .label = "AM ratio",
          .unit = "x",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Real,
          .minimum = 1,
          .maximum = 8,
          .step = 0.1,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "AM-RANGE",
          .help = "Attention matching keeps about tokens / ratio slots in each head (arXiv "
                  "2602.16284).",
          .idleWhen = idle::unlessMethodIsMatching()},
         +[](C& c) -> double& { return c.kv.amRatio; }},
        {{.key = "budget",
          .label = "Token budget",
          .unit = "slots",
          .group = KnobGroup::Compression,
          .kind = KnobKind::OptionalInteger,
          .minimum = 1,
          .maximum = kMostTokens,
          .step = 64,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "BUD-MIN",
          .help = "Slots each head keeps after a compaction; at least sinks + keep recent + 1, at "
                  "most the "
                  "context. Between two compactions the cache may pass it by the margin.",
          .idleWhen = idle::whileMethodIsNone()},
         +[](C& c) -> std::optional<int>& { return c.kv.budget; }},
        {{.key = "keep_recent",
          .label = "Keep recent",
          .unit = "tokens",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = kMostTokens,
          .step = 8,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "REC-RANGE",
          .help = "The newest tokens, which no compaction touches.",
          .idleWhen = idle::unlessCompacting()},
         +[](C& c) -> int& { return c.kv.keepRecent; }},
        {{.key = "n_sink",
          .label = "Sinks",
          .unit = "tokens",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = 64,
          .step = 1,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "SINK-RANGE",
          .help =
              "The first tokens, which no compaction touches (attention sinks, arXiv 2309.17453).",
          .idleWhen = idle::unlessCompactingOrWindow()},
         +[](C& c) -> int& { return c.kv.nSink; }},
        {{.key = "margin",
          .label = "Margin",
          .unit = "slots",
          .group = KnobGroup::Compression,
          .kind = KnobKind::OptionalInteger,
          .minimum = 1,
          .maximum = kMostTokens,
          .step = 8,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "MARGIN-RANGE",
          .help = "Slots above the target before a compaction fires; off means an eighth of the "
                  "target, "
                  "between 16 and 256. A larger margin compacts less often and holds more.",
          .idleWhen = idle::unlessDueByItself()},
         +[](C& c) -> std::optional<int>& { return c.kv.margin; }},
        {{.key = "norm_policy",
          .label = "Keep which keys",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {kNormPolicyNames.begin(), kNormPolicyNames.end()},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help =
              "Which keys an l2 eviction keeps: low norms (arXiv 2406.11430), high norms, those "
              "least like the others (KeyDiff, arXiv 2504.15364), those that the newest 64 queries "
              "look at (observation_window, SnapKV, arXiv 2404.14469) or all queries looked at "
              "(accumulated_attention, H2O, arXiv 2306.14048; reads the cache twice for every "
              "token), or the controls recent_only and random. auto is what recall was best with "
              "for the family of the model.",
          .idleWhen = idle::unlessEvicting()},
         choiceOf<NormPolicy, policyField>()},
        {{.key = "coherence",
          .label = "Heads decide",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"per_head", "per_layer", "cross_layer"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "Whether each head evicts for itself, the heads of a layer together, or all "
                  "layers together.",
          .idleWhen = idle::unlessEvicting()},
         choiceOf<LayerCoherence, coherenceField>()},
        {{.key = "head_budgets",
          .label = "Slots by head",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"auto", "uniform", "entropy", "coverage", "profile"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "Who gets the slots of an am compaction: all heads the same, those that look "
                  "widely, those whose error falls most, or those measured by lacuna calibrate-kv. "
                  "auto is profile where the model has one, else coverage.",
          .idleWhen = idle::unlessMatching()},
         choiceOf<HeadBudgets, headBudgetsField>()},
        {{.key = "query_source",
          .label = "Judged by queries of",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"captured", "context", "repeat", "random"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help =
              "Whose queries an am compaction is fitted to. captured: those the model asked so "
              "far, at no cost. context: those of the text, which is read once more; nothing is "
              "collected while it answers. repeat: those of the text repeated after an "
              "instruction to do so, which takes more than two readings. The answer waits for "
              "such a reading, and its cache takes memory meanwhile, within cache_limit; where "
              "there is no room, or a repetition passes the context of the model, the next "
              "lesser choice is taken, and the compaction says so. random: nobody's, a control "
              "for measurements only.",
          .idleWhen = idle::unlessMatching()},
         choiceOf<QuerySource, fitQueriesField>()},
        {{.key = "compact_when",
          .label = "Compact when",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"at_budget", "turn_late"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "at_budget compacts as soon as budget or ratio and margin are passed. turn_late "
                  "waits for the end of an answer and compacts what stood before its question; "
                  "question and answer stay as they are until the next answer has ended, and "
                  "their queries alone judge the rest (delayed compaction, arXiv 2608.00902). The "
                  "AM ratio then counts for what stood before; the cache may grow by a whole turn "
                  "beyond the budget. cache_limit and compacting by hand act at once all the same. "
                  "A conversation that is read anew or from a file counts as one turn of the past.",
          .idleWhen = idle::unlessDueOrJudged()},
         choiceOf<CompactWhen, compactWhenField>()},
        {{.key = "pin_percent",
          .label = "Pin rare tokens",
          .unit = "%",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 20,
          .step = 0.5,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "PIN-RANGE",
          .help = "The rarest tokens by their keys, names, numbers and codes, stay verbatim with "
                  "four neighbours on either side in an am compaction; at most a quarter of what a "
                  "head keeps. 0 pins nothing.",
          .idleWhen = idle::unlessMatching()},
         +[](C& c) -> double& { return c.kv.pinPercent; }},
        {{.key = "background",
          .label = "Compact beside the answer",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"off", "on"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "on fits an am compaction on threads of low priority while the conversation goes "
                  "on, and takes it over between two tokens; off stops the answer meanwhile. l2 "
                  "takes no time worth mentioning and is always done at once.",
          .idleWhen = idle::unlessMatchingByItself()},
         ChoiceAccess{[](const C& c) { return static_cast<std::size_t>(c.kv.background); },
                      [](C& c, std::size_t index) { c.kv.background = index == 1; }}},
        {{.key = "skip_layers",
          .label = "Skip layers",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::IntegerList,
          .minimum = 0,
          .maximum = 4095,
          .step = 1,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "LAYER-RANGE",
          .help =
              "Layers a compaction leaves whole, as 0,1. The real ratio then falls accordingly.",
          .idleWhen = idle::unlessCompacting()},
         +[](C& c) -> std::vector<int>& { return c.kv.skipLayers; }},
        {{.key = "prefill_policy",
          .label = "Compact prompts",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"after_prefill", "per_chunk"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help = "after_prefill compacts once the prompt is in (best quality); per_chunk compacts "
                  "between "
                  "chunks (memory stays bounded).",
          .idleWhen = idle::unlessDueByItself()},
         choiceOf<PrefillPolicy, prefillField>()},
    };
}

}  // namespace lacuna
