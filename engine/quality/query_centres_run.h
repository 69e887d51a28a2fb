#pragma once
/// \file
/// Calibrates the centres of a model's queries (engine/kv/eviction/tri_attention.h) by reading
/// running text once, window by window. Needs no questions, answers or gradients. docs/eviction.md,
/// "Scores by query centres".

#include <cstdint>
#include <functional>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/kv/eviction/tri_attention.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

struct QueryCentresRun {
    int window = 2048;        ///< tokens read as one text, at most the model's context
    int chunk = 256;          ///< tokens per forward pass, at most the model's limit
    DType type = DType::F16;  ///< number type of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Default and minimum number of calibration tokens.
constexpr int kCentreTokens = 8192;
constexpr int kMinCentreTokens = 100;

/// Errors: InvalidArgument (the text is too short, naming the required length), Unsupported (rotary
/// angles that depend on the text length), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<QueryCentres> calibrateQueryCentres(Transformer& model,
                                                         std::span<const TokenId> text,
                                                         const QueryCentresRun& run);

}  // namespace lacuna
