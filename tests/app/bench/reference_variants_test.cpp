// The published reference's own variants, reproduced on its golden head as the baseline of
// comparisons.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "app/bench/slow_fit.h"
#include "engine/base/json.h"
#include "engine/compress/matching/attention_matching.h"
#include "tests/engine/compress/attention_fixture.h"
#include "tests/engine/compress/npy_fixture.h"

namespace lacuna::test {
namespace {

struct Variant {
    std::string method;  ///< prefix of its name in the reference's table
    SlowFitOptions options;
};

std::vector<Variant> variants() {
    const ValueFitOptions least{.fit = ValueFit::LeastSquares};
    const MatchingOptions highest{KeySelector::HighestRms, MassFit::Cluster, least};
    const MatchingOptions any{.selector = KeySelector::Auto, .values = least};
    return {{"evict", {.matching = {KeySelector::HighestRms, MassFit::None, {ValueFit::Direct}}}},
            {"highest-attention", {.matching = highest, .bounded = MassBounds{}}},
            {"orthogonal matching pursuit (",
             {.matching = any, .pursuit = 1, .bounded = kPursuitBounds}},
            {"orthogonal matching pursuit, 4",
             {.matching = any, .pursuit = 4, .bounded = kPursuitBounds}}};
}

class GoldenHeadTest : public ::testing::Test {
  protected:
    GoldenHeadTest() : keys_(readNpy("keys.npy")), values_(readNpy("values.npy")) {
        head_ = {.keys = keys_.numbers,
                 .values = values_.numbers,
                 .bias = std::vector<float>(static_cast<std::size_t>(keys_.rows), 0.0F),
                 .keyDim = 64,
                 .valueDim = 64};
        span_.head.type = DType::F32;
        span_.head.keys = reinterpret_cast<const std::byte*>(head_.keys.data());
        span_.head.values = reinterpret_cast<const std::byte*>(head_.values.data());
        span_.head.slots = static_cast<int>(keys_.rows);
        span_.keyDim = 64;
        span_.valueDim = 64;
        span_.last = span_.head.slots;
        span_.scale = 0.125F;
        span_.queries = {fit_.numbers.data(), {fit_.rows, fit_.columns}};
    }
    [[nodiscard]] Fidelity after(int kept, const SlowFitOptions& options,
                                 const Matrix& queries) const {
        const auto matched = matchHeadSlowly(span_, kept, options);
        EXPECT_TRUE(matched);
        PlainHead out{.keys = {},
                      .values = matched->values,
                      .bias = matched->bias,
                      .keyDim = 64,
                      .valueDim = 64};
        for (const std::int32_t slot : matched->keep)
            out.keys.insert(out.keys.end(), head_.keys.begin() + slot * 64,
                            head_.keys.begin() + (slot + 1) * 64);
        return compare(head_, out, queries.numbers, 0.125);
    }

    Matrix keys_, values_, fit_ = readNpy("queries_fit.npy"), unseen_ = readNpy("queries_test.npy");
    PlainHead head_;
    HeadSpan span_;
};

TEST_F(GoldenHeadTest, referenceVariants_areReproducedWithinFivePercent) {
    const auto reference =
        parseJson(readFile(LACUNA_GOLDEN_DIR "/attention-matching/reference.json", 1 << 20).value())
            .value();
    for (const Variant& variant : variants()) {
        for (const Json& row : reference["rows"]) {
            if (!row["method"].get<std::string>().starts_with(variant.method)) continue;
            const int kept = row["kept"].get<int>();
            const Fidelity found = after(kept, variant.options, unseen_);
            const double output = row["relative_output_error_test"].get<double>();
            const double mass = row["mean_abs_log_mass_error_test"].get<double>();
            std::printf("%-32s %3d: output error %.4f (reference %.4f), mass error %.4f (%.4f)\n",
                        variant.method.c_str(), kept, found.outputError, output, found.logMassError,
                        mass);
            EXPECT_NEAR(found.outputError, output, 0.05 * output) << variant.method << kept;
            EXPECT_NEAR(found.logMassError, mass, 0.05 * mass) << variant.method << kept;
        }
    }
}

double errorOf(const PlainHead& head, const std::vector<float>& fit, const std::vector<float>& test,
               int kept, const SlowFitOptions& options) {
    constexpr float kGoldenScale = 0.125F;
    const auto matched = matchHeadSlowly(spanOf(head, fit, kGoldenScale), kept, options);
    EXPECT_TRUE(matched) << matched.error().what;
    return compare(head, compacted(head, *matched), test, static_cast<double>(kGoldenScale))
        .outputError;
}

TEST(FewKeys, newSplitsOfTheGoldenHead_matchTheBestReferenceVariant) {
    const Matrix keys = readNpy("keys.npy");
    const Matrix values = readNpy("values.npy");
    const Matrix first = readNpy("queries_fit.npy");
    const Matrix second = readNpy("queries_test.npy");
    const PlainHead head{.keys = keys.numbers,
                         .values = values.numbers,
                         .bias = std::vector<float>(static_cast<std::size_t>(keys.rows), 0.0F),
                         .keyDim = 64,
                         .valueDim = 64};
    SlowFitOptions reference{.matching = {}, .pursuit = 4, .bounded = kPursuitBounds};
    reference.matching.values.fit = ValueFit::LeastSquares;
    std::vector<float> all = first.numbers;
    all.insert(all.end(), second.numbers.begin(), second.numbers.end());
    double ratios = 0;
    int cells = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        std::vector<std::size_t> order(all.size() / 64);
        std::iota(order.begin(), order.end(), 0);
        RandomStream random(seed, 0);
        for (std::size_t i = order.size() - 1; i > 0; --i)
            std::swap(order[i], order[random.below(i + 1)]);
        std::vector<float> fit;
        std::vector<float> test;
        for (std::size_t i = 0; i < order.size(); ++i) {
            std::vector<float>& to = i < static_cast<std::size_t>(first.rows) ? fit : test;
            const auto at = static_cast<std::ptrdiff_t>(order[i] * 64);
            to.insert(to.end(), all.begin() + at, all.begin() + at + 64);
        }
        for (const int kept : {64, 32}) {
            const double ours = errorOf(head, fit, test, kept, {});
            const double theirs = errorOf(head, fit, test, kept, reference);
            std::printf("division %d, %d keys: %.4f, matching pursuit by four %.4f\n",
                        static_cast<int>(seed), kept, ours, theirs);
            // There are 256 test queries, so chance accounts for a few percent.
            EXPECT_LT(ours, 1.04 * theirs);
            ratios += ours / theirs;
            ++cells;
        }
    }
    EXPECT_LT(ratios / cells, 0.99);
}

}  // namespace
}  // namespace lacuna::test
