#pragma once
/// \file
/// A Hugging Face folder (safetensors) to one GGUF file that any reader of the format understands.
/// Streams tensor by tensor: needs memory for a few rows only. Runs on the calling thread.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

struct ConvertOptions {
    DType type = DType::Q8_0;  ///< of matrices, the embedding included; norms and biases stay F32
    std::string name;          ///< `general.name`; empty: the folder's name
    std::string licence;       ///< `general.license`; empty: what README.md of the folder says, if
                               ///< anything
    std::function<void(double share)> progress;  ///< 0..1
    std::stop_token stop;
};

struct ConvertReport {
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;      ///< of the written file
    std::uint64_t keptWider = 0;  ///< matrices whose rows do not fit the block length: stored as
                                  ///< F16
};

/// Writes `target` or leaves it as it was.
/// Errors: those of opening a model and its tokenizer; InvalidArgument when `folder` is no such
/// folder or `target` one of its files; ModelChanged when one of them is cut or replaced meanwhile;
/// ModelNonFinite when a weight does not fit F16; TokPreUnknown; Write; Cancelled.
[[nodiscard]] Result<ConvertReport> convertToGguf(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target,
                                                  const ConvertOptions& options);

}  // namespace lacuna
