#pragma once
/// \file
/// Writes a GGUF file (version 3) as a stream: metadata and tensor records first, then the bytes of
/// each tensor in turn. The target is replaced only by commit(). Owned by one thread. Source: GGUF
/// file format description (ggml), version 3.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/format/gguf_types.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// A tensor to be written; shape outermost first.
struct GgufPlan {
    std::string name;
    DType type = DType::F32;
    std::vector<std::uint64_t> shape;
    [[nodiscard]] std::uint64_t elements() const;
    [[nodiscard]] std::uint64_t bytes() const;  ///< @pre rows are a multiple of the block length
};

/// Metadata in the order in which it was added.
class GgufMetadata {
  public:
    void addText(std::string_view key, std::string_view value);
    void addUnsigned(std::string_view key, std::uint32_t value);
    void addFloat(std::string_view key, float value);
    void addBool(std::string_view key, bool value);
    void addTexts(std::string_view key, std::span<const std::string> values);
    void addInts(std::string_view key, std::span<const std::int32_t> values);
    void addFloats(std::string_view key, std::span<const float> values);
    void addBools(std::string_view key, const std::vector<bool>& values);
    /// Adds a key with its type and value as encoded in another file, already checked.
    void addEntry(std::span<const std::byte> entry);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    void begin(std::string_view key, GgufType type);
    void beginArray(std::string_view key, GgufType type, std::size_t count);

    std::string bytes_;
    std::uint64_t count_ = 0;
};

class GgufWriter {
  public:
    /// Writes everything before the weights. Errors: Write.
    [[nodiscard]] static Result<GgufWriter> create(const std::filesystem::path& path,
                                                   const GgufMetadata& metadata,
                                                   std::vector<GgufPlan> plan);
    /// Appends bytes of the current tensor, in any pieces that do not cross tensors. Errors: Write.
    /// @pre not more bytes than that tensor still needs
    [[nodiscard]] Status append(std::span<const std::byte> bytes);
    /// Renames the file to its final name. Errors: Write. @pre all tensors are complete
    [[nodiscard]] Status commit();
    [[nodiscard]] std::uint64_t bytesWritten() const { return written_; }

  private:
    explicit GgufWriter(AtomicFile file) : file_(std::move(file)) {}
    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    [[nodiscard]] Status pad();

    AtomicFile file_;
    std::vector<GgufPlan> plan_;
    std::size_t current_ = 0;  ///< index of the current tensor
    std::uint64_t currentBytes_ = 0;
    std::uint64_t written_ = 0;
};

}  // namespace lacuna
