#pragma once
/// \file
/// Interface of the codecs that convert rows of a cache to bytes and back, so that the page store
/// depends on no number format. Implementations are immutable and may be used from any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// A run of consecutive tokens of a cache.
struct TokenRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    friend bool operator==(const TokenRun&, const TokenRun&) = default;
};

/// Converts the rows of a token run, for all layers and KV heads of a cache, to bytes and back.
class PageCodec {
  public:
    virtual ~PageCodec() = default;
    /// Stable name that is written into each page: "rows" (as they are, zstd), "q8" (8-bit rows,
    /// zstd), "kvtc".
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Hash of anything else that decoding needs, for example a calibration; 0 if nothing.
    [[nodiscard]] virtual std::uint64_t identity() const = 0;
    /// Errors: Unsupported (the cache does not have one row per token, or has a format that this
    /// codec does not accept), InvalidArgument (the cache does not hold the run), NoMemory.
    [[nodiscard]] virtual Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                                TokenRun run) const = 0;
    /// Appends the rows to a cache that holds exactly the tokens before the run; on an error the
    /// cache is unchanged. Checks every length. Errors: Corrupt, Unsupported, InvalidArgument,
    /// NoMemory.
    [[nodiscard]] virtual Status decode(std::span<const std::byte> bytes, TokenRun run,
                                        KvCache& cache) const = 0;
};

}  // namespace lacuna
