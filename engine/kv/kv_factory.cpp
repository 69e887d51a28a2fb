#include "engine/kv/kv_factory.h"

#include <algorithm>
#include <string>

#include "engine/base/string_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/window/window_cache.h"

namespace lacuna {
namespace {

std::string describeFormat(const KvShape& shape) {
    const auto side = [&](const KvQuant& quant) {
        return quant.plain() ? std::string(info(shape.type).name)
                             : format("{} bits in groups of {}", quant.bits, quant.group);
    };
    return format("keys of {}, values of {}", side(shape.keyQuant), side(shape.valueQuant));
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice) {
    if (choice.window && !choice.layers.empty())
        return fail(
            ErrorCode::InvalidArgument,
            format("a window of {} tokens for all layers and layers that differ exclude each "
                   "other; give the window in the layers",
                   choice.window->size));
    if (!choice.layers.empty()) return makeCacheList(choice.shape, choice.layers);
    if (choice.window) return makeWindowCache(choice.shape, *choice.window);
    return makeSlotCache(choice.shape);
}

Result<KvRowType> kvTypeFromName(std::string_view name) {
    const auto at = std::find_if(kRowTypes.begin(), kRowTypes.end(),
                                 [&](const NamedRowType& entry) { return entry.name == name; });
    if (at != kRowTypes.end()) return at->type;
    std::string names;
    for (const NamedRowType& entry : kRowTypes) {
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return fail(ErrorCode::InvalidArgument,
                format("cache type {} is unknown, expected one of {}", name, names));
}

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes, SlotAllocator& allocator) {
    return isWindowState(bytes) ? loadWindowCache(bytes, allocator)
                                : loadSlotCache(bytes, allocator);
}

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes) {
    return loadCache(bytes, systemSlotAllocator());
}

Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes, const KvShape& shape) {
    LACUNA_TRY(auto cache, loadCache(bytes));
    const KvShape& found = cache->shape();
    if (found == shape) return cache;
    return fail(
        ErrorCode::Incompatible,
        format("saved cache: {} layers, {} KV heads, lengths {} and {}, {}; asked for {} "
               "layers, {} KV heads, lengths {} and {}, {}",
               found.layers, found.kvHeads, found.keyDim, found.valueDim, describeFormat(found),
               shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim, describeFormat(shape)));
}

}  // namespace lacuna
