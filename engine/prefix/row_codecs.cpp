#include "engine/prefix/row_codecs.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/mutex.h"
#include "engine/base/string_format.h"
#include "engine/kernels/coded_rows.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/kernels.h"
#include "engine/kv/row_format.h"
#include "engine/kv/stored_rows.h"

namespace lacuna {
namespace {

/// Level 1: rows rarely repeat, and the gain comes from the entropy of single bytes, which all
/// levels code alike.
constexpr int kLevel = 1;
constexpr int kMostWindowLog = 27;

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

tl::unexpected<Error> corrupt(std::string what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, "stored rows: " + what, __FILE__, line);
}

/// Copies byte i of every number to plane i. @pre rows contain complete numbers
void toPlanes(const std::byte* rows, std::size_t bytes, std::size_t width, std::byte* out,
              std::size_t planeStride) {
    if (width == 1) {
        std::memcpy(out, rows, bytes);
        return;
    }
    const std::size_t numbers = bytes / width;
    for (std::size_t plane = 0; plane < width; ++plane) {
        std::byte* const to = out + plane * planeStride;
        for (std::size_t i = 0; i < numbers; ++i) to[i] = rows[i * width + plane];
    }
}

void fromPlanes(const std::byte* planes, std::size_t planeStride, std::size_t width,
                std::byte* rows, std::size_t bytes) {
    if (width == 1) {
        std::memcpy(rows, planes, bytes);
        return;
    }
    const std::size_t numbers = bytes / width;
    if (width == 2) {
        const std::byte* const low = planes;
        const std::byte* const high = planes + planeStride;
        for (std::size_t i = 0; i < numbers; ++i) {
            rows[2 * i] = low[i];
            rows[2 * i + 1] = high[i];
        }
        return;
    }
    for (std::size_t plane = 0; plane < width; ++plane)
        for (std::size_t i = 0; i < numbers; ++i)
            rows[i * width + plane] = planes[plane * planeStride + i];
}

/// Strategy that distinguishes the codecs: how a run of rows of one head is converted to bytes of
/// the frame.
class SideCoding {
  public:
    virtual ~SideCoding() = default;
    [[nodiscard]] virtual std::size_t keptRowBytes(const KvShape& shape, bool keys) const = 0;
    [[nodiscard]] virtual Status check(const KvShape& shape) const = 0;
    /// `out` is one side of a layer, [heads, count] rows in total.
    virtual void pack(const KvHeadView& view, const KvShape& shape, bool keys, TokenRun run,
                      int head, std::span<std::byte> out) const = 0;
    virtual void unpack(std::span<const std::byte> side, const KvShape& shape, bool keys,
                        TokenRun run, int head, std::span<std::byte> rows) const = 0;
};

int dimOf(const KvShape& shape, bool keys) {
    return keys ? shape.keyDim : shape.valueDim;
}

RowFormat formatOf(const KvShape& shape, bool keys) {
    return keys ? keyFormat(shape) : valueFormat(shape);
}

class PlainSide final : public SideCoding {
  public:
    [[nodiscard]] std::size_t keptRowBytes(const KvShape& shape, bool keys) const override {
        return formatBytes(formatOf(shape, keys));
    }
    [[nodiscard]] Status check(const KvShape&) const override { return {}; }
    void pack(const KvHeadView& view, const KvShape& shape, bool keys, TokenRun run, int head,
              std::span<std::byte> out) const override {
        const std::size_t row = keptRowBytes(shape, keys);
        const std::size_t bytes = row * static_cast<std::size_t>(run.count);
        const std::byte* const rows =
            (keys ? view.keys : view.values) + static_cast<std::size_t>(run.first) * row;
        const std::size_t width = widthOf(shape, keys);
        toPlanes(rows, bytes, width, out.data() + static_cast<std::size_t>(head) * bytes / width,
                 out.size() / width);
    }
    void unpack(std::span<const std::byte> side, const KvShape& shape, bool keys, TokenRun,
                int head, std::span<std::byte> rows) const override {
        const std::size_t width = widthOf(shape, keys);
        fromPlanes(side.data() + static_cast<std::size_t>(head) * rows.size() / width,
                   side.size() / width, width, rows.data(), rows.size());
    }

  private:
    static std::size_t widthOf(const KvShape& shape, bool keys) {
        const RowFormat format = formatOf(shape, keys);
        return format.quant.plain() ? static_cast<std::size_t>(rowBytes(format.type, 1)) : 1;
    }
};

/// Rows of group codes, with codes and scales stored separately.
class EightBitSide final : public SideCoding {
  public:
    [[nodiscard]] std::size_t keptRowBytes(const KvShape& shape, bool keys) const override {
        return formatBytes(codes(shape, keys));
    }
    [[nodiscard]] Status check(const KvShape& shape) const override {
        if (!shape.coded() && shape.keyDim % 32 == 0 && shape.valueDim % 32 == 0) return {};
        return fail(ErrorCode::Unsupported,
                    "rows that are codes already, or whose length is not a multiple of 32, are "
                    "stored unchanged");
    }
    void pack(const KvHeadView& view, const KvShape& shape, bool keys, TokenRun run, int head,
              std::span<std::byte> out) const override {
        const RowFormat format = codes(shape, keys);
        const auto dim = static_cast<std::size_t>(format.dim);
        const std::size_t bytes = formatBytes(format);
        const auto count = static_cast<std::size_t>(run.count);
        std::vector<float> numbers(count * dim);
        const auto read = keys ? readKeys : readValues;
        read(view, format.dim, static_cast<int>(run.first), static_cast<int>(run.count),
             numbers.data());
        std::vector<std::byte> row(bytes);
        const std::size_t rows = count * static_cast<std::size_t>(shape.kvHeads);
        for (std::size_t i = 0; i < count; ++i) {
            encodeRow(format, std::span(numbers).subspan(i * dim, dim), row.data());
            const std::size_t at = static_cast<std::size_t>(head) * count + i;
            std::memcpy(out.data() + at * dim, row.data(), dim);
            std::memcpy(out.data() + rows * dim + at * (bytes - dim), row.data() + dim,
                        bytes - dim);
        }
    }
    void unpack(std::span<const std::byte> side, const KvShape& shape, bool keys, TokenRun run,
                int head, std::span<std::byte> rows) const override {
        const RowFormat format = codes(shape, keys);
        const auto dim = static_cast<std::size_t>(format.dim);
        const std::size_t bytes = formatBytes(format);
        const auto count = static_cast<std::size_t>(run.count);
        const std::size_t all = count * static_cast<std::size_t>(shape.kvHeads);
        std::vector<std::byte> coded(count * bytes);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = static_cast<std::size_t>(head) * count + i;
            std::memcpy(coded.data() + i * bytes, side.data() + at * dim, dim);
            std::memcpy(coded.data() + i * bytes + dim,
                        side.data() + all * dim + at * (bytes - dim), bytes - dim);
        }
        std::vector<float> numbers(count * dim);
        bestKernels().decodeCoded(CodedRows{.rows = coded.data(),
                                            .rowStride = static_cast<std::int64_t>(bytes),
                                            .count = run.count,
                                            .columns = format.dim,
                                            .bits = format.quant.bits,
                                            .group = format.quant.group},
                                  numbers.data());
        // Decoding may exceed the range of the type by a rounding error. All rows are converted as
        // one.
        storeRowSaturated(shape.type, numbers, rows.data());
    }

  private:
    static RowFormat codes(const KvShape& shape, bool keys) {
        RowFormat format = formatOf(shape, keys);
        format.quant = {.bits = 8, .group = dimOf(shape, keys) % 64 == 0 ? 64 : 32};
        return format;
    }
};

/// Implements both codecs. Format: u32 layers, u64 size of each frame, the frames. A frame holds
/// the keys of all heads of its layer, then the values.
template <class Coding>
class RowsCodec final : public PageCodec {
  public:
    RowsCodec(std::string_view name, ThreadPool* pool) : name_(name), pool_(pool) {}
    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] std::uint64_t identity() const override { return 0; }

    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override {
        const KvShape& shape = cache.shape();
        LACUNA_TRY_STATUS(coding_.check(shape));
        if (!holdsRowsOfTokens(cache))
            return fail(ErrorCode::Unsupported,
                        "a cache that was compacted or drops tokens has no rows of a run");
        if (run.first < 0 || run.count <= 0 || run.first > cache.offset().value ||
            run.count > cache.offset().value - run.first)
            return fail(ErrorCode::InvalidArgument,
                        format("a cache has no {} tokens from token {}, only {} in all", run.count,
                               run.first, cache.offset().value));
        std::vector<std::vector<std::byte>> frames;
        std::vector<std::byte> content(layerBytes(shape, run));
        for (int layer = 0; layer < shape.layers; ++layer) {
            const Sides sides = sidesOf(shape, run, std::span(content));
            for (int head = 0; head < shape.kvHeads; ++head) {
                const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
                coding_.pack(view, shape, true, run, head, sides.keys);
                coding_.pack(view, shape, false, run, head, sides.values);
            }
            LACUNA_TRY(auto frame, compressFrame(content));
            frames.push_back(std::move(frame));
        }
        std::vector<std::byte> out;
        putWord(out, static_cast<std::uint32_t>(frames.size()));
        for (const auto& frame : frames) putWord(out, static_cast<std::uint64_t>(frame.size()));
        for (const auto& frame : frames) out.insert(out.end(), frame.begin(), frame.end());
        return out;
    }

    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override {
        const KvShape& shape = cache.shape();
        LACUNA_TRY_STATUS(coding_.check(shape));
        if (cache.offset().value != run.first || run.count <= 0)
            return fail(ErrorCode::InvalidArgument,
                        format("rows of {} tokens from token {} do not fit a cache of {}",
                               run.count, run.first, cache.offset().value));
        LACUNA_TRY(const auto frames, splitFrames(bytes, shape.layers));
        LACUNA_TRY(StoredRowsAppend append, StoredRowsAppend::begin(cache, run.count));
        Mutex mutex;
        std::optional<Error> failed;
        const auto decodeLayer = [&](int layer) {
            Status status =
                unpackLayer(frames[static_cast<std::size_t>(layer)], shape, run, layer, append);
            if (status) return;
            MutexLock lock(mutex);
            if (!failed) failed = std::move(status).error();
        };
        if (pool_ != nullptr) {
            pool_->parallelFor(shape.layers, decodeLayer);
        } else {
            for (int layer = 0; layer < shape.layers; ++layer) decodeLayer(layer);
        }
        if (failed) return tl::unexpected<Error>(std::move(*failed));
        append.commit();
        return {};
    }

  private:
    struct Sides {
        std::span<std::byte> keys;
        std::span<std::byte> values;
    };

    [[nodiscard]] std::size_t sideBytes(const KvShape& shape, TokenRun run, bool keys) const {
        return static_cast<std::size_t>(run.count) * static_cast<std::size_t>(shape.kvHeads) *
               coding_.keptRowBytes(shape, keys);
    }
    [[nodiscard]] std::size_t layerBytes(const KvShape& shape, TokenRun run) const {
        return sideBytes(shape, run, true) + sideBytes(shape, run, false);
    }
    [[nodiscard]] Sides sidesOf(const KvShape& shape, TokenRun run,
                                std::span<std::byte> layer) const {
        const std::size_t keys = sideBytes(shape, run, true);
        return {layer.first(keys), layer.subspan(keys)};
    }
    static Result<std::vector<std::span<const std::byte>>> splitFrames(
        std::span<const std::byte> bytes, int layers) {
        ByteReader reader(bytes);
        const auto count = reader.read<std::uint32_t>();
        if (!count || *count != static_cast<std::uint32_t>(layers))
            return corrupt(format("expected {} layers", layers));
        std::vector<std::uint64_t> sizes;
        for (int i = 0; i < layers; ++i) {
            const auto size = reader.read<std::uint64_t>();
            if (!size) return corrupt("they end within their table");
            sizes.push_back(*size);
        }
        std::vector<std::span<const std::byte>> frames;
        for (const std::uint64_t size : sizes) {
            const auto frame = reader.take(size);
            if (!frame) return corrupt("a layer is longer than the data");
            frames.push_back(*frame);
        }
        if (reader.remaining() > 0) return corrupt("there is data after the last layer");
        return frames;
    }
    [[nodiscard]] Status unpackLayer(std::span<const std::byte> frame, const KvShape& shape,
                                     TokenRun run, int layer, const StoredRowsAppend& to) const {
        std::vector<std::byte> content(layerBytes(shape, run));
        LACUNA_TRY_STATUS(decompressFrame(frame, content));
        const Sides sides = sidesOf(shape, run, content);
        for (int head = 0; head < shape.kvHeads; ++head) {
            coding_.unpack(sides.keys, shape, true, run, head,
                           to.keys(LayerIndex(layer), HeadIndex(head)));
            coding_.unpack(sides.values, shape, false, run, head,
                           to.values(LayerIndex(layer), HeadIndex(head)));
        }
        return {};
    }

    std::string_view name_;
    ThreadPool* pool_;
    Coding coding_;
};

}  // namespace

Result<std::vector<std::byte>> compressFrame(std::span<const std::byte> content) {
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    std::vector<std::byte> out(ZSTD_compressBound(content.size()));
    const std::size_t size = context == nullptr
                                 ? 0
                                 : ZSTD_compressCCtx(context.get(), out.data(), out.size(),
                                                     content.data(), content.size(), kLevel);
    if (context == nullptr || ZSTD_isError(size) != 0)
        return fail(ErrorCode::NoMemory, "there is not enough memory to compress rows");
    out.resize(size);
    out.shrink_to_fit();
    return out;
}

Status decompressFrame(std::span<const std::byte> frame, std::span<std::byte> content) {
    const unsigned long long stated = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR ||
        stated != content.size())
        return corrupt(format("a frame does not hold the {} bytes expected", content.size()));
    const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
    if (ZSTD_isError(length) != 0 || length != frame.size())
        return corrupt("a frame is truncated or followed by other data");
    const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
    if (context == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(
                                  context.get(), ZSTD_d_windowLogMax, kMostWindowLog)) != 0)
        return fail(ErrorCode::NoMemory, "there is not enough memory to read stored rows");
    const std::size_t size = ZSTD_decompressDCtx(context.get(), content.data(), content.size(),
                                                 frame.data(), frame.size());
    if (ZSTD_isError(size) != 0) return corrupt(ZSTD_getErrorName(size));
    if (size != content.size()) return corrupt("a frame ended early");
    return {};
}

std::unique_ptr<PageCodec> makeRowsCodec(ThreadPool* pool) {
    return std::make_unique<RowsCodec<PlainSide>>(kRowsCodec, pool);
}

std::unique_ptr<PageCodec> makeEightBitCodec(ThreadPool* pool) {
    return std::make_unique<RowsCodec<EightBitSide>>("q8", pool);
}

}  // namespace lacuna
