#include "engine/format/model_spec.h"

#include <cmath>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/model_limits.h"

namespace lacuna {
namespace {

Status checkExtents(const ModelSpec& spec) {
    if (!inRange(spec.layers, 1, kMaxLayers))
        return fail(ErrorCode::ModelBadLayers,
                    format("{} layers; 1 to {} expected", spec.layers, kMaxLayers));
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

Status checkScaling(const RopeSpec& rope) {
    switch (rope.scaling) {
        case RopeSpec::Scaling::None:
            return {};
        case RopeSpec::Scaling::Linear:
        case RopeSpec::Scaling::Llama3:
            if (!inRange(rope.factor, 1e-3F, 1e6F))
                return badRope("scaling factor", rope.factor, "a number from 0.001 to 1e6");
            break;
        case RopeSpec::Scaling::Yarn:
        case RopeSpec::Scaling::LongRope:
        case RopeSpec::Scaling::Dynamic:
            return fail(ErrorCode::ModelBadRope,
                        "this scaling of the rotary embedding is not computed");
    }
    if (rope.scaling == RopeSpec::Scaling::Linear) return {};
    if (!inRange(rope.lowFrequencyFactor, 1e-3F, 1e6F))
        return badRope("low_freq_factor", rope.lowFrequencyFactor, "a number from 0.001 to 1e6");
    if (!inRange(rope.highFrequencyFactor, 1e-3F, 1e6F) ||
        rope.highFrequencyFactor <= rope.lowFrequencyFactor)
        return badRope("high_freq_factor", rope.highFrequencyFactor,
                       "a number above low_freq_factor");
    if (!inRange(rope.originalContext, 1, kMaxContext))
        return badRope("original_max_position_embeddings", rope.originalContext,
                       "a number of tokens");
    return {};
}

Status checkRope(const RopeSpec& rope, int headDim) {
    // Below 1 the slowest pair would turn fastest; above 1e12 every pair but the first stands
    // still.
    if (!inRange(rope.base, 1.0F, 1e12F))
        return badRope("base", rope.base, "a number from 1 to 1e12");
    if (!inRange(rope.dim, 2, headDim) || rope.dim % 2 != 0)
        return badRope("dimension", rope.dim,
                       format("an even number up to the head size {}", headDim));
    if (!rope.frequencyFactors.empty() &&
        rope.frequencyFactors.size() * 2 != static_cast<std::size_t>(rope.dim))
        return badRope("number of frequency factors", rope.frequencyFactors.size(),
                       format("{}", rope.dim / 2));
    for (const float factor : rope.frequencyFactors)
        if (!inRange(factor, 1e-6F, 1e6F))
            return badRope("a frequency factor", factor, "a number from 1e-6 to 1e6");
    return checkScaling(rope);
}

}  // namespace

Status ModelSpec::check() const {
    LACUNA_TRY_STATUS(findArchitecture(architecture).map([](const Architecture*) {}));
    LACUNA_TRY_STATUS(checkExtents(*this));
    LACUNA_TRY_STATUS(checkRope(rope, headDim));
    if (!inRange(rmsEpsilon, 1e-12F, 1e-1F))
        return fail(ErrorCode::ModelBadEps,
                    format("the epsilon of the norms is {}; a number from 1e-12 to 0.1 expected",
                           rmsEpsilon));
    return {};
}

}  // namespace lacuna
