#pragma once
/// \file
/// Calibrates the centres of a model's queries (engine/kv/eviction/tri_attention.h) in one reading
/// of running text, window by window. No question, no answer, no gradient. docs/eviction.md,
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
    int window = 2048;        ///< tokens that are read as one text, at most the model's context
    int chunk = 256;          ///< tokens of a forward pass, at most the model's
    DType type = DType::F16;  ///< of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Tokens of a usual calibration, and the fewest.
constexpr int kCentreTokens = 8192;
constexpr int kFewestCentreTokens = 100;

/// Errors: InvalidArgument (a text too short, naming how long it must be), Unsupported (rotary
/// angles that follow the length of the text), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<QueryCentres> calibrateQueryCentres(Transformer& model,
                                                         std::span<const TokenId> text,
                                                         const QueryCentresRun& run);

}  // namespace lacuna
