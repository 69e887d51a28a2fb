#include "engine/format/model_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"

namespace lacuna {
namespace {

Status checkExtents(const ModelSpec& spec) {
    if (!inRange(spec.layers, 1, kMaxLayers) || !inRange(spec.draftLayers, 0, kMaxLayers))
        return fail(ErrorCode::ModelBadLayers,
                    format("{} layers and {} draft layers; 1 to {} expected", spec.layers,
                           spec.draftLayers, kMaxLayers));
    if (!inRange(spec.heads, 1, kMaxHeads) || !inRange(spec.kvHeads, 1, spec.heads) ||
        spec.heads % spec.kvHeads != 0)
        return fail(ErrorCode::ModelBadHeads, format("{} heads over {} KV heads; 1 to {} heads "
                                                     "that are a multiple of the KV heads expected",
                                                     spec.heads, spec.kvHeads, kMaxHeads));
    const auto dimension = [](std::string_view field, int value, int limit) -> Status {
        if (inRange(value, 1, limit)) return {};
        return fail(ErrorCode::ModelBadDim,
                    format("{} is {}; 1 to {} expected", field, value, limit));
    };
    LACUNA_TRY_STATUS(dimension("hidden size", spec.hidden, kMaxHidden));
    LACUNA_TRY_STATUS(dimension("head size", spec.headDim, kMaxHeadDim));
    LACUNA_TRY_STATUS(dimension("feed-forward size", spec.feedForward, kMaxFeedForward));
    if (!inRange(spec.vocabulary, 1, kMaxVocabulary))
        return fail(ErrorCode::ModelVocab, format("a vocabulary of {} tokens; 1 to {} expected",
                                                  spec.vocabulary, kMaxVocabulary));
    if (!inRange(spec.context, 1, kMaxContext))
        return fail(ErrorCode::ModelBadCtx, format("context length {}; 1 to {} tokens expected",
                                                   spec.context, kMaxContext));
    return {};
}

template <class Number>
Status badRope(std::string_view field, Number found, std::string_view expected) {
    return fail(ErrorCode::ModelBadRope,
                format("rotary embedding: {} is {}; {} expected", field, found, expected));
}

/// @param stillFrom divisors from here on mean that a pair does not rotate
Status checkFactors(std::string_view field, const std::vector<float>& factors, int dim,
                    float stillFrom) {
    if (factors.size() * 2 != static_cast<std::size_t>(dim))
        return badRope(format("number of {}", field), factors.size(), format("{}", dim / 2));
    for (const float factor : factors)
        if (!inRange(factor, 1e-6F, 1e6F) && !(factor >= stillFrom))
            return badRope(format("one of the {}", field), factor, "a number from 1e-6 to 1e6");
    return {};
}

Status checkLlama3(const RopeSpec& rope) {
    if (!inRange(rope.lowFrequencyFactor, 1e-3F, 1e6F))
        return badRope("low_freq_factor", rope.lowFrequencyFactor, "a number from 0.001 to 1e6");
    if (!inRange(rope.highFrequencyFactor, 1e-3F, 1e6F) ||
        rope.highFrequencyFactor <= rope.lowFrequencyFactor)
        return badRope("high_freq_factor", rope.highFrequencyFactor,
                       "a number above low_freq_factor");
    return {};
}

Status checkYarn(const RopeSpec& rope) {
    if (!inRange(rope.betaSlow, 1e-3F, 1e6F))
        return badRope("beta_slow", rope.betaSlow, "a number from 0.001 to 1e6");
    if (!inRange(rope.betaFast, rope.betaSlow, 1e6F))
        return badRope("beta_fast", rope.betaFast, "a number from beta_slow to 1e6");
    return {};
}

Status checkLongRope(const RopeSpec& rope) {
    constexpr float kNever = std::numeric_limits<float>::quiet_NaN();  // no number reaches it
    LACUNA_TRY_STATUS(checkFactors("short factors", rope.shortFactors, rope.dim, kNever));
    return checkFactors("long factors", rope.longFactors, rope.dim, kNever);
}

Status checkScaling(const RopeSpec& rope) {
    using enum RopeSpec::Scaling;
    if (rope.scaling == None) return {};
    if (!inRange(rope.factor, 1e-3F, 1e6F))
        return badRope("scaling factor", rope.factor, "a number from 0.001 to 1e6");
    if (!inRange(rope.magnitude, 1e-3F, 1e3F))
        return badRope("attention_factor", rope.magnitude, "a number from 0.001 to 1000");
    if (rope.scaling == Linear) return {};
    if (!inRange(rope.originalContext, 1, kMaxContext))
        return badRope("original_max_position_embeddings", rope.originalContext,
                       "a number of tokens");
    if (rope.scaling == Llama3) return checkLlama3(rope);
    if (rope.scaling == Yarn) return checkYarn(rope);
    if (rope.scaling == LongRope) return checkLongRope(rope);
    if (rope.scaling == Dynamic && rope.dim <= 2)
        return badRope("dimension", rope.dim, "more than 2 for a dynamic base");
    return {};
}

Status checkRope(const RopeSpec& rope, int headDim) {
    // Below 1 the slowest pair would rotate fastest; above 1e12 only the first pair would rotate.
    if (!inRange(rope.base, 1.0F, 1e12F))
        return badRope("base", rope.base, "a number from 1 to 1e12");
    if (!inRange(rope.dim, 2, headDim) || rope.dim % 2 != 0)
        return badRope("dimension", rope.dim,
                       format("an even number up to the head size {}", headDim));
    if (!rope.frequencyFactors.empty())
        LACUNA_TRY_STATUS(
            checkFactors("frequency factors", rope.frequencyFactors, rope.dim, kUnrotatedPair));
    return checkScaling(rope);
}

/// Checks the sizes of one layer. Those of the model are valid.
Status checkSizes(const ModelSpec& spec, int index) {
    const LayerSpec layer = spec.layer(index);
    if (!inRange(layer.kvHeads, 1, spec.kvHeads) || spec.heads % layer.kvHeads != 0)
        return fail(ErrorCode::ModelBadHeads,
                    format("layer {} has {} heads over {} KV heads; a divisor of the heads up to "
                           "{} expected",
                           index, spec.heads, layer.kvHeads, spec.kvHeads));
    const auto dimension = [&](std::string_view field, int value, int limit) -> Status {
        if (inRange(value, 1, limit)) return {};
        return fail(ErrorCode::ModelBadDim, format("the {} of layer {} is {}; 1 to {} expected",
                                                   field, index, value, limit));
    };
    LACUNA_TRY_STATUS(dimension("head size", layer.headDim, spec.headDim));
    return dimension("feed-forward size", layer.feedForward, spec.feedForward);
}

Status checkSharedCache(const ModelSpec& spec, int index) {
    const LayerSpec layer = spec.layer(index);
    if (!layer.readsCacheOf) return {};
    const int read = *layer.readsCacheOf;
    if (!inRange(read, 0, index - 1) || spec.layer(read).readsCacheOf)
        return fail(ErrorCode::ModelBadLayers,
                    format("layer {} reads the cache of layer {}; an earlier layer with a cache of "
                           "its own expected",
                           index, read));
    const LayerSpec source = spec.layer(read);
    if (source.sliding != layer.sliding || source.kvHeads != layer.kvHeads ||
        source.headDim != layer.headDim || source.rotary != layer.rotary)
        return fail(
            ErrorCode::ModelBadLayers,
            format("layer {} with {} KV heads of {} reads the cache of layer {} with {} of "
                   "{}; a layer of the same kind and size expected",
                   index, layer.kvHeads, layer.headDim, read, source.kvHeads, source.headDim));
    return {};
}

/// Checks each rotary embedding against the layers that use it.
Status checkRopes(const ModelSpec& spec) {
    int headDim = 0;
    int localHeadDim = 0;
    const auto take = [](int& least, int own) { least = least == 0 ? own : std::min(least, own); };
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        take(layer.sliding && spec.localRope ? localHeadDim : headDim, layer.headDim);
    }
    const auto orUsual = [&](int found) { return found == 0 ? spec.headDim : found; };
    LACUNA_TRY_STATUS(checkRope(spec.rope, orUsual(headDim)));
    return spec.localRope ? checkRope(*spec.localRope, orUsual(localHeadDim)) : Status();
}

/// Checks that there is a description of every layer, or none, and the sizes of each.
Status checkGeometry(const ModelSpec& spec) {
    if (!spec.layerSpecs.empty() && spec.layerSpecs.size() != static_cast<std::size_t>(spec.layers))
        return fail(ErrorCode::ModelBadLayers, format("{} layers are described; the model has {}",
                                                      spec.layerSpecs.size(), spec.layers));
    for (int i = 0; i < spec.layers; ++i) {
        LACUNA_TRY_STATUS(checkSizes(spec, i));
        LACUNA_TRY_STATUS(checkSharedCache(spec, i));
    }
    return {};
}

/// Checks the recurrent layers, and that each layer computes something.
Status checkRecurrent(const ModelSpec& spec) {
    bool used = false;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        used = used || spec.isRecurrent(i);
        if (layer.mixer == LayerMixer::None && layer.mixerOnly)
            return fail(ErrorCode::ModelBadLayers, format("layer {} has no content", i));
    }
    if (!used) return {};
    const MixerShape& shape = spec.recurrent.shape;
    if (auto sound = shape.check(); !sound) return fail(ErrorCode::ModelBadDim, sound.error().what);
    if (!inRange(shape.valueHeads, 0, kMaxHeads) || !inRange(shape.keyDim, 0, kMaxHeadDim) ||
        !inRange(shape.valueDim, 0, kMaxHeadDim) || !inRange(shape.width, 0, kMaxHidden))
        return fail(
            ErrorCode::ModelBadDim,
            format("recurrent layers of {} heads, {} by {}; at most {} heads of {} expected",
                   shape.valueHeads, shape.keyDim, shape.valueDim, kMaxHeads, kMaxHeadDim));
    return {};
}

/// Checks the sizes of latent attention, and that nothing else changes its heads.
Status checkLatent(const ModelSpec& spec) {
    if (!spec.latent) return {};
    const LatentAttention& latent = *spec.latent;
    const auto size = [](std::string_view field, int value, int least) -> Status {
        if (inRange(value, least, kMaxHeadDim)) return {};
        return fail(ErrorCode::ModelBadDim, format("the {} of latent attention is {}; {} to {} "
                                                   "expected",
                                                   field, value, least, kMaxHeadDim));
    };
    LACUNA_TRY_STATUS(size("latent", latent.length, 1));
    LACUNA_TRY_STATUS(size("rotated part of a key", latent.rotated, 2));
    LACUNA_TRY_STATUS(size("other part of a query", latent.unrotated, 1));
    LACUNA_TRY_STATUS(size("output of a head", latent.value, 1));
    if (!inRange(latent.queryRank, 0, kMaxHidden))
        return fail(ErrorCode::ModelBadDim, format("a latent of queries of {}; 0 to {} expected",
                                                   latent.queryRank, kMaxHidden));
    if (spec.kvHeads != 1 || spec.headDim != latent.keyLength() || spec.rope.dim != latent.rotated)
        return fail(
            ErrorCode::ModelBadHeads,
            format("latent attention with {} KV heads of {}, of which {} rotate; 1 of {}, "
                   "of which {} rotate, expected",
                   spec.kvHeads, spec.headDim, spec.rope.dim, latent.keyLength(), latent.rotated));
    if (spec.qkNorm != QkNorm::None || spec.qkvBias || spec.attentionGate || spec.window != 0)
        return fail(ErrorCode::Unsupported,
                    "latent attention with norms, biases, gates or windows of heads is not "
                    "supported");
    return {};
}

Status checkLayers(const ModelSpec& spec) {
    const auto slides = [](const LayerSpec& layer) { return layer.sliding; };
    const auto mixes = [](const LayerSpec& layer) { return layer.experts; };
    if (!inRange(spec.layerEmbedding, 0, kMaxHidden))
        return fail(ErrorCode::ModelBadDim, format("a per-layer embedding of {}; 0 to {} expected",
                                                   spec.layerEmbedding, kMaxHidden));
    const std::size_t sinks = spec.sinkScores.size();
    if (sinks != 0 && sinks != static_cast<std::size_t>(spec.layers * spec.heads))
        return fail(ErrorCode::ModelBadHeads,
                    format("{} sink scores; one for each of {} heads in {} layers expected", sinks,
                           spec.heads, spec.layers));
    if (!inRange(spec.window, 0, kMaxContext) ||
        (spec.window == 0 && std::ranges::any_of(spec.layerSpecs, slides)))
        return fail(ErrorCode::ModelBadDim, format("a sliding window of {} tokens; 1 to {} "
                                                   "expected",
                                                   spec.window, kMaxContext));
    if (spec.experts.count == 0 && std::ranges::any_of(spec.layerSpecs, mixes))
        return fail(ErrorCode::ModelBadDim,
                    "there are layers of experts, but the number of experts is missing");
    return {};
}

Status checkExperts(const ExpertSpec& experts) {
    if (experts.count == 0) return {};
    if (!inRange(experts.count, 1, kMaxExperts))
        return fail(ErrorCode::ModelBadDim,
                    format("{} experts; 1 to {} expected", experts.count, kMaxExperts));
    if (!inRange(experts.perToken, 1, experts.count))
        return fail(ErrorCode::ModelBadDim, format("{} of {} experts for each token; 1 to {} "
                                                   "expected",
                                                   experts.perToken, experts.count, experts.count));
    if (!inRange(experts.groups, 1, experts.count) || experts.count % experts.groups != 0 ||
        !inRange(experts.groupsPerToken, 1, experts.groups) ||
        experts.perToken > experts.groupsPerToken * (experts.count / experts.groups))
        return fail(ErrorCode::ModelBadDim,
                    format("{} of {} expert groups for each token; groups of equal size with {} "
                           "experts or more expected",
                           experts.groupsPerToken, experts.groups, experts.perToken));
    if (experts.scoring == ExpertScoring::SparseMixer &&
        (experts.perToken != 2 || !inRange(experts.jitter, 0.0F, 1.0F)))
        return fail(ErrorCode::Unsupported,
                    format("a sparse mixer of {} experts with a jitter of {}; 2 experts and a "
                           "jitter from 0 to 1 are supported",
                           experts.perToken, experts.jitter));
    if (!inRange(experts.smallestSum, 0.0F, 1.0F))
        return fail(
            ErrorCode::ModelBadDim,
            format("a smallest sum of expert weights of {}; 0 to 1 expected", experts.smallestSum));
    if (!inRange(experts.feedForward, 1, kMaxFeedForward) ||
        !inRange(experts.sharedFeedForward, 0, kMaxFeedForward))
        return fail(ErrorCode::ModelBadDim,
                    format("experts of size {}, and {} for the shared one; 1 to {} expected",
                           experts.feedForward, experts.sharedFeedForward, kMaxFeedForward));
    return {};
}

Status checkFeedForward(const ModelSpec& spec) {
    const bool gates = spec.activation == Activation::Silu ||
                       spec.activation == Activation::GeluTanh ||
                       spec.activation == Activation::SwigluClamped;
    if (spec.activation == Activation::SwigluClamped &&
        (!spec.gated || !inRange(spec.swiglu.limit, 1e-3F, 1e6F) ||
         !inRange(spec.swiglu.alpha, 1e-3F, 1e3F)))
        return fail(ErrorCode::ModelBadDim,
                    format("an activation clamped at {} with an alpha of {}; 0.001 to 1e6, and "
                           "0.001 to 1000 expected",
                           spec.swiglu.limit, spec.swiglu.alpha));
    if (spec.gated && !gates)
        return fail(
            ErrorCode::Unsupported,
            format("a gate whose activation is neither SiLU nor GELU is not supported in {} models",
                   spec.architecture));
    if (spec.parallelResidual && spec.norms != NormPlacement::Before)
        return fail(
            ErrorCode::Unsupported,
            "attention parallel to the feed-forward with norms after them is not supported");
    if (spec.activation != Activation::Xielu || spec.xielu.empty()) return {};
    if (spec.xielu.size() != static_cast<std::size_t>(spec.layers))
        return fail(ErrorCode::ModelBadLayers, format("activations of {} layers; the model has {}",
                                                      spec.xielu.size(), spec.layers));
    for (const XieluCurve& curve : spec.xielu)
        for (const float number :
             {curve.alphaPositive, curve.alphaNegative, curve.beta, curve.epsilon})
            if (!inRange(number, -1e3F, 1e3F))
                return fail(
                    ErrorCode::ModelBadDim,
                    format("a number of the activation is {}; -1000 to 1000 expected", number));
    return {};
}

/// Norms after the rotation would cancel its magnitude, and norms before it would not. Therefore
/// only a magnitude of 1 is supported.
Status checkHeadNorms(const ModelSpec& spec) {
    if (spec.qkNorm != QkNorm::RotatedHeads || spec.rope.magnitude == 1.0F) return {};
    return fail(ErrorCode::Unsupported,
                format("a rotary embedding with a magnitude of {} is not supported in {} models",
                       spec.rope.magnitude, spec.architecture));
}

Status checkTemperature(const QueryTemperature& temperature) {
    if (temperature.scale == 0.0F) return {};
    if (!inRange(temperature.scale, -10.0F, 10.0F) || !inRange(temperature.length, 1, kMaxContext))
        return fail(ErrorCode::ModelBadRope,
                    format("queries grow by {} every {} tokens; -10 to 10, and 1 token or more "
                           "expected",
                           temperature.scale, temperature.length));
    return {};
}

Status checkScales(const ModelSpec& spec) {
    const auto factor = [](std::string_view field, float value) -> Status {
        if (inRange(std::fabs(value), 1e-6F, 1e6F)) return {};
        return fail(ErrorCode::ModelBadDim,
                    format("the {} is {}; a number from 1e-6 to 1e6 expected", field, value));
    };
    LACUNA_TRY_STATUS(factor("scale of the embedding", spec.embeddingScale));
    LACUNA_TRY_STATUS(factor("scale of the residual", spec.residualScale));
    LACUNA_TRY_STATUS(factor("scale of attention", spec.attentionScale.value_or(1.0F)));
    LACUNA_TRY_STATUS(factor("scale of the logits", spec.logitScale));
    LACUNA_TRY_STATUS(factor("scale of the experts", spec.experts.weightScale));
    for (const float cap : {spec.attentionSoftCap, spec.logitSoftCap})
        if (!inRange(cap, 0.0F, 1e6F))
            return fail(ErrorCode::ModelBadDim,
                        format("a soft cap of {}; a number from 0 to 1e6 expected", cap));
    return {};
}

}  // namespace

std::string ModelSpec::unusedKeysNote() const {
    const std::string encoder =
        imageEncoder ? "The file's image encoder is not used: the model reads only text." : "";
    if (unusedKeys.empty()) return encoder;
    constexpr std::size_t kMost = 12;
    const std::span<const std::string> shown =
        std::span(unusedKeys).first(std::min(kMost, unusedKeys.size()));
    const std::size_t more = unusedKeys.size() - shown.size();
    return format("{}{}The file has unknown metadata, which is not used: {}{}.", encoder,
                  encoder.empty() ? "" : " ", fmt::join(shown, ", "),
                  more > 0 ? format(" and {} more", more) : "");
}

LayerSpec ModelSpec::layer(int index) const {
    LayerSpec found =
        layerSpecs.empty() ? LayerSpec() : layerSpecs[static_cast<std::size_t>(index)];
    if (found.kvHeads == 0) found.kvHeads = kvHeads;
    if (found.headDim == 0) found.headDim = headDim;
    found.valuesInKeys = latent.has_value();
    if (found.valueDim == 0) found.valueDim = latent ? latent->length : found.headDim;
    if (found.feedForward == 0) found.feedForward = feedForward;
    return found;
}

int ModelSpec::headDimOf(bool sliding) const {
    for (int i = 0; i < layers; ++i)
        if (const LayerSpec one = layer(i); one.sliding == sliding) return one.headDim;
    return headDim;
}

bool ModelSpec::uniformCache() const {
    if (latent) return false;
    for (int i = 0; i < layers; ++i) {
        const LayerSpec one = layer(i);
        if (one.readsCacheOf || one.kvHeads != kvHeads || one.headDim != headDim || !attends(i))
            return false;
    }
    return true;
}

Status ModelSpec::check() const {
    LACUNA_TRY_STATUS(findArchitecture(architecture).map([](const Architecture*) {}));
    LACUNA_TRY_STATUS(checkExtents(*this));
    LACUNA_TRY_STATUS(checkGeometry(*this));
    LACUNA_TRY_STATUS(checkRecurrent(*this));
    LACUNA_TRY_STATUS(checkLatent(*this));
    LACUNA_TRY_STATUS(checkRopes(*this));
    LACUNA_TRY_STATUS(checkExperts(experts));
    LACUNA_TRY_STATUS(checkLayers(*this));
    LACUNA_TRY_STATUS(checkScales(*this));
    LACUNA_TRY_STATUS(checkFeedForward(*this));
    LACUNA_TRY_STATUS(checkTemperature(temperature));
    LACUNA_TRY_STATUS(checkHeadNorms(*this));
    if (!inRange(rmsEpsilon, 1e-12F, 1e-1F))
        return fail(ErrorCode::ModelBadEps,
                    format("the epsilon of the norms is {}; a number from 1e-12 to 0.1 expected",
                           rmsEpsilon));
    return {};
}

}  // namespace lacuna
