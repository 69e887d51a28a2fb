// Calibrated rotations: the basis against directly computed sums; smaller coding errors than under
// a random rotation for data with a centre and outlying directions; and a calibration of the test
// model that helps on unseen text.

#include "engine/quality/rotation_calibration.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "engine/base/file.h"
#include "engine/base/random.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"
#include "engine/model/rotation_file.h"
#include "tests/support/bundled_models.h"

namespace lacuna::test {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Returns rows [count, dim] of normal numbers around a centre, with a spread that falls by a
/// factor per dimension.
Floats rowsAround(const Floats& centre, double falls, std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 3);
    Floats rows;
    for (std::size_t t = 0; t < count; ++t) {
        double spread = 1;
        for (const float c : centre) {
            rows.push_back(c + static_cast<float>(spread * random.normal()));
            spread *= falls;
        }
    }
    return rows;
}

/// Returns the sum of x x' over rows, computed directly.
Doubles momentsOf(const Floats& rows, std::size_t dim) {
    Doubles sums(dim * dim);
    for (std::size_t from = 0; from < rows.size(); from += dim)
        for (std::size_t i = 0; i < dim; ++i)
            for (std::size_t j = 0; j < dim; ++j)
                sums[i * dim + j] += double{rows[from + i]} * double{rows[from + j]};
    return sums;
}

View<const double, 2> viewOf(const Doubles& square, std::size_t dim) {
    const auto n = static_cast<std::int64_t>(dim);
    return {square.data(), {n, n}};
}

/// Returns a M b'.
double between(const Doubles& a, const Doubles& m, const Doubles& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a.size(); ++j) sum += a[i] * m[i * a.size() + j] * b[j];
    return sum;
}

TEST(CalibratedRotation, everyHeadSize_isOrthogonal) {
    for (const std::size_t dim : {32, 64, 72, 80, 96, 128}) {
        const Floats rows = rowsAround(Floats(dim, 0.3F), 0.9, 3 * dim, dim);
        const auto found = calibratedRotation(viewOf(momentsOf(rows, dim), dim));
        ASSERT_TRUE(found);
        double worst = 0;
        for (std::size_t i = 0; i < dim; ++i)
            for (std::size_t j = 0; j < dim; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < dim; ++k)
                    sum += double{(*found)[i * dim + k]} * double{(*found)[j * dim + k]};
                worst = std::max(worst, std::fabs(sum - (i == j ? 1 : 0)));
            }
        EXPECT_LT(worst, 1e-6) << dim;
    }
}

// R' = (U H P)': the rows of R', reordered and multiplied with Sylvester's matrix, are the
// directions of largest spread under `moments` in descending order.
TEST(CalibratedRotation, powerOfTwoSize_isEigenvectorsTimesBitReversedHadamard) {
    constexpr std::size_t kDim = 32;
    const Doubles moments = momentsOf(rowsAround(Floats(kDim, 0.1F), 0.85, 400, 5), kDim);
    const auto found = calibratedRotation(viewOf(moments, kDim)).value();
    const auto reversed = [](std::size_t place) {
        std::size_t out = 0;
        for (int bit = 0; bit < 5; ++bit) out |= (place >> bit & 1) << (4 - bit);
        return out;
    };
    double before = std::numeric_limits<double>::infinity();
    Doubles last;
    for (std::size_t m = 0; m < kDim; ++m) {
        Doubles direction(kDim);
        for (std::size_t place = 0; place < kDim; ++place) {
            const double sign = std::popcount(m & reversed(place)) % 2 == 0 ? 1 : -1;
            for (std::size_t j = 0; j < kDim; ++j)
                direction[j] += sign / std::sqrt(32.0) * double{found[place * kDim + j]};
        }
        const double spread = between(direction, moments, direction);
        EXPECT_LT(spread, before * (1 + 1e-4));
        if (!last.empty()) {
            EXPECT_NEAR(between(direction, moments, last), 0, 1e-4 * before);
        }
        before = spread;
        last = direction;
    }
}

TEST(CalibratedRotation, nonFiniteInput_givesNoRotation) {
    Doubles moments(32 * 32, 1.0);
    moments[32] = std::nan("");  // within the lower triangle
    EXPECT_FALSE(calibratedRotation(viewOf(moments, 32)));
}

/// Returns the mean over queries of the variance over keys of the score error.
double scoreError(const Rotation& rotation, int bits, const Floats& keys, const Floats& queries) {
    const auto dim = static_cast<std::size_t>(rotation.dim());
    const RowFormat format{.quant = {bits, 0},
                           .dim = rotation.dim(),
                           .rotation = &rotation,
                           .scale = CodeScale::Unbiased};
    Floats errors = keys;
    std::vector<std::byte> coded(formatBytes(format));
    for (std::size_t from = 0; from < keys.size(); from += dim) {
        Floats back(dim);
        encodeRow(format, std::span(keys).subspan(from, dim), coded.data());
        decodeRow(format, coded.data(), back);
        for (std::size_t i = 0; i < dim; ++i) errors[from + i] -= back[i];
    }
    double all = 0;
    for (std::size_t q = 0; q < queries.size(); q += dim) {
        double sum = 0;
        double squares = 0;
        for (std::size_t from = 0; from < errors.size(); from += dim) {
            double change = 0;
            for (std::size_t i = 0; i < dim; ++i)
                change += double{queries[q + i]} * double{errors[from + i]};
            sum += change;
            squares += change * change;
        }
        const auto count = static_cast<double>(errors.size() / dim);
        all += squares / count - sum / count * (sum / count);
    }
    return all / static_cast<double>(queries.size() / dim);
}

TEST(CalibratedRotation, keysWithCentreAndOutliers_loseLessThanWithARandomRotation) {
    constexpr std::size_t kDim = 64;
    Floats centre(kDim);
    for (std::size_t i = 0; i < kDim; ++i) centre[i] = i % 9 == 0 ? 2.5F : 0.1F;
    const Floats seen = rowsAround(centre, 0.93, 300, 1);
    const Floats queries = rowsAround(Floats(kDim, 0.2F), 0.95, 200, 2);
    auto matrix = calibratedRotation(viewOf(momentsOf(queries, kDim), kDim)).value();
    // As in a calibration: the centre of the observed rows and the range that suits it.
    RowFit fit;
    Floats mean(kDim);
    for (std::size_t i = 0; i < seen.size(); ++i) mean[i % kDim] += seen[i] / 300;
    const Rotation bare = Rotation::dense(kDim, matrix).value();
    fit.centre.resize(kDim);
    bare.apply(mean.data(), fit.centre.data());
    Floats turned = seen;
    for (std::size_t from = 0; from < turned.size(); from += kDim) {
        bare.apply(turned.data() + from, turned.data() + from);
        for (std::size_t i = 0; i < kDim; ++i) turned[from + i] -= fit.centre[i];
    }
    fit.ranges = fittedRanges(turned, kDim, Floats(300, 1.0F), CodeScale::Unbiased);
    const Rotation calibrated = Rotation::dense(kDim, matrix, fit).value();
    const Rotation random = Rotation::hadamard(kDim, 4).value();
    const Floats unseen = rowsAround(centre, 0.93, 300, 7);
    const Floats asked = rowsAround(Floats(kDim, 0.2F), 0.95, 50, 8);
    for (const int bits : {2, 3, 4})
        EXPECT_LT(scoreError(calibrated, bits, unseen, asked),
                  0.5 * scoreError(random, bits, unseen, asked))
            << bits;
}

TEST(FittedRanges, normalRows_haveRangeNearOne_andSpikesAreNotClipped) {
    const Floats normal = rowsAround(Floats(64), 1.0, 100, 3);
    const Floats even(100, 1.0F);
    for (const float range : fittedRanges(normal, 64, even, CodeScale::LeastSquares)) {
        EXPECT_GE(range, 0.9F);
        EXPECT_LE(range, 1.1F);
    }
    // One coordinate is far beyond the last centroid.
    Floats spiky = rowsAround(Floats(64), 1.0, 100, 3);
    for (std::size_t from = 0; from < spiky.size(); from += 64) spiky[from] = 8;
    EXPECT_LT(fittedRanges(spiky, 64, even, CodeScale::LeastSquares)[3], 0.9F);
    // Rows with zero weight have no effect.
    Floats mixed = normal;
    mixed.insert(mixed.end(), spiky.begin(), spiky.end());
    Floats weights = even;
    weights.resize(200);
    EXPECT_EQ(fittedRanges(mixed, 64, weights, CodeScale::LeastSquares),
              fittedRanges(normal, 64, even, CodeScale::LeastSquares));
    for (const float range : fittedRanges({}, 64, {}, CodeScale::Unbiased)) EXPECT_EQ(range, 1.0F);
}

struct Stage {
    Stage() {
        model = loadModel(pilotModel()).value();
        transformer = Transformer::create(model, pool, {.maxTokens = 256}).value();
        options.window = 512;
        options.chunk = 64;
    }
    [[nodiscard]] std::vector<TokenId> tokensOf(const char* text, std::size_t count) const {
        const auto path = std::filesystem::path(LACUNA_RESOURCE_DIR) / "texts" / text;
        auto all = model->tokenizer.encode(*readFile(path, 1 << 20)).value();
        all.resize(std::min(all.size(), count));
        return all;
    }
    [[nodiscard]] auto calibrated(std::span<const TokenId> text) {
        return calibrateRotations(*transformer, pool, text, options);
    }

    std::shared_ptr<const LoadedModel> model;
    ThreadPool pool{2};
    std::unique_ptr<Transformer> transformer;
    RotationCalibration options;
};

/// All queries of one head group, and the keys and values at the end.
struct ReadHead final : QueryObserver {
    ReadHead(const ModelSpec& of, int atLayer, int atHead)
        : spec(of), layer(atLayer), head(atHead) {}
    void observeQueries(LayerIndex at, View<const float, 3> rows, Position) override {
        if (at.value != layer) return;
        const std::int64_t group = spec.heads / spec.kvHeads;
        for (std::int64_t t = 0; t < rows.extent(0); ++t)
            for (std::int64_t g = 0; g < group; ++g) {
                const float* const query =
                    rows.data() + (t * spec.heads + head * group + g) * spec.headDim;
                queries.insert(queries.end(), query, query + spec.headDim);
            }
    }
    void read(Transformer& transformer, std::span<const TokenId> text) {
        const auto cache = makeFullCache(spec, DType::F16).value();
        for (std::size_t from = 0; from < text.size(); from += 64) {
            const BatchRun run{
                .tokens = text.subspan(from, std::min<std::size_t>(64, text.size() - from)),
                .cache = cache.get(),
                .logits = LogitsFor::None,
                .observer = this,
                .promptEnd = Position(static_cast<std::int32_t>(text.size()))};
            ASSERT_TRUE(transformer.forward({&run, 1}, {}));
        }
        keys.resize(text.size() * static_cast<std::size_t>(spec.headDim));
        readKeys(cache->head(LayerIndex(layer), HeadIndex(head)), spec.headDim, 0,
                 static_cast<int>(text.size()), keys.data());
    }
    const ModelSpec& spec;
    int layer;
    int head;
    Floats queries;
    Floats keys;
};

TEST(RotationCalibration, testModel_losesLessOnUnseenTextThanRandomRotations) {
    Stage stage;
    const auto text = stage.tokensOf("the_naval_treaty.txt", 800);
    std::int64_t shown = 0;
    stage.options.progress = [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(total, static_cast<std::int64_t>(text.size()));
        EXPECT_GT(done, shown);
        shown = done;
    };
    const auto found = stage.calibrated(text);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(shown, static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(found->fingerprint, stage.model->spec.fingerprint);
    const auto made = CalibratedRotations::make(*found);
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ(rotationsFromBytes(rotationBytes(*found)).value(), *found);
    stage.options.progress = {};

    const auto unseen = stage.tokensOf("our_mutual_friend.txt", 256);
    const ModelSpec& spec = stage.model->spec;
    const auto dim = static_cast<std::size_t>(spec.headDim);
    double calibrated = 0;
    double random = 0;
    for (int layer = 0; layer < spec.layers; ++layer) {
        ReadHead head(spec, layer, 0);
        head.read(*stage.transformer, unseen);
        // The first tokens are excluded from the calibration.
        const Floats keys(head.keys.begin() + static_cast<std::ptrdiff_t>(64 * dim),
                          head.keys.end());
        const Floats asked(head.queries.end() - static_cast<std::ptrdiff_t>(20 * dim),
                           head.queries.end());
        const double before =
            scoreError(Rotation::hadamard(spec.headDim, 6).value(), 3, keys, asked);
        calibrated += std::log(scoreError((*made)->keys(layer, 0), 3, keys, asked) / before);
        random += std::log(scoreError(Rotation::hadamard(spec.headDim, 7).value(), 3, keys, asked) /
                           before);
    }
    EXPECT_LT(calibrated / spec.layers, std::log(0.8));
    EXPECT_NEAR(random / spec.layers, 0, 0.1) << "another seed is no better";
}

// A single window, so that the sums are those of one reading.
TEST(RotationCalibration, basisAndCentre_equalThoseOfPlainSums) {
    Stage stage;
    const auto text = stage.tokensOf("the_naval_treaty.txt", 336);
    const ModelSpec& spec = stage.model->spec;
    const auto found = stage.calibrated(text);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(stage.calibrated(text).value().hash(), found->hash()) << "the same every time";
    const auto made = CalibratedRotations::make(*found).value();
    const auto dim = static_cast<std::size_t>(spec.headDim);
    const int layer = spec.layers - 1;
    const int at = spec.kvHeads - 1;
    ReadHead head(spec, layer, at);
    head.read(*stage.transformer, text);
    const std::size_t group = static_cast<std::size_t>(spec.heads / spec.kvHeads);
    const Floats later(head.queries.begin() + static_cast<std::ptrdiff_t>(64 * group * dim),
                       head.queries.end());
    const auto expected = calibratedRotation(viewOf(momentsOf(later, dim), dim)).value();
    const float* const matrix =
        found->keys.data() + static_cast<std::size_t>(layer * spec.kvHeads + at) * dim * dim;
    double gap = 0;
    for (std::size_t i = 0; i < dim * dim; ++i)
        gap +=
            (double{matrix[i]} - double{expected[i]}) * (double{matrix[i]} - double{expected[i]});
    EXPECT_LT(gap / static_cast<double>(dim), 0.05) << "directions of like spread may mix a little";
    Floats mean(dim);
    for (std::size_t i = 64 * dim; i < head.keys.size(); ++i)
        mean[i % dim] += head.keys[i] / 272.0F;
    Floats centre(dim);
    made->keys(layer, at).apply(mean.data(), centre.data());
    for (const float x : centre) EXPECT_NEAR(x, 0, 2e-2) << "the mean key is the centre";
}

TEST(RotationCalibration, shortText_isRefusedWithTheRequiredLength) {
    Stage stage;
    for (const std::size_t tokens : {0, 1, 64, 300}) {
        const auto text = stage.tokensOf("our_mutual_friend.txt", tokens);
        stage.options.window = 512;
        stage.options.chunk = 256;
        const auto found = stage.calibrated(text);
        ASSERT_FALSE(found) << tokens;
        EXPECT_EQ(found.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(found.error().what.find(
                      std::to_string(kCountedTokensPerNumber * stage.model->spec.headDim)),
                  std::string::npos)
            << found.error().what;
    }
}

TEST(RotationCalibration, cancelled_returnsNothing) {
    Stage stage;
    const auto text = stage.tokensOf("the_naval_treaty.txt", 1100);
    stage.options.cancelled = [] { return true; };
    const auto found = stage.calibrated(text);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna::test
