// Sums over many slots with bfloat16 products, and rows computed on demand, against reference
// attention in double.

#include "engine/compress/matching/bfloat_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "attention_fixture.h"
#include "engine/compress/matching/coverage_greedy.h"
#include "engine/compress/matching/query_directions.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna::test {
namespace {

constexpr int kSlots = 2301;
constexpr int kQueries = 513;
constexpr int kFirst = 5;
constexpr int kLast = 2260;
constexpr float kScale = 0.2F;

/// Returns a head whose keys share a large component, as those of models do. Some have a bias.
PlainHead longHead() {
    PlainHead head = clusteredHead(31, kSlots, 300, 0.3);
    for (std::size_t i = 0; i < head.keys.size(); ++i)
        if (i % 32 < 3) head.keys[i] += 30.0F;
    for (std::size_t j = 0; j < head.bias.size(); j += 7) head.bias[j] = 0.5F;
    return head;
}

HeadSpan longSpan(const PlainHead& head, const std::vector<float>& queries) {
    HeadSpan span = spanOf(head, queries, kScale);
    span.first = kFirst;
    span.last = kLast;
    return span;
}

/// Returns slots [first, last) of a head except those in `without`.
PlainHead part(const PlainHead& head, int first, int last, const std::vector<int>& without = {}) {
    PlainHead out;
    out.keyDim = head.keyDim;
    out.valueDim = head.valueDim;
    for (int j = first; j < last; ++j) {
        if (std::ranges::count(without, j) > 0) continue;
        out.bias.push_back(head.bias[static_cast<std::size_t>(j)]);
        out.keys.insert(out.keys.end(), head.keys.begin() + j * head.keyDim,
                        head.keys.begin() + (j + 1) * head.keyDim);
        out.values.insert(out.values.end(), head.values.begin() + j * head.valueDim,
                          head.values.begin() + (j + 1) * head.valueDim);
    }
    return out;
}

double outputError(const SpanAttention& found, std::int64_t query, const PlainAnswer& right) {
    double error = 0;
    double whole = 0;
    for (std::size_t d = 0; d < right.output.size(); ++d) {
        const auto at =
            static_cast<std::size_t>(static_cast<std::int64_t>(d) * found.columns + query);
        error += std::pow(static_cast<double>(found.outputs[at]) - right.output[d], 2);
        whole += right.output[d] * right.output[d];
    }
    return std::sqrt(error / whole);
}

class LongSpans : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!BfloatAttention::available()) GTEST_SKIP() << "no bfloat16 products on this machine";
    }
    PlainHead head_ = longHead();
    std::vector<float> queries_ = randomRows(32, kQueries, 32);
};

TEST_F(LongSpans, outputsSharesAndMasses_equalPlainAttention) {
    const auto found = attendSpan(longSpan(head_, queries_), SpanRows::OnDemand);
    ASSERT_TRUE(found);
    ASSERT_GT(found->source.keys.size(), 0) << "this span is long enough for bfloat16";
    const PlainHead inside = part(head_, kFirst, kLast);
    std::vector<double> shares;
    double mean = 0;
    double error = 0;
    for (int i = 0; i < kQueries; ++i) {
        const float* query = queries_.data() + std::ptrdiff_t{i} * 32;
        const PlainAnswer answer = attend(inside, query, kScale);
        shares.push_back(std::exp(answer.logMass - attend(head_, query, kScale).logMass));
        mean += shares.back() / kQueries;
        error += outputError(*found, i, answer) / kQueries;
    }
    EXPECT_LT(error, 0.01);
    EXPECT_NEAR(found->meanShare, mean, 2e-3);
    double mass = 0;
    double total = 0;
    for (int i = 0; i < kQueries; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(static_cast<double>(found->weights[at]), shares[at] / mean, 0.03) << i;
        total += static_cast<double>(found->weights[at]);
    }
    for (const float m : found->mass) mass += static_cast<double>(m);
    EXPECT_NEAR(mass, total, 1e-3 * total) << "every query's probabilities sum to 1";
}

TEST_F(LongSpans, rowsOnDemand_equalAllRows) {
    auto found = attendSpan(longSpan(head_, queries_), SpanRows::OnDemand);
    const auto all = attendSpan(longSpan(head_, queries_), SpanRows::All);
    ASSERT_TRUE(found && all);
    EXPECT_EQ(all->source.keys.size(), 0);
    const std::vector<std::int32_t> slots{0, 7, 300, 2000, kLast - kFirst - 1};
    ASSERT_TRUE(attendRows(*found, slots));
    for (const std::int32_t slot : slots) {
        double off = 0;
        double sum = 0;
        for (int i = 0; i < kQueries; ++i) {
            off += std::abs(static_cast<double>(found->row(slot)[i] - all->row(slot)[i]));
            sum += static_cast<double>(all->row(slot)[i]);
        }
        EXPECT_LT(off, 0.02 * sum) << slot;
        EXPECT_NEAR(found->mass[static_cast<std::size_t>(slot)],
                    all->mass[static_cast<std::size_t>(slot)],
                    0.02F * all->mass[static_cast<std::size_t>(slot)] + 1e-6F);
        for (std::int64_t i = kQueries; i < found->columns; ++i)
            EXPECT_EQ(found->row(slot)[i], 0.0F);
    }
}

/// Returns the variance over queries of the difference between the scores of two keys.
double differenceOfScores(const PlainHead& head, const std::vector<float>& queries, int a, int b) {
    double sum = 0;
    double squares = 0;
    const auto dim = static_cast<std::size_t>(head.keyDim);
    const std::size_t count = queries.size() / dim;
    for (std::size_t i = 0; i < count; ++i) {
        double difference = 0;
        for (std::size_t d = 0; d < dim; ++d)
            difference += static_cast<double>(kScale * queries[i * dim + d]) *
                          static_cast<double>(head.keys[static_cast<std::size_t>(a) * dim + d] -
                                              head.keys[static_cast<std::size_t>(b) * dim + d]);
        sum += difference;
        squares += difference * difference;
    }
    const auto n = static_cast<double>(count);
    return squares / n - sum / n * (sum / n);
}

double squaredDistance(const SpanAttention& span, int a, int b) {
    double sum = 0;
    for (std::int64_t d = 0; d < span.sampled; ++d)
        sum += std::pow(static_cast<double>(span.centred.data()[a * span.sampled + d] -
                                            span.centred.data()[b * span.sampled + d]),
                        2);
    return sum;
}

TEST_F(LongSpans, keyDistances_equalTheVarianceOfTheirScores) {
    const auto found = attendSpan(longSpan(head_, queries_), SpanRows::OnDemand);
    ASSERT_TRUE(found);
    ASSERT_TRUE(found->centredInBfloat);
    for (int slot = 1; slot + kFirst < kLast; slot += 97) {
        const double right = differenceOfScores(head_, queries_, kFirst, kFirst + slot);
        EXPECT_NEAR(squaredDistance(*found, 0, slot) / static_cast<double>(found->sampled), right,
                    0.03 * right)
            << slot;
    }
}

/// Reference implementation of coverage: recomputes all distances after every choice.
std::vector<std::int32_t> plainCoverage(const SpanAttention& span,
                                        const std::vector<float>& weights, int count) {
    std::vector<double> nearest(weights.size(), std::numeric_limits<double>::infinity());
    std::vector<std::int32_t> picks;
    while (static_cast<int>(picks.size()) < count) {
        std::int32_t found = 0;
        double top = -1;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            const double score =
                static_cast<double>(weights[k]) * (picks.empty() ? 1.0 : nearest[k]);
            if (score < top) continue;
            top = score;
            found = static_cast<std::int32_t>(k);
        }
        picks.push_back(found);
        for (std::size_t k = 0; k < weights.size(); ++k)
            nearest[k] = std::min(nearest[k], squaredDistance(span, static_cast<int>(k), found));
    }
    return picks;
}

TEST(CoverageGreedy, picks_equalThePlainAlgorithm) {
    const PlainHead head = clusteredHead(61, 1500, 200, 0.5);
    const std::vector<float> queries = randomRows(62, 700, 32);
    std::vector<float> weights = randomRows(63, 1, 1500);
    for (float& w : weights) w = std::exp(2 * w);
    for (const SpanRows rows : {SpanRows::All, SpanRows::OnDemand}) {
        const auto span = attendSpan(spanOf(head, queries, kScale), rows);
        ASSERT_TRUE(span);
        CoverageGreedy greedy(*span, weights);
        for (int i = 0; i < 600; ++i) ASSERT_TRUE(greedy.pick()) << i;
        EXPECT_EQ(greedy.picks(), plainCoverage(*span, weights, 600));
    }
}

TEST(CoverageGreedy, equalScores_pickTheNewestSlot) {
    // More slots than front runners.
    constexpr int kEqual = 600;
    const PlainHead head = clusteredHead(64, kEqual, 20, 0.5);
    const std::vector<float> queries = randomRows(65, 40, 32);
    const auto span = attendSpan(spanOf(head, queries, kScale));
    ASSERT_TRUE(span);
    CoverageGreedy first(*span, std::vector<float>(kEqual, 1.0F));
    ASSERT_TRUE(first.pick());
    EXPECT_EQ(first.picks().front(), kEqual - 1);
}

TEST(QueryDirections, fewDirections_explainTheVarianceOfQueries) {
    // Three directions and a little noise in eight dimensions. The component shared by all queries
    // does not distinguish keys.
    constexpr int kDim = 8;
    const std::vector<float> axes = randomRows(51, 3, kDim);
    const std::vector<float> parts = randomRows(52, 200, 3);
    std::vector<float> queries = randomRows(53, 200, kDim);
    for (std::size_t i = 0; i < 200; ++i)
        for (std::size_t d = 0; d < kDim; ++d) {
            float& x = queries[i * kDim + d];
            x = 0.01F * x + (d == 2 ? 50.0F : 0.0F);
            for (std::size_t k = 0; k < 3; ++k) x += parts[i * 3 + k] * axes[k * kDim + d];
        }
    std::vector<bool> counts(200, true);
    counts[5] = false;
    std::fill_n(queries.begin() + 5 * kDim, kDim, 1e4F);
    const std::vector<float> keys = randomRows(54, 40, kDim);
    const View<const float, 2> view(queries.data(), {200, kDim});
    for (const int rank : {3, 6, 12}) {
        const std::vector<float> rows = queryDirections(view, counts, rank);
        ASSERT_EQ(rows.size(), static_cast<std::size_t>(rank * kDim));
        for (std::size_t j = 1; j < 40; ++j) {
            double sum = 0;
            double squares = 0;
            for (std::size_t i = 0; i < 200; ++i) {
                if (!counts[i]) continue;
                double difference = 0;
                for (std::size_t d = 0; d < kDim; ++d)
                    difference += static_cast<double>(queries[i * kDim + d]) *
                                  static_cast<double>(keys[j * kDim + d] - keys[d]);
                sum += difference / 199;
                squares += difference * difference / 199;
            }
            double distance = 0;
            for (std::size_t r = 0; r < static_cast<std::size_t>(rank); ++r) {
                double product = 0;
                for (std::size_t d = 0; d < kDim; ++d)
                    product += static_cast<double>(rows[r * kDim + d]) *
                               static_cast<double>(keys[j * kDim + d] - keys[d]);
                distance += product * product / rank;
            }
            EXPECT_NEAR(distance, squares - sum * sum, 0.01 * (squares - sum * sum) + 0.01)
                << rank << ", " << j;
        }
    }
}

TEST(QueryDirections, equalQueries_haveNoDirections) {
    const std::vector<float> queries(6 * 4, 2.5F);
    const auto rows = queryDirections(View<const float, 2>(queries.data(), {6, 4}),
                                      std::vector<bool>(6, true), 2);
    for (const float x : rows) EXPECT_NEAR(x, 0.0F, 1e-4F);
}

TEST_F(LongSpans, nonFiniteSlotsAndQueries_areIgnored) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    head_.keys[100 * 32 + 3] = none;
    head_.values[1500 * 16 + 1] = std::numeric_limits<float>::infinity();
    queries_[40 * 32] = none;
    queries_[41 * 32] = 3e38F;
    const auto found = attendSpan(longSpan(head_, queries_), SpanRows::OnDemand);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->badSlots, 2);
    EXPECT_EQ(found->mass[100 - kFirst], 0.0F);
    EXPECT_EQ(found->mass[1500 - kFirst], 0.0F);
    EXPECT_EQ(found->weights[40], 0.0F);
    EXPECT_EQ(found->weights[41], 0.0F);
    const PlainHead inside = part(head_, kFirst, kLast, {100, 1500});
    double error = 0;
    for (const int i : {0, 39, 42, 512})
        error += outputError(*found, i,
                             attend(inside, queries_.data() + std::ptrdiff_t{i} * 32, kScale));
    EXPECT_LT(error / 4, 0.01);
    for (const float m : found->mass) ASSERT_TRUE(std::isfinite(m));
    for (const float x : found->outputs) ASSERT_TRUE(std::isfinite(x));
}

TEST_F(LongSpans, softCap_isAppliedToTheFullScore) {
    HeadSpan span = longSpan(head_, queries_);
    span.softCap = 8;
    auto found = attendSpan(span, SpanRows::OnDemand);
    const auto all = attendSpan(span, SpanRows::All);
    ASSERT_TRUE(found && all);
    const std::vector<std::int32_t> slots{11};
    ASSERT_TRUE(attendRows(*found, slots));
    double off = 0;
    double sum = 0;
    for (std::size_t i = 0; i < all->outputs.size(); ++i) {
        if (static_cast<std::int64_t>(i) % all->columns >= kQueries) continue;
        off += std::pow(static_cast<double>(found->outputs[i] - all->outputs[i]), 2);
        sum += std::pow(static_cast<double>(all->outputs[i]), 2);
    }
    EXPECT_LT(std::sqrt(off / sum), 0.01);
    EXPECT_NEAR(found->mass[11], all->mass[11], 0.05F * all->mass[11]);
}

/// Each query prefers slot 7 over all others by a factor of e^80 to e^110. The weights of the kept
/// keys then pass through denormal floats, which have no finite inverse, down to 0.
TEST(ValueFits, queriesWithNegligibleKeptMass_keepValuesFinite) {
    for (const int slots : {60, 700}) {
        PlainHead head = clusteredHead(45, slots, 40, 0.6);
        std::vector<float> queries = randomRows(46, 64, 32);
        for (int j = 0; j < slots; ++j) head.keys[static_cast<std::size_t>(j) * 32] = 0;
        std::fill_n(head.keys.begin() + 7 * 32, 32, 0.0F);
        head.keys[7 * 32] = 1;
        for (int i = 0; i < 64; ++i) {
            std::fill_n(queries.begin() + i * 32, 32, 0.0F);
            queries[static_cast<std::size_t>(i) * 32] =
                (80.0F + 30.0F * static_cast<float>(i) / 63.0F) / kScale;
        }
        KeySelection chosen;
        for (std::int32_t slot = 10; slot < 50; ++slot) chosen.slots.push_back(slot);
        chosen.owner.assign(static_cast<std::size_t>(slots), 0);
        const std::vector<float> bias(chosen.slots.size(), 0.0F);
        for (const SpanRows rows : {SpanRows::All, SpanRows::OnDemand}) {
            auto span = attendSpan(spanOf(head, queries, kScale), rows);
            ASSERT_TRUE(span) << span.error().what;
            ASSERT_TRUE(attendRows(*span, chosen.slots));
            const auto fitted = fitValues(*span, chosen, bias, {});
            ASSERT_TRUE(fitted) << fitted.error().what;
            EXPECT_TRUE(std::isfinite(fitted->priorError)) << slots;
            EXPECT_TRUE(std::isfinite(fitted->heldOutError)) << slots;
            for (const float value : fitted->values) ASSERT_TRUE(std::isfinite(value));
        }
    }
}

TEST_F(LongSpans, fewerQueriesThanKeptKeys_fitLikeFloat) {
    const PlainHead head = clusteredHead(45, 2200, 900, 0.6);
    const std::vector<float> queries = randomRows(46, 512, 32);
    const HeadSpan span = spanOf(head, queries, kScale);
    auto all = attendSpan(span, SpanRows::All);
    auto found = attendSpan(span, SpanRows::OnDemand);
    ASSERT_TRUE(all && found);
    const KeySelection chosen = selectKeys(*all, KeySelector::Coverage, 601);
    ASSERT_EQ(chosen.slots.size(), 601U);
    ASSERT_TRUE(attendRows(*found, chosen.slots));
    ASSERT_EQ(found->byQueryStride, 608);
    const std::vector<float> bias = fitMass(*all, chosen, MassFit::Cluster);
    const std::vector<float> ours = fitMass(*found, chosen, MassFit::Cluster);
    for (std::size_t a = 0; a < bias.size(); ++a) ASSERT_NEAR(ours[a], bias[a], 0.02F) << a;
    int used = 0;
    for (const ValueFit fit : {ValueFit::RidgeCluster, ValueFit::RidgeOriginal}) {
        const auto plain = fitValues(*all, chosen, bias, {.fit = fit});
        const auto wide = fitValues(*found, chosen, bias, {.fit = fit});
        ASSERT_TRUE(plain && wide);
        used += plain->fitUsed ? 1 : 0;
        EXPECT_EQ(wide->fitUsed, plain->fitUsed);
        EXPECT_NEAR(wide->priorError, plain->priorError, 0.01 * plain->priorError);
        EXPECT_NEAR(wide->heldOutError, plain->heldOutError, 0.01 * plain->heldOutError);
        double off = 0;
        double length = 0;
        for (std::size_t i = 0; i < plain->values.size(); ++i) {
            off += std::pow(static_cast<double>(wide->values[i] - plain->values[i]), 2);
            length += std::pow(static_cast<double>(plain->values[i]), 2);
        }
        EXPECT_LT(std::sqrt(off / length), 0.02);
    }
    EXPECT_GT(used, 0);
}

TEST_F(LongSpans, bfloatFit_isAsAccurateOnUnseenQueriesAsFloat) {
    const PlainHead head = clusteredHead(41, 2200, 400, 0.4);
    const std::vector<float> queries = randomRows(42, 512, 32);
    const HeadSpan span = spanOf(head, queries, kScale);
    const std::vector<float> unseen = randomRows(43, 64, 32);
    for (const int target : {100, 600}) {
        // Only the weights by bounded least squares need full rows.
        const Fidelity ours = compare(head, compacted(head, match(span, target)), unseen, kScale);
        auto whole = attendSpan(span, SpanRows::All);
        const auto rounded = attendSpan(span, SpanRows::OnDemand);
        ASSERT_TRUE(whole && rounded);
        const KeySelection chosen = selectKeys(*rounded, KeySelector::Coverage, target);
        MatchedHead inFloat;
        inFloat.keep = chosen.slots;
        inFloat.bias = fitMass(*whole, chosen, MassFit::Cluster);
        inFloat.values = fitValues(*whole, chosen, inFloat.bias, {})->values;
        const Fidelity plain = compare(head, compacted(head, inFloat), unseen, kScale);
        EXPECT_NEAR(ours.outputError, plain.outputError, 0.02 * plain.outputError) << target;
        // On-demand rows distinguish keys by all queries, full rows by a sample of them.
        MatchedHead sampled;
        const KeySelection others = selectKeys(*whole, KeySelector::Coverage, target);
        sampled.keep = others.slots;
        sampled.bias = fitMass(*whole, others, MassFit::Cluster);
        sampled.values = fitValues(*whole, others, sampled.bias, {})->values;
        EXPECT_LT(ours.outputError,
                  1.02 * compare(head, compacted(head, sampled), unseen, kScale).outputError)
            << target;
        EXPECT_NEAR(ours.logMassError, plain.logMassError, 0.05 * plain.logMassError) << target;
    }
}

}  // namespace
}  // namespace lacuna::test
