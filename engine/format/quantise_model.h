#pragma once
/// \file
/// A model with float weights to one GGUF file of blocks. Streams tensor by tensor over the thread
/// pool: needs memory for a batch of rows only. The same input gives the same bytes with any number
/// of threads. Runs on the calling thread.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/quantise_recipe.h"

namespace lacuna {

struct QuantiseOptions {
    QuantiseRecipe recipe;
    std::function<void(double share)> progress;  ///< 0..1
    std::stop_token stop;
};

struct QuantiseReport {
    /// A tensor whose rows the recipe's blocks do not fit.
    struct Fallback {
        std::string tensor;
        DType wanted = DType::F32;
        DType stored = DType::F32;
    };
    std::uint64_t tensors = 0;
    std::uint64_t sourceBytes = 0;  ///< of the weights read
    std::uint64_t bytes = 0;        ///< of the written file
    std::map<DType, std::uint64_t> tensorsByType;
    std::vector<Fallback> fallbacks;
};

/// Writes `target` or leaves it as it was. `source` is a GGUF file or a safetensors folder; a
/// folder is first written as a float GGUF file next to the target, which needs its size on disk
/// meanwhile. Metadata are kept; `general.file_type` and `general.quantization_version` are set.
/// Errors: those of opening and converting; InvalidArgument when the target is a file of the
/// source; ModelChanged when that is cut or replaced meanwhile;
/// Unsupported when a matrix is in blocks already or the file is one part of several;
/// ModelNonFinite when a weight does not fit; Write; Cancelled.
[[nodiscard]] Result<QuantiseReport> quantiseModel(const std::filesystem::path& source,
                                                   const std::filesystem::path& target,
                                                   ThreadPool& pool,
                                                   const QuantiseOptions& options);

}  // namespace lacuna
