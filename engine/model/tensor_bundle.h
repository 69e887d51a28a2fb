#pragma once
/// \file
/// A small safetensors file of F32 tensors that was measured on a model and belongs to it: texts in
/// its metadata, `format` and `fingerprint` among them. Read strictly: what does not fit, or is no
/// finite number, is refused as a whole. Private to this room; what its files hold say
/// surrogate_file.h and rotation_file.h.

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

/// The tensors of these names and dimensions, and these texts of the metadata, in that order.
struct WantedBundle {
    std::string_view format;
    std::initializer_list<std::string_view> texts;
    std::initializer_list<std::pair<std::string_view, std::size_t>> tensors;
};
struct ReadBundle {
    std::vector<std::string> texts;
    std::vector<BundledTensor> tensors;
};
/// Errors: St*, Config (naming what is wrong).
[[nodiscard]] Result<ReadBundle> readBundle(std::string_view bytes, const WantedBundle& wanted);

/// model.gguf -> model + `ending` in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path pathNextTo(const std::filesystem::path& model,
                                               const std::string& ending);
/// Writes `next`, or `kept` and the folders above it where `next` cannot be written, and says
/// which. An empty `kept` is nowhere. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> writeNextTo(const std::filesystem::path& next,
                                                        const std::filesystem::path& kept,
                                                        std::string_view bytes);
/// The first of two places where something lies, an empty one apart; empty: nowhere.
[[nodiscard]] std::filesystem::path lyingAt(const std::filesystem::path& next,
                                            const std::filesystem::path& kept);

}  // namespace lacuna
