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

Result<LayerLayout> layoutOf(const KvShape& shape, const std::vector<LayerPlan>& plans) {
    if (static_cast<int>(plans.size()) != shape.layers)
        return fail(ErrorCode::InvalidArgument,
                    format("{} layer plans for {} layers", plans.size(), shape.layers));
    LayerLayout out;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        auto at = std::find(out.distinct.begin(), out.distinct.end(), plans[i]);
        if (at == out.distinct.end()) {
            out.owners.emplace_back();
            at = out.distinct.insert(out.distinct.end(), plans[i]);
        }
        const auto part = static_cast<std::size_t>(at - out.distinct.begin());
        out.part.push_back(static_cast<int>(part));
        out.inner.push_back(static_cast<int>(out.owners[part].size()));
        out.owners[part].push_back(static_cast<int>(i));
    }
    return out;
}

KvShape partShape(const KvShape& shape, const LayerPlan& plan, const std::vector<int>& layers) {
    KvShape part = shape;
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
    const auto heads = static_cast<std::size_t>(shape.kvHeads);
    if (plan.heads.size() != plans.size() * heads)
        return fail(ErrorCode::InvalidArgument,
                    format("compaction plan for {} heads, the cache has {}", plan.heads.size(),
                           plans.size() * heads));
    std::vector<CompactionPlan> out(layout.owners.size());
    for (std::size_t p = 0; p < out.size(); ++p)
        out[p] = {.heads = std::vector<HeadCompaction>(layout.owners[p].size() * heads),
                  .verbatim = plan.verbatim};
    for (std::size_t layer = 0; layer < plans.size(); ++layer) {
        for (std::size_t h = 0; h < heads; ++h) {
            const HeadCompaction& head = plan.heads[layer * heads + h];
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
    for (const LayerPlan& plan : plans) {
        KvShape part = shape;
        part.keyQuant = plan.keyQuant;
        part.valueQuant = plan.valueQuant;
        const auto row = static_cast<std::int64_t>(formatBytes(keyFormat(part)) +
                                                   formatBytes(valueFormat(part)));
        const std::int64_t held =
            plan.window ? std::min<std::int64_t>(tokens, plan.window->size) : tokens;
        const std::int64_t exact =
            std::min<std::int64_t>(held, std::int64_t{part.exact.newest} + part.exact.first);
        bytes += shape.kvHeads * (held * row + (part.keepsExact() ? exactBytes(part, exact) : 0));
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
