#include "engine/session/memory_plan.h"

#include <algorithm>
#include <cctype>

#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

// Residual, normed and projected rows, queries and attended rows, keys and values, gate and up, in
// float; the logits of one row. Mirrors model/activations.
std::int64_t activationBytes(const ModelSpec& spec, int tokens) {
    const std::int64_t dim = spec.headDim;
    const std::int64_t width = 3 * std::int64_t{spec.hidden} + 2 * spec.heads * dim +
                               2 * spec.kvHeads * dim + 2 * std::int64_t{spec.feedForward};
    return (width * tokens + spec.vocabulary) * std::int64_t{sizeof(float)};
}

constexpr std::int64_t kMostContext = std::int64_t{1} << 31;

CachePlan planCache(const MemoryPlan& plan, const ModelSpec& spec, const NamedRowType& row) {
    const CacheModel model = cacheModelOf(spec);
    KvOptions options;
    options.type = row.type.type;
    options.quant = row.type.quant;
    CachePlan cache;
    cache.type = row.name;
    for (char& c : cache.type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    cache.bytesPerToken = cacheBytes(model, options, 1);
    cache.fullBytes = cacheBytes(model, options, spec.context);
    const std::int64_t left = plan.availableBytes - plan.weightBytes - plan.activationBytes;
    cache.largestContext =
        tokensThatFit(model, options, std::max<std::int64_t>(left, 0), kMostContext);
    cache.fits = cache.fullBytes <= left;
    return cache;
}

std::string verdictOf(const MemoryPlan& plan) {
    if (plan.availableBytes <= 0) return "The memory of this machine is not known.";
    if (plan.weightBytes + plan.activationBytes > plan.availableBytes)
        return format(
            "The weights need {} MiB and {} MiB are free: take a smaller file of this model, or "
            "close other programs.",
            plan.weightBytes >> 20, plan.availableBytes >> 20);
    const auto f16 = std::ranges::find(plan.caches, "F16", &CachePlan::type);
    if (f16 == plan.caches.end()) return "The weights fit.";
    if (f16->fits)
        return format("The trained context of {} tokens fits with an F16 cache.", plan.context);
    return format(
        "An F16 cache has room for {} of the {} tokens of the trained context; set a token budget "
        "or a smaller context.",
        f16->largestContext, plan.context);
}

}  // namespace

MemoryPlan planMemory(const ModelSpec& spec, const MachineFacts& machine, int prefillTokens) {
    MemoryPlan plan;
    plan.weightBytes = static_cast<std::int64_t>(spec.weightBytes);
    plan.activationBytes = activationBytes(spec, prefillTokens);
    plan.prefillTokens = prefillTokens;
    plan.context = spec.context;
    plan.availableBytes = machine.availableBytes;
    plan.memoryBytes = machine.memoryBytes;
    for (const NamedRowType& row : kRowTypes)
        if (checkQuant("cache", row.type.quant, spec.headDim))
            plan.caches.push_back(planCache(plan, spec, row));
    plan.verdict = verdictOf(plan);
    return plan;
}

OrderedJson memoryPlanJson(const MemoryPlan& plan) {
    OrderedJson caches = OrderedJson::array();
    for (const CachePlan& cache : plan.caches)
        caches.push_back(OrderedJson{{"type", cache.type},
                                     {"bytes_per_token", cache.bytesPerToken},
                                     {"bytes_at_trained_context", cache.fullBytes},
                                     {"largest_context", cache.largestContext},
                                     {"fits", cache.fits}});
    return OrderedJson{{"weight_bytes", plan.weightBytes},
                       {"activation_bytes", plan.activationBytes},
                       {"prefill_tokens", plan.prefillTokens},
                       {"available_bytes", plan.availableBytes},
                       {"memory_bytes", plan.memoryBytes},
                       {"caches", std::move(caches)},
                       {"verdict", plan.verdict}};
}

}  // namespace lacuna
