// TriAttention against its trigonometric series, evaluated term by term over explicit future
// queries.

#include "engine/kv/eviction/tri_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

struct Layout {
    const char* name;
    int dim;
    QueryRotation rotation;
};

std::vector<double> frequenciesOf(int pairs) {
    std::vector<double> out;
    for (int i = 0; i < pairs; ++i) out.push_back(std::pow(1e4, -static_cast<double>(i) / pairs));
    return out;
}

std::vector<Layout> layouts() {
    return {{"halves", 8, {.frequencies = frequenciesOf(4)}},
            {"interleaved", 8, {.frequencies = frequenciesOf(4), .interleaved = true}},
            {"part of a head turns, magnitude",
             12,
             {.frequencies = frequenciesOf(4), .magnitude = 1.25}},
            {"nothing turns", 6, {}},
            {"a layer that does not turn",
             8,
             {.frequencies = frequenciesOf(4), .layersWithoutRotation = {0}}}};
}

std::vector<float> normals(std::uint64_t stream, std::size_t count, float around = 0) {
    RandomStream random(43, stream);
    std::vector<float> out(count);
    for (float& x : out) x = around + static_cast<float>(random.normal());
    return out;
}

KvShape shapeOf(int dim) {
    return {.layers = 1, .kvHeads = 1, .keyDim = dim, .valueDim = dim, .type = DType::F32};
}

using Complex = std::complex<double>;

/// Returns the bands of a row: a complex number for each pair, then every other element.
std::vector<Complex> bandsOf(const QueryRotation& rotation, const float* row, int dim) {
    std::vector<Complex> out;
    for (std::size_t pair = 0; pair < rotation.pairs(); ++pair) {
        const auto [a, b] = rotation.elementsOf(pair);
        out.emplace_back(row[a], row[b]);
    }
    for (std::size_t i = 2 * rotation.pairs(); i < static_cast<std::size_t>(dim); ++i)
        out.emplace_back(row[i], 0);
    return out;
}

/// Returns a row as stored at a position.
std::vector<float> turned(const QueryRotation& rotation, const float* row, int dim, int position) {
    std::vector<float> out(row, row + dim);
    if (!rotation.turns(0)) return out;
    for (std::size_t pair = 0; pair < rotation.pairs(); ++pair) {
        const auto [a, b] = rotation.elementsOf(pair);
        const Complex at = Complex(row[a], row[b]) *
                           std::polar(rotation.magnitude, rotation.frequencies[pair] * position);
        out[a] = static_cast<float>(at.real());
        out[b] = static_cast<float>(at.imag());
    }
    return out;
}

/// One layer and KV head with random queries and keys before RoPE.
struct Text {
    Text(const Layout& layout, int tokens, int queryHeads, std::uint64_t seed = 1)
        : rotation(layout.rotation),
          dim(layout.dim),
          heads(queryHeads),
          queries(normals(seed, static_cast<std::size_t>(tokens * heads * dim), 0.6F)),
          keys(normals(seed + 1, static_cast<std::size_t>(tokens * dim), 0.3F)),
          cache(makeSlotCache(shapeOf(dim)).value()) {}

    [[nodiscard]] const float* query(int token, int head) const {
        return queries.data() + std::ptrdiff_t{token * heads + head} * dim;
    }
    [[nodiscard]] const float* key(int token) const {
        return keys.data() + std::ptrdiff_t{token} * dim;
    }
    /// Appends the next tokens and passes on their queries.
    void read(QueryObserver& observer, int tokens) {
        const int first = cache->offset().value;
        std::vector<float> asked;
        std::vector<float> rows;
        for (int token = first; token < first + tokens; ++token) {
            for (int head = 0; head < heads; ++head) {
                const auto one = turned(rotation, query(token, head), dim, token);
                asked.insert(asked.end(), one.begin(), one.end());
            }
            const auto one = turned(rotation, key(token), dim, token);
            rows.insert(rows.end(), one.begin(), one.end());
        }
        ASSERT_TRUE(cache->beginAppend(tokens));
        cache->writeLayer(LayerIndex(0), {rows.data(), {tokens, 1, dim}},
                          {rows.data(), {tokens, 1, dim}});
        observer.observeQueries(LayerIndex(0), {asked.data(), {tokens, heads, dim}},
                                Position(first));
        cache->commitAppend();
    }
    /// Returns the statistics of the queries at positions 4 to `end`.
    [[nodiscard]] std::shared_ptr<const QueryCentres> centres(int end) const {
        QueryCentreSums sums(1, heads, rotation);
        std::vector<float> asked;
        for (int token = 0; token < end; ++token)
            for (int head = 0; head < heads; ++head) {
                const auto one = turned(rotation, query(token, head), dim, token);
                asked.insert(asked.end(), one.begin(), one.end());
            }
        sums.observeQueries(LayerIndex(0), {asked.data(), {end, heads, dim}}, Position(0));
        return std::make_shared<const QueryCentres>(sums.centres(dim));
    }
    [[nodiscard]] TriScoring scoring(std::shared_ptr<const QueryCentres> of = nullptr) const {
        return {.heads = heads,
                .scaling = {.scale = 0.5F},
                .rotation = rotation,
                .centres = std::move(of)};
    }

    QueryRotation rotation;
    int dim;
    int heads;
    std::vector<float> queries;
    std::vector<float> keys;
    std::unique_ptr<KvCache> cache;
};

/// Equations 6 to 10 of the paper: for each distance of a future query the sum over the bands of |E
/// q_f| |k_f| cos(omega_f (p_q - p_k) + phase_f), its mean, and (1 - R_f) E|q_f| |k_f|.
std::vector<double> seriesOf(const Text& text, int head, int tokens, int queriesEnd) {
    const auto bands = static_cast<std::size_t>(text.dim) - text.rotation.pairs();
    std::vector<Complex> mean(bands);
    std::vector<double> length(bands);
    for (int token = 4; token < queriesEnd; ++token) {
        const auto query = bandsOf(text.rotation, text.query(token, head), text.dim);
        for (std::size_t f = 0; f < bands; ++f) {
            mean[f] += query[f] / static_cast<double>(queriesEnd - 4);
            length[f] += std::abs(query[f]) / (queriesEnd - 4);
        }
    }
    std::vector<double> out;
    for (int token = 0; token < tokens; ++token) {
        const auto key = bandsOf(text.rotation, text.key(token), text.dim);
        double score = 0;
        for (std::size_t f = 0; f < bands; ++f) {
            const bool turns = f < text.rotation.pairs() && text.rotation.turns(0);
            const double omega = turns ? text.rotation.frequencies[f] : 0.0;
            const double square = turns ? text.rotation.magnitude * text.rotation.magnitude : 1.0;
            const double phase = std::arg(mean[f] * std::conj(key[f]));
            double series = 0;
            for (int i = 0; i < 17; ++i) {
                const double distance = tokens - 1 + std::ldexp(1.0, i) - token;
                series += std::cos(omega * distance + phase) / 17;
            }
            const double concentrated = std::abs(mean[f]) / length[f];
            score += square * std::abs(key[f]) *
                     (std::abs(mean[f]) * series + (1 - concentrated) * length[f]);
        }
        out.push_back(0.5 * score);
    }
    return out;
}

/// Returns the scores in units of their spread over the slots from the fifth to `end`.
std::vector<double> normalised(std::vector<double> scores, int end) {
    double mean = 0;
    double square = 0;
    for (int j = 4; j < end; ++j) mean += scores[static_cast<std::size_t>(j)] / (end - 4);
    for (int j = 4; j < end; ++j)
        square += std::pow(scores[static_cast<std::size_t>(j)] - mean, 2) / (end - 4);
    for (double& score : scores) score = (score - mean) / std::sqrt(square);
    return scores;
}

TEST(TriAttention, scores_equalTheTrigonometricSeriesOverFutureQueries) {
    constexpr int kTokens = 150;
    constexpr int kAnchorEnd = 142;
    for (const Layout& layout : layouts()) {
        Text text(layout, kTokens, 3);
        TriAttention tri(*text.cache, text.scoring(text.centres(100)));
        for (const int run : {60, 1, 89}) text.read(tri, run);
        const SlotScores found =
            tri.scores(text.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0), HeadIndex(0),
                       {.tokens = kTokens, .anchorEnd = kAnchorEnd});
        std::vector<double> wanted(kTokens, -1e9);
        for (int head = 0; head < 3; ++head) {
            const auto own = normalised(seriesOf(text, head, kTokens, 100), kAnchorEnd);
            for (std::size_t j = 0; j < own.size(); ++j) wanted[j] = std::max(wanted[j], own[j]);
        }
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t j = 0; j < wanted.size(); ++j)
            EXPECT_NEAR(found[j], wanted[j], 2e-4) << layout.name << " slot " << j;
    }
}

// The score of a stored key is its dot product with a query at the centre, rotated to the future
// positions.
TEST(TriAttention, rotatedCentre_equalsTheMeanOfExplicitQueries) {
    for (const Layout& layout : layouts()) {
        const std::vector<float> mean = normals(5, static_cast<std::size_t>(layout.dim));
        const std::vector<float> lengths(
            static_cast<std::size_t>(layout.dim) - layout.rotation.pairs(), 3.0F);
        const RotatedCentre centre = rotatedCentre(mean.data(), lengths.data(), layout.dim,
                                                   layout.rotation, layout.rotation.turns(0), 1000);
        std::vector<double> wanted(static_cast<std::size_t>(layout.dim));
        for (int i = 0; i < kDistances; ++i) {
            const auto one = turned(layout.rotation, mean.data(), layout.dim, 999 + (1 << i));
            for (std::size_t k = 0; k < wanted.size(); ++k)
                wanted[k] += static_cast<double>(one[k]) / kDistances;
        }
        for (std::size_t k = 0; k < wanted.size(); ++k)
            EXPECT_NEAR(centre.direction[k], wanted[k], 1e-5) << layout.name << " element " << k;
    }
}

TEST(TriAttention, noCalibration_usesQueriesUpToTheCheckpoint) {
    const Layout layout = layouts().front();
    Text text(layout, 200, 2);
    TriAttention own(*text.cache, text.scoring());
    TriAttention calibrated(*text.cache, text.scoring(text.centres(128)));
    text.read(own, 200);
    // The newest checkpoint at least 32 tokens before position 190 is 128.
    const ScoreRequest request{.tokens = 200, .anchorEnd = 190};
    EXPECT_TRUE(own.known(request));
    EXPECT_EQ(own.observed(LayerIndex(0)), 196);
    const KvHeadView head = text.cache->head(LayerIndex(0), HeadIndex(0));
    const SlotScores a = own.scores(head, LayerIndex(0), HeadIndex(0), request);
    const SlotScores b = calibrated.scores(head, LayerIndex(0), HeadIndex(0), request);
    ASSERT_EQ(a.size(), 200U);
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-4) << j;
}

TEST(TriAttention, splitIntoRuns_changesNoBit) {
    const Layout layout = layouts()[1];
    Text whole(layout, 200, 2);
    Text parts(layout, 200, 2);
    TriAttention a(*whole.cache, whole.scoring());
    TriAttention b(*parts.cache, parts.scoring());
    whole.read(a, 200);
    for (const int run : {3, 90, 1, 1, 66, 39}) parts.read(b, run);
    for (const std::int64_t end : {200, 190, 90, 20})
        EXPECT_EQ(a.scores(whole.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                           HeadIndex(0), {.tokens = 200, .anchorEnd = end}),
                  b.scores(parts.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                           HeadIndex(0), {.tokens = 200, .anchorEnd = end}))
            << end;
}

// Rejected drafts and a conversation that is rolled back far.
TEST(TriAttention, rolledBackTokens_leaveNothingInTheSums) {
    const Layout layout = layouts().front();
    Text straight(layout, 150, 1);
    Text drafted(layout, 150, 1);
    TriAttention a(*straight.cache, straight.scoring());
    TriAttention b(*drafted.cache, drafted.scoring());
    straight.read(a, 150);
    drafted.read(b, 130);
    const std::vector<float> other = normals(8, 8 * 8);
    b.observeQueries(LayerIndex(0), {other.data(), {8, 1, 8}}, Position(130));
    b.dropFrom(Position(130));
    b.observeQueries(LayerIndex(0), {other.data(), {5, 1, 8}}, Position(130));
    drafted.read(b, 20);
    const ScoreRequest all{.tokens = 150, .anchorEnd = 30};  // no checkpoint: every query counts
    EXPECT_EQ(a.scores(straight.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                       HeadIndex(0), all),
              b.scores(drafted.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                       HeadIndex(0), all));
    b.dropFrom(Position(70));
    EXPECT_EQ(b.observed(LayerIndex(0)), 60) << "the sums go back to the checkpoint at 64";
    b.dropFrom(Position(0));
    EXPECT_EQ(b.observed(LayerIndex(0)), 0);
    EXPECT_TRUE(
        b.scores(drafted.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0), HeadIndex(0), all)
            .empty());
}

TEST(TriAttention, quantisedKeys_areScoredFromDecodedRows) {
    const Layout layout{"halves", 32, {.frequencies = frequenciesOf(16)}};
    Text text(layout, 150, 2);
    KvShape coded = shapeOf(32);
    coded.keyQuant = coded.valueQuant = {8, 32};
    Text codes(layout, 150, 2);
    codes.cache = makeSlotCache(coded).value();
    const auto centres = text.centres(150);
    TriAttention a(*text.cache, text.scoring(centres));
    TriAttention b(*codes.cache, codes.scoring(centres));
    text.read(a, 150);
    codes.read(b, 150);
    const ScoreRequest request{.tokens = 150, .anchorEnd = 142};
    const auto plain = a.scores(text.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                                HeadIndex(0), request);
    const auto found = b.scores(codes.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                                HeadIndex(0), request);
    EXPECT_NE(plain, found);
    for (std::size_t j = 0; j < plain.size(); ++j) EXPECT_NEAR(plain[j], found[j], 0.05) << j;
}

// A hole is excluded from the spread; a bias counts as in the attention.
TEST(TriAttention, gapsAndBias_countAsInAttention) {
    const Layout layout = layouts().front();
    Text text(layout, 100, 1);
    TriAttention tri(*text.cache, text.scoring(text.centres(100)));
    text.read(tri, 100);
    const ScoreRequest request{.tokens = 100, .anchorEnd = 92};
    KvHeadView head = text.cache->head(LayerIndex(0), HeadIndex(0));
    const auto plain = tri.scores(head, LayerIndex(0), HeadIndex(0), request);
    std::vector<float> bias(100, 0.0F);
    bias[40] = 50.0F;
    bias[41] = -std::numeric_limits<float>::infinity();
    head.bias = bias.data();
    const auto found = tri.scores(head, LayerIndex(0), HeadIndex(0), request);
    EXPECT_EQ(std::ranges::max_element(found) - found.begin(), 40);
    EXPECT_NE(std::ranges::max_element(plain) - plain.begin(), 40);
    EXPECT_TRUE(std::isfinite(found[41]));
}

/// Compares evictions by scores computed in slices and by scores computed at once.
void expectPreparedLikeAtOnce(const TriScoring& scoring, Text& text) {
    ThreadPool pool(2);
    TriAttention tri(*text.cache, scoring);
    text.read(tri, 160);
    EvictionOptions options;
    options.rule = {.budget = 60, .keepRecent = 16, .nSink = 4};
    options.policy = EvictionPolicy::TriAttention;
    options.attention = &tri;
    PreparedScores prepared;
    for (int left = 10; left > 0; --left) {
        prepared.advance(*text.cache, options, left, pool);
        text.read(tri, 1);
    }
    ASSERT_TRUE(prepared.fit(*text.cache, options));
    ASSERT_FALSE(prepared.of(0, 170).empty());
    const auto atOnce = planEviction(*text.cache, options, pool).value();
    EvictionOptions ready = options;
    ready.prepared = &prepared;
    const auto slices = planEviction(*text.cache, ready, pool).value();
    EXPECT_EQ(slices.plan.heads[0].keep, atOnce.plan.heads[0].keep);
    EXPECT_EQ(slices.plan.heads[0].keep.count(), 60);
    options.policy = EvictionPolicy::KeyDiff;
    EXPECT_FALSE(prepared.fit(*text.cache, options)) << "scores of another policy";
}

TEST(TriAttention, preparedScores_keepTheSameSlotsAsImmediateScores) {
    const Layout layout = layouts().front();
    Text calibrated(layout, 200, 2);
    expectPreparedLikeAtOnce(calibrated.scoring(calibrated.centres(100)), calibrated);
    Text watched(layout, 200, 2);
    expectPreparedLikeAtOnce(watched.scoring(), watched);
}

TEST(TriAttention, shortTextWithoutCalibration_isNotPrepared) {
    const Layout layout = layouts().front();
    Text text(layout, 60, 1);
    TriAttention tri(*text.cache, text.scoring());
    text.read(tri, 40);
    EXPECT_FALSE(tri.known({.tokens = 41, .anchorEnd = 40}));
    EXPECT_EQ(tri.scores(text.cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0), HeadIndex(0),
                         {.tokens = 41, .anchorEnd = 40})
                  .size(),
              40U);
}

TEST(TriAttention, concentration_isOneForEqualQueries_andLowForSpreadOnes) {
    const Layout layout = layouts().front();
    Text alike(layout, 50, 1);
    for (std::size_t i = 8; i < alike.queries.size(); ++i) alike.queries[i] = alike.queries[i - 8];
    Text drawn(layout, 50, 1);
    for (float& x : drawn.queries) x -= 0.6F;
    EXPECT_NEAR(concentration(*alike.centres(50), layout.rotation), 1, 1e-5);
    EXPECT_LT(concentration(*drawn.centres(50), layout.rotation), 0.4);
}

}  // namespace
}  // namespace lacuna::test
