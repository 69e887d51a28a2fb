// Few keys: the output pursuit against a plain implementation in double, and the fit that uses it
// against the one it replaces, on the other splits of the golden head and on generated heads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention_fixture.h"
#include "engine/compress/matching/answer_pursuit.h"
#include "engine/compress/matching/few_key_fit.h"

namespace lacuna::test {
namespace {

constexpr double kScale = 0.25;

using Row = std::vector<double>;

double product(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Removes the component of `row` along the unit vector `direction`.
void takeOff(Row& row, const Row& direction) {
    const double part = product(row, direction);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= part * direction[i];
}

/// Reference implementation of docs/attention-matching.md ("Few keys"), one candidate at a time.
std::vector<std::int32_t> plainPursuit(const PlainHead& head, const std::vector<float>& queries,
                                       const std::vector<std::int32_t>& candidates, int count) {
    const auto dim = static_cast<std::size_t>(head.keyDim);
    const std::size_t n = queries.size() / dim;
    std::vector<Row> rows(candidates.size(), Row(n));
    std::vector<Row> targets(static_cast<std::size_t>(head.valueDim) + 1, Row(n));
    for (std::size_t i = 0; i < n; ++i) {
        const float* query = queries.data() + i * dim;
        const PlainAnswer all = attend(head, query, kScale);
        double top = 0;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            double dot = 0;
            for (std::size_t d = 0; d < dim; ++d)
                dot += static_cast<double>(query[d]) *
                       static_cast<double>(
                           head.keys[static_cast<std::size_t>(candidates[c]) * dim + d]);
            rows[c][i] = std::exp(dot * kScale - all.logMass);
            top = std::max(top, rows[c][i]);
        }
        const double weight = 1 / std::sqrt(top);
        for (Row& row : rows) row[i] *= weight;
        for (std::size_t d = 0; d < all.output.size(); ++d) targets[d][i] = weight * all.output[d];
        targets.back()[i] = weight;
    }
    double answers = 0;
    for (std::size_t d = 0; d + 1 < targets.size(); ++d) answers += product(targets[d], targets[d]);
    const double size = 0.3 * std::sqrt(answers / product(targets.back(), targets.back()));
    for (double& x : targets.back()) x *= size;
    double damping = 0;
    for (const Row& row : rows)
        damping += 0.1 * product(row, row) / static_cast<double>(rows.size());
    std::vector<std::int32_t> picks;
    while (static_cast<int>(picks.size()) < count) {
        std::size_t best = 0;
        double most = 0;
        for (std::size_t c = 0; c < rows.size(); ++c) {
            double explained = 0;
            for (const Row& target : targets) explained += std::pow(product(rows[c], target), 2);
            const double score = explained / (product(rows[c], rows[c]) + damping);
            if (score > most) {
                most = score;
                best = c;
            }
        }
        picks.push_back(candidates[best]);
        Row direction = rows[best];
        const double length = std::sqrt(product(direction, direction));
        for (double& x : direction) x /= length;
        for (Row& row : rows) takeOff(row, direction);
        for (Row& target : targets) takeOff(target, direction);
        std::ranges::fill(rows[best], 0.0);
    }
    return picks;
}

TEST(AnswerPursuit, picks_equalThePlainAlgorithm) {
    for (const std::uint64_t seed : {31U, 41U, 51U}) {
        const PlainHead head = clusteredHead(seed, 300, 60, 0.4);
        const std::vector<float> queries = randomRows(seed + 5, 200, 32);
        const auto span = attendSpan(spanOf(head, queries, static_cast<float>(kScale)));
        ASSERT_TRUE(span);
        std::vector<std::int32_t> candidates;
        for (std::int32_t slot = 3; slot < 300; slot += 3) candidates.push_back(slot);
        EXPECT_EQ(pursueAnswers(*span, candidates, 24).value(),
                  plainPursuit(head, queries, candidates, 24))
            << seed;
    }
}

TEST(AnswerPursuit, duplicateKeys_arePickedOnce) {
    const PlainHead head = clusteredHead(61, 200, 10, 0.0);
    const std::vector<float> queries = randomRows(62, 300, 32);
    const auto span = attendSpan(spanOf(head, queries, 0.2F));
    std::vector<std::int32_t> all(200);
    std::iota(all.begin(), all.end(), 0);
    const auto picks = pursueAnswers(*span, all, 40).value();
    EXPECT_EQ(picks.size(), 10U);
}

/// Returns the error of the head on unseen queries and checks that at most `kept` slots remain.
double errorOf(const PlainHead& head, const std::vector<float>& fit, const std::vector<float>& test,
               int kept, const MatchingOptions& options, float scale) {
    const MatchedHead matched = match(spanOf(head, fit, scale), kept, options);
    EXPECT_EQ(matched.keep.size(), static_cast<std::size_t>(kept)) << "the head was compacted";
    return compare(head, compacted(head, matched), test, static_cast<double>(scale)).outputError;
}

MatchingOptions coverageAlone() {
    MatchingOptions options;
    options.selector = KeySelector::Coverage;
    return options;
}

TEST(FewKeys, generatedHeads_haveLessErrorThanWithCoverage) {
    double ours = 0;
    double before = 0;
    for (const std::uint64_t seed : {71U, 81U, 91U}) {
        const PlainHead head = clusteredHead(seed, 600, 80, 0.3);
        const std::vector<float> fit = randomRows(seed + 5, 512, 32);
        const std::vector<float> test = randomRows(seed + 6, 400, 32);
        ours += errorOf(head, fit, test, 32, {}, 0.25F);
        before += errorOf(head, fit, test, 32, coverageAlone(), 0.25F);
    }
    EXPECT_LT(ours, 0.97 * before);
}

TEST(FewKeys, longSpan_isFittedWithoutAllRows) {
    // More than a million scores: rows are computed for candidates only.
    const PlainHead head = clusteredHead(101, 2600, 300, 0.3);
    const std::vector<float> fit = randomRows(102, 512, 32);
    const std::vector<float> test = randomRows(103, 200, 32);
    EXPECT_LT(errorOf(head, fit, test, 48, {}, 0.25F),
              errorOf(head, fit, test, 48, coverageAlone(), 0.25F));
}

TEST(FewKeys, fewQueries_useCoverage) {
    const PlainHead head = clusteredHead(111, 300, 80, 0.3);
    const std::vector<float> queries = randomRows(112, 120, 32);
    const MatchedHead found = match(spanOf(head, queries, 0.25F), 40);
    const MatchedHead coverage = match(spanOf(head, queries, 0.25F), 40, coverageAlone());
    EXPECT_EQ(found.keep, coverage.keep);
    EXPECT_EQ(found.bias, coverage.bias);
    EXPECT_EQ(found.values, coverage.values);
}

TEST(FewKeys, sameHead_isFittedBitForBit) {
    const PlainHead head = clusteredHead(121, 400, 80, 0.3);
    const std::vector<float> queries = randomRows(122, 300, 32);
    const MatchedHead once = match(spanOf(head, queries, 0.25F), 40);
    const MatchedHead again = match(spanOf(head, queries, 0.25F), 40);
    EXPECT_EQ(once.keep, again.keep);
    EXPECT_EQ(once.bias, again.bias);
    EXPECT_EQ(once.values, again.values);
}

/// A selection and the biases that masses alone give it.
struct Chosen {
    SpanAttention span;
    KeySelection keys;
    std::vector<float> bias;
};

Chosen chosenOf(const PlainHead& head, const std::vector<float>& queries, int kept) {
    Chosen out{.span = attendSpan(spanOf(head, queries, 0.25F)).value(), .keys = {}, .bias = {}};
    out.keys = selectKeys(out.span, KeySelector::Coverage, kept);
    out.bias = fitMass(out.span, out.keys, MassFit::Cluster);
    return out;
}

double fitError(const PlainHead& head, const Chosen& chosen, const std::vector<float>& bias,
                const std::vector<float>& values, const std::vector<float>& queries) {
    MatchedHead matched{.keep = chosen.keys.slots, .bias = bias, .values = values, .keys = {}};
    return compare(head, compacted(head, matched), queries, 0.25).outputError;
}

TEST(FewKeys, heldOutError_isCloseToTheErrorOnUnseenQueries) {
    const PlainHead head = clusteredHead(141, 500, 90, 0.3);
    const std::vector<float> queries = randomRows(142, 512, 32);
    const Chosen chosen = chosenOf(head, queries, 32);
    const FittedValues fit = fitFewKeys(chosen.span, chosen.keys, chosen.bias, {}).value();
    const double seen = fitError(head, chosen, chosen.bias, fit.values, queries);
    const double unseen =
        fitError(head, chosen, chosen.bias, fit.values, randomRows(143, 2000, 32));
    EXPECT_NEAR(fit.heldOutError, unseen, 0.1 * unseen);
    EXPECT_GT(fit.heldOutError, seen);
    EXPECT_LT(fit.heldOutError, fit.priorError);
    EXPECT_TRUE(fit.fitUsed);
}

TEST(FewKeys, requestedLambda_isUsed) {
    const PlainHead head = clusteredHead(151, 400, 80, 0.3);
    const std::vector<float> queries = randomRows(152, 512, 32);
    const Chosen chosen = chosenOf(head, queries, 32);
    const auto distance = [&](float lambda) {
        ValueFitOptions options;
        options.lambda = lambda;
        const auto fit = fitFewKeys(chosen.span, chosen.keys, chosen.bias, options).value();
        double sum = 0;
        const auto prior = fitValues(chosen.span, chosen.keys, chosen.bias,
                                     {.fit = ValueFit::RidgeCluster, .lambda = 10.0F})
                               .value();
        for (std::size_t i = 0; i < prior.values.size(); ++i)
            sum += std::abs(static_cast<double>(fit.values[i] - prior.values[i]));
        return sum;
    };
    EXPECT_GT(distance(0.01F), 1.5 * distance(2.0F));
}

TEST(FewKeys, equalQueries_stayFinite) {
    const PlainHead head = clusteredHead(161, 200, 50, 0.3);
    const std::vector<float> one = randomRows(162, 1, 32);
    std::vector<float> queries;
    for (int i = 0; i < 256; ++i) queries.insert(queries.end(), one.begin(), one.end());
    queries[5] = std::numeric_limits<float>::infinity();
    const MatchedHead matched = match(spanOf(head, queries, 0.25F), 20);
    EXPECT_GE(matched.keep.size(), 1U);
    for (const float b : matched.bias) EXPECT_TRUE(std::isfinite(b));
    for (const float v : matched.values) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace lacuna::test
