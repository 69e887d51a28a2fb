#pragma once
/// \file
/// Typed views for each layer over mapped or copied bytes. Read-only; owned with them by
/// LoadedModel.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tensor/buffer.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/row_groups.h"

namespace lacuna {

/// A matrix [rows, columns], row-major, rows of rowBytes(type, columns) bytes, one after the other
/// or in groups. `y = W x` has rows outputs.
struct WeightMatrix {
    DType type = DType::F32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const std::byte* data = nullptr;
    std::string name;
    RowOrder order = RowOrder::Plain;
    float scale = 1.0F;  ///< times the decoded numbers
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

/// Norm gains are stored as they are multiplied: a container that stores gain - 1 (gemma's
/// safetensors) has 1 added on loading. A fused matrix of a container (phi3's qkv_proj and
/// gate_up_proj) appears as views of its row ranges, so kernels never see a fused one.
struct LayerWeights {
    std::vector<float> attentionNorm;      ///< [hidden]; empty where NormPlacement::After
    std::vector<float> attentionNormBias;  ///< [hidden] or empty, as the others of that name
    WeightMatrix query;                    ///< [heads * headDim, hidden]
    WeightMatrix key;                      ///< [kvHeads * headDim, hidden]
    WeightMatrix value;                    ///< [kvHeads * headDim, hidden]
    WeightMatrix output;                   ///< [hidden, heads * headDim]
    std::vector<float> queryBias;          ///< [heads * headDim] or empty
    std::vector<float> keyBias;
    std::vector<float> valueBias;
    std::vector<float> outputBias;  ///< [hidden] or empty
    /// [headDim] or empty; QkNorm::FullWidth: [heads * headDim] and [kvHeads * headDim]
    std::vector<float> queryNorm;
    std::vector<float> keyNorm;
    std::vector<float> postAttentionNorm;  ///< [hidden]; empty where NormPlacement::Before
    /// [hidden]; empty where NormPlacement::After, and where attention's does for both
    std::vector<float> feedForwardNorm;
    std::vector<float> feedForwardNormBias;
    std::vector<float> postFeedForwardNorm;  ///< [hidden]; empty where NormPlacement::Before
    /// [feedForward, hidden]; empty in expert layers, and where the spec is not gated
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
    FeedForwardWeights sharedExpert;  ///< empty where the spec has none
    WeightMatrix sharedExpertGate;  ///< [1, hidden] or empty: its sigmoid scales the shared expert
};

struct Weights {
    WeightMatrix embedding;  ///< [vocabulary, hidden]
    std::vector<LayerWeights> layers;
    std::vector<float> finalNorm;  ///< [hidden]
    std::vector<float> finalNormBias;
    WeightMatrix output;           ///< [vocabulary, hidden]; equals embedding when tied
    std::vector<float> logitBias;  ///< [vocabulary] or empty
    /// Matrices that the file holds in another order of numbers, as the views above read them.
    std::vector<std::shared_ptr<LargePages>> rearranged;
};

}  // namespace lacuna
