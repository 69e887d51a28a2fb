// Products of queries with rows of up to 5 bits, with VBMI. Each quarter of a vector holds sixteen
// columns of a different row, so the sums of sixteen rows are reduced at once. The codes of one or
// two queries stay in registers over a block.

#include "engine/kernels/vbmi_rotated.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

LACUNA_TARGET_BEGIN(
    "avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi,avx512bitalg")
namespace lacuna {
namespace vnni {
namespace {

/// Centroids of four rows: one vector per sixteen columns, with a quarter for each row.
template <int bits, int columns>
struct RowsOfQuarters {
    using Part = Unit<bits, columns>;
    __m512i at[Part::kSixteens];

    [[gnu::always_inline]] RowsOfQuarters(const Part& unit, const std::uint8_t* const* rows,
                                          const Tables<bits>& tables) {
        __m512i bytes[Part::kOfPart];
        lowerPlane(unit, rows, bytes);
        alignas(64) std::uint64_t upper[8] = {};
        if constexpr (bits % 2 != 0) store(upper, unit.uppers(rows));
        const auto look = [&]<int part>() __attribute__((always_inline)) {
#pragma GCC unroll 8
            for (int s = part * Part::kOfPart; s < (part + 1) * Part::kOfPart; ++s)
                at[s] = tables.template ofPart<part>(bytes[s % Part::kOfPart], upper[s]);
        };
        look.template operator()<0>();
        if constexpr (Part::kParts > 1) look.template operator()<1>();
        if constexpr (Part::kParts > 2) look.template operator()<2>();
        if constexpr (Part::kParts > 2) look.template operator()<3>();
    }

  private:
    static void lowerPlane(const Part& unit, const std::uint8_t* const* rows, __m512i* bytes) {
        const auto from = [&](int r) __attribute__((always_inline)) {
            return rows[r] + unit.at;
        };
        if constexpr (Part::kBytes == 64) {
            const __m512i front01 = _mm512_shuffle_i32x4(load(from(0)), load(from(1)), 0x44);
            const __m512i back01 = _mm512_shuffle_i32x4(load(from(0)), load(from(1)), 0xEE);
            const __m512i front23 = _mm512_shuffle_i32x4(load(from(2)), load(from(3)), 0x44);
            const __m512i back23 = _mm512_shuffle_i32x4(load(from(2)), load(from(3)), 0xEE);
            bytes[0] = _mm512_shuffle_i32x4(front01, front23, 0x88);
            bytes[1] = _mm512_shuffle_i32x4(front01, front23, 0xDD);
            bytes[2] = _mm512_shuffle_i32x4(back01, back23, 0x88);
            bytes[3] = _mm512_shuffle_i32x4(back01, back23, 0xDD);
        } else if constexpr (Part::kBytes == 32) {
            const auto two = [&](int r) __attribute__((always_inline)) {
                return _mm512_inserti64x4(_mm512_castsi256_si512(load32(from(r))),
                                          load32(from(r + 1)), 1);
            };
            const __m512i rows01 = two(0);
            const __m512i rows23 = two(2);
            bytes[0] = _mm512_shuffle_i32x4(rows01, rows23, 0x88);
            bytes[1] = _mm512_shuffle_i32x4(rows01, rows23, 0xDD);
        } else if constexpr (Part::kBytes == 16) {
            __m512i all = _mm512_castsi128_si512(load16(from(0)));
            all = _mm512_inserti32x4(all, load16(from(1)), 1);
            all = _mm512_inserti32x4(all, load16(from(2)), 2);
            bytes[0] = _mm512_inserti32x4(all, load16(from(3)), 3);
        } else {
#pragma GCC unroll 8
            for (int s = 0; s < Part::kOfPart; ++s) bytes[s] = _mm512_setzero_si512();
        }
    }
};

/// The codes of a query in the layout of a unit: sixteen columns repeated in every quarter of a
/// vector. The codes of one or two queries stay in registers.
template <int queries, int bits, int columns>
struct CodesOfQueries {
    static constexpr int kSixteens = Unit<bits, columns>::kSixteens;
    static constexpr bool kHeld = queries <= 2;
    __m512i held[kHeld ? queries : 1][kHeld ? kSixteens : 1];
    const std::int8_t* from[queries];
    Unit<bits, columns> unit;

    CodesOfQueries(const Unit<bits, columns>& part, const IntegerQuery* q) : unit(part) {
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            from[i] = q[i].codes;
            if constexpr (kHeld)
#pragma GCC unroll 8
                for (int s = 0; s < kSixteens; ++s) held[i][s] = read(i, s);
        }
    }
    __m512i at(int i, int s) const {
        if constexpr (kHeld) return held[i][s];
        return read(i, s);
    }

  private:
    __m512i read(int i, int s) const {
        return _mm512_broadcast_i32x4(load16(from[i] + unit.column(s)));
    }
};

/// Adds the products of a unit of sixteen rows with some queries to `sums`.
template <int queries, int bits, int columns>
[[gnu::always_inline]] inline void dotUnit(const CodesOfQueries<queries, bits, columns>& codes,
                                           const Rows& rows, const Tables<bits>& tables, bool fetch,
                                           SumsOfRows* sums) {
    using Part = Unit<bits, columns>;
#pragma GCC unroll 4
    for (int g = 0; g < kFour; ++g) {
        if (fetch)
            rows.fetch<kFour * rotatedRowBytes(bits, columns)>(
                kFour * g, kPrefetchDistance + kFour * codes.unit.at);
        const std::uint8_t* const four[kFour] = {rows[g], rows[g + 4], rows[g + 8], rows[g + 12]};
        const RowsOfQuarters<bits, columns> levels(codes.unit, four, tables);
        __m512i odd[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) odd[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (int s = 0; s < Part::kSixteens; ++s)
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) {
                __m512i& sum = s % 2 == 0 ? sums[i].at[g] : odd[i];
                sum = _mm512_dpbusd_epi32(sum, levels.at[s], codes.at(i, s));
            }
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) sums[i].at[g] = _mm512_add_epi32(sums[i].at[g], odd[i]);
    }
}

/// A block of rows with some queries.
template <int queries, int bits>
struct DotPass {
    const RotatedRows& block;
    const IntegerQuery* codes;
    const Tables<bits>& tables;
    float step;
    float* out;
    std::int64_t outStride;
    bool fetch;

    template <int columns>
    void ofOneUnit() const {
        const std::int64_t plane = block.columns * (bits & 6) / 8;
        const CodesOfQueries<queries, bits, columns> held({.at = 0, .plane = plane}, codes);
        std::int64_t r = 0;
#pragma GCC unroll 1
        for (; r + kRowsOfDot <= block.count; r += kRowsOfDot) {
            const Rows rows = rowsAt(r);
            SumsOfRows sums[queries] = {};
            dotUnit(held, rows, tables, fetch, sums);
            finish(sums, rows, r);
        }
        if (r == block.count) return;
        alignas(64) std::uint8_t last[kRowsOfDot * kLongestRow];
        ofUnits(lastRows(r, last), r, false);
    }
    void ofManyUnits() const {
        alignas(64) std::uint8_t last[kRowsOfDot * kLongestRow];
        for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
            const bool whole = r + kRowsOfDot <= block.count;
            ofUnits(whole ? rowsAt(r) : lastRows(r, last), r, fetch && whole);
        }
    }

  private:
    Rows rowsAt(std::int64_t r) const {
        return {reinterpret_cast<const std::uint8_t*>(block.row(r)), block.rowStride};
    }
    /// Returns sixteen rows that all repeat the last one.
    Rows lastRows(std::int64_t r, std::uint8_t* space) const {
        const auto bytes =
            static_cast<std::int64_t>(rotatedRowBytes(bits, static_cast<int>(block.columns)));
        for (std::int64_t k = 0; k < kRowsOfDot; ++k)
            __builtin_memcpy(space + k * bytes,
                             block.row(r + k < block.count ? r + k : block.count - 1),
                             static_cast<std::size_t>(bytes));
        return {space, bytes};
    }
    [[gnu::noinline]] void ofUnits(const Rows& rows, std::int64_t r, bool ahead) const {
        const std::int64_t plane = block.columns * (bits & 6) / 8;
        const std::int64_t whole = block.columns / kUnit * kUnit;
        SumsOfRows sums[queries] = {};
        for (std::int64_t c = 0; c < whole; c += kUnit) {
            const CodesOfQueries<queries, bits, kUnit> at(
                {.at = c * (bits & 6) / 8, .plane = plane}, codes);
            dotUnit(at, rows, tables, ahead, sums);
        }
        if (whole < block.columns) {
            const CodesOfQueries<queries, bits, kHalfUnit> at(
                {.at = whole * (bits & 6) / 8, .plane = plane}, codes);
            dotUnit(at, rows, tables, ahead, sums);
        }
        finish(sums, rows, r);
    }
    [[gnu::always_inline]] void finish(const SumsOfRows* sums, const Rows& rows,
                                       std::int64_t r) const {
        const auto scaleAt =
            static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(block.columns)));
        const __mmask16 lanes = firstLanes(block.count - r);
        const __m512 factors =
            _mm512_mul_ps(sixteenScales({rows.at + scaleAt, rows.stride}), _mm512_set1_ps(step));
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            const __m512i all =
                _mm512_sub_epi32(sums[i].joined(), _mm512_set1_epi32(codes[i].offset));
            const __m512 products = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(all), factors),
                                                  _mm512_set1_ps(codes[i].scale));
            _mm512_mask_storeu_ps(out + i * outStride + r, lanes, products);
        }
    }
};

template <int queries, int bits>
inline void dotSome(const DotPass<queries, bits>& pass) {
    if (pass.block.columns == kUnit) {
        pass.template ofOneUnit<kUnit>();
    } else if (pass.block.columns == kHalfUnit) {
        pass.template ofOneUnit<kHalfUnit>();
    } else {
        pass.ofManyUnits();
    }
}

template <int bits>
void dotBatch(const RotatedRows& block, const QueryRows& q, int first, int count) {
    IntegerQuery queries[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const ByteCodebook& book = byteCodebook(bits);
    const Tables<bits> tables(book, 0);
    const auto some = [&]<int n>(int i) __attribute__((always_inline)) {
        dotSome(DotPass<n, bits>{block, queries + i, tables, book.step,
                                 q.weights + (first + i) * q.weightStride, q.weightStride, i == 0});
    };
    int i = 0;
    for (; i + 4 <= count; i += 4) some.template operator()<4>(i);
    if (count - i == 3) some.template operator()<3>(i);
    if (count - i == 2) some.template operator()<2>(i);
    if (count - i == 1) some.template operator()<1>(i);
}

template <int bits>
void dotMany(const RotatedRows& block, const QueryRows& q) {
    for (int first = 0; first < q.count; first += kQueriesOfBatch) {
        const int left = q.count - first;
        dotBatch<bits>(block, q, first, left < kQueriesOfBatch ? left : kQueriesOfBatch);
    }
}

}  // namespace
}  // namespace vnni

void dotManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept {
    using namespace vnni;
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        dotMany<1>, dotMany<2>, dotMany<3>, dotMany<4>, dotMany<5>};
    if (!fits(block)) return dotManyRotatedVnni(block, q);
    kOf[block.bits - 1](block, q);
}

}  // namespace lacuna
LACUNA_TARGET_END
#endif
