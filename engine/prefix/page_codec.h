#pragma once
/// \file
/// What turns rows of a cache into bytes to keep, and back. One interface for every way of storing
/// them, so that the store of pages knows no number format. Implementations are immutable once made
/// and may be used from any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// A run of tokens of a cache.
struct TokenRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    friend bool operator==(const TokenRun&, const TokenRun&) = default;
};

/// Turns the rows of a run of tokens, of all layers and KV heads of a cache, into bytes to keep,
/// and back.
class PageCodec {
  public:
    virtual ~PageCodec() = default;
    /// Stable name that is written into each page: "rows" (as they are, zstd), "q8" (8-bit rows,
    /// zstd), "kvtc".
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What else decoding needs, as a hash (the calibration's, say); 0 when nothing.
    [[nodiscard]] virtual std::uint64_t identity() const = 0;
    /// Errors: Unsupported (a cache whose rows are not one for each token, or of a format that this
    /// codec does not take), InvalidArgument (a run that the cache does not hold), NoMemory.
    [[nodiscard]] virtual Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                                TokenRun run) const = 0;
    /// Appends the rows to a cache that holds exactly the tokens before the run. All or nothing.
    /// Checks every length. Errors: Corrupt, Unsupported, InvalidArgument, NoMemory.
    [[nodiscard]] virtual Status decode(std::span<const std::byte> bytes, TokenRun run,
                                        KvCache& cache) const = 0;
};

}  // namespace lacuna
