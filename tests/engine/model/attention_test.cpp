// Attention over ragged heads with bias, causal tails, windows, soft caps and every key type
// against the float64 formula.

#include "engine/model/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/rotation.h"
#include "tests/support/reference_attention.h"

namespace lacuna::test {
namespace {

struct HeadData {
    std::vector<std::byte> keys;
    std::vector<std::byte> values;
    std::vector<float> bias;
    std::vector<std::int32_t> positions;
    std::shared_ptr<const Rotation> keyRotation;  ///< rotation of rotated codes
    std::shared_ptr<const Rotation> valueRotation;
    std::vector<ExactSlot> exact;  ///< rows in 16 bits
    std::vector<std::byte> held;
    std::vector<std::byte> run;
    KvHeadView view;
};

/// Returns null if rows are not rotated.
std::shared_ptr<const Rotation> rotationFor(const KvQuant& quant, int dim, std::uint64_t seed) {
    if (!quant.rotated()) return nullptr;
    return std::make_shared<const Rotation>(Rotation::hadamard(dim, seed).value());
}

/// Returns the rotation as a calibration gives it: a matrix with a centre.
std::shared_ptr<const Rotation> centredFor(const KvQuant& quant, int dim, std::uint64_t seed) {
    const auto plain = rotationFor(quant, dim, seed);
    if (plain == nullptr) return nullptr;
    const auto n = static_cast<std::size_t>(dim);
    std::vector<float> matrix;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<float> row(n);
        row[i] = 1;
        plain->undo(row.data(), row.data());
        matrix.insert(matrix.end(), row.begin(), row.end());
    }
    RowFit fit;
    for (std::size_t i = 0; i < n; ++i) fit.centre.push_back(i % 3 == 0 ? 2.0F : -0.5F);
    fit.ranges.fill(0.8F);
    return std::make_shared<const Rotation>(
        Rotation::dense(dim, std::move(matrix), std::move(fit)).value());
}

std::vector<float> randomFloats(std::size_t n, std::uint64_t seed) {
    RandomStream random(seed, 2);
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(random.normal());
    return x;
}

std::vector<std::byte> encodedRows(const RowFormat& row, std::size_t rows, std::uint64_t seed) {
    const auto dim = static_cast<std::size_t>(row.dim);
    const auto x = randomFloats(rows * dim, seed);
    const std::size_t stride = formatBytes(row);
    std::vector<std::byte> bytes(rows * stride);
    for (std::size_t j = 0; j < rows; ++j)
        encodeRow(row, std::span(x).subspan(j * dim, dim), bytes.data() + j * stride);
    return bytes;
}

/// Number format of keys and values.
struct StoredAs {
    DType type = DType::F16;
    KvQuant keys = {};
    KvQuant values = {};
    bool centred = false;  ///< rotated keys have a centre
};

enum class Bias { None, Random, SomeSwitchedOff };
/// Dense: slot j holds position j. Sparse: half of the older positions are gone. Shuffled: sparse,
/// with the remaining ones in any order.
enum class Places { Dense, Sparse, Shuffled };

// Returns the positions of a head whose last slots are `tokens` new rows from `first` on.
std::vector<std::int32_t> sparsePositions(std::size_t slots, std::size_t tokens, int first,
                                          Places places) {
    const std::size_t older = slots - tokens;
    std::vector<std::int32_t> positions(slots);
    for (std::size_t j = 0; j < older; ++j)
        positions[j] = first - 1 - 2 * static_cast<std::int32_t>(older - 1 - j);
    if (places == Places::Shuffled)
        for (std::size_t j = older; j > 1; --j)
            std::swap(positions[j - 1], positions[randomBits(5, 5, j) % j]);
    for (std::size_t t = 0; t < tokens; ++t)
        positions[older + t] = first + static_cast<std::int32_t>(t);
    return positions;
}

HeadData makeHead(const StoredAs& stored, std::size_t slots, std::size_t dim, Bias bias) {
    HeadData head;
    const int columns = static_cast<int>(dim);
    head.keyRotation = (stored.centred ? centredFor : rotationFor)(stored.keys, columns, 7);
    head.valueRotation = rotationFor(stored.values, columns, 8);
    head.keys = encodedRows(
        {stored.type, stored.keys, columns, head.keyRotation.get(), CodeScale::Unbiased}, slots,
        slots + 1);
    head.values = encodedRows(
        {stored.type, stored.values, columns, head.valueRotation.get(), CodeScale::LeastSquares},
        slots, slots + 2);
    if (bias != Bias::None) head.bias = randomFloats(slots, slots + 3);
    if (bias == Bias::SomeSwitchedOff)
        for (std::size_t j = 1; j + 1 < slots; j += 1 + j % 3)
            head.bias[j] = -std::numeric_limits<float>::infinity();
    head.view = {.type = stored.type,
                 .keys = head.keys.data(),
                 .values = head.values.data(),
                 .slots = static_cast<int>(slots),
                 .bias = bias == Bias::None ? nullptr : head.bias.data(),
                 .keyQuant = stored.keys,
                 .valueQuant = stored.values};
    head.view.keyRotation = head.keyRotation.get();
    head.view.valueRotation = head.valueRotation.get();
    return head;
}

/// Gives all or most slots 16-bit rows that are unrelated to their codes, so that a mix-up shows.
/// The rows are in two blocks and unordered.
void addExactRows(HeadData& head, int dim, const ExactWindow& window, int leftOut) {
    const auto bytes = [dim](const KvQuant& quant) {
        return quant.rotated() ? 2 * static_cast<std::size_t>(dim) : 0;
    };
    const std::size_t keyBytes = bytes(head.view.keyQuant);
    const std::size_t valueBytes = bytes(head.view.valueQuant);
    const auto slots = static_cast<std::size_t>(head.view.slots);
    const auto numbers = randomFloats(2 * slots * (keyBytes + valueBytes) / 2, 99);
    std::vector<std::byte> rows(2 * numbers.size());
    storeRow(DType::F16, numbers, rows.data());
    head.held.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2));
    head.run.assign(rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2), rows.end());
    for (int slot = 0; slot < head.view.slots; ++slot) {
        if (leftOut > 0 && slot % leftOut == 1) continue;
        const int place = (slot * 7 + 3) % head.view.slots;
        head.exact.push_back({slot, slot % 2 == 0 ? place : -1 - place});
    }
    head.view.exact = {.places = head.exact.data(),
                       .count = static_cast<int>(head.exact.size()),
                       .held = head.held.data(),
                       .run = head.run.data(),
                       .keyBytes = static_cast<int>(keyBytes),
                       .valueBytes = static_cast<int>(valueBytes),
                       .window = window};
}

/// Returns the head as the query of one token sees it, without the 16-bit rows of tokens out of its
/// range.
KvHeadView seenFrom(const KvHeadView& view, std::int64_t asking, std::vector<ExactSlot>& places) {
    places.clear();
    for (const ExactSlot& at : view.exact.within(0, view.slots)) {
        const std::int64_t position = view.positions == nullptr ? at.slot : view.positions[at.slot];
        const bool near = asking - position < view.exact.window.newest;
        if (near || position < view.exact.window.first) places.push_back(at);
    }
    KvHeadView seen = view;
    seen.exact.places = places.data();
    seen.exact.count = static_cast<int>(places.size());
    return seen;
}

struct Setup {
    AttentionShape shape;
    std::size_t tokens;
    std::vector<std::size_t> slots;  ///< slots of each KV head
    StoredAs type;
    Bias bias;
    AttentionRule rule{.scale = 0.15F};
    Places places = Places::Dense;
    int cacheWindow = 0;  ///< window that the cache keeps; 0 = none
    int cacheKeep = 0;
    std::optional<DistanceCut> cut = std::nullopt;
    ExactWindow exact = {};
    int exactLeftOut = 0;  ///< one slot in this many has no 16-bit row; 0 = all have one
    bool sinks = false;    ///< each query head has one
};

/// Returns the position of the first query: after the longest head when it is dense.
int firstPosition(const Setup& setup) {
    const auto longest = *std::ranges::max_element(setup.slots) - setup.tokens;
    return static_cast<int>(setup.places == Places::Dense ? longest : 2 * longest + 1);
}

void expectEqualsReference(const KernelTable& kernels, const Setup& setup,
                           Precision precision = Precision::Exact) {
    const double tolerance = precision == Precision::Exact ? 1e-5 : 3e-2;
    const auto [heads, kvHeads, headDim, valueDim] = setup.shape;
    const auto dim = static_cast<std::size_t>(headDim);
    const auto headCount = static_cast<std::size_t>(heads);
    const auto first = static_cast<std::size_t>(firstPosition(setup));
    std::vector<HeadData> data;
    std::vector<KvHeadView> views;
    data.reserve(setup.slots.size());
    for (const std::size_t slots : setup.slots) {
        data.push_back(makeHead(setup.type, slots, dim, setup.bias));
        HeadData& head = data.back();
        if (setup.exact.newest > 0) addExactRows(head, headDim, setup.exact, setup.exactLeftOut);
        // A shorter head of a ragged cache always stores its positions.
        if (setup.places != Places::Dense || slots < first + setup.tokens)
            head.positions =
                sparsePositions(slots, setup.tokens, static_cast<int>(first), setup.places);
        views.push_back(head.view);
        views.back().positions = head.positions.empty() ? nullptr : head.positions.data();
        views.back().window = setup.cacheWindow;
        views.back().keep = setup.cacheKeep;
    }
    const auto queries = randomFloats(setup.tokens * headCount * dim, 77);
    std::vector<float> sinks = randomFloats(headCount, 78);
    for (float& sink : sinks) sink *= 4;
    std::vector<float> out(queries.size());
    ThreadPool pool(2);
    auto attention = Attention::create(kernels, pool, std::array{setup.shape}, precision);
    ASSERT_TRUE(attention.has_value());
    const View<const float, 3>::Extents extents{static_cast<std::int64_t>(setup.tokens), heads,
                                                headDim};
    attention->run(views,
                   {{queries.data(), extents},
                    Position(static_cast<int>(first)),
                    setup.rule,
                    setup.cut ? &*setup.cut : nullptr,
                    setup.sinks ? sinks.data() : nullptr},
                   {out.data(), extents});
    for (std::size_t t = 0; t < setup.tokens; ++t) {
        for (std::size_t h = 0; h < headCount; ++h) {
            std::vector<ExactSlot> places;
            const KvHeadView view = seenFrom(views[h / static_cast<std::size_t>(heads / kvHeads)],
                                             static_cast<std::int64_t>(first + t), places);
            const int visible = view.slots - static_cast<int>(setup.tokens - t) + 1;
            const std::size_t at = (t * headCount + h) * dim;
            ReferenceRule rule{double{setup.rule.scale}, double{setup.rule.softCap},
                               setup.rule.window, static_cast<int>(first + t)};
            if (setup.cut && HeadIndex(static_cast<int>(h) / (heads / kvHeads)) == setup.cut->head)
                rule.cut = setup.cut;
            rule.chunked = setup.rule.chunked;
            if (setup.sinks) rule.sink = double{sinks[h]};
            const auto expected = referenceAttention(view, queries.data() + at, dim, visible, rule);
            for (std::size_t i = 0; i < dim; ++i)
                ASSERT_NEAR(double{out[at + i]}, expected[i], tolerance)
                    << "token " << t << " head " << h;
        }
    }
}

class AttentionByTable : public ::testing::TestWithParam<std::string> {};

TEST_P(AttentionByTable, decode_raggedHeads_equalsReference) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        for (const Bias bias : {Bias::None, Bias::Random, Bias::SomeSwitchedOff})
            expectEqualsReference(*findKernels(GetParam()),
                                  {{6, 2, 40}, 1, {300, 17}, {type}, bias});
}

TEST_P(AttentionByTable, prefill_raggedHeads_equalsReference) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        for (const Bias bias : {Bias::None, Bias::Random, Bias::SomeSwitchedOff})
            expectEqualsReference(*findKernels(GetParam()),
                                  {{6, 2, 64}, 61, {333, 61}, {type}, bias});
}

TEST_P(AttentionByTable, blockBoundaries_anyCounts_equalReference) {
    for (const std::size_t tokens :
         {std::size_t{1}, std::size_t{12}, std::size_t{95}, std::size_t{97}, std::size_t{200}})
        for (const std::size_t before :
             {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{129}})
            expectEqualsReference(
                *findKernels(GetParam()),
                {{2, 2, 8}, tokens, {tokens + before, tokens}, {DType::F16}, Bias::None});
}

TEST_P(AttentionByTable, fast_anyShapeAndType_isWithinRounding) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        for (const int dim : {7, 40, 64, 128})
            for (const Bias bias : {Bias::None, Bias::SomeSwitchedOff})
                expectEqualsReference(*findKernels(GetParam()),
                                      {{6, 2, dim}, 61, {333, 61}, {type}, bias}, Precision::Fast);
}

// Few queries over many slots: the slots are split into parts.
TEST_P(AttentionByTable, longContext_raggedHeads_equalsReference) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}})
        for (const Bias bias : {Bias::None, Bias::SomeSwitchedOff})
            for (const int window : {0, 2500})
                expectEqualsReference(*findKernels(GetParam()),
                                      {{6, 3, 16},
                                       tokens,
                                       {4097, 9000, tokens},
                                       {DType::F16},
                                       bias,
                                       {.scale = 0.2F, .window = window}});
}

Setup withCut(Places places, int window, int near) {
    Setup setup{.shape = {6, 2, 40},
                .tokens = 77,
                .slots = {300, 280},
                .type = {DType::F16},
                .bias = Bias::None,
                .rule = {.scale = 0.15F, .window = window},
                .places = places};
    setup.cut = {HeadIndex(1), 4, near, Position(firstPosition(setup))};
    return setup;
}

// A cut head does not see the tokens before its newest ones, except the first and the nearest. This
// also holds in a window and with slots out of order.
TEST_P(AttentionByTable, headWithSinksAndNearWindow_seesOnlyThoseTokens) {
    for (const Places places : {Places::Sparse, Places::Shuffled})
        for (const int window : {0, 60})
            for (const int near : {0, 24})
                expectEqualsReference(*findKernels(GetParam()), withCut(places, window, near));
}

TEST_P(AttentionByTable, threads_anyNumber_giveTheSameBits) {
    constexpr std::size_t kDim = 32;
    HeadData heads[] = {makeHead({DType::F16}, 5000, kDim, Bias::Random),
                        makeHead({DType::F16}, 300, kDim, Bias::None)};
    const KvHeadView views[] = {heads[0].view, heads[1].view};
    const auto queries = randomFloats(4 * kDim, 5);
    const View<const float, 3>::Extents extents{1, 4, kDim};
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 2, 3}) {
        ThreadPool pool(threads);
        auto attention = Attention::create(*findKernels(GetParam()), pool,
                                           std::array{AttentionShape{4, 2, kDim}}, Precision::Fast);
        ASSERT_TRUE(attention.has_value());
        found.emplace_back(4 * kDim);
        attention->run(views, {{queries.data(), extents}, Position(4999), {.scale = 0.2F}},
                       {found.back().data(), extents});
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
}

// Latent attention: the values are the ends of the keys.
TEST_P(AttentionByTable, valuesWithinKeys_equalTheSameValuesApart) {
    constexpr int kKey = 48;
    constexpr int kValue = 33;
    constexpr int kHeads = 5;
    constexpr std::size_t kSlots = 1500;
    const RowFormat keyRow{DType::F16, {}, kKey, nullptr, CodeScale::Plain};
    const std::vector<std::byte> keys = encodedRows(keyRow, kSlots, 3);
    const std::size_t keyBytes = formatBytes(keyRow);
    const std::size_t valueBytes = 2 * kValue;
    std::vector<std::byte> values;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        const auto end = keys.begin() + static_cast<std::ptrdiff_t>((slot + 1) * keyBytes);
        values.insert(values.end(), end - static_cast<std::ptrdiff_t>(valueBytes), end);
    }
    const KvHeadView apart{
        .keys = keys.data(), .values = values.data(), .slots = static_cast<int>(kSlots)};
    KvHeadView within = apart;
    within.values = keys.data() + (keyBytes - valueBytes);
    within.valueStride = static_cast<std::int64_t>(keyBytes);
    ThreadPool pool(2);
    for (const Precision precision : {Precision::Exact, Precision::Fast}) {
        const AttentionShape shape{kHeads, 1, kKey, kValue};
        auto attention =
            Attention::create(*findKernels(GetParam()), pool, std::array{shape}, precision);
        ASSERT_TRUE(attention.has_value());
        for (const int tokens : {1, 4, 60}) {
            const auto queries = randomFloats(static_cast<std::size_t>(tokens * kHeads * kKey), 9);
            std::vector<std::vector<float>> found;
            for (const KvHeadView& view : {apart, within}) {
                auto& out =
                    found.emplace_back(static_cast<std::size_t>(tokens * kHeads * kValue), 9.0F);
                attention->run({&view, 1},
                               {{queries.data(), {tokens, kHeads, kKey}},
                                Position(static_cast<int>(kSlots) - tokens),
                                {.scale = 0.15F}},
                               {out.data(), {tokens, kHeads, kValue}});
            }
            EXPECT_EQ(found[0], found[1]) << tokens;
            EXPECT_TRUE(std::ranges::all_of(found[0], [](float x) { return std::fabs(x) < 4; }));
        }
    }
}

// The memory of all shapes is shared, so what one run leaves there must not reach the next.
TEST_P(AttentionByTable, runsOfSeveralShapes_equalRunsOfOneShapeEach) {
    constexpr std::size_t kSlots = 2100;
    const AttentionShape shapes[] = {{6, 2, 64}, {6, 1, 40}, {6, 3, 17}};
    for (const Precision precision : {Precision::Exact, Precision::Fast}) {
        ThreadPool pool(2);
        auto shared = Attention::create(*findKernels(GetParam()), pool, shapes, precision);
        ASSERT_TRUE(shared.has_value());
        std::size_t largest = 0;
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{50}, std::size_t{2}})
            for (const AttentionShape& shape : shapes) {
                const auto dim = static_cast<std::size_t>(shape.headDim);
                std::vector<HeadData> heads;
                std::vector<KvHeadView> views;
                for (int h = 0; h < shape.kvHeads; ++h)
                    heads.push_back(makeHead({DType::F16}, kSlots, dim, Bias::None));
                for (const HeadData& head : heads) views.push_back(head.view);
                const auto queries = randomFloats(tokens * 6 * dim, 5);
                const View<const float, 3>::Extents extents{static_cast<std::int64_t>(tokens), 6,
                                                            shape.headDim};
                auto alone =
                    Attention::create(*findKernels(GetParam()), pool, std::array{shape}, precision);
                ASSERT_TRUE(alone.has_value());
                largest = std::max(largest, alone->scratchBytes());
                std::vector<float> found(queries.size());
                std::vector<float> expected(queries.size());
                const AttentionQueries asked{{queries.data(), extents},
                                             Position(static_cast<int>(kSlots - tokens)),
                                             {.scale = 0.2F}};
                shared->run(views, asked, {found.data(), extents});
                alone->run(views, asked, {expected.data(), extents});
                EXPECT_EQ(found, expected) << shape.headDim << " " << tokens;
            }
        EXPECT_GE(shared->scratchBytes(), largest);
    }
}

TEST_P(AttentionByTable, manyQueryHeadsPerKvHead_oneToken_equalsReference) {
    expectEqualsReference(*findKernels(GetParam()),
                          {{128, 1, 32}, 3, {140}, {DType::F16}, Bias::Random});
}

TEST_P(AttentionByTable, window_anyLength_equalsReference) {
    for (const int window : {1, 2, 16, 127, 128, 129, 1000})
        for (const Places places : {Places::Dense, Places::Sparse, Places::Shuffled})
            for (const std::size_t tokens : {std::size_t{1}, std::size_t{70}})
                expectEqualsReference(*findKernels(GetParam()), {{6, 2, 40},
                                                                 tokens,
                                                                 {tokens + 300, tokens + 17},
                                                                 {DType::F16},
                                                                 Bias::Random,
                                                                 {.scale = 0.2F, .window = window},
                                                                 places});
}

TEST_P(AttentionByTable, softCap_smallAndLarge_equalsReference) {
    for (const float cap : {0.5F, 50.0F})
        for (const int window : {0, 20})
            for (const std::size_t tokens : {std::size_t{1}, std::size_t{33}})
                expectEqualsReference(*findKernels(GetParam()),
                                      {{4, 2, 48},
                                       tokens,
                                       {tokens + 140, tokens},
                                       {DType::F32},
                                       Bias::Random,
                                       {.scale = 0.4F, .softCap = cap, .window = window}});
}

Setup withSinks(Setup setup) {
    setup.sinks = true;
    return setup;
}

// Covers all code paths of attention: few and many queries, windows, gaps, codes that are read
// directly or decoded, rotated codes, slots in several parts, a cut.
TEST_P(AttentionByTable, sinks_anyRowsAndWindows_equalReference) {
    for (const auto& [keys, values] :
         {std::pair{KvQuant{}, KvQuant{}}, {{4, 32}, {8, 32}}, {{4, 0}, {3, 0}}})
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}, std::size_t{70}})
            for (const int window : {0, 20})
                for (const Places places : {Places::Dense, Places::Shuffled})
                    for (const Precision precision : {Precision::Exact, Precision::Fast})
                        expectEqualsReference(*findKernels(GetParam()),
                                              withSinks({{6, 2, 64},
                                                         tokens,
                                                         {tokens + 300, tokens},
                                                         {DType::F16, keys, values},
                                                         Bias::Random,
                                                         {.scale = 0.1F, .window = window},
                                                         places}),
                                              precision);
    expectEqualsReference(*findKernels(GetParam()), withSinks(withCut(Places::Sparse, 60, 24)));
}

TEST_P(AttentionByTable, sinks_longContexts_countOnce) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}})
        expectEqualsReference(*findKernels(GetParam()), withSinks({{6, 3, 16},
                                                                   tokens,
                                                                   {4097, 9000, tokens},
                                                                   {DType::F16},
                                                                   Bias::None,
                                                                   {.scale = 0.2F}}));
    for (const Precision precision : {Precision::Exact, Precision::Fast})
        expectEqualsReference(
            *findKernels(GetParam()),
            withSinks({{4, 2, 64}, 1, {20000, 17000}, {DType::F16, {4, 0}, {3, 0}}, Bias::None}),
            precision);
}

TEST_P(AttentionByTable, chunks_anyLength_equalReference) {
    for (const int chunk : {1, 2, 16, 127, 128, 129, 1000})
        for (const Places places : {Places::Dense, Places::Sparse, Places::Shuffled})
            for (const std::size_t tokens : {std::size_t{1}, std::size_t{70}})
                expectEqualsReference(*findKernels(GetParam()),
                                      {{6, 2, 40},
                                       tokens,
                                       {tokens + 300, tokens + 17},
                                       {DType::F16},
                                       Bias::Random,
                                       {.scale = 0.2F, .window = chunk, .chunked = true},
                                       places});
}

// Keys and values before the window are never read; here they are NaN.
TEST_P(AttentionByTable, window_denseHead_readsNothingBeforeIt) {
    constexpr std::size_t kDim = 16;
    constexpr std::size_t kSlots = 1000;
    constexpr int kWindow = 10;
    HeadData head = makeHead({DType::F32}, kSlots, kDim, Bias::None);
    const std::size_t hidden = (kSlots - kWindow) * kDim * sizeof(float);
    std::fill_n(head.keys.begin(), hidden, std::byte{0xFF});
    std::fill_n(head.values.begin(), hidden, std::byte{0xFF});
    const auto query = randomFloats(kDim, 4);
    std::vector<float> out(kDim);
    ThreadPool pool(1);
    auto attention = Attention::create(*findKernels(GetParam()), pool,
                                       std::array{AttentionShape{1, 1, kDim}}, Precision::Exact);
    ASSERT_TRUE(attention.has_value());
    const View<const float, 3>::Extents extents{1, 1, kDim};
    attention->run({&head.view, 1},
                   {{query.data(), extents}, Position(kSlots - 1), {.window = kWindow}},
                   {out.data(), extents});
    for (const float v : out) EXPECT_TRUE(std::isfinite(v));
}

// Few queries read the codes directly; many decode them block by block.
TEST_P(AttentionByTable, quantisedRows_fewAndManyQueries_equalDecodeThenAttend) {
    for (const KvQuant keys : {KvQuant{8, 32}, KvQuant{4, 64}, KvQuant{}})
        for (const KvQuant values : {KvQuant{8, 64}, KvQuant{4, 32}, KvQuant{}})
            for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}, std::size_t{61}})
                for (const Precision precision : {Precision::Exact, Precision::Fast})
                    expectEqualsReference(*findKernels(GetParam()),
                                          {{6, 2, 64},
                                           tokens,
                                           {tokens + 300, tokens + 17},
                                           {DType::F16, keys, values},
                                           Bias::SomeSwitchedOff},
                                          precision);
}

TEST_P(AttentionByTable, quantisedRows_longContext_equalsReference) {
    for (const KvQuant quant : {KvQuant{8, 32}, KvQuant{4, 32}})
        expectEqualsReference(
            *findKernels(GetParam()),
            {{4, 2, 128}, 1, {4097, 3001}, {DType::F16, quant, quant}, Bias::Random});
}

// Queries are rotated into the basis of the keys and sums of values back out of theirs. The oracle
// reads every row in the model's basis. Heads of any length, also combined with unquantised rows.
TEST_P(AttentionByTable, rotatedCodes_fewAndManyQueries_equalDecodeThenAttend) {
    for (const int dim : {64, 80})
        for (const auto& [keys, values] : {std::pair{KvQuant{8, 0}, KvQuant{3, 0}},
                                           {{4, 0}, {}},
                                           {{}, {2, 0}},
                                           {{1, 0}, {5, 0}},
                                           {{6, 0}, {7, 0}}})
            for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}, std::size_t{17}})
                for (const Precision precision : {Precision::Exact, Precision::Fast})
                    expectEqualsReference(*findKernels(GetParam()),
                                          {{6, 2, dim},
                                           tokens,
                                           {tokens + 140, tokens + 17},
                                           {DType::F16, keys, values},
                                           Bias::SomeSwitchedOff},
                                          precision);
}

// With two terms, products that are slow in float are rounded as well.
TEST_P(AttentionByTable, twoTerms_oneToken_roundsOnlyOperandsOfRotatedCodes) {
    constexpr std::size_t kDim = 64;
    const auto queries = randomFloats(4 * kDim, 5);
    const View<const float, 3>::Extents extents{1, 4, kDim};
    for (const KvQuant& quant : {KvQuant{4, 0}, KvQuant{}}) {
        const HeadData head = makeHead({DType::F16, quant, quant}, 300, kDim, Bias::Random);
        const auto attended = [&](Precision precision) {
            ThreadPool pool(1);
            auto attention = Attention::create(*findKernels(GetParam()), pool,
                                               std::array{AttentionShape{4, 1, kDim}}, precision);
            EXPECT_TRUE(attention.has_value());
            std::vector<float> out(queries.size());
            attention->run({&head.view, 1},
                           {{queries.data(), extents}, Position(299), {.scale = 0.2F}},
                           {out.data(), extents});
            return out;
        };
        const auto twoTerms = attended(Precision::TwoTerms);
        EXPECT_EQ(twoTerms, attended(Precision::Fast));
        if (quant.plain()) {
            EXPECT_EQ(twoTerms, attended(Precision::Exact));
        }
    }
}

Setup withExactRows(Setup setup, ExactWindow window, int leftOut) {
    setup.exact = window;
    setup.exactLeftOut = leftOut;
    return setup;
}

// Each query reads the 16-bit rows of nearby tokens and the codes of the others, whatever was
// appended with it and wherever slots and rows are.
TEST_P(AttentionByTable, exactRows_nearAQuery_areReadInsteadOfCodes) {
    const ExactWindow windows[] = {{2, 3}, {40, 0}, {1000, 0}};
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{17}, std::size_t{61}})
        for (const ExactWindow& window : windows)
            for (const Places places : {Places::Dense, Places::Shuffled})
                for (const Precision precision : {Precision::Exact, Precision::Fast})
                    expectEqualsReference(*findKernels(GetParam()),
                                          withExactRows({{6, 2, 64},
                                                         tokens,
                                                         {tokens + 300, tokens + 17},
                                                         {DType::F16, {4, 0}, {3, 0}},
                                                         Bias::SomeSwitchedOff,
                                                         {.scale = 0.15F},
                                                         places},
                                                        window, window.newest == 40 ? 3 : 0),
                                          precision);
}

// Each tile of a prompt's queries reads only the codes and 16-bit rows visible to it. More queries
// than one task takes, and windows that end within tiles.
TEST_P(AttentionByTable, exactRows_manyQueries_areSelectedPerQuery) {
    constexpr std::size_t kTokens = 131;
    for (const ExactWindow& window : {ExactWindow{70, 0}, {37, 3}, {1, 0}})
        for (const int layerWindow : {0, 90})
            for (const Places places : {Places::Dense, Places::Sparse})
                expectEqualsReference(*findKernels(GetParam()),
                                      withExactRows({{4, 2, 64},
                                                     kTokens,
                                                     {kTokens + 270, kTokens + 5},
                                                     {DType::F16, {5, 0}, {4, 0}},
                                                     Bias::None,
                                                     {.scale = 0.15F, .window = layerWindow},
                                                     places},
                                                    window, 0),
                                      Precision::Fast);
}

TEST_P(AttentionByTable, exactRows_keysOrValuesOnly_andLongContexts_equalReference) {
    for (const auto& [keys, values] : {std::pair{KvQuant{2, 0}, KvQuant{}}, {{8, 32}, {5, 0}}})
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{20}})
            expectEqualsReference(
                *findKernels(GetParam()),
                withExactRows({{6, 3, 96},
                               tokens,
                               {tokens == 1 ? std::size_t{2500} : std::size_t{400}, 301, 60},
                               {DType::F16, keys, values},
                               Bias::Random,
                               {.scale = 0.15F, .softCap = 30.0F}},
                              {130, 4}, 0));
}

// Softmax ignores a centre subtracted from all keys of a head. The oracle reads the original keys.
TEST_P(AttentionByTable, rotatedKeysWithACentre_equalDecodeThenAttend) {
    for (const int bits : {2, 7})
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{17}})
            for (const Precision precision : {Precision::Exact, Precision::Fast})
                expectEqualsReference(*findKernels(GetParam()),
                                      {{6, 2, 64},
                                       tokens,
                                       {tokens + 140, tokens + 17},
                                       {DType::F16, {bits, 0}, {3, 0}, true},
                                       Bias::SomeSwitchedOff},
                                      precision);
}

TEST_P(AttentionByTable, exactRows_keysWithACentre_equalReference) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{17}})
        for (const Precision precision : {Precision::Exact, Precision::Fast})
            expectEqualsReference(*findKernels(GetParam()),
                                  withExactRows({{6, 2, 64},
                                                 tokens,
                                                 {tokens + 140, tokens + 17},
                                                 {DType::F16, {2, 0}, {3, 0}, true},
                                                 Bias::SomeSwitchedOff},
                                                {40, 3}, 0),
                                  precision);
}

// Parts of a long context are combined in the rotated basis.
TEST_P(AttentionByTable, rotatedCodes_longContextAndWindows_equalReference) {
    for (const int window : {0, 2500})
        for (const int bits : {2, 3})
            expectEqualsReference(*findKernels(GetParam()),
                                  {{6, 3, 64},
                                   1,
                                   {4097, 3001, 1},
                                   {DType::F16, {bits, 0}, {bits, 0}},
                                   Bias::Random,
                                   {.scale = 0.15F, .softCap = 30.0F, .window = window}});
}

constexpr std::size_t kFarSlots = 17000;

/// Returns a head of codes with a bias on the slots from 128 on, except the last 192.
HeadData farHead(std::size_t dim, float farBias) {
    HeadData head = makeHead({DType::F16, {2, 0}, {2, 0}}, kFarSlots, dim, Bias::Random);
    std::fill(head.bias.begin() + 128, head.bias.end() - 192, farBias);
    return head;
}

std::vector<float> attendTo(const KernelTable& kernels, const HeadData& head,
                            std::span<const float> queries, std::size_t dim, Precision precision) {
    const auto heads = static_cast<int>(queries.size() / dim);
    const View<const float, 3>::Extents extents{1, heads, static_cast<std::int64_t>(dim)};
    ThreadPool pool(2);
    auto attention = Attention::create(
        kernels, pool, std::array{AttentionShape{heads, 1, static_cast<int>(dim)}}, precision);
    EXPECT_TRUE(attention.has_value());
    std::vector<float> out(queries.size());
    attention->run(
        {&head.view, 1},
        {{queries.data(), extents}, Position(static_cast<int>(kFarSlots) - 1), {.scale = 0.15F}},
        {out.data(), extents});
    return out;
}

// NaN values reveal which rows are read. If all distant weights together are below the bound, they
// are skipped and the result is within the bound. They are read if each exceeds its share, and
// always in Exact.
TEST_P(AttentionByTable, negligibleValues_inLongContexts_areReadByExactOnly) {
    constexpr std::size_t kDim = 64;
    const KernelTable& kernels = *findKernels(GetParam());
    const auto queries = randomFloats(2 * kDim, 31);
    const auto finite = [](const std::vector<float>& x) {
        return std::ranges::all_of(x, [](float v) { return std::isfinite(v); });
    };
    for (const auto& [farBias, read] : {std::pair{-24.0F, false}, {-4.0F, true}}) {
        HeadData head = farHead(kDim, farBias);
        const auto whole = attendTo(kernels, head, queries, kDim, Precision::Exact);
        const std::size_t stride = head.values.size() / kFarSlots;
        for (std::size_t slot = 512; slot < kFarSlots - 512; ++slot)
            std::fill_n(head.values.data() + (slot + 1) * stride - 2, 2, std::byte{0x7F});
        const auto fast = attendTo(kernels, head, queries, kDim, Precision::Fast);
        EXPECT_EQ(finite(fast), !read);
        EXPECT_FALSE(finite(attendTo(kernels, head, queries, kDim, Precision::Exact)));
        if (read) continue;
        for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(fast[i], whole[i], 3e-2) << i;
    }
}

// One of two queries needs distant values: both must get the bits that they get alone.
TEST_P(AttentionByTable, negligibleValues_ofOneQuery_changeNoneOfTwoQueries) {
    constexpr std::size_t kDim = 64;
    const KernelTable& kernels = *findKernels(GetParam());
    const HeadData head = farHead(kDim, -14.0F);
    auto queries = randomFloats(2 * kDim, 32);
    for (std::size_t i = 0; i < kDim; ++i) queries[i] *= 20.0F;
    const std::span all(queries);
    const auto both = attendTo(kernels, head, all, kDim, Precision::Fast);
    auto apart = attendTo(kernels, head, all.first(kDim), kDim, Precision::Fast);
    const auto second = attendTo(kernels, head, all.last(kDim), kDim, Precision::Fast);
    apart.insert(apart.end(), second.begin(), second.end());
    if (GetParam() == "scalar" || GetParam() == "avx2")
        return;  // floats: sums of pairs round differently
    EXPECT_EQ(both, apart);
}

// The window of a cache hides older tokens except its kept first ones; the window of the layer
// hides those as well.
TEST_P(AttentionByTable, cacheWindow_withAndWithoutLayerWindow_equalsReference) {
    for (const int cacheWindow : {1, 16, 130})
        for (const int keep : {0, 3})
            for (const int layerWindow : {0, 40})
                for (const Places places : {Places::Sparse, Places::Shuffled})
                    for (const std::size_t tokens : {std::size_t{1}, std::size_t{70}})
                        expectEqualsReference(*findKernels(GetParam()),
                                              {{6, 2, 32},
                                               tokens,
                                               {tokens + 300, tokens + 17},
                                               {DType::F16, {8, 32}, {4, 32}},
                                               Bias::Random,
                                               {.scale = 0.2F, .window = layerWindow},
                                               places,
                                               cacheWindow,
                                               keep});
}

std::vector<std::string> tableNames() {
    std::vector<std::string> names;
    for (const KernelTable& table : availableKernels()) names.emplace_back(table.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Tables, AttentionByTable, ::testing::ValuesIn(tableNames()),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

}  // namespace
}  // namespace lacuna::test
