// Settings of the cache of a conversation.

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/settings/setting_spec_rows.h"
#include "engine/values/prefix_values.h"

namespace lacuna {
namespace {

// ---------------------------------------------------------------- number formats

/// Number of distinct entries of kRowTypes; the last one is an alias of q4_0.
constexpr std::size_t kCacheTypes = kRowTypes.size() - 1;

/// "same" first, followed by the formats, so that the formats are a subspan.
constexpr auto kValueTypeNames = [] {
    std::array<std::string_view, kCacheTypes + 1> names{"same"};
    for (std::size_t i = 0; i < kCacheTypes; ++i) names[i + 1] = kRowTypes[i].name;
    return names;
}();
constexpr auto kCacheTypeNames = std::span(kValueTypeNames).subspan<1>();

/// Returns an index past the formats if the type is not a cache type; a check then refuses it.
std::size_t placeOf(const KvRowType& wanted) {
    std::size_t place = 0;
    while (place < kCacheTypes && !(kRowTypes[place].type == wanted)) ++place;
    return place;
}

SettingValue cacheType(const EngineConfig& config) {
    return SettingChoice{placeOf({config.kv.type, config.kv.quant})};
}
void setCacheType(EngineConfig& config, const SettingValue& value) {
    const KvRowType& type = kRowTypes.at(std::get<SettingChoice>(value).place).type;
    config.kv.type = type.type;
    config.kv.quant = type.quant;
}

SettingValue valueType(const EngineConfig& config) {
    return SettingChoice{config.kv.values ? placeOf(*config.kv.values) + 1 : 0};
}
void setValueType(EngineConfig& config, const SettingValue& value) {
    const std::size_t place = std::get<SettingChoice>(value).place;
    config.kv.values.reset();
    if (place > 0) config.kv.values = kRowTypes.at(place - 1).type;
}

// ---------------------------------------------------------------- rules

using Broken = std::optional<RuleViolation>;

/// Returns the lengths of coded rows of a model, for example "128" or "256 and 512".
std::string codedSizes(const ModelFacts& model) {
    if (model.extents.empty()) return format("{}", model.headDim);
    std::set<int> sizes;
    for (const KvExtent& one : model.extents)
        if (one.heads > 0)
            sizes.insert({one.valuesInKeys ? one.valueDim : one.keyDim, one.valueDim});
    std::string text;
    for (const int size : sizes) text += format("{}{}", text.empty() ? "" : " and ", size);
    return text;
}

std::string unfit(const ModelFacts& model, const KvQuant& quant) {
    if (hasLatentRows(model)) {
        const std::string rows =
            format("the latent part of a row of {} has {} numbers", model.name, codedSizes(model));
        return quant.rotated()
                   ? format("{}, and rotated codes need a multiple of {} from {} to {}", rows,
                            kRotatedLatentStep, kShortestRotatedRow, kLongestRotatedRow)
                   : format("{}, which groups of {} do not divide", rows, quant.group);
    }
    const std::string heads =
        format("the heads of {} have {} dimensions", model.name, codedSizes(model));
    return quant.rotated() ? format("{}, and rotated codes need an even number from {} to {}",
                                    heads, kShortestRotatedRow, kLongestRotatedRow)
                           : format("{}, which groups of {} do not divide", heads, quant.group);
}

/// Returns the types that fit the heads of a model, separated by ", ".
std::string fittingTypes(const ModelFacts& model) {
    std::string names;
    for (const NamedRowType& row : std::span(kRowTypes).first<kCacheTypes>()) {
        if (!codesFit(cacheModelOf(model), row.type.quant)) continue;
        if (!names.empty()) names += ", ";
        names += row.name;
    }
    return names;
}

/// Codes come in groups whose size must divide the head size; rotations support only certain head
/// sizes.
Broken codesFitKeys(const RuleScene& scene) {
    const KvQuant& quant = scene.config.kv.quant;
    if (scene.model == nullptr || codesFit(cacheModelOf(*scene.model), quant)) return {};
    return refused(scene.config, {.rule = "KV-TYPE",
                                  .key = "kv_type",
                                  .allowed = fittingTypes(*scene.model),
                                  .nearest = "f16",
                                  .reason = unfit(*scene.model, quant)});
}

Broken plainNumbersHaveOneType(const RuleScene& scene) {
    const KvOptions& kv = scene.config.kv;
    if (!kv.values || !kv.values->quant.plain() || !kv.quant.plain() || kv.values->type == kv.type)
        return {};
    return refused(
        scene.config,
        {.rule = "KV-TYPE",
         .key = "v_type",
         .allowed = format("same, {}, or codes (q8_0, q4_0, t8 to t1)",
                           settingValueText(scene.config, "kv_type")),
         .nearest = "same",
         .reason = "keys and values must have the same type unless one of them is coded"});
}

Broken codesFitValues(const RuleScene& scene) {
    const auto& values = scene.config.kv.values;
    if (!values || scene.model == nullptr) return {};
    if (hasLatentRows(*scene.model) && !(values->quant == scene.config.kv.quant))
        return refused(
            scene.config,
            {.rule = "KV-TYPE",
             .key = "v_type",
             .allowed = "same",
             .nearest = "same",
             .reason = format("the values of {} are parts of its keys (latent attention) and have "
                              "their format",
                              scene.model->name)});
    if (codesFit(cacheModelOf(*scene.model), values->quant)) return {};
    return refused(scene.config, {.rule = "KV-TYPE",
                                  .key = "v_type",
                                  .allowed = format("same, {}", fittingTypes(*scene.model)),
                                  .nearest = "same",
                                  .reason = unfit(*scene.model, values->quant)});
}

Broken rotationsAreThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("kv_rotation") || model == nullptr || model->rotations != nullptr ||
        config.kv.rotation != KvRotation::Calibrated)
        return {};
    const std::string why =
        hasLatentRows(*model)
            ? format(
                  "the values of {} are parts of its keys (latent attention), but calibrated "
                  "rotations need both apart",
                  model->name)
        : !model->extents.empty()
            ? format(
                  "the layers of {} differ in KV heads or head size, but calibrated rotations "
                  "need one size",
                  model->name)
        : model->rotationsNote.empty()
            ? format("no rotations were calibrated on {}; run lacuna calibrate-kv --rotations",
                     model->name)
            : model->rotationsNote;
    return refused(config, {.rule = "ROTATION",
                            .key = "kv_rotation",
                            .allowed = "auto, hadamard",
                            .nearest = "auto",
                            .reason = why});
}

Broken damageIsThere(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (scene.idle("extra_bits") || model == nullptr || model->layerLoss != nullptr ||
        config.kv.extraBits == 0)
        return {};
    const std::string why = model->layerLossNote.empty()
                                ? format(
                                      "the error that codes cause in each layer was not measured "
                                      "on {}; run lacuna calibrate-kv --layers",
                                      model->name)
                                : model->layerLossNote;
    return refused(
        config,
        {.rule = "EXTRA-BITS", .key = "extra_bits", .allowed = "0", .nearest = "0", .reason = why});
}

/// Returns the smallest and largest number of bits among the layers.
std::string layerBitsNow(const EngineConfig& config, const ModelFacts* model) {
    if (model == nullptr || !config.kv.rotated()) return "";
    if (config.kv.extraBits == 0) return "the same in every layer";
    if (model->layerLoss == nullptr) return "";
    const KvChoice choice = cacheChoice(cacheModelOf(*model), config.kv);
    const auto side = [&](const char* name, KvQuant LayerPlan::*quant) -> std::string {
        const auto [fewest, most] = std::ranges::minmax(
            choice.layers, {}, [&](const LayerPlan& plan) { return (plan.*quant).bits; });
        if (!(fewest.*quant).rotated()) return "";
        return format("{} of {} to {} bits", name, (fewest.*quant).bits, (most.*quant).bits);
    };
    const std::string keys = side("keys", &LayerPlan::keyQuant);
    const std::string values = side("values", &LayerPlan::valueQuant);
    return keys + (keys.empty() || values.empty() ? "" : ", ") + values;
}

/// Returns which rotations are applied to rows.
std::string rotationNow(const EngineConfig& config, const ModelFacts* model) {
    if (model == nullptr || !config.kv.rotated() || config.kv.rotation != KvRotation::Auto)
        return "";
    if (model->rotations != nullptr) return "calibrated on this model";
    if (hasLatentRows(*model))
        return "hadamard; the values of this model are parts of its keys (latent attention)";
    if (!model->extents.empty())
        return "hadamard; the layers of this model differ in KV heads or head size";
    if (!model->rotationsNote.empty())
        return format("hadamard; the calibrated rotations cannot be used: {}",
                      model->rotationsNote);
    return "hadamard; no rotations were calibrated on this model";
}

/// The limit must hold the tokens that no compaction evicts, and one chunk.
Broken limitHoldsAChunk(const RuleScene& scene) {
    const EngineConfig& config = scene.config;
    if (scene.model == nullptr || config.cacheLimitMiB <= 0 || scene.broken("kv_type")) return {};
    // Without a method nothing is compacted, so no tokens are protected.
    const bool compacts = config.kv.method != CompactionMethod::None;
    const std::int64_t kept = compacts ? std::int64_t{config.kv.nSink} + config.kv.keepRecent : 0;
    const std::int64_t tokens = kept + 1 + std::max(config.prefillChunk, 1);
    const auto bytes =
        static_cast<double>(cacheBytes(cacheModelOf(*scene.model), config.kv, tokens));
    if (bytes <= config.cacheLimitMiB * kMiB) return {};
    const std::string least = format("{:.1f}", std::ceil(bytes / kMiB * 10) / 10);
    return refused(
        config,
        {.rule = "LIMIT-RANGE",
         .key = "cache_limit",
         .allowed = format("0, or {} or more", least),
         .nearest = least,
         .reason = compacts
                       ? format("{} sinks, {} recent tokens and a prefill chunk of {} must fit",
                                config.kv.nSink, config.kv.keepRecent, config.prefillChunk)
                       : format("a prefill chunk of {} must fit", config.prefillChunk)});
}

/// A page of the disk tier must fit next to its index; a smaller limit would store nothing.
Broken diskHoldsAPage(const RuleScene& scene) {
    const double limit = scene.config.prefixDiskMiB * kMiB;
    if (limit <= 0 || scene.broken("kv_type")) return {};
    std::int64_t bytes = kPageIndexBytes;
    if (scene.model != nullptr)
        bytes += cacheBytes(cacheModelOf(*scene.model), scene.config.kv, kPageTokens);
    const bool fits = scene.model != nullptr ? static_cast<double>(bytes) <= limit
                                             : static_cast<double>(bytes) < limit;
    if (fits) return {};
    const std::string least =
        scene.model != nullptr
            ? format("{:.1f}", std::ceil(static_cast<double>(bytes) / kMiB * 10) / 10)
            : "2";
    return refused(scene.config,
                   {.rule = "DISK-RANGE",
                    .key = "prefix_disk",
                    .allowed = format("0, or {} or more", least),
                    .nearest = least,
                    .reason = format("a page of {} tokens and the index must fit", kPageTokens)});
}

/// A limit below one checkpoint would keep none.
Broken memoryHoldsACheckpoint(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || scene.idle("state_memory") || config.kv.stateMemoryMiB <= 0) return {};
    const StateCheckpoints wanted = stateCheckpointsOf(config);
    const std::int64_t one = checkpointBytes(cacheModelOf(*model), wanted.type);
    if (one <= wanted.bytes) return {};
    const std::string least =
        format("{:.1f}", std::ceil(static_cast<double>(one) / kMiB * 10) / 10);
    return refused(config,
                   {.rule = "STATE-RANGE",
                    .key = "state_memory",
                    .allowed = format("0, or {} or more", least),
                    .nearest = least,
                    .reason = format("one checkpoint of {} takes {} MiB", model->name, least)});
}

/// Number of checkpoints that fit in the limit.
std::string checkpointsNow(const EngineConfig& config, const ModelFacts* model) {
    if (config.kv.stateMemoryMiB <= 0) return "none";
    if (model == nullptr) return "";
    const StateCheckpoints wanted = stateCheckpointsOf(config);
    const std::int64_t one = checkpointBytes(cacheModelOf(*model), wanted.type);
    if (one <= 0) return "";
    return format("{} checkpoints of {:.1f} MiB", wanted.bytes / one,
                  static_cast<double>(one) / kMiB);
}

bool hasNoStates(const EngineConfig&, const ModelFacts* model) {
    return model != nullptr && model->mixers == nullptr;
}

Broken contextIsTrained(const RuleScene& scene) {
    const int context = scene.config.context;
    if (context == 0) return {};
    const int trained =
        scene.model != nullptr ? scene.model->context : static_cast<int>(kMaxTokens);
    Refusal parts{.rule = "CTX-RANGE",
                  .key = "context",
                  .allowed = format("0, or {} to {}", kMinContext, trained),
                  .nearest = format("{}", kMinContext)};
    if (context < kMinContext) return refused(scene.config, std::move(parts));
    if (context <= trained) return {};
    parts.nearest = format("{}", trained);
    parts.reason = format("the model was trained with {} tokens", trained);
    return refused(scene.config, std::move(parts));
}

/// The kept tokens must leave room for new ones, and the model must support rotating its keys.
Broken shiftIsPossible(const RuleScene& scene) {
    const auto& [config, model, found] = scene;
    if (!config.contextShift) return {};
    const std::optional<int> limit = contextLimit(config, model);
    if (limit && *config.contextShift > *limit / 2)
        return refused(config, {.rule = "SHIFT-RANGE",
                                .key = "context_shift",
                                .allowed = format("off, or 0 to {}", *limit / 2),
                                .nearest = format("{}", *limit / 2),
                                .reason = format("the context has {} tokens", *limit)});
    if (model == nullptr || model->shiftNote.empty() || hasSlidingLayers(cacheModelOf(*model)))
        return {};
    return refused(config, {.rule = "SHIFT-MODEL",
                            .key = "context_shift",
                            .allowed = "off",
                            .nearest = "off",
                            .reason = model->shiftNote});
}

}  // namespace

std::vector<SettingSpec> cacheSettingSpecs() {
    return {
        {.key = "kv_type",
         .label = "KV type",
         .field = {SettingKind::Choice, cacheType, setCacheType, kCacheTypeNames},
         .when = SettingTiming::Live,
         .scope = SettingScope::Conversation,
         .ruleId = "KV-TYPE",
         .help = "Number format of keys and values: fewer bits save memory, but too few ruin some "
                 "models without warning, so measure recall first; rounded-away bits cannot be "
                 "restored. q8_0 and q4_0 take about half and a third of the bytes of f16, t8 to "
                 "t1 (rotated codes of 8 to 1 bits, arXiv 2504.19874) take half to a sixteenth.",
         .relations = {codesFitKeys}},
        {.key = "v_type",
         .label = "Value type",
         .field = {SettingKind::Choice, valueType, setValueType, kValueTypeNames},
         .when = SettingTiming::Live,
         .scope = SettingScope::Conversation,
         .ruleId = "KV-TYPE",
         .help = "Number format of the values, if it differs from that of the keys (Cache type). "
                 "Values tolerate fewer bits than keys: f16 keys with q8_0, q4_0 or t4 values, or "
                 "t8 keys with t4 values.",
         .relations = {plainNumbersHaveOneType, codesFitValues}},
        {.key = "exact_window",
         .label = "Exact window",
         .unit = "tokens",
         .field = kvField<&KvOptions::exactWindow>(),
         .minimum = 0,
         .maximum = 1024,
         .step = 32,
         .when = SettingTiming::Live,
         .scope = SettingScope::Conversation,
         .ruleId = "EXACT-RANGE",
         .help = "Number of newest tokens that a cache of rotated codes (t8 to t1) also keeps in "
                 "16 bits, so that nearby text is read exactly; it costs the memory of as many f16 "
                 "tokens, and 0 keeps codes only. The first tokens (n_sink) are kept in 16 bits "
                 "too (KIVI, arXiv 2402.02750, keeps 128).",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return !c.kv.rotated(); },
                       "neither kv_type nor v_type is one of the rotated codes t8 to t1"}},
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.kv.exactWindow == 0 ? "codes only" : "");
             }},
        {.key = "kv_rotation",
         .label = "Rotation",
         .field = kvField<&KvOptions::rotation>(),
         .when = SettingTiming::Live,
         .scope = SettingScope::Conversation,
         .ruleId = "ROTATION",
         .help =
             "Rotation applied before coding (t8 to t1): calibrated loses less at few bits, after "
             "minutes of measuring once per model (lacuna calibrate-kv --rotations); hadamard is "
             "the same for every model. auto is calibrated if the model has it (arXiv 2605.17757).",
         .relations = {rotationsAreThere},
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return !c.kv.rotated(); },
                       "neither keys nor values are rotated codes (kv_type, v_type t8 to t1)"}},
         .meaning = rotationNow},
        {.key = "extra_bits",
         .label = "Extra bits",
         .unit = "bits",
         .field = kvField<&KvOptions::extraBits>(),
         .minimum = 0,
         .maximum = 4,
         .step = 0.125,
         .when = SettingTiming::NewCache,
         .scope = SettingScope::Conversation,
         .ruleId = "EXTRA-BITS",
         .help = "Additional bits per number, on average, for a cache of rotated codes (t8 to t1); "
                 "they go to the layers where they save most of the error. Needs one measurement "
                 "per model (lacuna calibrate-kv --layers, minutes); 0 gives every layer the same.",
         .relations = {damageIsThere},
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return !c.kv.rotated(); },
                       "neither keys nor values are rotated codes (kv_type, v_type t8 to t1)"}},
         .meaning = layerBitsNow},
        {.key = "window",
         .label = "Window",
         .unit = "tokens",
         .field = kvField<&KvOptions::window>(),
         .minimum = 2,
         .maximum = kMaxTokens,
         .step = 64,
         .when = SettingTiming::NewCache,
         .scope = SettingScope::Conversation,
         .ruleId = "WINDOW-RANGE",
         .help = "Every layer keeps only the first tokens (n_sink) and the newest, this many in "
                 "all: memory stops growing, and everything in between is dropped permanently "
                 "(arXiv 2309.17453). Not together with a method or a budget."},
        {.key = "layer_caches",
         .label = "Layer caches",
         .field = kvField<&KvOptions::layerCaches>(),
         .when = SettingTiming::NewCache,
         .scope = SettingScope::Conversation,
         .ruleId = "CHOICE",
         .help = "auto saves memory: layers that see only a window of the text keep only that "
                 "window (gemma, mistral). uniform keeps every token in all layers, so a "
                 "conversation can be rolled back to any point without reading it again.",
         .idleWhen = {{[](const EngineConfig&, const ModelFacts* model) {
                           return model != nullptr && !hasSlidingLayers(cacheModelOf(*model));
                       },
                       "no layer of the model has a window of its own"}}},
        {.key = "state_memory",
         .label = "State checkpoints",
         .unit = "MiB",
         .field = kvField<&KvOptions::stateMemoryMiB>(),
         .minimum = 0,
         .maximum = 1 << 20,
         .step = 64,
         .when = SettingTiming::NextTurn,
         .scope = SettingScope::Conversation,
         .ruleId = "STATE-RANGE",
         .help =
             "Memory of a conversation for states of recurrent layers, kept where messages "
             "begin and where texts part, so that an edit, another answer or another branch "
             "reads only the tokens after the nearest one; 0 keeps none. At the limit the least "
             "useful one is evicted.",
         .relations = {memoryHoldsACheckpoint},
         .idleWhen = {{hasNoStates, "the model has no recurrent layers"}},
         .meaning = checkpointsNow},
        {.key = "state_type",
         .label = "Checkpoint type",
         .field = kvField<&KvOptions::stateType>(),
         .when = SettingTiming::NextTurn,
         .scope = SettingScope::Conversation,
         .ruleId = "CHOICE",
         .help =
             "int8 keeps almost four times as many checkpoints of recurrent states, but returning "
             "to one rounds the state to 8 bits; with f32 the text continues with the "
             "same bits. The newest tokens can always be rolled back without rounding.",
         .idleWhen = {{hasNoStates, "the model has no recurrent layers"},
                      {[](const EngineConfig& c, const ModelFacts*) {
                           return c.kv.stateMemoryMiB <= 0;
                       },
                       "state_memory is 0"},
                      {[](const EngineConfig& c, const ModelFacts*) {
                           return c.precision == PrecisionChoice::Exact;
                       },
                       "precision is exact, which keeps f32"}}},
        {.key = "cache_limit",
         .label = "Cache limit",
         .unit = "MiB",
         .field = fieldAt<&EngineConfig::cacheLimitMiB>(),
         .minimum = 0,
         .maximum = 1 << 24,
         .step = 64,
         .when = SettingTiming::Live,
         .ruleId = "LIMIT-RANGE",
         .help =
             "Memory that the caches of all conversations may use together; 0 is no limit. At the "
             "limit the largest cache is compacted and caches of idle conversations are released; "
             "if that is not enough, the answer ends with an error and nothing is lost.",
         .relations = {limitHoldsAChunk},
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.cacheLimitMiB <= 0 ? "no limit" : "");
             }},
        {.key = "prefix_cache",
         .label = "Prefix cache",
         .unit = "MiB",
         .field = fieldAt<&EngineConfig::prefixCacheMiB>(),
         .minimum = 0,
         .maximum = 1 << 24,
         .step = 64,
         .when = SettingTiming::Live,
         .ruleId = "PREFIX-RANGE",
         .help = "Memory for text already read, so that conversations, branches and requests that "
                 "share a prefix need not read it again; 0 is off. Rows shared with an open "
                 "conversation count, but take no second copy.",
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.prefixCacheMiB <= 0 ? "off" : "");
             }},
        {.key = "prefix_disk",
         .label = "Prefix cache on disk",
         .unit = "MiB",
         .field = fieldAt<&EngineConfig::prefixDiskMiB>(),
         .minimum = 0,
         .maximum = 1 << 26,
         .step = 256,
         .when = SettingTiming::Live,
         .ruleId = "DISK-RANGE",
         .help = "Disk space for text already read, kept across restarts and shared by all models, "
                 "so that a reopened conversation loads it where that is faster than reading it "
                 "again; 0 is off and removes nothing. Anyone who can read the folder can recover "
                 "the text; private questions are never stored.",
         .relations = {diskHoldsAPage},
         .meaning =
             [](const EngineConfig& c, const ModelFacts*) {
                 return std::string(c.prefixDiskMiB <= 0 ? "off" : "");
             }},
        {.key = "context",
         .label = "Context",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::context>(),
         .minimum = 0,
         .maximum = kMaxTokens,
         .step = 256,
         .minimumNonZero = kMinContext,
         .when = SettingTiming::NextTurn,
         .ruleId = "CTX-RANGE",
         .help = "Maximum number of tokens in a conversation, prompt and answer together; 0 is the "
                 "model's trained context.",
         .relations = {contextIsTrained},
         .effectiveMaximum =
             [](const EngineConfig&, const ModelFacts* model) {
                 return model != nullptr ? static_cast<double>(model->context) : kMaxTokens;
             }},
        {.key = "context_shift",
         .label = "Context shift",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::contextShift>(),
         .minimum = 0,
         .maximum = kMaxTokens / 2,
         .step = 4,
         .when = SettingTiming::NextTurn,
         .ruleId = "SHIFT-RANGE",
         .help = "When the context is full, off ends the answer; a number keeps that many first "
                 "tokens, drops half of the others and shifts the rest, as often as needed. Not "
                 "together with a method, a window or a coded kv_type.",
         .relations = {shiftIsPossible}},
    };
}

}  // namespace lacuna
