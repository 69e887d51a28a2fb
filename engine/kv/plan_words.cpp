#include "engine/kv/plan_words.h"

#include "engine/base/string_format.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

// Two words of the format that have one value today: the kind of a window, and whose rows a layer
// reads.
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
