#pragma once
/// \file
/// Converts a Hugging Face folder (safetensors) to one GGUF file for any reader of the format.
/// Streams tensor by tensor, so it needs memory for only a few rows. Runs on the calling thread.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

struct ConvertOptions {
    DType type = DType::Q8_0;  ///< type of matrices, including the embedding; norms and biases stay
                               ///< F32
    std::string name;          ///< `general.name`; empty = the folder's name
    std::string licence;  ///< `general.license`; empty = taken from README.md of the folder, if
                          ///< stated
    std::function<void(double share)> progress;  ///< 0..1
    std::stop_token stop;
};

struct ConvertReport {
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;      ///< size of the written file
    std::uint64_t keptWider = 0;  ///< matrices stored as F16 because their rows are not a multiple
                                  ///< of the block length
};

/// Writes `target`, or leaves it unchanged on error. Errors: those of opening a model and its
/// tokenizer; InvalidArgument if `folder` is not a model folder or `target` is one of its files;
/// ModelChanged if one of them is truncated or replaced meanwhile; ModelNonFinite if a weight does
/// not fit F16; TokPreUnknown; Write; Cancelled.
[[nodiscard]] Result<ConvertReport> convertToGguf(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target,
                                                  const ConvertOptions& options);

}  // namespace lacuna
