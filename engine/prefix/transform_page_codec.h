#pragma once
/// \file
/// Page codec based on transform coding (engine/compress/transform/transform_codec.h). The first
/// tokens of a text are stored bit for bit. The newest tokens use a code of their own with less
/// loss, or 8 bits. Tokens that the components represent badly are kept in 8 bits, or exactly if
/// rows are not divisible into groups of 32. Each page records its codes, so pages of different
/// ratios can be read with the same bundle. Immutable; any number of threads may encode
/// concurrently, and decode if there is no pool. docs/stored-caches.md, "The page".

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/compress/transform/transform_codec.h"
#include "engine/prefix/page_codec.h"

namespace lacuna {

struct TransformPageOptions {
    ComponentCoding coding;
    int sinks = 4;     ///< first tokens of the text, stored exactly
    int window = 128;  ///< newest tokens of the cache, coded with less loss
    /// Code of the window; nullopt keeps its tokens in 8 bits, untransformed.
    std::optional<ComponentCoding> windowCoding = std::nullopt;
    ThreadPool* pool = nullptr;  ///< decodes groups in parallel; null decodes on the caller's
                                 ///< thread
};

/// Statistics of a page, available without decoding it.
struct TransformPageFigures {
    std::int64_t tokens = 0;
    std::int64_t keptTokens = 0;  ///< not transformed
    std::int64_t bytes = 0;
    std::int64_t keptBytes = 0;  ///< bytes taken by the untransformed tokens
};

class TransformPageCodec final : public PageCodec {
  public:
    TransformPageCodec(std::shared_ptr<const TransformCodec> codec, TransformPageOptions options)
        : codec_(std::move(codec)), options_(options) {}

    [[nodiscard]] std::string_view name() const override { return "kvtc"; }
    [[nodiscard]] std::uint64_t identity() const override { return codec_->hash(); }
    /// Errors: Unsupported (rows are codes, a head lacks tokens of the run, has a bias on them or
    /// keeps a window; a number is not finite), Incompatible (the cache's shape is not that of the
    /// bundle's model), InvalidArgument (the cache does not cover the run).
    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override;
    /// Errors: Corrupt, Incompatible (another bundle, shape or number format), InvalidArgument (the
    /// cache does not end where the run begins), NoMemory.
    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override;
    /// Errors: as decode().
    [[nodiscard]] Result<TransformPageFigures> figures(std::span<const std::byte> bytes,
                                                       TokenRun run) const;

  private:
    std::shared_ptr<const TransformCodec> codec_;
    TransformPageOptions options_;
};

/// Default ratios for stored pages: makeTransformPageCodec uses the bundle's sinks, window and
/// lower-loss code at the calibrated ratio nearest to this one, and returns null if the bundle is
/// calibrated for none. `pool` as in the options.
inline constexpr double kKeptPageRatio = 16;
/// Ratio of the newest tokens.
inline constexpr double kKeptWindowRatio = 8;
[[nodiscard]] std::unique_ptr<PageCodec> makeTransformPageCodec(
    std::shared_ptr<const TransformCodec> codec, ThreadPool* pool = nullptr);

}  // namespace lacuna
