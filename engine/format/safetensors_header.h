#pragma once
/// \file
/// The JSON header of one safetensors file, read strictly: it must describe every data byte exactly
/// once. Read as a stream of JSON events, so that a large header costs no document tree. Pure
/// functions. Source: safetensors format description (Hugging Face).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
inline constexpr std::size_t kMaxSafetensorsTensors = 200'000;
inline constexpr std::size_t kMaxSafetensorsDimensions = 16;
inline constexpr std::size_t kMaxSafetensorsMetadataBytes = std::size_t{4} << 20;
inline constexpr int kMaxSafetensorsDepth = 128;

/// An element type of the format; `type` is set for those that are computed with.
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

}  // namespace lacuna
