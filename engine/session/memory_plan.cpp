#include "engine/session/memory_plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/compress/driver/query_source.h"
#include "engine/format/draft_block.h"
#include "engine/generate/block_drafter.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot_memory.h"
#include "engine/model/latent_layer.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

// Bytes of residual, normalised and projected rows, queries and attended rows, keys and values,
// gate and up, inputs of experts and layers, and the rows of recurrent layers, in float, plus the
// logits of one row. Mirrors model/activations and model/recurrent_layer.
std::int64_t activationBytes(const ModelSpec& spec, int tokens) {
    std::int64_t keys = 0;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        keys = std::max(keys, std::int64_t{layer.kvHeads} * layer.headDim);
    }
    std::int64_t recurrent = 0;
    if (spec.recurrent.any()) {
        const MixerShape& shape = spec.recurrent.shape;
        const bool gated = shape.kind == MixerKind::ShortConvolution;
        recurrent = (gated ? 2 : 1) * shape.channels() + 2 * shape.outputs() + shape.decays() +
                    shape.valueHeads + shape.gates();
        if (spec.layer(0).mixer == LayerMixer::Both) recurrent += spec.hidden;
        if (shape.kind == MixerKind::KimiDelta) recurrent += shape.channels() + shape.valueDim;
    }
    if (spec.attentionGate) recurrent += 2 * std::int64_t{spec.heads} * spec.headDim;
    if (spec.latent) recurrent += LatentLayer::floatsPerToken(spec) - keys;  // no values
    const std::int64_t layerInputs = std::int64_t{spec.layers} * spec.layerEmbedding;
    const std::int64_t width = 3 * std::int64_t{spec.hidden} +
                               2 * std::int64_t{spec.heads} * spec.headDim + 2 * keys +
                               2 * std::int64_t{spec.feedForward} +
                               (spec.experts.parallelToDense ? 2 * std::int64_t{spec.hidden} : 0) +
                               recurrent + layerInputs + spec.layerEmbedding;
    return (width * tokens + 2 * layerInputs + spec.vocabulary) * std::int64_t{sizeof(float)};
}

/// Adds the activations and caches of the draft block, if the settings use it.
void addDraftBlock(MemoryPlan& plan, const ModelSpec& spec, const EngineConfig& config) {
    if (!spec.draftBlock || config.draftSource != DraftSource::Mtp || config.draftTokens == 0)
        return;
    const ModelSpec block = draftSpecOf(spec);
    plan.activationBytes +=
        activationBytes(block, config.prefillChunk) +
        std::int64_t{2} * spec.hidden * config.prefillChunk * std::int64_t{sizeof(float)};
    KvOptions full;
    full.type = config.kv.type;
    full.layerCaches = LayerCaches::Uniform;
    plan.draftBytes = plan.conversations *
                      cacheBytes(cacheModelOf(block), full,
                                 std::min<std::int64_t>(spec.context, BlockDrafter::kMaxRows));
}

constexpr std::int64_t kMaxPlannedContext = std::int64_t{1} << 31;

/// Memory when each conversation has `tokens` tokens and none has been compacted yet.
struct HeldBytes {
    std::int64_t live = 0, states = 0, checkpoints = 0, shadow = 0, passing = 0, kept = 0;
    [[nodiscard]] std::int64_t all() const {
        return live + states + checkpoints + shadow + passing + kept;
    }
};

HeldBytes heldBytes(const MemoryPlan& plan, const CacheModel& model, const KvOptions& options,
                    std::int64_t tokens) {
    HeldBytes held;
    held.states = plan.conversations * stateBytes(model, tokens);
    held.live = plan.conversations * cacheBytes(model, options, tokens) - held.states;
    held.checkpoints = plan.conversations * plan.checkpointBytes;
    held.kept = plan.prefixBytes;
    if (plan.copies > 0) {
        const auto kept =
            static_cast<std::int64_t>(std::ceil(plan.copies * static_cast<double>(tokens)));
        held.passing = plan.conversations * cacheBytes(model, options, kept);
    }
    KvOptions whole;
    whole.layerCaches = LayerCaches::Uniform;
    if (plan.shadow) held.shadow = cacheBytes(model, whole, tokens);
    if (plan.readings > 0) held.passing += cacheBytes(model, whole, plan.readings * tokens);
    return held;
}

/// Returns true if each conversation may have `tokens` tokens. The limit applies only to their
/// caches; shadow and second copies count as memory but not against the limit.
bool holds(const MemoryPlan& plan, const CacheModel& model, const KvOptions& options,
           std::int64_t tokens) {
    const std::int64_t caches = plan.conversations * cacheBytes(model, options, tokens);
    if (plan.limitBytes > 0 && caches > plan.limitBytes) return false;
    const std::int64_t left = std::max<std::int64_t>(
        plan.availableBytes - plan.weightBytes - plan.activationBytes - plan.draftBytes, 0);
    return heldBytes(plan, model, options, tokens).all() <= left;
}

std::int64_t largestContext(const MemoryPlan& plan, const CacheModel& model,
                            const KvOptions& options) {
    std::int64_t fits = 0;
    std::int64_t tooMany = kMaxPlannedContext + 1;
    while (tooMany - fits > 1) {
        const std::int64_t middle = fits + (tooMany - fits) / 2;
        (holds(plan, model, options, middle) ? fits : tooMany) = middle;
    }
    return fits;
}

/// Returns the size of a background compaction's copy as a fraction of the cache that it reads.
double copiesOf(const EngineConfig& config) {
    const bool background =
        config.kv.method == CompactionMethod::AttentionMatching && config.kv.background;
    return background && config.kv.amRatio > 0 ? 1.0 / config.kv.amRatio : 0.0;
}

/// Returns how many copies of the text the cache of a query pass holds; only one pass runs at a
/// time.
int readingsOf(const KvOptions& options) {
    // It is unknown whether an unloaded model has a surrogate. With one, a text whose beginning
    // came from a file is read once.
    if (usesReconstruction(options)) return options.scoreSource == ScoreSource::Surrogate ? 1 : 2;
    if (options.method != CompactionMethod::AttentionMatching) return 0;
    if (options.querySource == QuerySource::Repeat) return 2;
    return options.querySource == QuerySource::Context ? 1 : 0;
}

/// Returns ", for 4 answers at once".
std::string forWhom(const MemoryPlan& plan) {
    std::string text;
    if (plan.conversations > 1) text += format(", for {} parallel answers", plan.conversations);
    if (plan.copies > 0) text += ", with room for compactions in the background";
    if (plan.shadow) text += ", with the uncompressed cache of live quality";
    if (plan.checkpointBytes > 0)
        text += format(", with {} MiB of checkpoints each", grouped(plan.checkpointBytes >> 20));
    if (plan.prefixBytes > 0)
        text += format(", with {} MiB of prefix cache", grouped(plan.prefixBytes >> 20));
    if (plan.readings > 0) text += ", with room to read a text again for its queries";
    if (plan.limitBytes > 0)
        text += format(", below the limit of {} MiB", grouped(plan.limitBytes >> 20));
    return text;
}

CachePlan planCache(const MemoryPlan& plan, const ModelSpec& spec, const KvOptions& asked,
                    const NamedRowType& row) {
    const CacheModel model = cacheModelOf(spec);
    KvOptions options;
    options.exactWindow = asked.exactWindow;
    options.nSink = asked.nSink;
    options.type = row.type.type;
    options.quant = row.type.quant;
    CachePlan cache;
    cache.type = row.name;
    for (char& c : cache.type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    KvOptions codes = options;
    codes.exactWindow = 0;
    cache.bytesPerToken = cacheBytes(model, codes, 1) - stateBytes(model, 1);
    cache.fullBytes = cacheBytes(model, options, spec.context);
    const HeldBytes held = heldBytes(plan, model, options, spec.context);
    cache.allBytes = held.all();
    cache.liveBytes = held.live;
    cache.stateBytes = held.states;
    cache.checkpointBytes = held.checkpoints;
    cache.shadowBytes = held.shadow;
    cache.temporaryBytes = held.passing;
    cache.keptBytes = held.kept;
    cache.slackBytes =
        plan.conversations * cacheBytes(model, options, std::int64_t{spec.context} + kSlotQuantum) -
        held.live - held.states;
    cache.largestContext = largestContext(plan, model, options);
    cache.fits = holds(plan, model, options, spec.context);
    return cache;
}

std::string verdictOf(const MemoryPlan& plan) {
    if (plan.availableBytes <= 0) return "The memory of this machine is unknown.";
    if (plan.weightBytes + plan.activationBytes + plan.draftBytes > plan.availableBytes)
        return format(
            "The weights need {} MiB, but {} MiB are free: use a smaller file of this model or "
            "close other programs.",
            grouped(plan.weightBytes >> 20), grouped(plan.availableBytes >> 20));
    const auto f16 = std::ranges::find(plan.caches, "F16", &CachePlan::type);
    if (f16 == plan.caches.end()) return "The weights fit.";
    if (f16->fits)
        return format("The trained context of {} tokens fits with an F16 cache{}.",
                      grouped(plan.context), forWhom(plan));
    return format(
        "An F16 cache has room for {} of the {} tokens of the trained context{}; set a token "
        "budget, a smaller context or fewer parallel answers.",
        grouped(f16->largestContext), grouped(plan.context), forWhom(plan));
}

}  // namespace

MemoryPlan planMemory(const ModelSpec& spec, const MachineFacts& machine,
                      const EngineConfig& config) {
    MemoryPlan plan;
    plan.weightBytes = static_cast<std::int64_t>(spec.weightBytes);
    plan.activationBytes = activationBytes(spec, config.prefillChunk);
    plan.prefillTokens = config.prefillChunk;
    plan.context = spec.context;
    plan.conversations = std::max(config.parallel, 1);
    addDraftBlock(plan, spec, config);
    plan.shadow = config.qualityEvery > 0;
    plan.copies = copiesOf(config);
    plan.readings = readingsOf(config.kv);
    const StateCheckpoints checkpoints = stateCheckpointsOf(config);
    plan.oneCheckpoint = checkpointBytes(cacheModelOf(spec), checkpoints.type);
    if (plan.oneCheckpoint > 0)
        plan.checkpointBytes = checkpoints.bytes / plan.oneCheckpoint * plan.oneCheckpoint;
    plan.prefixBytes = static_cast<std::int64_t>(config.prefixCacheMiB * 1024 * 1024);
    plan.limitBytes = static_cast<std::int64_t>(config.cacheLimitMiB * 1024 * 1024);
    plan.availableBytes = machine.availableBytes;
    plan.memoryBytes = machine.memoryBytes;
    for (const NamedRowType& row : kRowTypes)
        if (codesFit(cacheModelOf(spec), row.type.quant))
            plan.caches.push_back(planCache(plan, spec, config.kv, row));
    plan.verdict = verdictOf(plan);
    return plan;
}

OrderedJson memoryPlanJson(const MemoryPlan& plan) {
    OrderedJson caches = OrderedJson::array();
    for (const CachePlan& cache : plan.caches)
        caches.push_back(OrderedJson{{"type", cache.type},
                                     {"bytes_per_token", cache.bytesPerToken},
                                     {"bytes_at_trained_context", cache.fullBytes},
                                     {"bytes_of_all", cache.allBytes},
                                     {"live_bytes", cache.liveBytes},
                                     {"state_bytes", cache.stateBytes},
                                     {"checkpoint_bytes", cache.checkpointBytes},
                                     {"shadow_bytes", cache.shadowBytes},
                                     {"passing_bytes", cache.temporaryBytes},
                                     {"kept_bytes", cache.keptBytes},
                                     {"slack_bytes", cache.slackBytes},
                                     {"largest_context", cache.largestContext},
                                     {"fits", cache.fits}});
    return OrderedJson{{"weight_bytes", plan.weightBytes},
                       {"activation_bytes", plan.activationBytes},
                       {"draft_bytes", plan.draftBytes},
                       {"prefill_tokens", plan.prefillTokens},
                       {"conversations", plan.conversations},
                       {"shadow", plan.shadow},
                       {"background_copies", plan.copies},
                       {"query_readings", plan.readings},
                       {"bytes_of_one_checkpoint", plan.oneCheckpoint},
                       {"prefix_cache_bytes", plan.prefixBytes},
                       {"limit_bytes", plan.limitBytes},
                       {"available_bytes", plan.availableBytes},
                       {"memory_bytes", plan.memoryBytes},
                       {"caches", std::move(caches)},
                       {"verdict", plan.verdict}};
}

}  // namespace lacuna
