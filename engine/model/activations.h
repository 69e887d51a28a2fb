#pragma once
/// \file
/// All buffers of a forward step, allocated once for the largest step. Owned by one thread.

#include <cstdint>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/view.h"

namespace lacuna {

class Activations {
  public:
    /// Number of floats that create() allocates for each token.
    [[nodiscard]] static std::int64_t floatsPerToken(const ModelSpec& spec);
    /// Errors: NoMemory.
    [[nodiscard]] static Result<Activations> create(const ModelSpec& spec, int maxTokens);

    [[nodiscard]] float* residual() { return residual_.as<float>().data(); }  ///< [tokens, hidden]
    [[nodiscard]] float* normed() { return normed_.as<float>().data(); }      ///< [tokens, hidden]
    [[nodiscard]] float* projected() {
        return projected_.as<float>().data();
    }  ///< [tokens, hidden]
    [[nodiscard]] float* queries() {
        return queries_.as<float>().data();
    }  ///< [tokens, heads, headDim] of the current layer, like the next three
    [[nodiscard]] float* keys() {
        return keys_.as<float>().data();
    }  ///< [tokens, kvHeads, headDim]
    [[nodiscard]] float* values() {
        return values_.as<float>().data();
    }  ///< [tokens, kvHeads, headDim]; empty with latent attention
    /// [tokens, heads, 2 headDim] queries and gates; empty without ModelSpec::attentionGate
    [[nodiscard]] float* gatedQueries() { return gatedQueries_.as<float>().data(); }
    /// [tokens, hidden] output of a recurrent mixer in parallel with attention; otherwise empty
    [[nodiscard]] float* parallel() { return parallel_.as<float>().data(); }
    [[nodiscard]] float* attended() {
        return attended_.as<float>().data();
    }  ///< [tokens, heads, valueDim]
    /// [tokens, feedForward]; empty if no layer has a dense feed-forward
    [[nodiscard]] float* gate() { return gate_.as<float>().data(); }
    [[nodiscard]] float* up() { return up_.as<float>().data(); }
    // Experts in parallel with a dense feed-forward, otherwise empty: [tokens, hidden].
    [[nodiscard]] float* routerInput() { return routerInput_.as<float>().data(); }
    [[nodiscard]] float* mixed() { return mixed_.as<float>().data(); }  ///< sum of the experts
    // Per-layer embeddings, otherwise empty.
    /// [tokens, layers, ModelSpec::layerEmbedding]
    [[nodiscard]] float* layerInputs() { return layerInputs_.as<float>().data(); }
    /// [tokens, ModelSpec::layerEmbedding]
    [[nodiscard]] float* layerGate() { return layerGate_.as<float>().data(); }
    /// [2, layers * ModelSpec::layerEmbedding] a row of the table, and memory to decode it
    [[nodiscard]] float* layerRow() { return layerRow_.as<float>().data(); }

    /// Returns memory for `rows` rows of logits [rows, vocabulary]; growing it discards the
    /// content. Errors: NoMemory.
    [[nodiscard]] Result<float*> logits(std::int64_t rows, std::int64_t vocabulary);
    [[nodiscard]] std::size_t bytes() const;

  private:
    Activations() = default;
    Buffer gatedQueries_, parallel_;
    Buffer residual_, normed_, projected_, queries_, keys_, values_, attended_, gate_, up_, logits_;
    Buffer routerInput_, mixed_, layerInputs_, layerGate_, layerRow_;
};

}  // namespace lacuna
