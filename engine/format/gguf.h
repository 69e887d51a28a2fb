#pragma once
/// \file
/// A GGUF file, or a model in several of them (NAME-00001-of-00003.gguf and so on), mapped and
/// checked: typed metadata and named tensors. Immutable; may be read from many threads. Views it
/// returns live as long as it does (moving it keeps them valid). Sources: GGUF file format
/// description (ggml), versions 2 and 3; for parts the keys `split.no`, `split.count` and
/// `split.tensors.count` as llama.cpp's gguf-split writes them.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/format/gguf_header.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// The part number and count stated in a file.
struct GgufSplit {
    std::uint64_t number = 0;  ///< from 0
    std::uint64_t count = 1;
};

/// Returns the files of all parts in order, including `path`. Errors: GgufSplit if the numbers are
/// inconsistent, or if the name of `path` does not show where the others are.
[[nodiscard]] Result<std::vector<std::filesystem::path>> ggufPartPaths(
    const std::filesystem::path& path, const GgufSplit& split);

class GgufFile final : public TensorSource {
  public:
    /// Maps and checks a file. For a model in several files, any part can be named and all are
    /// opened: the metadata is that of the first part, the tensors are those of all. Errors:
    /// NotFound, NotAFile, Denied, Gguf*, prefixed with the file's name.
    [[nodiscard]] static Result<GgufFile> open(const std::filesystem::path& path);
    /// Checks bytes that the caller keeps alive and unchanged. Errors: Gguf*.
    [[nodiscard]] static Result<GgufFile> parse(std::span<const std::byte> bytes);

    /// All getters: nullopt if the key is absent; GgufMetaType, naming the key, the expected and
    /// the found type, if the value has another type. Any integer type is accepted if the value is
    /// not negative.
    [[nodiscard]] Result<std::optional<std::uint64_t>> getUnsigned(std::string_view key) const;
    /// f32 or f64.
    [[nodiscard]] Result<std::optional<double>> getFloat(std::string_view key) const;
    [[nodiscard]] Result<std::optional<bool>> getBool(std::string_view key) const;
    [[nodiscard]] Result<std::optional<std::string_view>> getText(std::string_view key) const;
    /// An array of strings; the views point into the file.
    [[nodiscard]] Result<std::optional<std::vector<std::string_view>>> getTexts(
        std::string_view key) const;
    /// An array of f32.
    [[nodiscard]] Result<std::optional<std::vector<float>>> getFloats(std::string_view key) const;
    /// An array of i32 or u32 (u32 must fit).
    [[nodiscard]] Result<std::optional<std::vector<std::int32_t>>> getInts(
        std::string_view key) const;
    /// An array of bool, or of integers (nonzero = true).
    [[nodiscard]] Result<std::optional<std::vector<bool>>> getFlags(std::string_view key) const;

    /// Null when absent.
    [[nodiscard]] const GgufValue* findValue(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const { return findValue(key) != nullptr; }

    [[nodiscard]] const GgufHeader& header() const { return header_; }
    /// Returns notes on unusual but harmless properties: gaps, order, bytes after the last tensor.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
    /// Returns all bytes before the weights.
    [[nodiscard]] std::span<const std::byte> headerBytes() const {
        return bytes_.first(std::min<std::size_t>(bytes_.size(), header_.dataStart));
    }
    /// Returns the bytes of all parts.
    [[nodiscard]] std::uint64_t fileBytes() const;
    /// Returns the number of files of this model.
    [[nodiscard]] std::size_t parts() const { return 1 + otherParts_.size(); }

    /// Returns the tensors of supported types; header().tensors lists all (their offsets are within
    /// their part).
    [[nodiscard]] std::span<const TensorInfo> tensors() const override { return tensors_; }
    [[nodiscard]] const TensorInfo* find(std::string_view name) const override;
    [[nodiscard]] Status checkUnchanged() const override;
    [[nodiscard]] std::vector<std::span<const std::byte>> mappings() const override;

  private:
    GgufFile() = default;
    [[nodiscard]] static Result<GgufFile> openOne(const std::filesystem::path& path);
    [[nodiscard]] static Result<GgufFile> openParts(GgufFile named);
    [[nodiscard]] Status adopt(std::span<const std::byte> bytes);
    [[nodiscard]] Result<GgufSplit> split() const;
    [[nodiscard]] Status checkSameModel(const GgufFile& part) const;
    [[nodiscard]] Status join(GgufFile part);
    [[nodiscard]] Status checkTensorCount() const;

    MappedFile file_;  ///< empty if the caller owns the bytes
    std::span<const std::byte> bytes_;
    GgufHeader header_;
    std::vector<std::string> notes_;
    std::vector<TensorInfo> tensors_;
    std::map<std::string_view, std::size_t> entryByKey_;
    std::map<std::string_view, std::size_t> tensorByName_;
    std::vector<GgufFile> otherParts_;  ///< parts after the first; keeps their mappings alive
};

/// Unwraps a required value of a getter. Errors: the getter's, ModelMissingKey naming `key`.
template <class T>
[[nodiscard]] Result<T> needed(Result<std::optional<T>> value, std::string_view key) {
    if (!value) return tl::unexpected<Error>(std::move(value).error());
    if (!value->has_value())
        return fail(ErrorCode::ModelMissingKey,
                    "the metadata key " + std::string(key) + " is missing");
    return std::move(**value);
}

}  // namespace lacuna
