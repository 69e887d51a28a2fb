#pragma once
/// \file
/// Models with random weights of any shape, created in memory.

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"

namespace lacuna::test {

/// Owns the bytes of a random model's weights.
class MemorySource final : public TensorSource {
  public:
    explicit MemorySource(std::uint64_t seed) : random_(seed, 1) {}
    [[nodiscard]] std::span<const TensorInfo> tensors() const override { return {}; }
    [[nodiscard]] const TensorInfo* find(std::string_view) const override { return nullptr; }
    [[nodiscard]] Status checkUnchanged() const override { return {}; }
    /// Returns a matrix of normal numbers with standard deviation 1 / sqrt(columns), encoded row by
    /// row.
    [[nodiscard]] WeightMatrix matrix(DType type, std::int64_t rows, std::int64_t columns,
                                      std::string name) {
        const auto stride =
            static_cast<std::size_t>(rowBytes(type, static_cast<std::uint64_t>(columns)));
        auto& bytes = blocks_.emplace_back(static_cast<std::size_t>(rows) * stride);
        std::vector<float> row(static_cast<std::size_t>(columns));
        const auto scale = 1.0F / std::sqrt(static_cast<float>(columns));
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
            for (float& v : row) v = scale * number();
            encodeRow(type, row, bytes.data() + r * stride);
        }
        return {type, rows, columns, bytes.data(), std::move(name)};
    }
    [[nodiscard]] std::vector<float> vector(std::int64_t n, float centre) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (float& x : v) x = centre + 0.1F * number();
        return v;
    }

  private:
    // The sum of four uniform numbers is close enough to normal, and fast for large shapes.
    float number() {
        const std::uint64_t bits = random_.bits();
        float sum = 0;
        for (unsigned i = 0; i < 4; ++i) sum += static_cast<float>((bits >> (16U * i)) & 0xFFFFU);
        return (sum / 65535.0F - 2.0F) * 1.7320508F;
    }
    RandomStream random_;
    std::vector<std::vector<std::byte>> blocks_;
};

/// Returns a byte-level tokenizer, enough for a LoadedModel.
[[nodiscard]] inline Result<Tokenizer> byteTokenizer() {
    TokenizerData data;
    data.kind = TokenizerKind::SentencePieceBpe;
    data.pieces = {"<unk>", "<s>", "</s>"};
    data.kinds = {TokenKind::Unknown, TokenKind::Control, TokenKind::Control};
    const char* digits = "0123456789ABCDEF";
    for (unsigned b = 0; b < 256; ++b) {
        data.pieces.push_back(std::string("<0x") + digits[b / 16] + digits[b % 16] + ">");
        data.kinds.push_back(TokenKind::Byte);
    }
    data.scores.assign(data.pieces.size(), 0.0F);
    data.unknown = 0;
    data.bos = 1;
    data.eos = 2;
    return Tokenizer::create(std::move(data));
}

/// Fills the parts of a layer that `spec` requires.
class RandomLayer {
  public:
    RandomLayer(MemorySource& source, const ModelSpec& spec, DType type)
        : source_(source), spec_(spec), type_(type) {}

    [[nodiscard]] LayerWeights make(int index) {
        LayerWeights w;
        const LayerSpec sizes = spec_.layer(index);
        if (spec_.latent)
            addLatent(w, *spec_.latent);
        else
            addAttention(w, sizes);
        addNorms(w);
        if (!sizes.experts || spec_.experts.parallelToDense) addFeedForward(w, sizes.feedForward);
        if (sizes.experts) addExperts(w);
        if (sizes.experts && spec_.experts.parallelToDense) addParallelNorms(w);
        if (spec_.layerEmbedding > 0) addLayerEmbedding(w);
        if (spec_.valueNorm) w.outputScale = 0.8F + 0.1F * static_cast<float>(index % 4);
        return w;
    }

  private:
    void addAttention(LayerWeights& w, const LayerSpec& sizes) {
        const std::int64_t query = std::int64_t{spec_.heads} * sizes.headDim;
        const std::int64_t keyValue = std::int64_t{sizes.kvHeads} * sizes.headDim;
        // As in gemma4: in its large models the values of layers without a window are the keys.
        const bool keysAreValues = spec_.valueNorm && spec_.layerEmbedding == 0 && !sizes.sliding;
        w.query = source_.matrix(type_, query, spec_.hidden, "query");
        if (!sizes.readsCacheOf) {
            w.key = source_.matrix(type_, keyValue, spec_.hidden, "key");
            if (!keysAreValues) w.value = source_.matrix(type_, keyValue, spec_.hidden, "value");
        }
        w.output = source_.matrix(type_, spec_.hidden, query, "output");
        if (spec_.qkvBias) {
            w.queryBias = source_.vector(query, 0.0F);
            w.keyBias = source_.vector(keyValue, 0.0F);
            w.valueBias = source_.vector(keyValue, 0.0F);
        }
        if (spec_.outputBias) w.outputBias = source_.vector(spec_.hidden, 0.0F);
        if (spec_.qkNorm == QkNorm::None || spec_.qkNorm == QkNorm::RotatedHeads) return;
        const bool full = spec_.qkNorm == QkNorm::FullWidth || spec_.qkNorm == QkNorm::HeadGains;
        w.queryNorm = source_.vector(full ? query : sizes.headDim, 1.0F);
        if (!sizes.readsCacheOf) w.keyNorm = source_.vector(full ? keyValue : sizes.headDim, 1.0F);
    }
    void addLatent(LayerWeights& w, const LatentAttention& latent) {
        const bool twice = latent.queryRank > 0;
        const std::int64_t queries = std::int64_t{spec_.heads} * latent.queryLength();
        w.query = source_.matrix(type_, queries, twice ? latent.queryRank : spec_.hidden, "query");
        if (twice) {
            w.latent.queryDown =
                source_.matrix(type_, latent.queryRank, spec_.hidden, "query latent");
            w.latent.queryNorm = source_.vector(latent.queryRank, 1.0F);
        }
        w.key = source_.matrix(type_, latent.keyLength(), spec_.hidden, "latent");
        w.latent.norm = source_.vector(latent.length, 1.0F);
        for (int head = 0; head < spec_.heads; ++head) {
            w.latent.keys.push_back(
                source_.matrix(type_, latent.length, latent.unrotated, "keys of a head"));
            w.latent.values.push_back(
                source_.matrix(type_, latent.value, latent.length, "values of a head"));
        }
        w.output =
            source_.matrix(type_, spec_.hidden, std::int64_t{spec_.heads} * latent.value, "output");
    }
    void addNorms(LayerWeights& w) {
        if (spec_.norms != NormPlacement::After) {
            w.attentionNorm = source_.vector(spec_.hidden, 1.0F);
            w.feedForwardNorm = source_.vector(spec_.hidden, 1.0F);
        }
        if (spec_.normBias) {
            w.attentionNormBias = source_.vector(spec_.hidden, 0.0F);
            w.feedForwardNormBias = source_.vector(spec_.hidden, 0.0F);
        }
        if (spec_.norms != NormPlacement::Before) {
            w.postAttentionNorm = source_.vector(spec_.hidden, 1.0F);
            w.postFeedForwardNorm = source_.vector(spec_.hidden, 1.0F);
        }
    }
    [[nodiscard]] FeedForwardWeights feedForward(int width) {
        return {source_.matrix(type_, width, spec_.hidden, "gate"),
                source_.matrix(type_, width, spec_.hidden, "up"),
                source_.matrix(type_, spec_.hidden, width, "down")};
    }
    void addFeedForward(LayerWeights& w, int width) {
        FeedForwardWeights dense = feedForward(width);
        w.gate = std::move(dense.gate);
        w.up = std::move(dense.up);
        w.down = std::move(dense.down);
        if (!spec_.feedForwardBias) return;
        w.gateBias = source_.vector(width, 0.0F);
        w.upBias = source_.vector(width, 0.0F);
        w.downBias = source_.vector(spec_.hidden, 0.0F);
    }
    void addExperts(LayerWeights& w) {
        const ExpertSpec& experts = spec_.experts;
        w.router = source_.matrix(DType::F32, experts.count, spec_.hidden, "router");
        if (experts.routerBias) w.routerBias = source_.vector(experts.count, 0.0F);
        if (experts.selectionBias) w.selectionBias = source_.vector(experts.count, 0.0F);
        for (int e = 0; e < experts.count; ++e) {
            w.experts.push_back(feedForward(experts.feedForward));
            if (!experts.biases) continue;
            w.experts.back().gateBias = source_.vector(experts.feedForward, 0.0F);
            w.experts.back().upBias = source_.vector(experts.feedForward, 0.0F);
            w.experts.back().downBias = source_.vector(spec_.hidden, 0.0F);
        }
        if (experts.sharedFeedForward == 0) return;
        w.sharedExpert = feedForward(experts.sharedFeedForward);
        if (experts.sharedExpertGate)
            w.sharedExpertGate = source_.matrix(DType::F32, 1, spec_.hidden, "shared gate");
    }

    void addParallelNorms(LayerWeights& w) {
        w.postDenseNorm = source_.vector(spec_.hidden, 1.0F);
        w.expertNorm = source_.vector(spec_.hidden, 1.0F);
        w.postExpertNorm = source_.vector(spec_.hidden, 1.0F);
        w.routerScale = source_.vector(spec_.hidden, 1.0F);
        w.expertScale = source_.vector(spec_.experts.count, 1.0F);
    }
    void addLayerEmbedding(LayerWeights& w) {
        w.layerGate = source_.matrix(type_, spec_.layerEmbedding, spec_.hidden, "layer gate");
        w.layerOutput = source_.matrix(type_, spec_.hidden, spec_.layerEmbedding, "layer output");
        w.postLayerNorm = source_.vector(spec_.hidden, 1.0F);
    }

    MemorySource& source_;
    const ModelSpec& spec_;
    DType type_;
};

/// Creates a model. `spec` determines everything, including biases, norms, experts and tied
/// embeddings; matrices have type `type`.
[[nodiscard]] inline Result<std::shared_ptr<const LoadedModel>> makeRandomModel(
    const ModelSpec& spec, DType type, std::uint64_t seed = 20261121) {
    auto source = std::make_unique<MemorySource>(seed);
    Weights weights;
    weights.embedding = source->matrix(type, spec.vocabulary, spec.hidden, "embedding");
    RandomLayer layer(*source, spec, type);
    for (int l = 0; l < spec.layers; ++l) weights.layers.push_back(layer.make(l));
    weights.finalNorm = source->vector(spec.hidden, 1.0F);
    if (spec.normBias) weights.finalNormBias = source->vector(spec.hidden, 0.0F);
    weights.output = spec.tiedEmbeddings
                         ? weights.embedding
                         : source->matrix(type, spec.vocabulary, spec.hidden, "output");
    if (spec.layerEmbedding > 0) {
        const std::int64_t all = std::int64_t{spec.layers} * spec.layerEmbedding;
        weights.layerEmbedding = source->matrix(type, spec.vocabulary, all, "layer embedding");
        weights.layerProjection = source->matrix(type, all, spec.hidden, "layer projection");
        weights.layerProjectionNorm = source->vector(spec.layerEmbedding, 1.0F);
    }
    LACUNA_TRY(auto tokenizer, byteTokenizer());
    LACUNA_TRY(auto chatTemplate, ChatTemplate::builtin("chatml"));
    return std::make_shared<const LoadedModel>(
        LoadedModel{"random", spec, std::move(weights), std::move(tokenizer), std::nullopt,
                    std::move(chatTemplate), "", std::move(source)});
}

/// Gives a layer the rows of the last earlier layer with rows and the same window, if there is one.
inline void shareRows(ModelSpec& spec, int layer) {
    const auto at = [&spec](int index) -> LayerSpec& {
        return spec.layerSpecs[static_cast<std::size_t>(index)];
    };
    for (int owner = layer - 1; owner >= 0; --owner) {
        if (at(owner).readsCacheOf || at(owner).sliding != at(layer).sliding) continue;
        at(layer).readsCacheOf = owner;
        return;
    }
}

/// Returns a shape that computes in microseconds.
[[nodiscard]] inline ModelSpec smallSpec() {
    ModelSpec spec;
    spec.architecture = "qwen3";
    spec.layers = 3;
    spec.hidden = 96;
    spec.heads = 6;
    spec.kvHeads = 2;
    spec.headDim = 32;
    spec.feedForward = 160;
    spec.vocabulary = 259;
    spec.context = 2048;
    spec.rope.dim = spec.headDim;
    spec.qkNorm = QkNorm::PerHead;
    return spec;
}

/// Returns a small shape that resembles deepseek3: latent attention with a latent of the queries.
[[nodiscard]] inline ModelSpec latentSpec() {
    ModelSpec spec = smallSpec();
    spec.qkNorm = QkNorm::None;
    spec.latent =
        LatentAttention{.length = 32, .rotated = 16, .unrotated = 24, .value = 20, .queryRank = 40};
    spec.kvHeads = 1;
    spec.headDim = spec.latent->keyLength();
    spec.rope.dim = spec.latent->rotated;
    spec.rope.pairing = RopePairing::Interleaved;
    spec.attentionScale = 1.0F / std::sqrt(static_cast<float>(spec.latent->queryLength()));
    return spec;
}

/// Returns a small shape that resembles gemma4: layers with a window and without one differ in
/// their sizes, and the layers from `firstShared` on read the rows of earlier ones.
[[nodiscard]] inline ModelSpec mixedSizesSpec(int layers = 5, int firstShared = 3) {
    ModelSpec spec = smallSpec();
    spec.layers = layers;
    spec.window = 24;
    spec.valueNorm = true;
    spec.norms = NormPlacement::Both;
    spec.activation = Activation::GeluTanh;
    spec.attentionScale = 0.2F;
    spec.localRope = spec.rope;
    spec.headDim = spec.rope.dim = 64;
    spec.layerSpecs.resize(static_cast<std::size_t>(layers));
    for (int i = 0; i < layers; ++i) {
        LayerSpec& layer = spec.layerSpecs[static_cast<std::size_t>(i)];
        layer.sliding = i % 2 == 0;
        layer.kvHeads = layer.sliding ? 2 : 1;
        layer.headDim = layer.sliding ? 32 : 64;
        layer.feedForward = i < firstShared ? 96 : 160;
        if (i >= firstShared) shareRows(spec, i);
    }
    return spec;
}

}  // namespace lacuna::test
