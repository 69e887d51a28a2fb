#pragma once
/// \file
/// The two codecs without calibration: "rows" keeps rows bit for bit in the cache's format, "q8" as
/// 8-bit codes with a scale and an offset per group of 64 or 32 numbers. Both compress each layer
/// as one zstd frame. Numbers of 16 and 32 bits are split into byte planes first, since signs and
/// exponents compress well and mantissas do not. docs/disk-tier.md, "Rows". Immutable, any thread.

#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/prefix/page_codec.h"

namespace lacuna {

/// Name of the lossless codec.
inline constexpr std::string_view kRowsCodec = "rows";

/// `pool` decodes layers in parallel; it must outlive the codec, and decode() may then only be
/// called where parallelFor may be. Null decodes on the caller's thread. Encoding never uses the
/// pool.
[[nodiscard]] std::unique_ptr<PageCodec> makeRowsCodec(ThreadPool* pool = nullptr);
/// Encodes only plain rows whose length is a multiple of 32; otherwise Unsupported.
[[nodiscard]] std::unique_ptr<PageCodec> makeEightBitCodec(ThreadPool* pool = nullptr);

/// Compresses to one zstd frame that records the content size. Errors: NoMemory.
[[nodiscard]] Result<std::vector<std::byte>> compressFrame(std::span<const std::byte> content);
/// Decompresses into a buffer of exactly the expected size. Errors: Corrupt (another size, damaged
/// data, trailing bytes, a window over 128 MiB), NoMemory.
[[nodiscard]] Status decompressFrame(std::span<const std::byte> frame,
                                     std::span<std::byte> content);

}  // namespace lacuna
