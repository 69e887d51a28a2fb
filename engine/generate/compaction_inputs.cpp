#include "engine/generate/compaction_inputs.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/compress/family_policy.h"
#include "engine/generate/cache_shape.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/model/rope.h"
#include "engine/text/unicode.h"

namespace lacuna {
namespace {

/// Control tokens are markup; a token with part of a character may be part of a letter.
TokenForm formOf(const Tokenizer& tokenizer, TokenId token) {
    TokenForm form{.word = false};
    form.control = tokenizer.isControl(token);
    if (form.control) return form;
    const auto text = tokenizer.pieceBytes(token);
    if (!text) return form;
    for (std::size_t at = 0; at < text->size();) {
        const Utf8Char character = utf8CharAt(*text, at);
        const bool whole = character.form == Utf8Char::Form::Whole;
        const bool blank = whole && isWhiteSpace(character.codePoint);
        form.word = form.word || !whole ||
                    (isWordCharacter(character.codePoint) && character.codePoint != U'_');
        form.blankBefore = form.blankBefore || (at == 0 && blank);
        form.blankAfter = blank;
        at += character.bytes;
    }
    return form;
}

}  // namespace

ProfiledModel profiledModelOf(const ModelSpec& spec) {
    const KvShape shape = plainShapeOf(spec);
    return {.fingerprint = spec.fingerprint,
            .layers = shape.layers,
            .kvHeads = shape.kvHeads,
            .layerHeads = layerHeadsOf(shape)};
}

CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed, HeadProfiles profiles) {
    CompactorModel model{
        .heads = spec.heads,
        .scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim))),
        .softCap = spec.attentionSoftCap,
        .seed = seed,
        .profiles = std::move(profiles)};
    model.rotation = {.frequencies = ropeFrequencies(spec.rope),
                      .interleaved = spec.rope.pairing == RopePairing::Interleaved,
                      .magnitude = double{spec.rope.magnitude},
                      .variesWithLength = spec.rope.scaling == RopeSpec::Scaling::Dynamic ||
                                          spec.rope.scaling == RopeSpec::Scaling::LongRope ||
                                          spec.qkNormAfterRotary};
    model.familyPolicy = policyForFamily(spec.architecture, spec.qkNorm != QkNorm::None).policy;
    if (!spec.sinkScores.empty())
        model.sinks = std::make_shared<const AttentionSinks>(spec.heads, spec.sinkScores);
    for (int layer = 0; layer < spec.layers; ++layer) {
        if (spec.layer(layer).sliding) model.slidingLayers.push_back(layer);
        if (!spec.layer(layer).rotary) model.rotation.layersWithoutRotation.push_back(layer);
    }
    return model;
}

CompactorModel compactorModel(const LoadedModel& model, std::uint64_t seed, HeadProfiles profiles) {
    CompactorModel facts = compactorModel(model.spec, seed, std::move(profiles));
    facts.form = [&tokenizer = model.tokenizer](TokenId token) { return formOf(tokenizer, token); };
    return facts;
}

}  // namespace lacuna
