#pragma once
/// \file
/// Random shapes of every supported family: the constant properties of a family are fixed,
/// everything that varies between its published models is drawn, including odd widths and extremes.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/base/random.h"
#include "engine/format/model_spec.h"
#include "tests/support/random_model.h"

namespace lacuna::test {

inline constexpr std::array<std::string_view, 18> kFamilies{
    "llama",    "mistral", "mixtral",      "qwen2",      "qwen3",  "qwen2moe",
    "qwen3moe", "gemma2",  "gemma3",       "phi3",       "olmo2",  "smollm3",
    "granite",  "glm4moe", "ernie4_5-moe", "minimax-m2", "llama4", "gpt-oss"};

class FamilyDice {
  public:
    explicit FamilyDice(std::uint64_t seed) : random_(seed, 13) {}

    /// Returns a random shape. `block` divides every width of a matrix row (32 for block types,
    /// otherwise 1).
    [[nodiscard]] ModelSpec spec(std::string_view family, int block) {
        ModelSpec spec;
        spec.architecture = family;
        drawExtents(spec, block);
        drawRope(spec.rope, spec.headDim);
        applyFamily(spec, family);
        if (family == "gemma4") applyGemma4(spec, block);
        return spec;
    }
    [[nodiscard]] int below(int n) {
        return static_cast<int>(random_.below(static_cast<std::uint64_t>(n)));
    }
    [[nodiscard]] int between(int first, int last) { return first + below(last - first + 1); }
    [[nodiscard]] bool coin() { return below(2) == 1; }
    template <std::size_t n>
    [[nodiscard]] int oneOf(const int (&values)[n]) {
        return values[below(static_cast<int>(n))];
    }
    [[nodiscard]] float real(double low, double high) {
        return static_cast<float>(low + (high - low) * random_.uniform());
    }

  private:
    [[nodiscard]] int width(int first, int last, int block) {
        return std::max(between(first, last) / block, 1) * block;
    }
    void drawExtents(ModelSpec& spec, int block) {
        spec.layers = between(1, 4);
        spec.hidden = width(20, 150, block);
        spec.kvHeads = oneOf({1, 1, 2, 3, 4});
        spec.heads = spec.kvHeads * oneOf({1, 1, 2, 3, 5, 7});
        spec.headDim = oneOf({16, 16, 24, 32, 40, 64, 80, 96, 128, 256});
        if (spec.heads * spec.headDim > 640) spec.headDim = 32;
        // Rows of the output matrix are heads * headDim long.
        while (spec.heads * spec.headDim % block != 0) spec.headDim += 8;
        spec.feedForward = width(20, 200, block);
        spec.vocabulary = between(150, 300);
        spec.context = 4096;
        spec.rmsEpsilon = coin() ? 1e-5F : 1e-6F;
        spec.tiedEmbeddings = coin();
    }
    void drawRope(RopeSpec& rope, int headDim) {
        rope.base = real(5000.0, 1e6);
        rope.dim = headDim;
        rope.pairing = coin() ? RopePairing::Halves : RopePairing::Interleaved;
        rope.scaling = static_cast<RopeSpec::Scaling>(below(6));
        if (coin()) rope.scaling = RopeSpec::Scaling::None;
        rope.factor = real(1.5, 8.0);
        rope.originalContext = oneOf({8, 16, 64, 1024});
        rope.truncate = coin();
        if (rope.scaling == RopeSpec::Scaling::Yarn || rope.scaling == RopeSpec::Scaling::LongRope)
            rope.magnitude = real(0.9, 1.4);
        if (rope.scaling == RopeSpec::Scaling::LongRope) drawFactors(rope);
    }
    void drawFactors(RopeSpec& rope) {
        rope.shortFactors.clear();
        rope.longFactors.clear();
        for (int i = 0; i < rope.dim / 2; ++i) {
            rope.shortFactors.push_back(real(1.0, 1.5));
            rope.longFactors.push_back(real(1.0, 40.0));
        }
    }
    void drawPartialRotary(ModelSpec& spec) {
        spec.rope.dim = std::max(2, spec.headDim * between(1, 4) / 4 / 2 * 2);
        if (spec.rope.scaling == RopeSpec::Scaling::LongRope) drawFactors(spec.rope);
    }
    void slide(ModelSpec& spec, int every) {
        spec.window = oneOf({1, 3, 8, 16, 40, 300});
        for (int l = 0; l < spec.layers; ++l) layerOf(spec, l).sliding = (l + 1) % every != 0;
    }
    static LayerSpec& layerOf(ModelSpec& spec, int layer) {
        spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
        return spec.layerSpecs[static_cast<std::size_t>(layer)];
    }
    void addExperts(ModelSpec& spec, bool everyLayer) {
        spec.experts.count = oneOf({4, 5, 8, 16, 64});
        spec.experts.perToken = std::min(spec.experts.count, oneOf({1, 2, 3, 4, 8}));
        spec.experts.feedForward = spec.feedForward;
        for (int l = 0; l < spec.layers; ++l)
            layerOf(spec, l).experts = everyLayer || l == 0 || coin();
    }
    void applyFamily(ModelSpec& spec, std::string_view family) {
        if (family == "llama") spec.qkvBias = spec.outputBias = coin();
        if (family == "llama") spec.feedForwardBias = coin();
        if (family == "llama" && coin()) drawPartialRotary(spec);
        if (family == "mistral") slide(spec, 1000);
        if (family == "mixtral") addExperts(spec, true);
        if (family == "qwen2" || family == "qwen2moe") spec.qkvBias = true;
        if (family == "qwen3" || family == "qwen3moe") spec.qkNorm = QkNorm::PerHead;
        if (family == "qwen2moe" || family == "qwen3moe") {
            addExperts(spec, false);
            spec.experts.normaliseWeights = coin();
        }
        if (family == "qwen2moe") {
            spec.experts.sharedFeedForward = 2 * spec.feedForward;
            spec.experts.sharedExpertGate = true;
        }
        if (family == "phi3") drawPartialRotary(spec);
        if (family == "phi3" && coin()) slide(spec, 1000);
        if (family == "smollm3")
            for (int l = 0; l < spec.layers; ++l) layerOf(spec, l).rotary = (l + 1) % 2 != 0;
        if (family == "olmo2") {
            spec.norms = NormPlacement::After;
            spec.qkNorm = QkNorm::FullWidth;
        }
        if (family == "stablelm") {
            spec.normKind = NormKind::Layer;
            spec.normBias = true;
            spec.qkvBias = coin();
            spec.qkNorm = QkNorm::HeadGains;
            drawPartialRotary(spec);
        }
        if (family == "granite") {
            spec.embeddingScale = real(2.0, 12.0);
            spec.residualScale = real(0.1, 0.5);
            spec.attentionScale = real(0.01, 0.3);
            spec.logitScale = 1.0F / real(2.0, 16.0);
        }
        applyExpertFamily(spec, family);
        if (family == "gemma2" || family == "gemma3") applyGemma(spec, family == "gemma3");
    }
    /// Applies the rules of expert families with special routing or attention.
    void applyExpertFamily(ModelSpec& spec, std::string_view family) {
        ExpertSpec& experts = spec.experts;
        if (family == "glm4moe") {
            addExperts(spec, false);
            experts.scoring = ExpertScoring::Sigmoid;
            experts.selectionBias = true;
            experts.normaliseWeights = coin();
            experts.weightScale = real(0.5, 2.5);
            experts.sharedFeedForward = spec.feedForward * below(3);
            drawGroups(experts);
            spec.qkvBias = coin();
            if (coin()) spec.qkNorm = QkNorm::PerHead;
            drawPartialRotary(spec);
        }
        if (family == "ernie4_5-moe") {
            addExperts(spec, false);
            experts.selectionBias = true;
            experts.sharedFeedForward = spec.feedForward * below(3);
        }
        if (family == "minimax-m2") {
            addExperts(spec, true);
            experts.scoring = ExpertScoring::Sigmoid;
            experts.selectionBias = coin();
            spec.qkNorm = QkNorm::FullWidth;
            drawPartialRotary(spec);
        }
        if (family == "llama4") applyLlama4(spec);
        if (family == "gpt-oss") applyGptOss(spec);
    }
    void drawGroups(ExpertSpec& experts) {
        if (experts.count % 4 != 0 || coin()) return;
        experts.groups = experts.count / 4 > 1 ? experts.count / 4 : 2;
        const int each = experts.count / experts.groups;
        const int least = (experts.perToken + each - 1) / each;
        experts.groupsPerToken = between(least, experts.groups);
    }
    void applyLlama4(ModelSpec& spec) {
        addExperts(spec, false);
        spec.experts.scoring = ExpertScoring::Sigmoid;
        spec.experts.normaliseWeights = false;
        spec.experts.weighsInput = true;
        spec.experts.sharedFeedForward = spec.feedForward;
        spec.qkNorm = coin() ? QkNorm::RotatedHeads : QkNorm::None;
        spec.rope.scaling = RopeSpec::Scaling::None;
        spec.rope.magnitude = 1.0F;
        spec.chunked = true;
        spec.window = oneOf({1, 3, 8, 16, 40, 300});
        spec.temperature = {.scale = coin() ? 0.1F : 0.0F,
                            .length = oneOf({1, 4, 16}),
                            .offset = 1,
                            .unrotatedLayers = true};
        for (int l = 0; l < spec.layers; ++l) {
            const bool rotates = (l + 1) % 2 != 0;
            layerOf(spec, l).rotary = rotates;
            layerOf(spec, l).sliding = rotates;
        }
    }
    void applyGptOss(ModelSpec& spec) {
        addExperts(spec, true);
        spec.qkvBias = spec.outputBias = true;
        spec.activation = Activation::SwigluClamped;
        spec.swiglu.limit = real(0.3, 7.0);
        spec.experts.routerBias = spec.experts.biases = true;
        spec.window = oneOf({1, 3, 8, 16, 40, 300});
        for (int l = 0; l < spec.layers; ++l) layerOf(spec, l).sliding = l % 2 == 0;
        spec.sinks = true;
        for (int i = 0; i < spec.layers * spec.heads; ++i)
            spec.sinkScores.push_back(real(-2.0, 4.0));
    }
    void applyGemma(ModelSpec& spec, bool third) {
        spec.norms = NormPlacement::Both;
        spec.activation = Activation::GeluTanh;
        spec.embeddingScale = std::sqrt(static_cast<float>(spec.hidden));
        spec.attentionScale = real(0.05, 0.3);
        slide(spec, third ? 3 : 2);
        if (!third) {
            spec.attentionSoftCap = real(0.5, 50.0);
            spec.logitSoftCap = real(0.5, 30.0);
            return;
        }
        spec.qkNorm = QkNorm::PerHead;
        spec.localRope = RopeSpec{.base = 10000.0F,
                                  .dim = spec.headDim,
                                  .pairing = spec.rope.pairing,
                                  .shortFactors = {},
                                  .longFactors = {},
                                  .frequencyFactors = {}};
    }

    /// Layers without a window have KV heads, head size and rotation of their own; the last layers
    /// read the rows of earlier ones and are wider.
    void applyGemma4(ModelSpec& spec, int block) {
        spec.layers = between(2, 7);
        applyGemma(spec, true);
        spec.valueNorm = true;
        spec.logitSoftCap = real(0.5, 30.0);
        LayerSpec local{.sliding = true, .kvHeads = spec.kvHeads, .headDim = spec.headDim};
        LayerSpec global{.kvHeads = oneOf({1, spec.kvHeads, spec.heads}),
                         .headDim = spec.headDim * oneOf({1, 2, 2})};
        if (coin()) std::swap(local.headDim, global.headDim);
        if (coin()) std::swap(local.kvHeads, global.kvHeads);
        const int narrow = spec.feedForward;
        const int firstShared = between(1, spec.layers);
        if (coin()) addExperts(spec, false);
        spec.experts.parallelToDense = spec.experts.count > 0;
        if (coin()) spec.layerEmbedding = width(4, 40, block);
        for (int l = 0; l < spec.layers; ++l) {
            LayerSpec& layer = layerOf(spec, l);
            const bool experts = layer.experts;
            layer = layer.sliding ? local : global;
            layer.experts = experts;
            layer.feedForward = l < firstShared ? narrow : 2 * narrow;
            if (l >= firstShared) shareRows(spec, l);
        }
        spec.kvHeads = std::max(local.kvHeads, global.kvHeads);
        spec.headDim = std::max(local.headDim, global.headDim);
        spec.feedForward = 2 * narrow;
        spec.localRope->dim = local.headDim;
        spec.rope = RopeSpec{.base = real(5000.0, 1e6),
                             .dim = global.headDim,
                             .pairing = spec.rope.pairing,
                             .shortFactors = {},
                             .longFactors = {},
                             .frequencyFactors = {}};
        // Only some of the pairs rotate, and the others stay in place.
        for (int i = 0; i < global.headDim / 2; ++i)
            spec.rope.frequencyFactors.push_back(i < global.headDim / 8 ? 1.0F : 1e30F);
    }

    RandomStream random_;
};

}  // namespace lacuna::test
