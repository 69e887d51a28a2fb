// Page format, little-endian: magic, version, checksum of the rest; bundle hash, first token, token
// count, number format; first coding (code, step or plan), end of the exactly kept tokens, first
// token of the second coding, second coding; bit mask of kept tokens; rows kept exactly, then rows
// kept in 8 bits; then keys and values of each group of the bundle, each as length and data, first
// for the first coding, then for the second. Version 2 has no second coding.

#include "engine/prefix/transform_page_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/compress/transform/entropy_coder.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"
#include "engine/kv/stored_rows.h"
#include "engine/prefix/kept_rows.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kMagic = 0x43545650;  // "PVTC"
constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kVersionOfOneWay = 2;
/// Maximum share of a token's weighted energy, over keys and values of all layers, that the
/// components may lose. Above it the token is kept untransformed, as too far from the calibration
/// data.
constexpr double kMostLost = 0.25;
constexpr float kLargestHalf = 65504;
constexpr std::array kKeepings{RowKeeping::AsTheyLie, RowKeeping::EightBits};
constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kWays = 2;

tl::unexpected<Error> damaged(const char* what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, format("stored cache: {}", what), __FILE__, line);
}

/// The part of a page before the rows.
struct PageHead {
    std::uint64_t bundle = 0;
    TokenRun run;
    DType type = DType::F16;
    /// The first coding, and the second for tokens of the text from `secondFrom`.
    std::array<ComponentCoding, kWays> codings;
    std::int64_t exactEnd = 0;  ///< kept tokens of the text before this one are stored exactly
    std::int64_t secondFrom = kMostTokens;
    std::size_t ways = kWays;  ///< codings that have streams
    std::vector<bool> kept;    ///< [tokens] true if not transformed
    [[nodiscard]] std::size_t wayOf(std::size_t token) const {
        return run.first + static_cast<std::int64_t>(token) < secondFrom ? 0 : 1;
    }
    /// Returns the tokens of the run that are transformed with a coding.
    [[nodiscard]] std::vector<std::int64_t> codedIn(std::size_t way) const {
        std::vector<std::int64_t> tokens;
        for (std::size_t t = 0; t < kept.size(); ++t)
            if (!kept[t] && wayOf(t) == way) tokens.push_back(static_cast<std::int64_t>(t));
        return tokens;
    }
    [[nodiscard]] std::int64_t keptTokens() const { return std::ranges::count(kept, true); }
    [[nodiscard]] RowKeeping keeping(std::size_t token) const {
        return run.first + static_cast<std::int64_t>(token) < exactEnd ? RowKeeping::AsTheyLie
                                                                       : RowKeeping::EightBits;
    }
    [[nodiscard]] std::int64_t keptTokens(RowKeeping how) const {
        std::int64_t count = 0;
        for (std::size_t t = 0; t < kept.size(); ++t) count += kept[t] && keeping(t) == how ? 1 : 0;
        return count;
    }
};

void putCoding(std::string& out, const ComponentCoding& coding) {
    putWord(out, static_cast<std::uint8_t>(coding.code));
    putWord(out, coding.step);
    putWord(out, coding.plan);
}

std::optional<ComponentCoding> readCoding(ByteReader& reader) {
    const auto code = reader.read<std::uint8_t>();
    const auto step = reader.read<float>();
    const auto plan = reader.read<std::uint32_t>();
    if (!plan) return std::nullopt;
    return ComponentCoding{static_cast<StoredCode>(*code), *step, *plan};
}

void putHead(std::string& out, const PageHead& head) {
    putWord(out, head.bundle);
    putWord(out, head.run.first);
    putWord(out, head.run.count);
    putWord(out, static_cast<std::uint8_t>(head.type));
    putCoding(out, head.codings[0]);
    putWord(out, head.exactEnd);
    putWord(out, head.secondFrom);
    putCoding(out, head.codings[1]);
    std::vector<std::byte> bits((head.kept.size() + 7) / 8);
    for (std::size_t i = 0; i < head.kept.size(); ++i)
        if (head.kept[i]) bits[i / 8] |= static_cast<std::byte>(1U << i % 8);
    packBytes(out, bits);
}

Result<PageHead> readHead(ByteReader& reader, std::uint32_t version) {
    PageHead head;
    const auto bundle = reader.read<std::uint64_t>();
    const auto begin = reader.read<std::int64_t>();
    const auto count = reader.read<std::int64_t>();
    const auto type = reader.read<std::uint8_t>();
    const auto first = readCoding(reader);
    const auto exactEnd = reader.read<std::int64_t>();
    if (!exactEnd || !first) return damaged("its header is truncated");
    head.codings = {*first, *first};
    head.ways = version == kVersionOfOneWay ? 1 : kWays;
    if (head.ways == kWays) {
        const auto from = reader.read<std::int64_t>();
        const auto second = readCoding(reader);
        if (!from || !second) return damaged("its header is truncated");
        if (!inRange<std::int64_t>(*from, 0, kMostTokens))
            return damaged("its second coding starts at an invalid token");
        head.secondFrom = *from;
        head.codings[1] = *second;
    }
    if (!inRange<std::int64_t>(*begin, 0, kMostTokens) ||
        !inRange<std::int64_t>(*count, 1, kMostTokens - *begin))
        return damaged("its run of tokens is invalid");
    head.bundle = *bundle;
    head.run = {*begin, *count};
    head.type = static_cast<DType>(*type);
    head.exactEnd = *exactEnd;
    return head;
}

/// Reads which tokens are kept. @pre run.count is the number of tokens
Status readMarks(ByteReader& reader, PageHead& head) {
    const auto count = static_cast<std::size_t>(head.run.count);
    std::vector<std::byte> bits((count + 7) / 8);
    LACUNA_TRY_STATUS(unpackBytes(reader, bits));
    head.kept.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        head.kept[i] = (bits[i / 8] >> i % 8 & std::byte{1}) != std::byte{0};
    return {};
}

Status checkShape(const KvShape& shape, const TransformIdentity& model) {
    if (!shape.uniform())
        return fail(ErrorCode::Unsupported,
                    "KVTC codes layers of one size, but the layers of this cache differ in KV "
                    "heads or head sizes; it is stored complete and unchanged instead");
    if (shape.coded())
        return fail(
            ErrorCode::Unsupported,
            "a cache whose rows are codes is not coded again; its codes are stored unchanged");
    if (shape.layers != model.layers || shape.kvHeads != model.kvHeads ||
        shape.keyDim != model.keyDim || shape.valueDim != model.valueDim)
        return fail(ErrorCode::Incompatible,
                    format("the cache has {} layers and {} KV heads of {} and {}; the bundle has "
                           "{} and {} of {} and {}",
                           shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim, model.layers,
                           model.kvHeads, model.keyDim, model.valueDim));
    return {};
}

/// Returns the slot of a head where the run begins; its tokens are contiguous. Errors: Unsupported.
Result<int> slotOfRun(const KvHeadView& view, TokenRun run, int layer, int head) {
    const auto lacking = [&] {
        return fail(ErrorCode::Unsupported,
                    format("layer {}, head {} does not hold all tokens from {} to {} in order",
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

/// Locates the rows of a run in a cache.
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

/// Returns the rows [tokens, width] of a group for all tokens of the run, as stored in the cache.
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

/// Rotates the keys in rows [tokens, layers of the group, heads, dim].
void turnRows(const TransformIdentity& model, const TransformGroup& group,
              const PositionAngles& angles, std::int64_t tokens, float* rows) {
    const std::int64_t columns = std::int64_t{model.kvHeads} * model.keyDim;
    for (std::int64_t t = 0; t < tokens; ++t)
        for (const int layer : group.layers) {
            angles.turn(layer, static_cast<std::size_t>(t), rows);
            rows += columns;
        }
}

/// Clamps values that decoding rounded beyond the largest 16-bit number. Infinities remain: they
/// come from rows that were kept exactly.
void limitToHalf(std::span<float> numbers) {
    for (float& x : numbers)
        if (std::fabs(x) <= std::numeric_limits<float>::max())
            x = std::min(std::max(x, -kLargestHalf), kLargestHalf);
}

/// Returns true if any value exceeds the 16-bit range, which is rare.
bool beyondHalf(std::span<float> numbers) {
    const FiniteRange range = bestKernels().scaleFinite(
        numbers.data(), 1, kLargestHalf, numbers.data(), static_cast<std::int64_t>(numbers.size()));
    return range.low < -kLargestHalf || range.high > kLargestHalf;
}

/// Returns the rows of the kept tokens of a run.
KeptRows keptRowsOf(const RunRows& rows, const PageHead& head, RowKeeping how) {
    const KvShape& shape = rows.cache.shape();
    KeptRows out(shape, how, head.keptTokens(how));
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int h = 0; h < shape.kvHeads; ++h) {
            const KvHeadView view = rows.cache.head(LayerIndex(layer), HeadIndex(h));
            std::int64_t index = 0;
            for (std::size_t t = 0; t < head.kept.size(); ++t) {
                if (!head.kept[t] || head.keeping(t) != how) continue;
                for (const KvSide side : kKvSides)
                    out.take(view, layer, h, side, index,
                             rows.slot(layer, h) + static_cast<int>(t));
                ++index;
            }
        }
    return out;
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
        PageHead head{
            .bundle = codec_.hash(),
            .run = rows_.run,
            .type = rows_.cache.shape().type,
            .codings = {options_.coding, options_.windowCoding.value_or(options_.coding)},
            .exactEnd = hasEightBitRows(rows_.cache.shape()) ? options_.sinks : kMostTokens,
            .kept = std::vector<bool>(count)};
        const std::int64_t end = rows_.cache.offset().value;
        const std::int64_t newest = std::max<std::int64_t>(end - options_.window, 0);
        if (options_.windowCoding) head.secondFrom = newest;
        for (std::size_t t = 0; t < count; ++t) {
            const std::int64_t position = rows_.run.first + static_cast<std::int64_t>(t);
            head.kept[t] =
                position < options_.sinks || (!options_.windowCoding && position >= newest);
        }
        LACUNA_TRY_STATUS(project(head));
        std::string body;
        putHead(body, head);
        for (const RowKeeping how : kKeepings)
            if (head.keptTokens(how) > 0) keptRowsOf(rows_, head, how).write(body);
        const std::array<std::size_t, kWays> tokens{head.codedIn(0).size(), head.codedIn(1).size()};
        for (std::size_t at = 0; at < sides_.size(); ++at) {
            const float* components = sides_[at].data();
            const std::size_t rank = rankOf(at);
            for (std::size_t way = 0; way < kWays; ++way) {
                std::string stream;
                if (tokens[way] > 0)
                    codec_.encode(stream, at / 2, kKvSides[at % 2], head.codings[way], components,
                                  static_cast<std::int64_t>(tokens[way]));
                components += rank * tokens[way];
                putWord(body, static_cast<std::uint64_t>(stream.size()));
                body += stream;
            }
        }
        std::string out;
        putWord(out, kMagic);
        putWord(out, kVersion);
        putWord(out, hash64(body));
        return out + body;
    }

  private:
    [[nodiscard]] std::size_t rankOf(std::size_t at) const {
        const TransformGroup& group = codec_.bundle().groups[at / 2];
        return static_cast<std::size_t>((at % 2 == 0 ? group.keys : group.values).rank());
    }

    /// Computes the components of every side without kept tokens, one coding after the other.
    /// Tokens that the components represent badly are added to the kept ones.
    [[nodiscard]] Status project(PageHead& head) {
        bool finite = true;
        std::vector<std::vector<float>> energy(sides_.size());
        std::vector<std::vector<float>> lost(sides_.size());
        std::vector<std::int64_t> positions;
        for (std::int64_t t = 0; t < rows_.run.count; ++t) positions.push_back(rows_.run.first + t);
        const PositionAngles angles(codec_.bundle().identity, positions, KeyTurn::Undo);
        for (std::size_t at = 0; at < sides_.size(); ++at) {
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
        }
        if (!finite)
            return fail(ErrorCode::Unsupported, "the cache holds numbers that are not finite");
        for (std::size_t t = 0; t < head.kept.size(); ++t) {
            double all = 0;
            double gone = 0;
            for (std::size_t i = 0; i < sides_.size(); ++i) {
                all += double{energy[i][t]};
                gone += double{energy[i][t]} * double{lost[i][t]};
            }
            if (gone > kMostLost * all) head.kept[t] = true;
        }
        for (auto& side : sides_) {
            const std::size_t rank = side.size() / head.kept.size();
            std::size_t to = 0;
            // Tokens of the second coding also follow those of the first in the run.
            for (std::size_t t = 0; t < head.kept.size(); ++t) {
                if (head.kept[t]) continue;
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

/// A page parsed up to its streams and checked against a cache.
struct OpenedPage {
    PageHead head;
    std::vector<KeptRows> kept;                       ///< [kKeepings]
    std::vector<std::span<const std::byte>> streams;  ///< [groups, sides, ways]
    std::int64_t keptBytes = 0;                       ///< size of the kept rows in bytes
};

Result<OpenedPage> openPage(std::span<const std::byte> bytes, TokenRun run, DType type,
                            const TransformCodec& codec, const KvShape& shape) {
    ByteReader reader(bytes);
    const auto magic = reader.read<std::uint32_t>();
    const auto version = reader.read<std::uint32_t>();
    const auto sum = reader.read<std::uint64_t>();
    if (!sum || *magic != kMagic) return damaged("it does not start with the expected marker");
    if (*version != kVersion && *version != kVersionOfOneWay)
        return fail(ErrorCode::Incompatible,
                    format("stored cache: version {}; this program reads {}", *version, kVersion));
    if (hash64(bytes.subspan(reader.offset())) != *sum)
        return damaged("its checksum does not match");
    OpenedPage page;
    LACUNA_TRY(page.head, readHead(reader, *version));
    if (page.head.bundle != codec.hash())
        return fail(ErrorCode::Incompatible, "stored cache: it was written with another bundle");
    if (page.head.run.first != run.first || page.head.run.count != run.count)
        return fail(ErrorCode::Incompatible,
                    format("stored cache: it has {} tokens from {}, not {} from {}",
                           page.head.run.count, page.head.run.first, run.count, run.first));
    if (page.head.type != type)
        return fail(ErrorCode::Incompatible, "stored cache: it has another number format");
    for (const ComponentCoding& coding : page.head.codings) LACUNA_TRY_STATUS(codec.check(coding));
    LACUNA_TRY_STATUS(readMarks(reader, page.head));
    const std::size_t before = reader.remaining();
    for (const RowKeeping how : kKeepings) {
        const std::int64_t tokens = page.head.keptTokens(how);
        if (tokens > 0 && how == RowKeeping::EightBits && !hasEightBitRows(shape))
            return damaged("it has codes for rows that have none");
        // Without tokens nothing was written, so the shape need not support codes.
        KeptRows& rows =
            page.kept.emplace_back(shape, tokens > 0 ? how : RowKeeping::AsTheyLie, tokens);
        if (tokens > 0) {
            LACUNA_TRY_STATUS(rows.readFrom(reader));
        }
    }
    page.keptBytes = static_cast<std::int64_t>(before - reader.remaining());
    for (std::size_t i = 0; i < 2 * codec.bundle().groups.size() * page.head.ways; ++i) {
        const auto length = reader.read<std::uint64_t>();
        const auto stream = length ? reader.take(*length) : std::nullopt;
        if (!stream) return damaged("it is truncated");
        page.streams.push_back(*stream);
    }
    if (reader.remaining() != 0) return damaged("there is data after its end");
    return page;
}

class PageReader {
  public:
    PageReader(const TransformCodec& codec, const OpenedPage& page, const KvShape& shape,
               const StoredRowsAppend& to)
        : codec_(codec), page_(page), shape_(shape), to_(to) {
        for (std::size_t way = 0; way < kWays; ++way) {
            Coded coded{.tokens = page.head.codedIn(way), .angles = {}};
            std::vector<std::int64_t> positions;
            for (const std::int64_t t : coded.tokens) positions.push_back(page.head.run.first + t);
            coded.angles.emplace(codec.bundle().identity, positions, KeyTurn::Redo);
            coded_.push_back(std::move(coded));
        }
    }

    /// Writes all rows of the run to an append.
    [[nodiscard]] Status fill(ThreadPool* pool) {
        std::vector<Status> outcomes(page_.streams.size() / page_.head.ways);
        forEach(pool, outcomes.size(), [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            outcomes[at] = fillSide(at / 2, kKvSides[at % 2]);
        });
        for (Status& outcome : outcomes)
            if (!outcome) return std::move(outcome);
        return {};
    }

  private:
    [[nodiscard]] Status fillSide(std::size_t group, KvSide side) const {
        const std::vector<int>& layers = codec_.bundle().groups[group].layers;
        for (const int layer : layers) putKept(layer, side);
        for (std::size_t way = 0; way < page_.head.ways; ++way) {
            const Coded& coded = coded_[way];
            ByteReader reader(
                page_
                    .streams[(2 * group + static_cast<std::size_t>(side)) * page_.head.ways + way]);
            if (!coded.tokens.empty()) {
                LACUNA_TRY_STATUS(codec_.decode(reader, group, side, page_.head.codings[way],
                                                static_cast<std::int64_t>(coded.tokens.size()),
                                                [&](const TransformCodec::DecodedRows& rows) {
                                                    putCoded(coded, rows, layers[rows.layer], side);
                                                }));
            }
            if (reader.remaining() != 0) return damaged("there is data after a stream");
        }
        return {};
    }

    [[nodiscard]] std::size_t columns(KvSide side) const {
        return static_cast<std::size_t>(shape_.kvHeads) *
               static_cast<std::size_t>(dimOf(shape_, side));
    }

    /// Tokens of the run that are transformed with one coding.
    struct Coded {
        std::vector<std::int64_t> tokens;
        std::optional<PositionAngles> angles;
    };

    void putCoded(const Coded& coded, const TransformCodec::DecodedRows& rows, int layer,
                  KvSide side) const {
        const auto first = static_cast<std::size_t>(rows.first);
        const auto count = static_cast<std::size_t>(rows.count);
        for (std::size_t t = 0; side == KvSide::Keys && t < count; ++t)
            coded.angles->turn(layer, first + t, rows.numbers.data() + t * columns(side));
        if (shape_.type == DType::F16 && beyondHalf(rows.numbers)) limitToHalf(rows.numbers);
        const std::size_t dim = columns(side) / static_cast<std::size_t>(shape_.kvHeads);
        const auto row = static_cast<std::size_t>(rowBytes(shape_.type, dim));
        for (int h = 0; h < shape_.kvHeads; ++h) {
            const float* numbers = rows.numbers.data() + static_cast<std::size_t>(h) * dim;
            std::byte* const to = bytesOf(layer, side, h).data();
            for (std::size_t t = 0; t < count; ++t, numbers += columns(side))
                storeRow(shape_.type, {numbers, dim},
                         to + static_cast<std::size_t>(coded.tokens[first + t]) * row);
        }
    }

    void putKept(int layer, KvSide side) const {
        std::vector<float> numbers(columns(side));
        std::vector<std::byte> stored(
            static_cast<std::size_t>(rowBytes(shape_.type, numbers.size())));
        std::array<std::int64_t, kKeepings.size()> taken{};
        for (std::size_t t = 0; t < page_.head.kept.size(); ++t) {
            if (!page_.head.kept[t]) continue;
            const auto how = static_cast<std::size_t>(page_.head.keeping(t));
            page_.kept[how].read(layer, side, taken[how]++, numbers);
            if (shape_.type == DType::F16) limitToHalf(numbers);
            storeRow(shape_.type, numbers, stored.data());
            put(layer, side, static_cast<std::int64_t>(t), stored);
        }
    }

    /// Writes the rows [heads, dim] of a token in the format of the cache.
    void put(int layer, KvSide side, std::int64_t token, std::span<const std::byte> rows) const {
        const std::size_t row = rows.size() / static_cast<std::size_t>(shape_.kvHeads);
        for (int h = 0; h < shape_.kvHeads; ++h)
            std::memcpy(bytesOf(layer, side, h).data() + static_cast<std::size_t>(token) * row,
                        rows.data() + static_cast<std::size_t>(h) * row, row);
    }

    [[nodiscard]] std::span<std::byte> bytesOf(int layer, KvSide side, int head) const {
        return side == KvSide::Keys ? to_.keys(LayerIndex(layer), HeadIndex(head))
                                    : to_.values(LayerIndex(layer), HeadIndex(head));
    }

    const TransformCodec& codec_;
    const OpenedPage& page_;
    const KvShape& shape_;
    const StoredRowsAppend& to_;
    std::vector<Coded> coded_;  ///< [ways]
};

Status decodePage(const TransformCodec& codec, ThreadPool* pool, std::span<const std::byte> bytes,
                  TokenRun run, KvCache& cache) {
    LACUNA_TRY_STATUS(checkShape(cache.shape(), codec.bundle().identity));
    if (cache.offset().value != run.first)
        return fail(ErrorCode::InvalidArgument,
                    format("a page from token {} does not fit a cache of {}", run.first,
                           cache.offset().value));
    LACUNA_TRY(const OpenedPage page,
               openPage(bytes, run, cache.shape().type, codec, cache.shape()));
    LACUNA_TRY(StoredRowsAppend append, StoredRowsAppend::begin(cache, run.count));
    LACUNA_TRY_STATUS(PageReader(codec, page, cache.shape(), append).fill(pool));
    append.commit();
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
        return fail(ErrorCode::NoMemory,
                    "stored cache: there is not enough memory to encode a page");
    }
}

Status TransformPageCodec::decode(std::span<const std::byte> bytes, TokenRun run,
                                  KvCache& cache) const {
    try {
        return decodePage(*codec_, options_.pool, bytes, run, cache);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory,
                    "stored cache: there is not enough memory to decode a page");
    }
}

Result<TransformPageFigures> TransformPageCodec::figures(std::span<const std::byte> bytes,
                                                         TokenRun run) const {
    const TransformIdentity& model = codec_->bundle().identity;
    KvShape shape{.layers = model.layers,
                  .kvHeads = model.kvHeads,
                  .keyDim = model.keyDim,
                  .valueDim = model.valueDim};
    ByteReader start(bytes.subspan(std::min<std::size_t>(bytes.size(), 4)));
    const auto version = start.read<std::uint32_t>();
    ByteReader reader(bytes.subspan(std::min<std::size_t>(bytes.size(), 16)));
    LACUNA_TRY(const PageHead head, readHead(reader, version.value_or(kVersion)));
    if (!isPlainFloat(head.type)) return damaged("its number format is unknown");
    shape.type = head.type;
    LACUNA_TRY(const OpenedPage page, openPage(bytes, run, head.type, *codec_, shape));
    return TransformPageFigures{.tokens = run.count,
                                .keptTokens = page.head.keptTokens(),
                                .bytes = static_cast<std::int64_t>(bytes.size()),
                                .keptBytes = page.keptBytes};
}

std::unique_ptr<PageCodec> makeTransformPageCodec(std::shared_ptr<const TransformCodec> codec,
                                                  ThreadPool* pool) {
    const TransformBundle& bundle = codec->bundle();
    const auto nearest = std::ranges::min_element(bundle.ratios, {}, [](float ratio) {
        return std::fabs(std::log(double{ratio} / kKeptPageRatio));
    });
    const auto coding = codec->codingFor(
        bundle.better, nearest != bundle.ratios.end() ? double{*nearest} : kKeptPageRatio);
    if (!coding) return nullptr;
    TransformPageOptions options{
        .coding = *coding, .sinks = bundle.sinks, .window = bundle.window, .pool = pool};
    if (const auto closer = codec->codingFor(bundle.better, kKeptWindowRatio))
        options.windowCoding = *closer;
    return std::make_unique<TransformPageCodec>(std::move(codec), options);
}

}  // namespace lacuna
