#include "engine/kv/kv_factory.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/layer_bits.h"
#include "engine/kv/layer_layout.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/state/state_store.h"
#include "engine/kv/window/window_cache.h"

namespace lacuna {
namespace {

std::string describeFormat(const KvShape& shape) {
    const auto side = [&](const KvQuant& quant) {
        if (quant.plain()) return std::string(info(shape.type).name);
        return quant.rotated() ? format("rotated codes of {} bits", quant.bits)
                               : format("{} bits in groups of {}", quant.bits, quant.group);
    };
    return format("keys of {}, values of {}", side(shape.keyQuant), side(shape.valueQuant));
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice) {
    if (choice.window && !choice.layers.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("a window of {} tokens for all layers cannot be used together with "
                           "layers that differ; set the window in the layers",
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

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes, SlotAllocator& allocator,
                                           const RowsInUse& rows) {
    return isWindowState(bytes) ? loadWindowCache(bytes, allocator, rows)
                                : loadSlotCache(bytes, allocator, rows);
}

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes, const RowsInUse& rows) {
    return loadCache(bytes, systemSlotAllocator(), rows);
}

Status checkRotations(const KvShape& found, const KvShape& expected) {
    if (!found.rotated() || !expected.rotated() ||
        sameRotations(found.rotations.get(), expected.rotations.get()))
        return {};
    const auto words = [](const KvShape& shape) {
        return shape.rotations == nullptr
                   ? std::string("with a seed")
                   : format("with the calibration of the model ({})", shape.rotations->hash());
    };
    return fail(ErrorCode::Incompatible, format("saved cache: its rows are rotated {}, expected "
                                                "{}; read the text again or set kv_rotation back",
                                                words(found), words(expected)));
}

Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes, const KvShape& shape) {
    LACUNA_TRY(auto cache, loadCache(bytes, {.exact = shape.exact, .rotations = shape.rotations}));
    const KvShape& found = cache->shape();
    if (found == shape) return cache;
    LACUNA_TRY_STATUS(checkRotations(found, shape));
    return fail(
        ErrorCode::Incompatible,
        format("saved cache: {} layers, {} KV heads, lengths {} and {}, {}; expected {} layers, {} "
               "KV heads, lengths {} and {}, {}",
               found.layers, found.kvHeads, found.keyDim, found.valueDim, describeFormat(found),
               shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim, describeFormat(shape)));
}

KvShape plainShapeOf(const CacheModel& model, DType type) {
    return {.layers = model.layers,
            .kvHeads = model.kvHeads,
            .keyDim = model.headDim,
            .valueDim = model.headDim,
            .type = type,
            .extents = model.extents,
            .states = model.states};
}

namespace {

constexpr int kMinRing = 2;

KvQuant valueQuantOf(const KvOptions& options) {
    return options.values ? options.values->quant : options.quant;
}

/// Rows of plain numbers have one type: that of the keys, or of the values if the keys are coded.
KvShape shapeOf(const CacheModel& model, const KvOptions& options) {
    KvShape shape = plainShapeOf(
        model, options.quant.plain() || !options.values ? options.type : options.values->type);
    shape.keyQuant = options.quant;
    shape.valueQuant = valueQuantOf(options);
    if (options.keepsExact()) shape.exact = {options.exactWindow, options.nSink};
    if (shape.rotated() && shape.uniform() && options.rotation != KvRotation::Hadamard)
        shape.rotations = model.rotations;
    return shape;
}

std::optional<WindowRule> wantedWindow(const KvOptions& options) {
    if (!options.window) return std::nullopt;
    return WindowRule{*options.window, options.nSink};
}

/// A sliding layer keeps only its window, because earlier tokens are never read.
LayerPlan planOf(int window, const KvOptions& options) {
    LayerPlan plan{.window = wantedWindow(options),
                   .keyQuant = options.quant,
                   .valueQuant = valueQuantOf(options)};
    if (window < kMinRing) return plan;
    const int size = options.window ? std::min(window, *options.window) : window;
    plan.window = WindowRule{size, 0};
    return plan;
}

bool spreadsBits(const CacheModel& model, const KvOptions& options) {
    return options.extraBits > 0 && options.rotated() && model.loss != nullptr;
}

/// Assigns bits to every layer according to its measured error.
void spreadBits(const LayerLoss& loss, const KvOptions& options, std::span<const KvExtent> extents,
                std::vector<LayerPlan>& plans) {
    const auto bitsOf = [](const KvQuant& quant) { return quant.rotated() ? quant.bits : 0; };
    const LayerBits bits = spreadBits(loss, bitsOf(options.quant), bitsOf(valueQuantOf(options)),
                                      options.extraBits, extents);
    for (std::size_t layer = 0; layer < plans.size(); ++layer) {
        if (bits.keys[layer] > 0) plans[layer].keyQuant.bits = bits.keys[layer];
        if (bits.values[layer] > 0) plans[layer].valueQuant.bits = bits.values[layer];
    }
}

/// One plan for each layer; with `windows` those of the model.
std::vector<LayerPlan> layerPlans(const CacheModel& model, const KvOptions& options, bool windows) {
    std::vector<LayerPlan> plans;
    for (int layer = 0; layer < model.layers; ++layer)
        plans.push_back(
            planOf(windows ? model.windows[static_cast<std::size_t>(layer)] : 0, options));
    if (spreadsBits(model, options)) spreadBits(*model.loss, options, model.extents, plans);
    return plans;
}

/// Index of the first number that is not finite, or nullopt.
std::optional<int> firstNonFinite(std::span<const float> rows, int length) {
    const auto bad = std::ranges::find_if(rows, [](float x) { return !std::isfinite(x); });
    if (bad == rows.end()) return std::nullopt;
    return static_cast<int>((bad - rows.begin()) / length);
}

/// A saved number that is not finite would corrupt every output that attends to it.
Status checkHead(const KvCache& cache, LayerIndex layer, HeadIndex head) {
    constexpr int kRows = 64;
    const KvExtent extent = cache.shape().extent(layer);
    KvHeadView view = cache.head(layer, head);
    const ExactView exact = std::exchange(view.exact, {});  // reads the codes first, ignoring rows
                                                            // in 16 bits
    std::vector<float> rows(static_cast<std::size_t>(kRows) *
                            static_cast<std::size_t>(std::max(extent.keyDim, extent.valueDim)));
    const auto refuse = [&](const char* what, int slot) {
        return fail(ErrorCode::KvNonFinite,
                    format("saved cache: the {} of slot {} in layer {}, head {} holds a number "
                           "that is not finite",
                           what, slot, layer.value, head.value));
    };
    for (int first = 0; first < view.slots; first += kRows) {
        const int count = std::min(kRows, view.slots - first);
        const auto part = [&](int length) {
            return std::span<const float>(rows).first(static_cast<std::size_t>(count * length));
        };
        readKeys(view, extent.keyDim, first, count, rows.data());
        if (const auto bad = firstNonFinite(part(extent.keyDim), extent.keyDim))
            return refuse("key", first + *bad);
        readValues(view, extent.valueDim, first, count, rows.data());
        if (const auto bad = firstNonFinite(part(extent.valueDim), extent.valueDim))
            return refuse("value", first + *bad);
    }
    view.exact = exact;
    for (const ExactSlot& at : exact.within(0, view.slots)) {
        readKeys(view, extent.keyDim, at.slot, 1, rows.data());
        const auto key =
            std::span<const float>(rows).first(static_cast<std::size_t>(extent.keyDim));
        if (firstNonFinite(key, extent.keyDim)) return refuse("key", at.slot);
        readValues(view, extent.valueDim, at.slot, 1, rows.data());
        const auto value =
            std::span<const float>(rows).first(static_cast<std::size_t>(extent.valueDim));
        if (firstNonFinite(value, extent.valueDim)) return refuse("value", at.slot);
    }
    return {};
}

/// Errors: Incompatible, naming the first layer whose sizes differ. @pre as many layers
Status checkExtents(const KvShape& found, const KvShape& expected) {
    for (int i = 0; i < expected.layers; ++i) {
        const KvExtent has = found.extent(LayerIndex(i));
        const KvExtent needs = expected.extent(LayerIndex(i));
        if (!(has == needs))
            return fail(ErrorCode::Incompatible,
                        format("saved cache: {} KV heads, lengths {} and {} in layer {}; expected "
                               "{} KV heads, lengths {} and {}",
                               has.heads, has.keyDim, has.valueDim, i, needs.heads, needs.keyDim,
                               needs.valueDim));
    }
    return {};
}

Status checkFinite(const KvCache& cache) {
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        for (int head = 0; head < cache.shape().heads(LayerIndex(layer)); ++head)
            LACUNA_TRY_STATUS(checkHead(cache, LayerIndex(layer), HeadIndex(head)));
    return {};
}

}  // namespace

bool hasSlidingLayers(const CacheModel& model) {
    return std::any_of(model.windows.begin(), model.windows.end(),
                       [](int window) { return window >= kMinRing; });
}

KvChoice cacheChoice(const CacheModel& model, const KvOptions& options) {
    KvChoice choice;
    choice.shape = shapeOf(model, options);
    const bool windows = options.layerCaches == LayerCaches::Auto && hasSlidingLayers(model);
    if (windows || spreadsBits(model, options) || !model.extents.empty() ||
        model.states != nullptr) {
        choice.layers = layerPlans(model, options, windows);
    } else {
        choice.window = wantedWindow(options);
    }
    return choice;
}

Result<std::unique_ptr<KvCache>> makeCacheFor(const CacheModel& model, const KvOptions& options) {
    const KvChoice choice = cacheChoice(model, options);
    LACUNA_TRY_STATUS(checkOneSize(
        choice.shape, choice.shape.rotated() && options.rotation == KvRotation::Calibrated));
    if (choice.shape.rotated() && choice.shape.rotations == nullptr &&
        options.rotation == KvRotation::Calibrated)
        return fail(ErrorCode::Unsupported,
                    "kv_rotation is calibrated, but this model has no calibrated rotations; make "
                    "them with lacuna calibrate-kv --rotations");
    if (options.extraBits > 0 && choice.shape.rotated() && model.loss == nullptr)
        return fail(ErrorCode::Unsupported,
                    "extra_bits is set, but the loss from codes in each layer of this model was "
                    "not measured; measure it with lacuna calibrate-kv --layers");
    return makeCache(choice);
}

std::string_view rotationInUse(const CacheModel& model, const KvOptions& options) {
    const KvShape shape = shapeOf(model, options);
    if (!shape.rotated()) return "";
    return shape.rotations == nullptr ? "hadamard" : "calibrated";
}

bool matchesChoice(const KvCache& cache, const KvChoice& choice) {
    KvShape wantedShape = choice.shape;
    wantedShape.exact.first = cache.shape().exact.first;
    if (!(cache.shape() == wantedShape)) return false;
    const std::vector<LayerPlan>* const plans = cache.layerPlans();
    if (plans != nullptr || !choice.layers.empty())
        return plans != nullptr && *plans == choice.layers;
    const KvCapabilities able = cache.capabilities();
    const WindowRule expected = choice.window.value_or(WindowRule{});
    return able.windowSize == expected.size && able.windowKeep == expected.keep;
}

Result<std::unique_ptr<KvCache>> loadCacheFor(std::string_view bytes, const KvChoice& choice) {
    if (isListState(bytes) == choice.layers.empty())
        return fail(ErrorCode::Incompatible,
                    format("saved cache: {}, expected {}",
                           choice.layers.empty() ? "layers that differ" : "layers that are alike",
                           choice.layers.empty() ? "layers that are alike" : "layers that differ"));
    std::unique_ptr<KvCache> cache;
    if (choice.layers.empty()) {
        LACUNA_TRY(cache, loadCacheAs(bytes, choice.shape));
    } else {
        LACUNA_TRY(cache, loadCacheList(bytes, choice.layers,
                                        {.exact = choice.shape.exact,
                                         .rotations = choice.shape.rotations,
                                         .states = choice.shape.states}));
    }
    if (matchesChoice(*cache, choice)) {
        LACUNA_TRY_STATUS(checkFinite(*cache));
        return cache;
    }
    LACUNA_TRY_STATUS(checkExtents(cache->shape(), choice.shape));
    const KvCapabilities able = cache->capabilities();
    return fail(
        ErrorCode::Incompatible,
        format(
            "saved cache: a window of {} tokens ({} kept), expected {} ({} kept); 0 is every token",
            able.windowSize, able.windowKeep, choice.window ? choice.window->size : 0,
            choice.window ? choice.window->keep : 0));
}

std::int64_t cacheBytes(const CacheModel& model, const KvOptions& options, std::int64_t tokens) {
    const KvChoice choice = cacheChoice(model, options);
    return estimateBytes(choice.shape, plansOf(choice), tokens) + stateBytes(model, tokens);
}

std::int64_t stateBytes(const CacheModel& model, std::int64_t tokens) {
    return model.states == nullptr ? 0 : StateStore::estimateBytes(*model.states, {}, tokens);
}

std::int64_t checkpointBytes(const CacheModel& model, StateType type) {
    return model.states == nullptr ? 0 : CheckpointLayout(*model.states).bytes(type);
}

std::int64_t tokensThatFit(const CacheModel& model, const KvOptions& options, std::int64_t bytes,
                           std::int64_t limit) {
    const KvChoice choice = cacheChoice(model, options);
    const std::vector<LayerPlan> plans = plansOf(choice);
    std::int64_t fits = 0;
    std::int64_t tooMany = limit + 1;
    while (tooMany - fits > 1) {
        const std::int64_t middle = fits + (tooMany - fits) / 2;
        const std::int64_t needed =
            estimateBytes(choice.shape, plans, middle) + stateBytes(model, middle);
        (needed <= bytes ? fits : tooMany) = middle;
    }
    return fits;
}

}  // namespace lacuna
