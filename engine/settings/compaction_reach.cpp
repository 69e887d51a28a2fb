#include "engine/settings/compaction_reach.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/compress/family_policy.h"
#include "engine/settings/choice_names.h"

namespace lacuna {
namespace {

// A smaller cache is not made a ring (kv_factory.h).
constexpr int kMinRing = 2;

/// Attention carries no information about tokens outside a layer's window (Compactor).
bool byAttention(const KvOptions& options) {
    return options.method == CompactionMethod::AttentionMatching ||
           scoresByQueries(policyInEffect(options));
}

}  // namespace

EvictionPolicy policyInEffect(const KvOptions& options) {
    return options.evictionPolicy == EvictionPolicy::Auto ? EvictionPolicy::Reconstruct
                                                          : options.evictionPolicy;
}

CompactionReach compactionReach(const EngineConfig& config, const ModelFacts& model) {
    CompactionReach reach{.layers = model.layers, .touched = model.layers};
    if (config.kv.method == CompactionMethod::None) return reach;
    const bool rings = config.kv.layerCaches == LayerCaches::Auto;
    const bool attention = byAttention(config.kv);
    for (int layer = 0; layer < model.layers; ++layer) {
        const auto at = static_cast<std::size_t>(layer);
        if (at < model.extents.size() && model.extents[at].heads == 0) {
            ++reach.rowless;
            --reach.touched;
            continue;
        }
        const int window = at < model.windows.size() ? model.windows[at] : 0;
        const bool windowed = window > 0 && (attention || (rings && window >= kMinRing));
        const bool skipped = std::ranges::count(config.kv.skipLayers, layer) > 0;
        if (windowed) ++reach.windowed;
        if (windowed || skipped) --reach.touched;
    }
    return reach;
}

std::string reachNote(const EngineConfig& config, const ModelFacts& model) {
    const CompactionReach reach = compactionReach(config, model);
    if (reach.windowed == 0) return {};
    return format("{} leaves {} of {} layers of {} unchanged, because they have their own window",
                  choiceName(config.kv.method), reach.windowed, reach.layers, model.name);
}

std::string automaticPolicy(const ModelFacts& model) {
    if (model.surrogate) return "auto is reconstruct: a surrogate predicts its scores";
    return format(
        "auto is reconstruct, scored by repeating the text in pauses until a surrogate is fitted "
        "to the model; during an answer {} chooses",
        choiceName(policyForFamily(model.architecture, model.keysNormalised).policy));
}

}  // namespace lacuna
