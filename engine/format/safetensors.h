#pragma once
/// \file
/// Safetensors files as a source of tensors: one file, or the shards of a folder listed in an
/// index. Mapped, immutable; may be read from many threads. Weights may begin at odd addresses. The
/// JSON header is read strictly and must describe every data byte exactly once. It is read as a
/// stream of JSON events, so that a large header needs no document tree. Source: safetensors format
/// description (Hugging Face).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/format/tensor_source.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
inline constexpr std::size_t kMaxSafetensorsTensors = 200'000;
inline constexpr std::size_t kMaxSafetensorsDimensions = 16;
inline constexpr std::size_t kMaxSafetensorsMetadataBytes = std::size_t{4} << 20;
inline constexpr int kMaxSafetensorsDepth = 128;

/// An element type of the format; `type` is set for supported ones.
struct SafetensorsType {
    std::string_view name;
    std::uint32_t bits = 0;
    std::optional<DType> type;
};

struct SafetensorsEntry {
    std::string name;
    SafetensorsType type;
    std::vector<std::uint64_t> shape;  ///< outermost first; empty for a single number
    std::uint64_t begin = 0;           ///< from the start of the data
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;
    std::uint64_t dataStart = 0;  ///< from the start of the file; may be odd
};

/// Errors: St*.
[[nodiscard]] Result<SafetensorsHeader> readSafetensorsHeader(std::span<const std::byte> file);

inline constexpr std::size_t kMaxSafetensorsIndexBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxSafetensorsShards = 4096;

class Safetensors final : public TensorSource {
  public:
    /// One file. Errors: NotFound, NotAFile, Denied, St*.
    [[nodiscard]] static Result<Safetensors> openFile(const std::filesystem::path& path);
    /// Opens `model.safetensors`, or the shards of `model.safetensors.index.json`; only files of
    /// the folder itself (or of the blob store next to it, as in the Hugging Face cache). Errors:
    /// as openFile, StPath, StIndex, StKind (only pickled weights), NotFound.
    [[nodiscard]] static Result<Safetensors> openFolder(const std::filesystem::path& folder);

    /// Returns the tensors of supported types. The bytes X_blocks [..., n, 16] and X_scales [...,
    /// n] form one MXFP4 tensor [..., 32 n] named X.
    [[nodiscard]] std::span<const TensorInfo> tensors() const override { return tensors_; }
    [[nodiscard]] const TensorInfo* find(std::string_view name) const override;
    [[nodiscard]] Status checkUnchanged() const override;
    [[nodiscard]] std::vector<std::span<const std::byte>> mappings() const override;
    /// Refuses tensors that tensors() leaves out because of their element type. Errors: StDtype.
    [[nodiscard]] Status checkAllUsable() const;

  private:
    Safetensors() = default;
    [[nodiscard]] Status addFile(const std::filesystem::path& path);
    void joinScales();

    std::vector<MappedFile> files_;
    std::vector<TensorInfo> tensors_;
    std::map<std::string, std::size_t, std::less<>> tensorByName_;
    struct Place {
        std::string_view type;
        std::string file;
    };
    std::map<std::string, Place, std::less<>> places_;  ///< every tensor, whatever its type
    struct Bytes {
        std::vector<std::uint64_t> shape;
        const std::byte* data = nullptr;
        bool joined = false;
    };
    std::map<std::string, Bytes, std::less<>> bytes_;  ///< tensors of type U8
};

}  // namespace lacuna
