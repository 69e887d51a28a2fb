// Settings of the cache a conversation is kept in.

#include "engine/session/knob_rows.h"

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
          .ruleId = "KV-TYPE",
          .help = "Number format of keys and values in the cache; q8_0 and q4_0 take about half "
                  "and a third of the bytes of f16 (codes in groups of 32 with scale and bias)."},
         ChoiceAccess{cacheTypeIndex, setCacheType}},
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
          .ruleId = "CHOICE",
          .help =
              "auto lets layers that see only a window of the text keep only that window (gemma, "
              "mistral); uniform keeps every token in all layers, so that the conversation can be "
              "taken back to any point without reading it anew."},
         choiceOf<LayerCaches, layerCachesField>()},
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
