#pragma once
/// \file
/// Typed views for each layer over mapped bytes. Read-only; owned with the mapping by LoadedModel.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// A matrix [rows, columns], row-major, rows of rowBytes(type, columns) bytes. `y = W x` has rows
/// outputs.
struct WeightMatrix {
    DType type = DType::F32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const std::byte* data = nullptr;
    std::string name;
    [[nodiscard]] bool empty() const { return data == nullptr; }
};

struct LayerWeights {
    std::vector<float> attentionNorm;  ///< [hidden]
    WeightMatrix query;                ///< [heads * headDim, hidden]
    WeightMatrix key;                  ///< [kvHeads * headDim, hidden]
    WeightMatrix value;                ///< [kvHeads * headDim, hidden]
    WeightMatrix output;               ///< [hidden, heads * headDim]
    std::vector<float> queryBias;      ///< [heads * headDim] or empty
    std::vector<float> keyBias;
    std::vector<float> valueBias;
    std::vector<float> queryNorm;  ///< [headDim] or empty
    std::vector<float> keyNorm;
    std::vector<float> feedForwardNorm;  ///< [hidden]
    WeightMatrix gate;                   ///< [feedForward, hidden]
    WeightMatrix up;                     ///< [feedForward, hidden]
    WeightMatrix down;                   ///< [hidden, feedForward]
};

struct Weights {
    WeightMatrix embedding;  ///< [vocabulary, hidden]
    std::vector<LayerWeights> layers;
    std::vector<float> finalNorm;  ///< [hidden]
    WeightMatrix output;           ///< [vocabulary, hidden]; equals embedding when tied
};

}  // namespace lacuna
