#pragma once
/// \file
/// Numbers in a saved cache, and the packing of the shape into five words. Internal to engine/kv.
/// Word 0: type in the low byte, then one byte each for the bits of keys and of values, then group
/// / 32 of both in the last byte; words 1 to 4: layers, KV heads, key length, value length. If the
/// layers differ, the last three are 0 and three words for each layer follow: its own.

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
/// Reads the shape of a list whose layers differ. Errors: Corrupt.
[[nodiscard]] Result<KvShape> readMixedShape(ByteReader& reader);
/// Reads the version after the magic at the start, 1 to `newest`. Errors: Corrupt, Incompatible
/// (naming both versions).
[[nodiscard]] Result<std::uint32_t> readStart(ByteReader& reader, std::string_view magic,
                                              std::uint32_t newest);
/// Version of a cache with 16-bit rows besides codes; others have version 1.
constexpr std::uint32_t kExactStateVersion = 2;
/// Appends the checksum.
void sealState(std::string& out);
/// Returns the bytes without their checksum, after verifying it. Errors: Corrupt.
[[nodiscard]] Result<std::span<const std::byte>> unsealState(std::string_view bytes);

}  // namespace lacuna
