#pragma once
/// \file
/// The part of a GGUF file before the weights, read and checked: metadata entries and tensor
/// records. Nothing is copied: names, strings and arrays stay in the bytes that were parsed. Pure
/// functions. Source: GGUF file format description (ggml), versions 2 and 3.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf_types.h"

namespace lacuna {

/// An array in place in the file: `bytes` holds its elements, all already checked.
struct GgufArray {
    GgufType elementType = GgufType::U8;
    std::uint64_t count = 0;
    std::span<const std::byte> bytes;
};

/// A metadata value: unsigned and signed integers widened to 64 bits, floats to double.
struct GgufValue {
    GgufType type = GgufType::U8;
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray> value;
};

struct GgufEntry {
    std::string_view key;
    GgufValue value;
    std::uint64_t offset = 0;  ///< offset of the key from the start of the file
};

/// A tensor record; the type may be known but unsupported.
struct GgufTensor {
    std::string_view name;
    std::uint32_t type = 0;            ///< ggml type number, a known one
    std::vector<std::uint64_t> shape;  ///< outermost first
    std::uint64_t offset = 0;          ///< from the start of the data section
    std::uint64_t bytes = 0;
    std::uint64_t recordOffset = 0;  ///< offset of the record from the start of the file
};

struct GgufHeader {
    std::uint32_t version = 0;
    std::uint32_t alignment = kDefaultGgufAlignment;
    std::uint64_t metadataEnd = 0;  ///< from the start of the file
    std::uint64_t dataStart = 0;    ///< from the start of the file
    std::vector<GgufEntry> metadata;
    std::vector<GgufTensor> tensors;
};

/// Reads magic, version, metadata and tensor records, checking each count and length before use.
/// Errors: Gguf*, naming the byte offset.
[[nodiscard]] Result<GgufHeader> readGgufHeader(std::span<const std::byte> file);

/// Checks that every tensor is inside the file and that none overlap. Returns notes on unusual but
/// harmless properties. Errors: GgufBadOffset, GgufOverflow, GgufTruncated.
[[nodiscard]] Result<std::vector<std::string>> checkGgufData(const GgufHeader& header,
                                                             std::uint64_t fileBytes);

}  // namespace lacuna
