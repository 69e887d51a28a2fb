#include "engine/kv/layer_layout.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/exact_rows.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/kv/state_words.h"

namespace lacuna {

std::vector<LayerPlan> plansOf(const KvChoice& choice) {
    if (!choice.layers.empty()) return choice.layers;
    const LayerPlan plan{.window = choice.window,
                         .keyQuant = choice.shape.keyQuant,
                         .valueQuant = choice.shape.valueQuant};
    return std::vector<LayerPlan>(static_cast<std::size_t>(choice.shape.layers), plan);
}

Status checkOneSize(const KvShape& shape, bool calibrated) {
    if (shape.uniform() || !calibrated) return {};
    if (std::ranges::any_of(shape.extents, &KvExtent::valuesInKeys))
        return fail(ErrorCode::Incompatible,
                    "calibrated rotations need keys and values apart, but the values of this model "
                    "are parts of its keys; set kv_rotation to auto or hadamard");
    return fail(ErrorCode::Incompatible,
                "calibrated rotations have one size, but the layers of this model differ in KV "
                "heads or head sizes; set kv_rotation to auto or hadamard");
}

Result<LayerLayout> layoutOf(const KvShape& shape, const std::vector<LayerPlan>& plans) {
    if (static_cast<int>(plans.size()) != shape.layers)
        return fail(ErrorCode::InvalidArgument,
                    format("{} layer plans for {} layers", plans.size(), shape.layers));
    if (!shape.uniform() && shape.extents.size() != plans.size())
        return fail(ErrorCode::InvalidArgument,
                    format("{} layer extents for {} layers", shape.extents.size(), shape.layers));
    LACUNA_TRY_STATUS(checkOneSize(shape, shape.rotations != nullptr));
    LayerLayout out;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const KvExtent extent = shape.extent(LayerIndex(static_cast<int>(i)));
        if (!shape.uniform() && extent.heads == 0) {
            out.part.push_back(-1);
            out.inner.push_back(-1);
            continue;
        }
        std::size_t part = 0;
        while (part < out.owners.size() &&
               !(out.distinct[part] == plans[i] &&
                 shape.extent(LayerIndex(out.owners[part].front())) == extent))
            ++part;
        if (part == out.owners.size()) {
            out.owners.emplace_back();
            out.distinct.push_back(plans[i]);
        }
        out.part.push_back(static_cast<int>(part));
        out.inner.push_back(static_cast<int>(out.owners[part].size()));
        out.owners[part].push_back(static_cast<int>(i));
    }
    return out;
}

KvShape partShape(const KvShape& shape, const LayerPlan& plan, const std::vector<int>& layers) {
    KvShape part = shape;
    const KvExtent extent = shape.extent(LayerIndex(layers.front()));
    part.kvHeads = extent.heads;
    part.keyDim = extent.keyDim;
    part.valueDim = extent.valueDim;
    part.valuesInKeys = extent.valuesInKeys;
    part.extents.clear();
    part.states = nullptr;
    part.layers = static_cast<int>(layers.size());
    part.keyQuant = plan.keyQuant;
    part.valueQuant = plan.valueQuant;
    if (!part.rotated()) part.exact = {};
    if (shape.rotations != nullptr)
        part.rotations = part.rotated() ? shape.rotations->ofLayers(layers) : nullptr;
    return part;
}

Result<std::vector<CompactionPlan>> splitPlan(const KvShape& shape,
                                              const std::vector<LayerPlan>& plans,
                                              const LayerLayout& layout,
                                              const CompactionPlan& plan) {
    const auto headsOf = [&shape](std::size_t layer) {
        return static_cast<std::size_t>(shape.heads(LayerIndex(static_cast<int>(layer))));
    };
    const auto count = static_cast<std::size_t>(shape.headCount());
    if (plan.heads.size() != count)
        return fail(
            ErrorCode::InvalidArgument,
            format("compaction plan for {} heads, the cache has {}", plan.heads.size(), count));
    std::vector<CompactionPlan> out(layout.owners.size());
    for (std::size_t p = 0; p < out.size(); ++p) {
        const std::vector<int>& owners = layout.owners[p];
        const std::size_t heads = headsOf(static_cast<std::size_t>(owners.front()));
        out[p] = {.heads = std::vector<HeadCompaction>(owners.size() * heads),
                  .verbatim = plan.verbatim};
    }
    std::size_t index = 0;  // KvShape::headIndex of the next head
    for (std::size_t layer = 0; layer < plans.size(); ++layer) {
        const std::size_t heads = headsOf(layer);
        for (std::size_t h = 0; h < heads; ++h) {
            const HeadCompaction& head = plan.heads[index++];
            if (!head.touched()) continue;
            if (plans[layer].window)
                return fail(
                    ErrorCode::Unsupported,
                    format("layer {} keeps a window and cannot be compacted; leave it out", layer));
            const auto inner = static_cast<std::size_t>(layout.inner[layer]);
            out[static_cast<std::size_t>(layout.part[layer])].heads[inner * heads + h] = head;
        }
    }
    return out;
}

std::int64_t estimateBytes(const KvShape& shape, const std::vector<LayerPlan>& plans,
                           std::int64_t tokens) {
    // A file may declare a shape and a context whose product overflows.
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    std::int64_t bytes = 0;
    KvShape part = shape;
    part.extents.clear();
    for (std::size_t layer = 0; layer < plans.size(); ++layer) {
        const LayerPlan& plan = plans[layer];
        const KvExtent extent = shape.extent(LayerIndex(static_cast<int>(layer)));
        if (extent.heads == 0) continue;
        part.keyDim = extent.keyDim;
        part.valueDim = extent.valueDim;
        part.valuesInKeys = extent.valuesInKeys;
        part.keyQuant = plan.keyQuant;
        part.valueQuant = plan.valueQuant;
        const auto row = static_cast<std::int64_t>(formatBytes(keyFormat(part)) +
                                                   formatBytes(valueFormat(part)));
        const std::int64_t held =
            plan.window ? std::min<std::int64_t>(tokens, plan.window->size) : tokens;
        const std::int64_t exact =
            std::min<std::int64_t>(held, std::int64_t{part.exact.newest} + part.exact.first);
        bytes += extent.heads * (held * row + (part.keepsExact() ? exactBytes(part, exact) : 0));
        bytes = std::min(bytes, kMost);
    }
    return bytes;
}

namespace {

// Two words of the format with only one valid value: the kind of a window, and the layer whose rows
// are read.
constexpr std::uint32_t kRing = 0;
constexpr std::uint32_t kOwnRows = 0;

void putQuant(std::string& out, const KvQuant& quant) {
    putWord(out, static_cast<std::uint32_t>(quant.bits));
    putWord(out, static_cast<std::uint32_t>(quant.group));
}

void putPlan(std::string& out, const LayerPlan& plan) {
    const WindowRule rule = plan.window.value_or(WindowRule{});
    putWord(out, static_cast<std::uint32_t>(plan.window.has_value()));
    putWord(out, kRing);
    putWord(out, static_cast<std::uint32_t>(rule.size));
    putWord(out, static_cast<std::uint32_t>(rule.keep));
    putQuant(out, plan.keyQuant);
    putQuant(out, plan.valueQuant);
    putWord(out, kOwnRows);
}

}  // namespace

void putPlans(std::string& out, const std::vector<LayerPlan>& plans) {
    for (const LayerPlan& plan : plans) putPlan(out, plan);
}

Status expectPlans(ByteReader& reader, const std::vector<LayerPlan>& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::string expected;
        putPlan(expected, plans[i]);
        const auto found = reader.takeText(expected.size());
        if (!found) return corruptState("it ends within the layer kinds");
        if (*found != expected)
            return fail(ErrorCode::Incompatible,
                        format("layer {} of the saved cache has another kind or format than the "
                               "model's layer",
                               i));
    }
    return {};
}

}  // namespace lacuna
