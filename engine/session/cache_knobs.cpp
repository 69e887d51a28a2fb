// Settings of the cache a conversation is kept in.

#include <array>

#include "engine/session/knob_rows.h"

namespace lacuna {
namespace {

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

}  // namespace

std::vector<KnobRow> cacheKnobs() {
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
    };
}

}  // namespace lacuna
