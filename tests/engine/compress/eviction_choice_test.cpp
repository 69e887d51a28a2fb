// Policies that use attention, from the queries of a forward pass to the kept slots.

#include "engine/compress/driver/eviction_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "compactor_fixture.h"
#include "engine/kv/eviction/tri_attention.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

/// Rows and queries in the order of a forward pass: the rows of a layer come first.
class Watched {
  public:
    explicit Watched(const CompactorModel& model = kModel, int threads = 1)
        : pool_(threads),
          cache_(makeSlotCache(shape()).value()),
          compactor_(model, shape(), pool_, clock_) {}

    static KvShape shape() {
        KvShape shape = kShape;
        shape.type = DType::F32;
        return shape;
    }
    static std::vector<float> query(int layer, int head, std::int64_t at) {
        return keyRow(shape(), layer + 8, head + 8, at);
    }
    void forward(int tokens, const KvOptions& options) {
        compactor_.beforeStep(*cache_, options);
        QueryObserver* observer = compactor_.observer(*cache_, options);
        watched_ = watched_ || observer != nullptr;
        const Position first = cache_->offset();
        ASSERT_TRUE(cache_->beginAppend(tokens));
        writeRows(*cache_, tokens);
        for (int layer = 0; observer != nullptr && layer < 2; ++layer) {
            std::vector<float> rows;
            for (int i = 0; i < tokens; ++i)
                for (int head = 0; head < kModel.heads; ++head) {
                    const auto row = query(layer, head, first.value + i);
                    rows.insert(rows.end(), row.begin(), row.end());
                }
            observer->observeQueries(LayerIndex(layer), {rows.data(), {tokens, kModel.heads, 8}},
                                     first);
        }
        cache_->commitAppend();
    }
    CompactionReport compact(const KvOptions& options) {
        return compactor_.compact(*cache_, options);
    }
    [[nodiscard]] std::set<std::int32_t> kept(int layer, int head) const {
        const KvHeadView view = cache_->head(LayerIndex(layer), HeadIndex(head));
        std::set<std::int32_t> out;
        for (int j = 0; j < view.slots; ++j)
            if (view.bias == nullptr || std::isfinite(view.bias[j])) out.insert(view.positions[j]);
        return out;
    }
    [[nodiscard]] bool watched() const { return watched_; }
    [[nodiscard]] Compactor& compactor() { return compactor_; }
    [[nodiscard]] KvCache& cache() { return *cache_; }

  private:
    SteadyClock clock_;
    ThreadPool pool_;
    std::unique_ptr<KvCache> cache_;
    Compactor compactor_;
    bool watched_ = false;
};

KvOptions evicting(EvictionPolicy policy, int budget) {
    KvOptions options = l2(budget, 8);
    options.evictionPolicy = policy;
    options.nSink = 2;
    return options;
}

/// Returns the attention of one query head in double, [tokens] over tokens 0..at.
std::vector<double> probabilities(int layer, int head, int at) {
    const std::vector<float> query = Watched::query(layer, head, at);
    std::vector<double> out;
    double sum = 0;
    for (int token = 0; token <= at; ++token) {
        const auto key = keyRow(Watched::shape(), layer, head / 2, token);
        double dot = 0;
        for (std::size_t i = 0; i < key.size(); ++i)
            dot += static_cast<double>(query[i]) * static_cast<double>(key[i]);
        out.push_back(std::exp(dot * static_cast<double>(kModel.scale)));
        sum += out.back();
    }
    for (double& p : out) p /= sum;
    return out;
}

/// Reference SnapKV: mean over the newest `window` queries and the group, average over five
/// neighbours; window and sinks are kept.
std::set<std::int32_t> naiveWindow(int layer, int kvHead, int tokens, int budget, int window) {
    std::vector<double> mean(static_cast<std::size_t>(tokens), 0.0);
    for (int at = tokens - window; at < tokens; ++at)
        for (int head = kvHead * 2; head < kvHead * 2 + 2; ++head) {
            const auto p = probabilities(layer, head, at);
            for (std::size_t token = 0; token < p.size(); ++token) mean[token] += p[token];
        }
    std::vector<std::pair<double, int>> order;
    for (int token = 2; token < tokens - window; ++token) {
        double sum = 0;
        for (int near = std::max(0, token - 2); near <= std::min(tokens - 1, token + 2); ++near)
            sum += mean[static_cast<std::size_t>(near)];
        order.emplace_back(sum, token);
    }
    std::ranges::sort(order, std::greater<>());
    std::set<std::int32_t> kept{0, 1};
    for (int token = tokens - window; token < tokens; ++token) kept.insert(token);
    for (std::size_t i = 0; static_cast<int>(kept.size()) < budget; ++i)
        kept.insert(order[i].second);
    return kept;
}

/// Reference H2O: each sum is divided by the number of queries that could see the token. Every
/// `demoted`-th token counts a fifth.
std::set<std::int32_t> naiveAccumulated(int layer, int kvHead, int tokens, int budget,
                                        int demoted = 1 << 30) {
    std::vector<double> sums(static_cast<std::size_t>(tokens), 0.0);
    for (int at = 0; at < tokens; ++at)
        for (int head = kvHead * 2; head < kvHead * 2 + 2; ++head) {
            const auto p = probabilities(layer, head, at);
            for (std::size_t token = 0; token < p.size(); ++token) sums[token] += p[token];
        }
    std::vector<std::pair<double, int>> order;
    for (int token = 2; token < tokens - 8; ++token)
        order.emplace_back(sums[static_cast<std::size_t>(token)] / (tokens - token) *
                               (token % demoted == 0 ? 0.2 : 1.0),
                           token);
    std::ranges::sort(order, std::greater<>());
    std::set<std::int32_t> kept{0, 1};
    for (int token = tokens - 8; token < tokens; ++token) kept.insert(token);
    for (std::size_t i = 0; static_cast<int>(kept.size()) < budget; ++i)
        kept.insert(order[i].second);
    return kept;
}

TEST(EvictionChoice, observationWindow_matchesANaiveSnapKv) {
    for (const int threads : {1, 2}) {
        Watched watched(kModel, threads);
        const KvOptions options = evicting(EvictionPolicy::SnapKV, 150);
        for (const int run : {200, 90, 1, 9}) watched.forward(run, options);
        const CompactionReport report = watched.compact(options);
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_TRUE(report.notes.empty()) << report.notes;
        EXPECT_EQ(report.slotsBefore - report.slotsAfter, 4 * 150);
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 2; ++head)
                EXPECT_EQ(watched.kept(layer, head), naiveWindow(layer, head, 300, 150, 64));
    }
}

/// Returns a model whose every fifth token is a separator between blanks.
CompactorModel withMarks() {
    CompactorModel model = kModel;
    model.form = [](TokenId token) {
        return token % 5 == 0 ? TokenForm{.word = false, .blankBefore = true} : TokenForm{};
    };
    return model;
}

TEST(EvictionChoice, demotedStructure_isWeightedAFifth_byTheCurrentText) {
    Watched watched(withMarks());
    KvOptions options = evicting(EvictionPolicy::H2O, 150);
    options.demoteStructure = true;
    std::vector<TokenId> text;
    watched.compactor().reads(text);
    for (TokenId token = 0; token < 300; ++token) text.push_back(token);
    watched.forward(300, options);
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(report.notes.empty()) << report.notes;
    EXPECT_EQ(report.slotsBefore - report.slotsAfter, 4 * 150);
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head)
            EXPECT_EQ(watched.kept(layer, head), naiveAccumulated(layer, head, 300, 150, 5));
    EXPECT_NE(naiveAccumulated(0, 0, 300, 150, 5), naiveAccumulated(0, 0, 300, 150));
}

TEST(EvictionChoice, demotedStructure_ofUnknownText_isSkippedAndReported) {
    Watched watched;
    KvOptions options = evicting(EvictionPolicy::H2O, 150);
    options.demoteStructure = true;
    watched.forward(300, options);
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::TextUnknown)) << report.notes;
    EXPECT_EQ(watched.kept(1, 0), naiveAccumulated(1, 0, 300, 150));
}

TEST(EvictionChoice, observationWindow_ofASmallBudget_leavesHalfToSelection) {
    Watched watched;
    const KvOptions options = evicting(EvictionPolicy::SnapKV, 40);
    watched.forward(300, options);
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(watched.kept(1, 1), naiveWindow(1, 1, 300, 40, 20));
}

TEST(EvictionChoice, observationWindowNotShorterThanTheText_evictsNothing) {
    Watched watched;
    const KvOptions options = evicting(EvictionPolicy::SnapKV, 64);
    watched.forward(64, options);
    const CompactionReport report = watched.compact(options);
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(report.slotsAfter, report.slotsBefore);
}

TEST(EvictionChoice, accumulatedAttention_matchesANaiveSum) {
    Watched watched;
    const KvOptions options = evicting(EvictionPolicy::H2O, 60);
    for (const int run : {100, 1, 70, 1, 1, 27}) watched.forward(run, options);
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(report.slotsBefore - report.slotsAfter, 4 * 140);
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head)
            EXPECT_EQ(watched.kept(layer, head), naiveAccumulated(layer, head, 200, 60));
}

/// Reference Expected Attention without rotation: mean and covariance of the queries from the fifth
/// on, in double.
std::set<std::int32_t> naiveExpected(int layer, int kvHead, int tokens, int budget) {
    std::vector<double> shares(static_cast<std::size_t>(tokens), 0.0);
    const auto scale = static_cast<double>(kModel.scale);
    for (int head = kvHead * 2; head < kvHead * 2 + 2; ++head) {
        std::array<double, 8> mean{};
        std::array<std::array<double, 8>, 8> covariance{};
        for (int at = 4; at < tokens; ++at)
            for (std::size_t i = 0; i < 8; ++i)
                mean[i] += static_cast<double>(Watched::query(layer, head, at)[i]) / (tokens - 4);
        for (int at = 4; at < tokens; ++at) {
            const auto query = Watched::query(layer, head, at);
            for (std::size_t i = 0; i < 8; ++i)
                for (std::size_t j = 0; j < 8; ++j)
                    covariance[i][j] += (static_cast<double>(query[i]) - mean[i]) *
                                        (static_cast<double>(query[j]) - mean[j]) / (tokens - 4);
        }
        std::vector<double> weights(static_cast<std::size_t>(tokens), 0.0);
        double sum = 0;
        for (int token = 4; token < tokens; ++token) {
            const auto key = keyRow(Watched::shape(), layer, kvHead, token);
            double logit = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                logit += scale * mean[i] * static_cast<double>(key[i]);
                for (std::size_t j = 0; j < 8; ++j)
                    logit += scale * scale / 2 * covariance[i][j] * static_cast<double>(key[i]) *
                             static_cast<double>(key[j]);
            }
            weights[static_cast<std::size_t>(token)] = std::exp(logit);
            sum += std::exp(logit);
        }
        for (std::size_t token = 4; token < weights.size(); ++token)
            shares[token] += weights[token] / sum;
    }
    std::vector<std::pair<double, int>> order;
    for (int token = 4; token < tokens - 8; ++token) {
        double length = 0;
        for (const float x : valueRow(Watched::shape(), layer, kvHead, token))
            length += static_cast<double>(x) * static_cast<double>(x);
        order.emplace_back(shares[static_cast<std::size_t>(token)] * std::sqrt(length), token);
    }
    std::ranges::sort(order, std::greater<>());
    std::set<std::int32_t> kept{0, 1, 2, 3};
    for (int token = tokens - 8; token < tokens; ++token) kept.insert(token);
    for (std::size_t i = 0; static_cast<int>(kept.size()) < budget; ++i)
        kept.insert(order[i].second);
    return kept;
}

TEST(EvictionChoice, expectedAttention_matchesANaiveExpectation) {
    for (const int threads : {1, 2}) {
        Watched watched(kModel, threads);
        const KvOptions options = evicting(EvictionPolicy::ExpectedAttention, 60);
        for (const int run : {100, 1, 70, 1, 1, 27}) watched.forward(run, options);
        const CompactionReport report = watched.compact(options);
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_TRUE(report.notes.empty()) << report.notes;
        EXPECT_EQ(report.slotsBefore - report.slotsAfter, 4 * 140);
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 2; ++head)
                EXPECT_EQ(watched.kept(layer, head), naiveExpected(layer, head, 200, 60));
    }
}

// A rotation that depends on the text length cannot be predicted for future positions.
TEST(EvictionChoice, lengthDependentRotation_fallsBackToKeyDiff_andReportsIt) {
    CompactorModel model = kModel;
    model.rotation = {.frequencies = {1.0, 0.1, 0.01, 0.001}, .variesWithLength = true};
    for (const EvictionPolicy policy :
         {EvictionPolicy::ExpectedAttention, EvictionPolicy::TriAttention}) {
        Watched asked(model);
        Watched keyDiff;
        asked.forward(200, evicting(policy, 60));
        keyDiff.forward(200, evicting(EvictionPolicy::KeyDiff, 60));
        EXPECT_FALSE(asked.watched());
        const CompactionReport report = asked.compact(evicting(policy, 60));
        ASSERT_EQ(report.result, CompactionResult::Done);
        EXPECT_TRUE(mentions(report.notes, CompactionReason::QueriesUnpredictable)) << report.notes;
        ASSERT_EQ(keyDiff.compact(evicting(EvictionPolicy::KeyDiff, 60)).result,
                  CompactionResult::Done);
        EXPECT_EQ(asked.kept(0, 1), keyDiff.kept(0, 1));
    }
}

/// Returns the centres of the queries of kModel at positions 4 to 100.
std::shared_ptr<const QueryCentres> centresOf(const QueryRotation& rotation) {
    QueryCentreSums sums(2, kModel.heads, rotation);
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<float> rows;
        for (int i = 0; i < 100; ++i)
            for (int head = 0; head < kModel.heads; ++head) {
                const auto row = Watched::query(layer, head, i);
                rows.insert(rows.end(), row.begin(), row.end());
            }
        sums.observeQueries(LayerIndex(layer), {rows.data(), {100, kModel.heads, 8}}, Position(0));
    }
    return std::make_shared<const QueryCentres>(sums.centres(8));
}

CompactorModel turningModel() {
    CompactorModel model = kModel;
    model.rotation = {.frequencies = {1.0, 0.1, 0.01, 0.001}};
    return model;
}

TEST(EvictionChoice, triAttentionWithCalibration_observesNoQueries_keepsBestScores) {
    CompactorModel model = turningModel();
    model.profiles.centres = centresOf(model.rotation);
    Watched watched(model);
    const KvOptions options = evicting(EvictionPolicy::TriAttention, 60);
    for (const int run : {100, 1, 99}) watched.forward(run, options);
    EXPECT_FALSE(watched.watched());
    ThreadPool pool(1);
    TriAttention tri(watched.cache(), {.heads = 4,
                                       .scaling = {.scale = model.scale},
                                       .rotation = model.rotation,
                                       .centres = model.profiles.centres});
    EvictionOptions same;
    same.rule = {.budget = 60, .keepRecent = 8, .nSink = 2};
    same.policy = EvictionPolicy::TriAttention;
    same.attention = &tri;
    const auto wanted = planEviction(watched.cache(), same, pool).value();
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(report.notes.empty()) << report.notes;
    for (int i = 0; i < 4; ++i) {
        const auto kept = watched.kept(i / 2, i % 2);
        EXPECT_EQ(kept.size(), 60U);
        for (const int position : kept)
            EXPECT_TRUE(wanted.plan.heads[static_cast<std::size_t>(i)].keep.has(position)) << i;
    }
}

TEST(EvictionChoice, triAttentionWithoutCalibration_usesTheConversation_andReportsIt) {
    Watched watched(turningModel());
    const KvOptions options = evicting(EvictionPolicy::TriAttention, 60);
    watched.forward(200, options);
    EXPECT_TRUE(watched.watched());
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(mentions(report.notes, CompactionReason::CentresNotCalibrated)) << report.notes;
    EXPECT_EQ(report.slotsBefore - report.slotsAfter, 4 * 140);
}

// A long answer: the cache exceeds its budget repeatedly while tokens arrive one by one.
TEST(EvictionChoice, triAttentionDuringALongAnswer_keepsFirstAndNewestTokensAndTheQuestion) {
    for (const bool calibrated : {false, true}) {
        CompactorModel model = turningModel();
        if (calibrated) model.profiles.centres = centresOf(model.rotation);
        Watched watched(model);
        KvOptions options = evicting(EvictionPolicy::TriAttention, 120);
        options.margin = 16;
        watched.compactor().beginTurn(Position(100), Position(160), Position(100));
        watched.forward(160, options);
        int compactions = 0;
        int most = 0;
        for (int token = 0; token < 240; ++token) {
            watched.forward(1, options);
            most = std::max(most, watched.cache().slots(LayerIndex(1), HeadIndex(0)));
            const auto report = watched.compactor().afterStep(watched.cache(), options);
            if (report) {
                ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
                ++compactions;
            }
        }
        EXPECT_GE(compactions, 10);
        EXPECT_LE(compactions, 240 / 16 + 1) << "the margin spares tokens a compaction";
        // The question leaves three quarters of the budget's free slots to the rest of the text.
        constexpr int kTarget = 2 + 8 + 60 + (120 - 10) * 3 / 4 + 1;
        EXPECT_EQ(most, kTarget + 16 + 1);
        for (int i = 0; i < 4; ++i) {
            const auto kept = watched.kept(i / 2, i % 2);
            EXPECT_LE(kept.size(), kTarget + 16U);
            for (const int first : {0, 1}) EXPECT_TRUE(kept.contains(first)) << i;
            for (int token = 100; token < 160; ++token) EXPECT_TRUE(kept.contains(token)) << i;
            for (int token = 392; token < 400; ++token) EXPECT_TRUE(kept.contains(token)) << i;
        }
    }
}

TEST(EvictionChoice, triAttentionSharedOverTheModel_keepsEqualHeads_andReportsIt) {
    Watched watched(turningModel());
    KvOptions options = evicting(EvictionPolicy::TriAttention, 50);
    options.evictionBudgets = EvictionBudgets::WholeModel;
    watched.forward(150, options);
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::EqualSlots)) << report.notes;
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(watched.cache().slots(LayerIndex(i / 2), HeadIndex(i % 2)), 50);
}

// Other policies and methods must not pay for capturing queries.
TEST(EvictionChoice, otherPoliciesAndMethods_observeNoQueries) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeyDiff, EvictionPolicy::KeepLowNorm, EvictionPolicy::Random,
          EvictionPolicy::StreamingLLM, EvictionPolicy::Auto}) {
        Watched watched;
        for (int i = 0; i < 5; ++i) watched.forward(20, evicting(policy, 50));
        EXPECT_FALSE(watched.watched());
    }
    Watched off;
    KvOptions none = evicting(EvictionPolicy::H2O, 50);
    none.method = CompactionMethod::None;
    off.forward(20, none);
    EXPECT_FALSE(off.watched());
    Watched on;
    on.forward(20, evicting(EvictionPolicy::H2O, 50));
    EXPECT_TRUE(on.watched());
}

TEST(EvictionChoice, missingQueries_fallBackToKeyDiff_andReportIt) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::SnapKV, EvictionPolicy::H2O, EvictionPolicy::ExpectedAttention,
          EvictionPolicy::TriAttention}) {
        Watched changed;
        Watched keyDiff;
        changed.forward(150, KvOptions{});
        keyDiff.forward(150, KvOptions{});
        changed.forward(15, evicting(policy, 50));
        keyDiff.forward(15, KvOptions{});
        const CompactionReport report = changed.compact(evicting(policy, 50));
        ASSERT_EQ(report.result, CompactionResult::Done);
        EXPECT_TRUE(mentions(report.notes, CompactionReason::FewQueriesSeen)) << report.notes;
        ASSERT_EQ(keyDiff.compact(evicting(EvictionPolicy::KeyDiff, 50)).result,
                  CompactionResult::Done);
        EXPECT_EQ(changed.kept(0, 1), keyDiff.kept(0, 1));
    }
}

TEST(EvictionChoice, sharedBudgets_keepTheTotal_overRepeatedEvictions) {
    for (const EvictionBudgets budgets : {EvictionBudgets::Adaptive, EvictionBudgets::WholeModel}) {
        Watched watched;
        KvOptions options = evicting(EvictionPolicy::H2O, 60);
        options.evictionBudgets = budgets;
        options.margin = 16;
        watched.forward(200, options);
        for (int round = 0; round < 3; ++round) {
            ASSERT_EQ(watched.compact(options).result, CompactionResult::Done) << round;
            int total = 0;
            std::set<int> sizes;
            for (int i = 0; i < 4; ++i) {
                const int slots = watched.cache().slots(LayerIndex(i / 2), HeadIndex(i % 2));
                total += slots;
                sizes.insert(slots);
            }
            EXPECT_EQ(total, 4 * 60);
            EXPECT_GT(sizes.size(), 1U) << "no head got more than another";
            EXPECT_FALSE(watched.compactor().state(watched.cache(), options).due);
            watched.forward(40, options);
        }
    }
}

TEST(EvictionChoice, incomparableScores_areNotSharedAcrossLayers_andReportIt) {
    Watched watched;
    KvOptions options = evicting(EvictionPolicy::SnapKV, 50);
    options.evictionBudgets = EvictionBudgets::WholeModel;
    watched.forward(150, KvOptions{});
    const CompactionReport report = watched.compact(options);
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::FewQueriesSeen)) << report.notes;
    EXPECT_TRUE(mentions(report.notes, CompactionReason::EqualSlots)) << report.notes;
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(watched.cache().slots(LayerIndex(i / 2), HeadIndex(i % 2)), 50);
}

TEST(EvictionChoice, auto_usesThePolicyOfTheFamily) {
    CompactorModel model = kModel;
    model.familyPolicy = EvictionPolicy::H2O;
    Watched family(model);
    Watched named;
    family.forward(200, evicting(EvictionPolicy::Auto, 60));
    named.forward(200, evicting(EvictionPolicy::H2O, 60));
    ASSERT_EQ(family.compact(evicting(EvictionPolicy::Auto, 60)).result, CompactionResult::Done);
    ASSERT_EQ(named.compact(evicting(EvictionPolicy::H2O, 60)).result, CompactionResult::Done);
    EXPECT_EQ(family.kept(1, 0), named.kept(1, 0));
}

// Sliding-window layers give no information about the text before the window.
TEST(EvictionChoice, slidingLayers_areNotEvicted) {
    for (const EvictionPolicy policy : {EvictionPolicy::H2O, EvictionPolicy::TriAttention}) {
        CompactorModel model = kModel;
        model.slidingLayers = {1};
        Watched watched(model);
        const KvOptions options = evicting(policy, 60);
        watched.forward(200, options);
        ASSERT_EQ(watched.compact(options).result, CompactionResult::Done);
        EXPECT_EQ(watched.cache().slots(LayerIndex(0), HeadIndex(0)), 60);
        EXPECT_EQ(watched.cache().slots(LayerIndex(1), HeadIndex(0)), 200);
    }
}

TEST(EvictionChoice, observeAll_servesEveryPolicyFromOnePass) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::SnapKV, EvictionPolicy::H2O, EvictionPolicy::ExpectedAttention,
          EvictionPolicy::TriAttention}) {
        SteadyClock clock;
        ThreadPool pool(1);
        auto cache = makeSlotCache(Watched::shape()).value();
        Compactor compactor(kModel, Watched::shape(), pool, clock);
        QueryObserver& everyone = *compactor.observeAll(*cache);
        ASSERT_TRUE(cache->beginAppend(200));
        writeRows(*cache, 200);
        for (int layer = 0; layer < 2; ++layer) {
            std::vector<float> rows;
            for (int i = 0; i < 200; ++i)
                for (int head = 0; head < 4; ++head) {
                    const auto row = Watched::query(layer, head, i);
                    rows.insert(rows.end(), row.begin(), row.end());
                }
            everyone.observeQueries(LayerIndex(layer), {rows.data(), {200, 4, 8}}, Position(0));
        }
        cache->commitAppend();
        Watched alone;
        alone.forward(200, evicting(policy, 80));
        auto copy = cache->clone().value();
        const auto report = compactor.compact(*copy, evicting(policy, 80));
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_FALSE(mentions(report.notes, CompactionReason::FewQueriesSeen)) << report.notes;
        ASSERT_EQ(alone.compact(evicting(policy, 80)).result, CompactionResult::Done);
        EXPECT_EQ(copy->save().value(), alone.cache().save().value());
        const auto matched = compactor.compact(*cache, matching(4));
        EXPECT_EQ(matched.result, CompactionResult::Done) << matched.notes;
        EXPECT_GT(matched.referenceQueries, 0);
    }
}

}  // namespace
}  // namespace lacuna::test
