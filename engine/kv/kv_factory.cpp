#include "engine/kv/kv_factory.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/cache_state.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot_cache.h"
#include "engine/kv/window_cache.h"

namespace lacuna {
namespace {

bool wantsWindow(const KvChoice& choice, WindowKind kind) {
    return choice.layers.empty() && choice.window && choice.window->kind == kind;
}

Result<std::unique_ptr<KvCache>> makeDense(const KvChoice& choice) {
    return makeSlotCache(choice.shape);
}

Result<std::unique_ptr<KvCache>> makeWindow(const KvChoice& choice) {
    LACUNA_TRY(auto cache, makeWindowCache(choice.shape, *choice.window));
    return Result<std::unique_ptr<KvCache>>(std::move(cache));
}

Result<std::unique_ptr<KvCache>> makeList(const KvChoice& choice) {
    LACUNA_TRY(auto cache, makeCacheList(choice.shape, choice.layers));
    return Result<std::unique_ptr<KvCache>>(std::move(cache));
}

constexpr std::array<KvKindInfo, 5> kKinds{{
    {KvKind::Dense, "dense", "Keeps every token; memory grows with the conversation.",
     [](const KvChoice& c) { return c.layers.empty() && !c.window && !c.budget; }, makeDense},
    {KvKind::Evicting, "evicting",
     "Keeps every token until it is compacted to a budget of slots per head.",
     [](const KvChoice& c) { return c.layers.empty() && !c.window && c.budget.has_value(); },
     makeDense},
    {KvKind::Rotating, "rotating", "Keeps the first tokens and a window of the newest.",
     [](const KvChoice& c) { return wantsWindow(c, WindowKind::Ring); }, makeWindow},
    {KvKind::Chunked, "chunked", "Keeps the newest chunk of tokens.",
     [](const KvChoice& c) { return wantsWindow(c, WindowKind::Chunk); }, makeWindow},
    {KvKind::List, "list", "Full layers keep every token, sliding layers a window of their own.",
     [](const KvChoice& c) { return !c.layers.empty(); }, makeList},
}};

std::string describeFormat(const KvShape& shape) {
    const auto side = [&](const KvQuant& quant) {
        return quant.plain() ? std::string(info(shape.type).name)
                             : format("{} bits in groups of {}", quant.bits, quant.group);
    };
    return format("keys of {}, values of {}", side(shape.keyQuant), side(shape.valueQuant));
}

/// Rows of one layer of a dense cache as [tokens, kvHeads, dim].
void readLayer(const KvCache& cache, int layer, std::vector<float>& keys,
               std::vector<float>& values) {
    const KvShape& shape = cache.shape();
    for (int h = 0; h < shape.kvHeads; ++h) {
        const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(h));
        for (int token = 0; token < view.slots; ++token) {
            const std::int64_t row = std::int64_t{token} * shape.kvHeads + h;
            readKeys(view, shape.keyDim, token, 1, keys.data() + row * shape.keyDim);
            readValues(view, shape.valueDim, token, 1, values.data() + row * shape.valueDim);
        }
    }
}

Result<std::unique_ptr<KvCache>> quantisedDense(const KvCache& cache, const KvShape& target) {
    LACUNA_TRY(auto coded, makeSlotCache(target));
    const int tokens = cache.offset().value;
    const auto rows = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(target.kvHeads);
    std::vector<float> keys(rows * static_cast<std::size_t>(target.keyDim));
    std::vector<float> values(rows * static_cast<std::size_t>(target.valueDim));
    LACUNA_TRY_STATUS(coded->beginAppend(tokens));
    for (int layer = 0; layer < target.layers; ++layer) {
        readLayer(cache, layer, keys, values);
        coded->writeLayer(LayerIndex(layer), {keys.data(), {tokens, target.kvHeads, target.keyDim}},
                          {values.data(), {tokens, target.kvHeads, target.valueDim}});
    }
    coded->commitAppend();
    return coded;
}

}  // namespace

std::span<const KvKindInfo> kvKinds() {
    return kKinds;
}

std::string_view kindName(KvKind kind) {
    const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const KvKindInfo& entry) { return entry.kind == kind; });
    return at->name;
}

Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice) {
    if (choice.budget && choice.window)
        return fail(
            ErrorCode::InvalidArgument,
            format("a budget of {} slots and a window of {} tokens exclude each other; give "
                   "one of them",
                   *choice.budget, choice.window->size));
    if (choice.window && !choice.layers.empty())
        return fail(
            ErrorCode::InvalidArgument,
            format("a window of {} tokens for all layers and layers that differ exclude each "
                   "other; give the window in the layers",
                   choice.window->size));
    const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const KvKindInfo& entry) { return entry.fits(choice); });
    if (at == kKinds.end()) return fail(ErrorCode::Internal, "no kind of cache fits the choice");
    return at->make(choice);
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

Result<std::unique_ptr<KvCache>> quantised(const KvCache& cache, KvQuant keys, KvQuant values) {
    const KvShape& shape = cache.shape();
    if (shape.keyQuant == keys && shape.valueQuant == values) return cache.clone();
    KvShape target = shape;
    target.keyQuant = keys;
    target.valueQuant = values;
    if (!shape.keyQuant.plain() || !shape.valueQuant.plain())
        return fail(ErrorCode::Unsupported,
                    format("the cache has {} already, asked for {}; code a plain cache instead",
                           describeFormat(shape), describeFormat(target)));
    const KvCapabilities able = cache.capabilities();
    if (able.kind == KvKind::Dense) return quantisedDense(cache, target);
    if (const auto* window = dynamic_cast<const WindowCache*>(&cache))
        return window->quantised(keys, values);
    return fail(
        ErrorCode::Unsupported,
        format("a cache of kind {} cannot be coded afterwards; choose its format when it is "
               "made",
               kindName(able.kind)));
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
