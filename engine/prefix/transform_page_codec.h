#pragma once
/// \file
/// Pages of a cache by transform coding (engine/compress/transform_codec.h). The first tokens of a
/// text are written as they are, bit for bit; the newest ones of the cache by a code of their own,
/// a closer one, or in 8 bits; those that the components do not hold in 8 bits, or as they are
/// where rows have no groups of 32. One page is one run of tokens; what it was coded with stands in
/// it, so that a page of another ratio or code is read with the same bundle. Immutable; any number
/// of threads may encode at once, and decode, with a pool one at a time. docs/stored-caches.md,
/// "The page".

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/compress/transform_codec.h"
#include "engine/prefix/page_codec.h"

namespace lacuna {

struct TransformPageOptions {
    ComponentCoding coding;
    int sinks = 4;     ///< first tokens that are written as they are
    int window = 128;  ///< newest tokens of the cache, which are coded more closely
    /// How those are coded; nothing: they are not transformed, but kept in 8 bits.
    std::optional<ComponentCoding> windowCoding = std::nullopt;
    ThreadPool* pool = nullptr;  ///< groups are decoded side by side; null: on the caller's thread
};

/// What a page holds, without decoding it.
struct TransformPageFigures {
    std::int64_t tokens = 0;
    std::int64_t keptTokens = 0;  ///< not transformed
    std::int64_t bytes = 0;
    std::int64_t keptBytes = 0;  ///< of them, of tokens that are not transformed
};

class TransformPageCodec final : public PageCodec {
  public:
    TransformPageCodec(std::shared_ptr<const TransformCodec> codec, TransformPageOptions options)
        : codec_(std::move(codec)), options_(options) {}

    [[nodiscard]] std::string_view name() const override { return "kvtc"; }
    [[nodiscard]] std::uint64_t identity() const override { return codec_->hash(); }
    /// Errors: Unsupported (rows are codes, a head lacks tokens of the run, has a bias on them or
    /// keeps a window; a number that is not finite), Incompatible (a cache of another shape than
    /// the bundle's model), InvalidArgument (a run that the cache does not cover).
    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override;
    /// Errors: Corrupt, Incompatible (another bundle, shape or number format), InvalidArgument (a
    /// cache that does not end where the run begins), NoMemory.
    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override;
    /// Errors: as decode.
    [[nodiscard]] Result<TransformPageFigures> figures(std::span<const std::byte> bytes,
                                                       TokenRun run) const;

  private:
    std::shared_ptr<const TransformCodec> codec_;
    TransformPageOptions options_;
};

/// For pages that are kept: sinks, window and better code of the bundle, at the ratio of it that is
/// nearest to this one; null where it was calibrated for none. `pool` as in the options.
inline constexpr double kKeptPageRatio = 16;
/// That of the newest tokens.
inline constexpr double kKeptWindowRatio = 8;
[[nodiscard]] std::unique_ptr<PageCodec> makeTransformPageCodec(
    std::shared_ptr<const TransformCodec> codec, ThreadPool* pool = nullptr);

}  // namespace lacuna
