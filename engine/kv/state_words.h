#pragma once
/// \file
/// Numbers of a saved cache: how they are written and how the shape is packed into five words.
/// Private to this room. Word 0: type in the low byte, then one byte each for the bits of keys and
/// of values, then group / 32 of both in the last byte; words 1 to 4: layers, KV heads, key length,
/// value length.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

[[nodiscard]] inline tl::unexpected<Error> corruptState(std::string what,
                                                        int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, "saved cache: " + what, __FILE__, line);
}

void putShape(std::string& out, const KvShape& shape);
/// Errors: Corrupt, or those of checkShape.
[[nodiscard]] Result<KvShape> readShape(ByteReader& reader);
/// The version after the magic at the start, 1 to `newest`. Errors: Corrupt, Incompatible (naming
/// both versions).
[[nodiscard]] Result<std::uint32_t> readStart(ByteReader& reader, std::string_view magic,
                                              std::uint32_t newest);
/// Of a cache that keeps rows in 16 bits alongside codes; others have version 1.
constexpr std::uint32_t kExactStateVersion = 2;
/// Appends the checksum.
void sealState(std::string& out);
/// The bytes without their checksum, once it matches. Errors: Corrupt.
[[nodiscard]] Result<std::span<const std::byte>> unsealState(std::string_view bytes);

}  // namespace lacuna
