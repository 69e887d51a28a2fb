#include "engine/settings/facts.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"

namespace lacuna {

int cacheHeads(const ModelFacts& model) {
    return plainShapeOf(cacheModelOf(model)).headCount();
}

std::string kvHeadsText(const ModelFacts& model) {
    if (model.extents.empty()) return format("{} KV heads of {}", model.kvHeads, model.headDim);
    std::string text = "KV heads by layer: ";
    for (std::size_t at = 0, end = 0; at < model.extents.size(); at = end) {
        const KvExtent one = model.extents[at];
        while (end < model.extents.size() && model.extents[end] == one) ++end;
        if (at > 0) text += ", ";
        text += one.heads == 0 ? format("{} x none", end - at)
                               : format("{} x {} of {}", end - at, one.heads, one.keyDim);
    }
    return text;
}

bool codesFit(const CacheModel& model, const KvQuant& quant) {
    if (model.extents.empty()) return checkQuant("cache", quant, model.headDim).has_value();
    for (const KvExtent& one : model.extents)
        if (one.heads > 0 && !checkQuants(one, quant, quant)) return false;
    return true;
}

bool hasLatentRows(const ModelFacts& model) {
    return std::ranges::any_of(model.extents, &KvExtent::valuesInKeys);
}

}  // namespace lacuna
