#include "engine/session/knob_spec.h"

#include <array>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/session/knob_access.h"

namespace lacuna {
namespace {

constexpr double kMostTokens = 1'048'576;
constexpr double kMostCount = 1'000'000;

struct Row {
    KnobSpec spec;
    KnobAccess access;
};

/// Access to an enumeration whose enumerators stand in the order of the choices.
template <class Enum, Enum& (*Field)(EngineConfig&)>
ChoiceAccess choiceOf() {
    return {
        [](const EngineConfig& config) {
            EngineConfig copy = config;
            return static_cast<std::size_t>(Field(copy));
        },
        [](EngineConfig& config, std::size_t index) { Field(config) = static_cast<Enum>(index); }};
}

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
PrefillPolicy& prefillField(EngineConfig& c) {
    return c.prefillPolicy;
}

constexpr std::array kCacheTypes{DType::F16, DType::BF16, DType::F32};

/// Index past the choices when the type is no cache type; check() then refuses it.
std::size_t cacheTypeIndex(const EngineConfig& config) {
    std::size_t index = 0;
    while (index < kCacheTypes.size() && kCacheTypes[index] != config.kv.type) ++index;
    return index;
}
void setCacheType(EngineConfig& config, std::size_t index) {
    config.kv.type = kCacheTypes.at(index);
}

std::vector<Row> compressionRows() {
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
                  "2602.16284)."},
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
                  "context. Between two compactions the cache may pass it by the margin."},
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
          .help = "The newest tokens, which no compaction touches."},
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
              "The first tokens, which no compaction touches (attention sinks, arXiv 2309.17453)."},
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
                  "between 16 and 256. A larger margin compacts less often and holds more."},
         +[](C& c) -> std::optional<int>& { return c.kv.margin; }},
        {{.key = "norm_policy",
          .label = "Keep which keys",
          .unit = "",
          .group = KnobGroup::Compression,
          .kind = KnobKind::Choice,
          .choices = {"keep_low", "keep_high", "keydiff", "recent_only", "random"},
          .when = KnobWhen::Live,
          .ruleId = "CHOICE",
          .help =
              "Which keys an l2 eviction keeps: low norms (arXiv 2406.11430), high norms, those "
              "least like "
              "the others (KeyDiff, arXiv 2504.15364), or the controls recent_only and random."},
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
                  "layers together."},
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
                  "auto is profile where the model has one, else coverage."},
         choiceOf<HeadBudgets, headBudgetsField>()},
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
              "Layers a compaction leaves whole, as 0,1. The real ratio then falls accordingly."},
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
                  "chunks (memory stays bounded)."},
         choiceOf<PrefillPolicy, prefillField>()},
    };
}

std::vector<Row> cacheAndRunRows() {
    using C = EngineConfig;
    return {
        {{.key = "kv_type",
          .label = "Cache type",
          .unit = "",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Choice,
          .choices = {"f16", "bf16", "f32"},
          .when = KnobWhen::NewCache,
          .ruleId = "KV-TYPE",
          .help = "Number format of keys and values in the cache."},
         ChoiceAccess{cacheTypeIndex, setCacheType}},
        {{.key = "context",
          .label = "Context",
          .unit = "tokens",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = kMostTokens,
          .step = 256,
          .choices = {},
          .when = KnobWhen::NextTurn,
          .ruleId = "CTX-RANGE",
          .help = "Most tokens of a conversation, prompt and answer together; 0 is the model's "
                  "trained context."},
         +[](C& c) -> int& { return c.context; }},
        {{.key = "prefill_chunk",
          .label = "Prefill chunk",
          .unit = "tokens",
          .group = KnobGroup::Run,
          .kind = KnobKind::Integer,
          .minimum = 1,
          .maximum = 4096,
          .step = 32,
          .choices = {},
          .when = KnobWhen::NextTurn,
          .ruleId = "CHUNK-RANGE",
          .help = "Prompt tokens computed in one step. Settings and cancel take effect between two "
                  "steps."},
         +[](C& c) -> int& { return c.prefillChunk; }},
        {{.key = "draft_tokens",
          .label = "Draft tokens",
          .unit = "tokens",
          .group = KnobGroup::Run,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = 16,
          .step = 1,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "DRAFT-RANGE",
          .help = "Tokens guessed from earlier text and checked in one step (prompt lookup); 0 is "
                  "off. The answer stays the same; text that repeats comes faster."},
         +[](C& c) -> int& { return c.draftTokens; }},
        {{.key = "threads",
          .label = "Threads",
          .unit = "threads",
          .group = KnobGroup::Run,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = 256,
          .step = 1,
          .choices = {},
          .when = KnobWhen::NextTurn,
          .ruleId = "THREADS-RANGE",
          .help = "Compute threads; 0 is one for each physical core."},
         +[](C& c) -> int& { return c.threads; }},
        {{.key = "max_tokens",
          .label = "Longest answer",
          .unit = "tokens",
          .group = KnobGroup::Run,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = kMostCount,
          .step = 32,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "MAX-RANGE",
          .help = "Most tokens of an answer; 0 reads the prompt and answers nothing."},
         +[](C& c) -> int& { return c.maxTokens; }},
    };
}

std::vector<Row> samplingRows() {
    using C = EngineConfig;
    return {
        {{.key = "temperature",
          .label = "Temperature",
          .unit = "",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 5,
          .step = 0.05,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "TEMP-RANGE",
          .help = "0 always takes the most likely token; higher values vary more."},
         +[](C& c) -> double& { return c.sampling.temperature; }},
        {{.key = "top_k",
          .label = "Top k",
          .unit = "tokens",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = kMostCount,
          .step = 1,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "TOPK-RANGE",
          .help = "Draws from the k most likely tokens only; 0 is off."},
         +[](C& c) -> int& { return c.sampling.topK; }},
        {{.key = "top_p",
          .label = "Top p",
          .unit = "",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 1,
          .step = 0.01,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "TOPP-RANGE",
          .help = "Draws from the fewest tokens that together reach this probability; 1 is off "
                  "(arXiv 1904.09751).",
          .openMinimum = true},
         +[](C& c) -> double& { return c.sampling.topP; }},
        {{.key = "min_p",
          .label = "Min p",
          .unit = "",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 1,
          .step = 0.01,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "MINP-RANGE",
          .help = "Drops tokens less likely than this share of the most likely one; 0 is off "
                  "(arXiv 2407.01082)."},
         +[](C& c) -> double& { return c.sampling.minP; }},
        {{.key = "repeat_penalty",
          .label = "Repetition penalty",
          .unit = "",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 10,
          .step = 0.05,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "PEN-RANGE",
          .help = "Divides positive and multiplies negative logits of recent tokens; 1 is off "
                  "(arXiv 1909.05858).",
          .openMinimum = true},
         +[](C& c) -> double& { return c.sampling.repeatPenalty; }},
        {{.key = "repeat_last_n",
          .label = "Penalty window",
          .unit = "tokens",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::Integer,
          .minimum = 0,
          .maximum = kMostCount,
          .step = 8,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "PEN-RANGE",
          .help = "How many tokens the repetition penalty looks back; 0 is off."},
         +[](C& c) -> int& { return c.sampling.repeatLastN; }},
        {{.key = "seed",
          .label = "Seed",
          .unit = "",
          .group = KnobGroup::Sampling,
          .kind = KnobKind::OptionalInteger,
          .minimum = 0,
          .maximum = 18446744073709551615.0,
          .step = 1,
          .choices = {},
          .when = KnobWhen::NextTurn,
          .ruleId = "SEED-RANGE",
          .help =
              "The same seed, settings and conversation give the same answer; off draws a seed and "
              "reports it."},
         +[](C& c) -> std::optional<std::uint64_t>& { return c.sampling.seed; }},
    };
}

struct Table {
    std::vector<KnobSpec> specs;
    std::vector<KnobAccess> accesses;
};

const Table& table() {
    static const Table made = [] {
        Table t;
        for (const auto& rows : {compressionRows(), cacheAndRunRows(), samplingRows()}) {
            for (const Row& row : rows) {
                t.specs.push_back(row.spec);
                t.accesses.push_back(row.access);
            }
        }
        return t;
    }();
    return made;
}

std::size_t indexOf(std::string_view key) {
    const auto& specs = table().specs;
    std::size_t index = 0;
    while (index < specs.size() && specs[index].key != key) ++index;
    return index;
}

/// Reads the field behind an accessor. Works on a copy, because accessors hand out mutable
/// references.
struct Reader {
    EngineConfig& config;
    const KnobSpec& spec;

    Json operator()(double& (*field)(EngineConfig&)) const { return field(config); }
    Json operator()(int& (*field)(EngineConfig&)) const { return field(config); }
    Json operator()(std::optional<int>& (*field)(EngineConfig&)) const {
        const auto& value = field(config);
        return value ? Json(*value) : Json(nullptr);
    }
    Json operator()(std::optional<std::uint64_t>& (*field)(EngineConfig&)) const {
        const auto& value = field(config);
        return value ? Json(*value) : Json(nullptr);
    }
    Json operator()(std::vector<int>& (*field)(EngineConfig&)) const { return Json(field(config)); }
    Json operator()(const ChoiceAccess& access) const {
        const std::size_t index = access.get(config);
        return index < spec.choices.size() ? Json(std::string(spec.choices[index]))
                                           : Json("invalid");
    }
};

std::string numberText(double value) {
    if (std::isnan(value)) return "nan";
    return format("{}", value);
}

}  // namespace

std::span<const KnobSpec> knobSpecs() {
    return table().specs;
}

const KnobSpec* findKnob(std::string_view key) {
    const std::size_t index = indexOf(key);
    return index < table().specs.size() ? &table().specs[index] : nullptr;
}

const KnobAccess* findAccess(std::string_view key) {
    const std::size_t index = indexOf(key);
    return index < table().accesses.size() ? &table().accesses[index] : nullptr;
}

std::string knobRange(const KnobSpec& spec) {
    switch (spec.kind) {
        case KnobKind::Choice:
            return format("{}", fmt::join(spec.choices, ", "));
        case KnobKind::Real:
        case KnobKind::Integer:
            if (spec.key == "context") return format("0, or {} to {}", kLeastContext, spec.maximum);
            if (spec.openMinimum) return format("above {}, up to {}", spec.minimum, spec.maximum);
            return format("{} to {}", spec.minimum, spec.maximum);
        case KnobKind::OptionalInteger:
            if (spec.key == "seed") return "off, or 0 to 18446744073709551615";
            return format("off, or {} to {}", spec.minimum, spec.maximum);
        case KnobKind::IntegerList:
            return format("off, or a list of {} to {}", spec.minimum, spec.maximum);
    }
    return {};
}

Json knobValue(const EngineConfig& config, std::string_view key) {
    const std::size_t index = indexOf(key);
    LACUNA_REQUIRE(index < table().specs.size(), "knobValue is asked for a key of the table");
    EngineConfig copy = config;
    return std::visit(Reader{copy, table().specs[index]}, table().accesses[index]);
}

std::string knobText(const EngineConfig& config, std::string_view key) {
    const Json value = knobValue(config, key);
    if (value.is_null()) return "off";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) {
        const auto list = value.get<std::vector<int>>();
        return list.empty() ? "off" : format("{}", fmt::join(list, ","));
    }
    if (value.is_number_float()) return numberText(value.get<double>());
    return value.dump();
}

}  // namespace lacuna
