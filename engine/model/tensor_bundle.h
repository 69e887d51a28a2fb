#pragma once
/// \file
/// A small safetensors file of F32 tensors measured on a model, with texts in its metadata that
/// include `format` and `fingerprint`. Read strictly: an inconsistent file, or one with a number
/// that is not finite, is refused entirely. Private to this module; surrogate_file.h and
/// rotation_file.h describe the content of their files.

#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

struct BundledTensor {
    std::string name;
    std::vector<int> shape;  ///< outermost first
    std::vector<float> numbers;
};

struct TensorBundle {
    std::vector<std::pair<std::string, std::string>> texts;  ///< `format` first
    std::vector<BundledTensor> tensors;
    [[nodiscard]] std::string bytes() const;
};

/// The expected tensors with names and dimensions, and the texts of the metadata, in that order.
struct ExpectedBundle {
    std::string_view format;
    std::initializer_list<std::string_view> texts;
    std::initializer_list<std::pair<std::string_view, std::size_t>> tensors;
};
struct ReadBundle {
    std::vector<std::string> texts;
    std::vector<BundledTensor> tensors;
};
/// Errors: St*, Config (naming the cause).
[[nodiscard]] Result<ReadBundle> readBundle(std::string_view bytes, const ExpectedBundle& expected);

/// model.gguf -> model + `ending` in the same folder; inside a model folder.
[[nodiscard]] std::filesystem::path pathNextTo(const std::filesystem::path& model,
                                               const std::string& ending);
/// Writes `next`, or `kept` with its parent folders if `next` is not writable, and returns the path
/// used. An empty `kept` is skipped. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> writeNextTo(const std::filesystem::path& next,
                                                        const std::filesystem::path& kept,
                                                        std::string_view bytes);
/// Returns the first of two paths that exists, skipping an empty one; empty if neither does.
[[nodiscard]] std::filesystem::path firstExisting(const std::filesystem::path& next,
                                                  const std::filesystem::path& kept);

}  // namespace lacuna
