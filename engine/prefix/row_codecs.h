#pragma once
/// \file
/// The two codecs that need nothing but the rows: "rows" keeps them bit for bit in the format of
/// the cache, "q8" as 8-bit codes with a scale and an offset for every group of 64 or 32 numbers.
/// Both compress with zstd, a frame for each layer; numbers of 16 and 32 bits are laid out byte by
/// byte of their place first, since signs and exponents repeat themselves and mantissas do not.
/// docs/disk-tier.md, "Rows". Immutable, any thread.

#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/prefix/page_codec.h"

namespace lacuna {

/// Name of the codec that keeps rows bit for bit.
inline constexpr std::string_view kRowsCodec = "rows";

/// `pool` shares out the layers of a decode; it must outlive the codec, and decode is then called
/// where parallelFor may be. Null: on the caller's thread alone. Encoding never uses it.
[[nodiscard]] std::unique_ptr<PageCodec> makeRowsCodec(ThreadPool* pool = nullptr);
/// Encodes plain rows of a length that is a multiple of 32 only (Unsupported else).
[[nodiscard]] std::unique_ptr<PageCodec> makeEightBitCodec(ThreadPool* pool = nullptr);

/// zstd, one frame that says how long its content is. Errors: NoMemory.
[[nodiscard]] Result<std::vector<std::byte>> compressFrame(std::span<const std::byte> content);
/// Into a buffer of exactly the size that is expected. Errors: Corrupt (another size, damage, bytes
/// after the frame, a window beyond 128 MiB), NoMemory.
[[nodiscard]] Status decompressFrame(std::span<const std::byte> frame,
                                     std::span<std::byte> content);

}  // namespace lacuna
