// Settings of the cache a conversation is kept in.

#include "engine/settings/idle_rules.h"
#include "engine/settings/knob_rows.h"

namespace lacuna {
namespace {

/// Those of kRowTypes that differ; the one behind them is another name for the last.
constexpr std::size_t kCacheTypes = kRowTypes.size() - 1;

/// Index past the choices when the type is no cache type; check() then refuses it.
std::size_t cacheTypeIndex(const EngineConfig& config) {
    const KvRowType wanted{config.kv.type, config.kv.quant};
    std::size_t index = 0;
    while (index < kCacheTypes && !(kRowTypes[index].type == wanted)) ++index;
    return index;
}
void setCacheType(EngineConfig& config, std::size_t index) {
    config.kv.type = kRowTypes.at(index).type.type;
    config.kv.quant = kRowTypes.at(index).type.quant;
}

std::vector<std::string_view> cacheTypeNames() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kCacheTypes; ++i) names.push_back(kRowTypes[i].name);
    return names;
}

/// The first choice is "same"; past the choices as above.
std::size_t valueTypeIndex(const EngineConfig& config) {
    if (!config.kv.values) return 0;
    std::size_t index = 0;
    while (index < kCacheTypes && !(kRowTypes[index].type == *config.kv.values)) ++index;
    return index + 1;
}
void setValueType(EngineConfig& config, std::size_t index) {
    config.kv.values.reset();
    if (index > 0) config.kv.values = kRowTypes.at(index - 1).type;
}

std::vector<std::string_view> valueTypeNames() {
    std::vector<std::string_view> names = cacheTypeNames();
    names.insert(names.begin(), "same");
    return names;
}

LayerCaches& layerCachesField(EngineConfig& c) {
    return c.kv.layerCaches;
}

}  // namespace

std::vector<KnobRow> cacheKnobs() {
    using C = EngineConfig;
    return {
        {{.key = "kv_type",
          .label = "Cache type",
          .unit = "",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Choice,
          .choices = cacheTypeNames(),
          .when = KnobWhen::NewCache,
          .scope = KnobScope::Conversation,
          .ruleId = "KV-TYPE",
          .help = "Number format of keys and values in the cache; q8_0 and q4_0 take about half "
                  "and a third of the bytes of f16 (codes in groups of 32 with scale and bias)."},
         ChoiceAccess{cacheTypeIndex, setCacheType}},
        {{.key = "v_type",
          .label = "Value type",
          .unit = "",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Choice,
          .choices = valueTypeNames(),
          .when = KnobWhen::NewCache,
          .scope = KnobScope::Conversation,
          .ruleId = "KV-TYPE",
          .help =
              "Number format of the values where it differs from that of the keys (Cache type); "
              "same takes that one. Values bear coarser codes than keys: f16 keys with q8_0 or "
              "q4_0 values. Keys and values that are plain numbers have one type."},
         ChoiceAccess{valueTypeIndex, setValueType}},
        {{.key = "window",
          .label = "Window",
          .unit = "tokens",
          .group = KnobGroup::Cache,
          .kind = KnobKind::OptionalInteger,
          .minimum = 2,
          .maximum = kMostTokens,
          .step = 64,
          .choices = {},
          .when = KnobWhen::NewCache,
          .scope = KnobScope::Conversation,
          .ruleId = "WINDOW-RANGE",
          .help =
              "Every layer forgets by age: it keeps the first tokens (n_sink) and the newest, so "
              "many in all (arXiv 2309.17453). Not together with a method or a budget."},
         +[](C& c) -> std::optional<int>& { return c.kv.window; }},
        {{.key = "layer_caches",
          .label = "Layer caches",
          .unit = "",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Choice,
          .choices = {"auto", "uniform"},
          .when = KnobWhen::NewCache,
          .scope = KnobScope::Conversation,
          .ruleId = "CHOICE",
          .help =
              "auto lets layers that see only a window of the text keep only that window (gemma, "
              "mistral); uniform keeps every token in all layers, so that the conversation can be "
              "taken back to any point without reading it anew.",
          .idleWhen = idle::whileNoLayerSlides()},
         choiceOf<LayerCaches, layerCachesField>()},
        {{.key = "cache_limit",
          .label = "Cache limit",
          .unit = "MiB",
          .group = KnobGroup::Cache,
          .kind = KnobKind::Real,
          .minimum = 0,
          .maximum = 1 << 24,
          .step = 64,
          .choices = {},
          .when = KnobWhen::Live,
          .ruleId = "LIMIT-RANGE",
          .help =
              "Memory that the caches of all conversations may fill together. A step that would "
              "pass it first compacts the largest, by the method chosen, then gives caches of "
              "idle conversations back; where that is not enough the answer ends with an error "
              "and nothing is lost. 0 is no limit."},
         +[](C& c) -> double& { return c.cacheLimitMiB; }},
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
        {{.key = "context_shift",
          .label = "Context shift",
          .unit = "tokens",
          .group = KnobGroup::Cache,
          .kind = KnobKind::OptionalInteger,
          .minimum = 0,
          .maximum = kMostTokens / 2,
          .step = 4,
          .choices = {},
          .when = KnobWhen::NextTurn,
          .ruleId = "SHIFT-RANGE",
          .help = "When the context is full: off ends the answer; a number keeps so many first "
                  "tokens, gives up half of the others and moves the newer half up, as often as "
                  "needed. Not together with a method, a window or a coded kv_type."},
         +[](C& c) -> std::optional<int>& { return c.contextShift; }},
    };
}

}  // namespace lacuna
