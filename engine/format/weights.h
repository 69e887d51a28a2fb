#pragma once
/// \file
/// Typed views for each layer over mapped or copied bytes. Read-only; owned together with the bytes
/// by LoadedModel.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/recurrent/mixer.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/row_groups.h"

namespace lacuna {

/// A row-major matrix [rows, columns] with rows of rowBytes(type, columns) bytes, consecutive or in
/// groups. `y = W x` has rows outputs.
struct WeightMatrix {
    DType type = DType::F32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const std::byte* data = nullptr;
    std::string name;
    RowLayout order = RowLayout::Plain;
    float scale = 1.0F;  ///< factor of the decoded numbers
    [[nodiscard]] bool empty() const { return data == nullptr; }
};

/// Gate, up and down of one gated feed-forward of inner width `width`.
struct FeedForwardWeights {
    WeightMatrix gate;                 ///< [width, hidden]
    WeightMatrix up;                   ///< [width, hidden]
    WeightMatrix down;                 ///< [hidden, width]
    std::vector<float> gateBias = {};  ///< [width] or empty
    std::vector<float> upBias = {};
    std::vector<float> downBias = {};  ///< [hidden] or empty
};

/// The projections around a recurrent mixer and the numbers of its gates. The mixer itself is in
/// ModelSpec::mixers.
struct RecurrentWeights {
    int mixer = -1;  ///< index in ModelSpec::mixers; -1: the layer has none
    /// [channels, hidden]; KimiDelta: those of the queries, followed by the next two
    WeightMatrix columns;
    WeightMatrix keyColumns;    ///< [keyHeads * keyDim, hidden]: KimiDelta
    WeightMatrix valueColumns;  ///< [outputs, hidden]: KimiDelta
    WeightMatrix inputGate;     ///< [channels, hidden], multiplies the columns: ShortConvolution
    WeightMatrix gateDown;      ///< [rank, hidden] or empty: the input of the output gate
    WeightMatrix outputGate;    ///< [outputs, hidden or rank]
    WeightMatrix stepsDown;     ///< [rank, hidden] or empty: the input of the steps
    WeightMatrix steps;         ///< [decays, hidden or rank]: time steps, or the decays' inputs
    WeightMatrix strengths;     ///< [valueHeads, hidden]: DeltaNet, KimiDelta
    WeightMatrix output;        ///< [hidden, outputs]
    std::vector<float> columnFactors;  ///< [channels] or empty
    std::vector<float> decayRate;      ///< [valueHeads], negative
    std::vector<float> stepBias;       ///< [decays]
    std::vector<float> norm;  ///< gains of the gated norm: [valueDim], Mamba-2: [outputs]; or empty
};

/// The matrices of latent attention (LatentAttention) beside LayerWeights::query and key; empty in
/// other layers.
struct LatentWeights {
    WeightMatrix queryDown;            ///< [queryRank, hidden], if queries have a latent
    std::vector<float> queryNorm;      ///< [queryRank]
    std::vector<float> norm;           ///< [length]
    std::vector<WeightMatrix> keys;    ///< [heads] of [length, unrotated]
    std::vector<WeightMatrix> values;  ///< [heads] of [value, length]
};

/// Norm gains are stored in their effective form: 1 is added on loading for containers that store
/// gain - 1 (gemma's safetensors). A fused matrix of a container (phi3's qkv_proj and gate_up_proj)
/// appears as views of its row ranges, so kernels never see a fused one.
struct LayerWeights {
    std::vector<float> attentionNorm;      ///< [hidden]; empty for NormPlacement::After
    std::vector<float> attentionNormBias;  ///< [hidden] or empty, like the other norm biases
    /// [heads * headDim, hidden]; latent attention: [heads * queryLength, hidden or queryRank]
    WeightMatrix query;
    /// [kvHeads * headDim, hidden]; empty in a layer that reads the rows of an earlier one; latent
    /// attention: the latent before the elements that rotate
    WeightMatrix key;
    WeightMatrix value;            ///< the same; also empty if the values are the projected keys
    WeightMatrix output;           ///< [hidden, heads * headDim]; latent: [hidden, heads * value]
    std::vector<float> queryBias;  ///< [heads * headDim] or empty
    std::vector<float> keyBias;
    std::vector<float> valueBias;
    std::vector<float> outputBias;  ///< [hidden] or empty
    /// [headDim] or empty; QkNorm::FullWidth and HeadGains: [heads * headDim] and
    /// [kvHeads * headDim]
    std::vector<float> queryNorm;
    std::vector<float> keyNorm;
    std::vector<float> postAttentionNorm;  ///< [hidden]; empty for NormPlacement::Before
    /// [hidden]; empty for NormPlacement::After, and if attention's norm serves both
    std::vector<float> feedForwardNorm;
    std::vector<float> feedForwardNormBias;
    std::vector<float> postFeedForwardNorm;  ///< [hidden]; empty for NormPlacement::Before
    /// [feedForward, hidden]; empty in expert layers, and if the spec is not gated
    WeightMatrix gate;
    WeightMatrix up;              ///< [feedForward, hidden]
    WeightMatrix down;            ///< [hidden, feedForward]
    std::vector<float> gateBias;  ///< [feedForward] or empty
    std::vector<float> upBias;
    std::vector<float> downBias;       ///< [hidden] or empty
    WeightMatrix router;               ///< [experts, hidden]; empty in dense layers
    std::vector<float> routerBias;     ///< [experts] or empty
    std::vector<float> selectionBias;  ///< [experts] or empty
    std::vector<FeedForwardWeights> experts;
    FeedForwardWeights sharedExpert;  ///< empty if the spec has none
    WeightMatrix sharedExpertGate;  ///< [1, hidden] or empty: its sigmoid scales the shared expert
    // Layers whose experts run in parallel with the dense feed-forward
    // (ExpertSpec::parallelToDense); [hidden] or empty.
    std::vector<float> postDenseNorm;   ///< on the output of the dense feed-forward
    std::vector<float> expertNorm;      ///< on the input of the experts
    std::vector<float> postExpertNorm;  ///< on the sum of the experts
    std::vector<float> routerScale;     ///< gains of the router's RMS norm, times hidden^-1/2
    std::vector<float> expertScale;     ///< [experts] factors on the weights of experts, or empty
    RecurrentWeights recurrent;
    LatentWeights latent;
    // Per-layer embeddings (ModelSpec::layerEmbedding = P), otherwise empty.
    WeightMatrix layerGate;            ///< [P, hidden]
    WeightMatrix layerOutput;          ///< [hidden, P]
    std::vector<float> postLayerNorm;  ///< [hidden]
    float outputScale = 1.0F;          ///< factor on the residual after the layer
};

struct DraftBlock;  // engine/format/draft_block.h

struct Weights {
    WeightMatrix embedding;  ///< [vocabulary, hidden]
    std::vector<LayerWeights> layers;
    std::vector<float> finalNorm;  ///< [hidden]
    std::vector<float> finalNormBias;
    WeightMatrix output;           ///< [vocabulary, hidden]; equals embedding when tied
    std::vector<float> logitBias;  ///< [vocabulary] or empty
    // Per-layer embeddings, otherwise empty.
    WeightMatrix layerEmbedding;             ///< [vocabulary, layers * P], read by row
    WeightMatrix layerProjection;            ///< [layers * P, hidden]
    std::vector<float> layerProjectionNorm;  ///< [P]
    /// The mixers of the recurrent layers, in their order, until loadModel moves them to the spec.
    std::vector<MixerWeights> mixers;
    /// Memory of matrices that the file stores in another layout, in the order of the views above.
    std::vector<std::shared_ptr<LargePages>> rearranged;
    /// The block for multi-token prediction, or null.
    std::shared_ptr<DraftBlock> draft;
    // The weights of a draft block itself, which joins the embedding of a token with the hidden
    // state before it, otherwise empty.
    WeightMatrix joining;              ///< [hidden, 2 hidden]: embedding, then hidden state
    std::vector<float> embeddingNorm;  ///< [hidden]
    std::vector<float> hiddenNorm;     ///< [hidden]
};

}  // namespace lacuna
