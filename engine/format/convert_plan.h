#pragma once
/// \file
/// Which tensors a converted file holds, and which rows of the source make each of them. Pure
/// functions of the opened model.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_spec.h"
#include "engine/format/weights.h"

namespace lacuna {

/// One tensor of the result and where its rows come from.
struct ConvertJob {
    GgufPlan plan;
    std::vector<WeightMatrix> pieces;  ///< one after the other; none: `values` is the content
    std::vector<float> values;
    int permutedHead = 0;  ///< head size when rows are interleaved, else 0
};

/// Refuses by name what a GGUF file has no key for. Errors: Unsupported.
[[nodiscard]] Status checkConvertible(const ModelSpec& spec);

/// All tensors; matrices as `type`, or as F16 where their rows are no whole blocks; norms, biases
/// and routers as F32. The views of `weights` live as long as the source.
[[nodiscard]] std::vector<ConvertJob> planConversion(const ModelSpec& spec, const Weights& weights,
                                                     DType type);

}  // namespace lacuna
