#pragma once
/// \file
/// The block for multi-token prediction that some models bring along (Gloeckle et al. 2024,
/// arXiv:2404.19737; DeepSeek-V3, arXiv:2412.19437, sec. 2.2): one layer of the model's own kind
/// that predicts the token after the next one. Its input is W [rms(embedding of token t + 1),
/// rms(hidden state of token t)], and the hidden state is the normed output of the model's last
/// layer (as in llama.cpp, `t_h_nextn`, since its pull request 24025).

#include <memory>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/weights.h"

namespace lacuna {

/// A draft block as a model of one layer, which joins hidden states with its embeddings. Matrices
/// that it shares with the model are views of the same bytes.
struct DraftBlock {
    ModelSpec spec;
    Weights weights;
};

/// Returns the description of a draft block: that of the model with its last layer of attention
/// alone.
[[nodiscard]] ModelSpec draftSpecOf(const ModelSpec& spec);

}  // namespace lacuna
