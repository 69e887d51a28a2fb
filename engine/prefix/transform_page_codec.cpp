// A page, little-endian: magic, version, checksum of all that follows; bundle hash, first token,
// tokens, number format, code, step or plan; which tokens are plain, one bit each; the plain rows,
// one plane for each byte of a number; then keys and values of each group of the bundle, each with
// its length.

#include "engine/prefix/transform_page_codec.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/compress/entropy_coder.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kMagic = 0x43545650;  // "PVTC"
constexpr std::uint32_t kVersion = 1;
/// Share of a token's weighted energy, keys and values of all layers together, that no component
/// holds and above which the token is plain: it is far from what the components were calibrated on.
constexpr double kMostLost = 0.25;
constexpr float kLargestHalf = 65504;
constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();

tl::unexpected<Error> damaged(const char* what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, format("stored cache: {}", what), __FILE__, line);
}

/// What stands before the rows.
struct PageHead {
    std::uint64_t bundle = 0;
    TokenRun run;
    DType type = DType::F16;
    ComponentCoding coding;
    std::vector<bool> plain;  ///< [tokens]
    [[nodiscard]] std::int64_t plainTokens() const { return std::ranges::count(plain, true); }
};

void putHead(std::string& out, const PageHead& head) {
    putWord(out, head.bundle);
    putWord(out, head.run.first);
    putWord(out, head.run.count);
    putWord(out, static_cast<std::uint8_t>(head.type));
    putWord(out, static_cast<std::uint8_t>(head.coding.code));
    putWord(out, head.coding.step);
    putWord(out, head.coding.plan);
    std::vector<std::byte> bits((head.plain.size() + 7) / 8);
    for (std::size_t i = 0; i < head.plain.size(); ++i)
        if (head.plain[i]) bits[i / 8] |= static_cast<std::byte>(1U << i % 8);
    packBytes(out, bits);
}

Result<PageHead> readHead(ByteReader& reader) {
    PageHead head;
    const auto bundle = reader.read<std::uint64_t>();
    const auto first = reader.read<std::int64_t>();
    const auto count = reader.read<std::int64_t>();
    const auto type = reader.read<std::uint8_t>();
    const auto code = reader.read<std::uint8_t>();
    const auto step = reader.read<float>();
    const auto plan = reader.read<std::uint32_t>();
    if (!plan) return damaged("its head is cut");
    if (!inRange<std::int64_t>(*first, 0, kMostTokens) ||
        !inRange<std::int64_t>(*count, 1, kMostTokens - *first))
        return damaged("it is of no run of tokens");
    head.bundle = *bundle;
    head.run = {*first, *count};
    head.type = static_cast<DType>(*type);
    head.coding = {static_cast<StoredCode>(*code), *step, *plan};
    return head;
}

/// Which tokens are plain; their number is known to be that of the run.
Status readPlain(ByteReader& reader, PageHead& head) {
    const auto count = static_cast<std::size_t>(head.run.count);
    std::vector<std::byte> bits((count + 7) / 8);
    LACUNA_TRY_STATUS(unpackBytes(reader, bits));
    head.plain.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        head.plain[i] = (bits[i / 8] >> i % 8 & std::byte{1}) != std::byte{0};
    return {};
}

Status checkShape(const KvShape& shape, const TransformIdentity& model) {
    if (!shape.keyQuant.plain() || !shape.valueQuant.plain())
        return fail(ErrorCode::Unsupported,
                    "a cache whose rows are codes is not coded again: its codes are stored as they "
                    "are");
    if (shape.layers != model.layers || shape.kvHeads != model.kvHeads ||
        shape.keyDim != model.keyDim || shape.valueDim != model.valueDim)
        return fail(
            ErrorCode::Incompatible,
            format("a cache of {} layers, {} KV heads of {} and {}; the bundle is of {}, {} "
                   "of {} and {}",
                   shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim, model.layers,
                   model.kvHeads, model.keyDim, model.valueDim));
    return {};
}

/// The slot where a head's run begins; its tokens follow one after the other. Errors: Unsupported.
Result<int> slotOfRun(const KvHeadView& view, TokenRun run, int layer, int head) {
    const auto lacking = [&] {
        return fail(ErrorCode::Unsupported,
                    format("layer {}, head {} does not hold all tokens of {} to {} as they came",
                           layer, head, run.first, run.first + run.count - 1));
    };
    std::int64_t slot = run.first;
    if (view.positions != nullptr)
        slot = std::find(view.positions, view.positions + view.slots,
                         static_cast<std::int32_t>(run.first)) -
               view.positions;
    if (view.window > 0 || slot + run.count > view.slots) return lacking();
    for (std::int64_t i = 0; i < run.count; ++i) {
        if (view.positions != nullptr && view.positions[slot + i] != run.first + i)
            return lacking();
        if (view.bias != nullptr && view.bias[slot + i] != 0) return lacking();
    }
    return static_cast<int>(slot);
}

/// Where the rows of a run lie in a cache.
struct RunRows {
    const KvCache& cache;
    TokenRun run;
    std::vector<int> slots;  ///< [layers, heads]

    [[nodiscard]] static Result<RunRows> find(const KvCache& cache, TokenRun run) {
        RunRows out{.cache = cache, .run = run, .slots = {}};
        const KvShape& shape = cache.shape();
        for (int layer = 0; layer < shape.layers; ++layer)
            for (int head = 0; head < shape.kvHeads; ++head) {
                LACUNA_TRY(const int slot, slotOfRun(cache.head(LayerIndex(layer), HeadIndex(head)),
                                                     run, layer, head));
                out.slots.push_back(slot);
            }
        return out;
    }
    [[nodiscard]] int slot(int layer, int head) const {
        return slots[static_cast<std::size_t>(layer * cache.shape().kvHeads + head)];
    }
};

int dimOf(const KvShape& shape, KvSide side) {
    return side == KvSide::Keys ? shape.keyDim : shape.valueDim;
}

/// Rows [tokens, width] of a group, as they lie in the cache. The run's tokens, all of them.
std::vector<float> rowsOf(const RunRows& rows, const TransformGroup& group, KvSide side) {
    const KvShape& shape = rows.cache.shape();
    const auto dim = static_cast<std::size_t>(dimOf(shape, side));
    const auto count = static_cast<std::size_t>(rows.run.count);
    const std::size_t width = group.layers.size() * static_cast<std::size_t>(shape.kvHeads) * dim;
    std::vector<float> out(count * width);
    std::vector<float> head(count * dim);
    std::size_t column = 0;
    for (const int layer : group.layers)
        for (int h = 0; h < shape.kvHeads; ++h, column += dim) {
            const KvHeadView view = rows.cache.head(LayerIndex(layer), HeadIndex(h));
            const auto read = side == KvSide::Keys ? readKeys : readValues;
            read(view, static_cast<int>(dim), rows.slot(layer, h), static_cast<int>(count),
                 head.data());
            for (std::size_t t = 0; t < count; ++t)
                std::copy_n(head.data() + t * dim, dim, out.data() + t * width + column);
        }
    return out;
}

/// Turns the keys of rows [tokens, layers of the group, heads, dim].
void turnRows(const TransformIdentity& model, const TransformGroup& group,
              const PositionAngles& angles, std::int64_t tokens, float* rows) {
    const std::int64_t columns = std::int64_t{model.kvHeads} * model.keyDim;
    for (std::int64_t t = 0; t < tokens; ++t)
        for (const int layer : group.layers) {
            angles.turn(layer, static_cast<std::size_t>(t), rows);
            rows += columns;
        }
}

/// Bytes of the numbers of the plain tokens: layers, keys before values, tokens, heads.
std::size_t plainBytes(const KvShape& shape, std::int64_t tokens) {
    const auto numbers = static_cast<std::uint64_t>(shape.layers) *
                         static_cast<std::uint64_t>(shape.kvHeads) *
                         static_cast<std::uint64_t>(shape.keyDim + shape.valueDim) *
                         static_cast<std::uint64_t>(tokens);
    return static_cast<std::size_t>(rowBytes(shape.type, numbers));
}

/// Calls `each(bytes of one row in a cache, its place)` for the plain tokens of a run.
template <class Each>
void eachPlainRow(const RunRows& rows, const std::vector<bool>& plain, const Each& each) {
    const KvShape& shape = rows.cache.shape();
    for (int layer = 0; layer < shape.layers; ++layer)
        for (const KvSide side : kKvSides) {
            const std::size_t bytes =
                rowBytes(shape.type, static_cast<std::uint64_t>(dimOf(shape, side)));
            for (std::size_t t = 0; t < plain.size(); ++t) {
                if (!plain[t]) continue;
                for (int h = 0; h < shape.kvHeads; ++h) {
                    const KvHeadView view = rows.cache.head(LayerIndex(layer), HeadIndex(h));
                    const std::byte* const first = side == KvSide::Keys ? view.keys : view.values;
                    each(std::span(
                        first + (static_cast<std::size_t>(rows.slot(layer, h)) + t) * bytes,
                        bytes));
                }
            }
        }
}

void putPlain(std::string& out, const RunRows& rows, const std::vector<bool>& plain) {
    const KvShape& shape = rows.cache.shape();
    const std::size_t width = rowBytes(shape.type, 1);
    std::vector<std::byte> numbers;
    eachPlainRow(rows, plain, [&](std::span<const std::byte> row) {
        numbers.insert(numbers.end(), row.begin(), row.end());
    });
    std::vector<std::byte> plane(numbers.size() / width);
    for (std::size_t byte = 0; byte < width; ++byte) {
        for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = numbers[i * width + byte];
        packBytes(out, plane);
    }
}

/// Numbers of the plain tokens as they lay.
Result<std::vector<std::byte>> readPlainNumbers(ByteReader& reader, const KvShape& shape,
                                                std::int64_t tokens) {
    const std::size_t width = rowBytes(shape.type, 1);
    std::vector<std::byte> numbers(plainBytes(shape, tokens));
    std::vector<std::byte> plane(numbers.size() / width);
    for (std::size_t byte = 0; byte < width; ++byte) {
        LACUNA_TRY_STATUS(unpackBytes(reader, plane));
        for (std::size_t i = 0; i < plane.size(); ++i) numbers[i * width + byte] = plane[i];
    }
    return numbers;
}

void forEach(ThreadPool* pool, std::size_t count, const std::function<void(int)>& work) {
    if (pool != nullptr)
        pool->parallelFor(static_cast<int>(count), work);
    else
        for (std::size_t i = 0; i < count; ++i) work(static_cast<int>(i));
}

class PageWriter {
  public:
    PageWriter(const TransformCodec& codec, const TransformPageOptions& options,
               const RunRows& rows)
        : codec_(codec), options_(options), rows_(rows), sides_(2 * codec.bundle().groups.size()) {}

    [[nodiscard]] Result<std::string> write() {
        const std::size_t count = static_cast<std::size_t>(rows_.run.count);
        PageHead head{.bundle = codec_.hash(),
                      .run = rows_.run,
                      .type = rows_.cache.shape().type,
                      .coding = options_.coding,
                      .plain = std::vector<bool>(count)};
        const std::int64_t end = rows_.cache.offset().value;
        for (std::size_t t = 0; t < count; ++t) {
            const std::int64_t position = rows_.run.first + static_cast<std::int64_t>(t);
            head.plain[t] = position < options_.sinks || position >= end - options_.window;
        }
        LACUNA_TRY_STATUS(project(head));
        std::string body;
        putHead(body, head);
        putPlain(body, rows_, head.plain);
        std::vector<std::string> streams(sides_.size());
        forEach(options_.pool, sides_.size(), [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            codec_.encode(streams[at], at / 2, kKvSides[at % 2], options_.coding, sides_[at].data(),
                          std::ranges::count(head.plain, false));
        });
        for (const std::string& stream : streams) {
            putWord(body, static_cast<std::uint64_t>(stream.size()));
            body += stream;
        }
        std::string out;
        putWord(out, kMagic);
        putWord(out, kVersion);
        putWord(out, hash64(body));
        return out + body;
    }

  private:
    /// Components of every side, those of plain tokens taken out; tokens that the components do not
    /// hold become plain.
    [[nodiscard]] Status project(PageHead& head) {
        std::atomic<bool> finite{true};
        std::vector<std::vector<float>> energy(sides_.size());
        std::vector<std::vector<float>> lost(sides_.size());
        std::vector<std::int64_t> positions;
        for (std::int64_t t = 0; t < rows_.run.count; ++t) positions.push_back(rows_.run.first + t);
        const PositionAngles angles(codec_.bundle().identity, positions, KeyTurn::Undo);
        forEach(options_.pool, sides_.size(), [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            const TransformGroup& group = codec_.bundle().groups[at / 2];
            const KvSide side = kKvSides[at % 2];
            std::vector<float> rows = rowsOf(rows_, group, side);
            if (!std::ranges::all_of(rows, [](float x) { return std::isfinite(x); }))
                finite = false;
            if (side == KvSide::Keys)
                turnRows(codec_.bundle().identity, group, angles, rows_.run.count, rows.data());
            auto made = codec_.project(at / 2, side, rows.data(), rows_.run.count);
            sides_[at] = std::move(made.numbers);
            energy[at] = std::move(made.energy);
            lost[at] = std::move(made.lost);
        });
        if (!finite)
            return fail(ErrorCode::Unsupported, "the cache holds numbers that are not finite");
        for (std::size_t t = 0; t < head.plain.size(); ++t) {
            double all = 0;
            double gone = 0;
            for (std::size_t i = 0; i < sides_.size(); ++i) {
                all += double{energy[i][t]};
                gone += double{energy[i][t]} * double{lost[i][t]};
            }
            if (gone > kMostLost * all) head.plain[t] = true;
        }
        for (auto& side : sides_) {
            const std::size_t rank = side.size() / head.plain.size();
            std::size_t to = 0;
            for (std::size_t t = 0; t < head.plain.size(); ++t) {
                if (head.plain[t]) continue;
                std::copy_n(side.data() + t * rank, rank, side.data() + rank * to++);
            }
            side.resize(rank * to);
        }
        return {};
    }

    const TransformCodec& codec_;
    const TransformPageOptions& options_;
    const RunRows& rows_;
    std::vector<std::vector<float>> sides_;  ///< [groups, sides][tokens, rank]
};

/// A page up to its streams, held against a cache.
struct OpenedPage {
    PageHead head;
    std::vector<std::byte> plain;                     ///< numbers of the plain tokens
    std::vector<std::span<const std::byte>> streams;  ///< [groups, sides]
    std::int64_t plainSize = 0;                       ///< bytes that they took
};

Result<OpenedPage> openPage(std::span<const std::byte> bytes, TokenRun run, DType type,
                            const TransformCodec& codec, const KvShape& shape) {
    ByteReader reader(bytes);
    const auto magic = reader.read<std::uint32_t>();
    const auto version = reader.read<std::uint32_t>();
    const auto sum = reader.read<std::uint64_t>();
    if (!sum || *magic != kMagic) return damaged("it does not begin as one does");
    if (*version != kVersion)
        return fail(ErrorCode::Incompatible,
                    format("stored cache: version {}; this program reads {}", *version, kVersion));
    if (hash64(bytes.subspan(reader.offset())) != *sum)
        return damaged("it does not have its checksum");
    OpenedPage page;
    LACUNA_TRY(page.head, readHead(reader));
    if (page.head.bundle != codec.hash())
        return fail(ErrorCode::Incompatible, "stored cache: it was written with another bundle");
    if (page.head.run.first != run.first || page.head.run.count != run.count)
        return fail(ErrorCode::Incompatible,
                    format("stored cache: it is of {} tokens from {}, not of {} from {}",
                           page.head.run.count, page.head.run.first, run.count, run.first));
    if (page.head.type != type)
        return fail(ErrorCode::Incompatible, "stored cache: it has another number format");
    LACUNA_TRY_STATUS(codec.check(page.head.coding));
    LACUNA_TRY_STATUS(readPlain(reader, page.head));
    const std::size_t before = reader.remaining();
    LACUNA_TRY(page.plain, readPlainNumbers(reader, shape, page.head.plainTokens()));
    page.plainSize = static_cast<std::int64_t>(before - reader.remaining());
    for (std::size_t i = 0; i < 2 * codec.bundle().groups.size(); ++i) {
        const auto length = reader.read<std::uint64_t>();
        const auto stream = length ? reader.take(*length) : std::nullopt;
        if (!stream) return damaged("it is cut");
        page.streams.push_back(*stream);
    }
    if (reader.remaining() != 0) return damaged("something follows its end");
    return page;
}

class PageReader {
  public:
    PageReader(const TransformCodec& codec, const OpenedPage& page, const KvShape& shape,
               ThreadPool* pool)
        : codec_(codec), page_(page), shape_(shape), pool_(pool) {
        for (std::size_t t = 0; t < page.head.plain.size(); ++t)
            if (!page.head.plain[t])
                positions_.push_back(page.head.run.first + static_cast<std::int64_t>(t));
        angles_.emplace(codec.bundle().identity, positions_, KeyTurn::Redo);
    }

    /// Inside an append of the run.
    [[nodiscard]] Status writeTo(KvCache& cache) {
        for (std::size_t group = 0; group < codec_.bundle().groups.size(); ++group) {
            LACUNA_TRY_STATUS(decodeGroup(group));
            writeGroup(group, cache);
        }
        return {};
    }

  private:
    [[nodiscard]] std::size_t columns(KvSide side) const {
        return static_cast<std::size_t>(shape_.kvHeads) *
               static_cast<std::size_t>(dimOf(shape_, side));
    }

    [[nodiscard]] Status decodeGroup(std::size_t group) {
        const TransformGroup& of = codec_.bundle().groups[group];
        std::array<Status, 2> outcomes;
        forEach(pool_, kKvSides.size(), [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            const KvSide side = kKvSides[at];
            auto& layers = coded_[at];
            layers.resize(of.layers.size());
            std::vector<float*> places;
            for (auto& rows : layers) {
                rows.resize(positions_.size() * columns(side));
                places.push_back(rows.data());
            }
            ByteReader reader(page_.streams[2 * group + at]);
            outcomes[at] = codec_.decode(reader, group, side, page_.head.coding,
                                         static_cast<std::int64_t>(positions_.size()), places);
            if (outcomes[at] && reader.remaining() != 0)
                outcomes[at] = damaged("something follows a stream");
            for (std::size_t l = 0; side == KvSide::Keys && l < layers.size(); ++l)
                for (std::size_t t = 0; t < positions_.size(); ++t)
                    angles_->turn(of.layers[l], t, layers[l].data() + t * columns(side));
        });
        for (const Status& outcome : outcomes) LACUNA_TRY_STATUS(outcome);
        return {};
    }

    void writeGroup(std::size_t group, KvCache& cache) {
        const TransformGroup& of = codec_.bundle().groups[group];
        for (std::size_t l = 0; l < of.layers.size(); ++l) {
            std::array<std::vector<float>, 2> rows;
            for (const KvSide side : kKvSides) {
                const auto at = static_cast<std::size_t>(side);
                rows[at] = merged(of.layers[l], side, coded_[at][l]);
            }
            const std::int64_t count = page_.head.run.count;
            cache.writeLayer(LayerIndex(of.layers[l]),
                             {rows[0].data(), {count, shape_.kvHeads, shape_.keyDim}},
                             {rows[1].data(), {count, shape_.kvHeads, shape_.valueDim}}, pool_);
        }
    }

    /// Rows [tokens, heads, dim] of a layer, plain and coded ones in the order of time.
    [[nodiscard]] std::vector<float> merged(int layer, KvSide side,
                                            std::span<const float> coded) const {
        const std::size_t width = columns(side);
        const auto plainTokens = static_cast<std::size_t>(page_.head.plainTokens());
        const std::size_t rowSize = rowBytes(shape_.type, width);
        // Keys stand before values within a layer.
        const std::byte* plain =
            page_.plain.data() +
            plainTokens *
                (static_cast<std::size_t>(layer) *
                     rowBytes(shape_.type, columns(KvSide::Keys) + columns(KvSide::Values)) +
                 (side == KvSide::Values ? rowBytes(shape_.type, columns(KvSide::Keys)) : 0));
        std::vector<float> out(page_.head.plain.size() * width);
        const bool half = shape_.type == DType::F16;
        for (std::size_t t = 0; t < page_.head.plain.size(); ++t) {
            const std::span<float> to(out.data() + t * width, width);
            if (page_.head.plain[t]) {
                loadRow(shape_.type, plain, to);
                plain += rowSize;
                continue;
            }
            std::ranges::copy(coded.first(width), to.begin());
            coded = coded.subspan(width);
            if (half)
                for (float& x : to) x = std::clamp(x, -kLargestHalf, kLargestHalf);
        }
        return out;
    }

    const TransformCodec& codec_;
    const OpenedPage& page_;
    const KvShape& shape_;
    ThreadPool* const pool_;
    std::vector<std::int64_t> positions_;  ///< of the coded tokens
    std::optional<PositionAngles> angles_;
    std::array<std::vector<std::vector<float>>, 2> coded_;  ///< [sides][layers of a group]
};

Status decodePage(const TransformCodec& codec, ThreadPool* pool, std::span<const std::byte> bytes,
                  TokenRun run, KvCache& cache) {
    LACUNA_TRY_STATUS(checkShape(cache.shape(), codec.bundle().identity));
    if (cache.offset().value != run.first)
        return fail(ErrorCode::InvalidArgument, format("a page from token {} for a cache of {}",
                                                       run.first, cache.offset().value));
    LACUNA_TRY(const OpenedPage page,
               openPage(bytes, run, cache.shape().type, codec, cache.shape()));
    LACUNA_TRY_STATUS(cache.beginAppend(static_cast<int>(run.count)));
    const auto written = [&]() -> Status {
        try {
            return PageReader(codec, page, cache.shape(), pool).writeTo(cache);
        } catch (const std::bad_alloc&) {
            return fail(ErrorCode::NoMemory, "stored cache: no room to decode a page");
        }
    }();
    if (!written) {
        cache.abortAppend();
        return written;
    }
    cache.commitAppend();
    return {};
}

}  // namespace

Result<std::vector<std::byte>> TransformPageCodec::encode(const KvCache& cache,
                                                          TokenRun run) const {
    LACUNA_TRY_STATUS(checkShape(cache.shape(), codec_->bundle().identity));
    LACUNA_TRY_STATUS(codec_->check(options_.coding));
    if (run.first < 0 || run.count < 1 || run.count > cache.offset().value - run.first)
        return fail(ErrorCode::InvalidArgument,
                    format("tokens from {}, {} of them, of a cache of {}", run.first, run.count,
                           cache.offset().value));
    try {
        LACUNA_TRY(const RunRows rows, RunRows::find(cache, run));
        LACUNA_TRY(const std::string page, PageWriter(*codec_, options_, rows).write());
        const auto bytes = std::as_bytes(std::span(page.data(), page.size()));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory, "stored cache: no room to encode a page");
    }
}

Status TransformPageCodec::decode(std::span<const std::byte> bytes, TokenRun run,
                                  KvCache& cache) const {
    try {
        return decodePage(*codec_, options_.pool, bytes, run, cache);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory, "stored cache: no room to decode a page");
    }
}

Result<TransformPageFigures> TransformPageCodec::figures(std::span<const std::byte> bytes,
                                                         TokenRun run) const {
    const TransformIdentity& model = codec_->bundle().identity;
    KvShape shape{.layers = model.layers,
                  .kvHeads = model.kvHeads,
                  .keyDim = model.keyDim,
                  .valueDim = model.valueDim};
    ByteReader reader(bytes.subspan(std::min<std::size_t>(bytes.size(), 16)));
    LACUNA_TRY(const PageHead head, readHead(reader));
    if (!isPlainFloat(head.type)) return damaged("it has no known number format");
    shape.type = head.type;
    LACUNA_TRY(const OpenedPage page, openPage(bytes, run, head.type, *codec_, shape));
    return TransformPageFigures{.tokens = run.count,
                                .plainTokens = page.head.plainTokens(),
                                .bytes = static_cast<std::int64_t>(bytes.size()),
                                .plainBytes = page.plainSize};
}

}  // namespace lacuna
