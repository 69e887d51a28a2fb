// A surrogate of reconstruction scores: fitted to the test model it finds more of an unseen text
// than one that knows only the heads; that of the bundled model agrees with scores of another
// program; and a compaction by it reads no text again.

#include "engine/quality/surrogate_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/compress/driver/compactor.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/surrogate_file.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/quality/surrogate_sums.h"
#include "tests/support/bundled_models.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/npy_file.h"

namespace lacuna::test {
namespace {

struct Stage {
    explicit Stage(const std::filesystem::path& path, Precision precision = Precision::Fast) {
        model = loadModel(path).value();
        transformer =
            Transformer::create(model, pool, {.precision = precision, .maxTokens = 256}).value();
        instruction = repeatInstruction(*model).value();
        options.instruction = instruction;
    }
    [[nodiscard]] std::vector<TokenId> tokensOf(const char* text, std::size_t first,
                                                std::size_t count) const {
        const auto path = std::filesystem::path(LACUNA_RESOURCE_DIR) / "texts" / text;
        const auto all = model->tokenizer.encode(*readFile(path, 1 << 20)).value();
        return {all.begin() + static_cast<std::ptrdiff_t>(first),
                all.begin() + static_cast<std::ptrdiff_t>(first + count)};
    }

    std::shared_ptr<const LoadedModel> model;
    ThreadPool pool{2};
    SteadyClock clock;
    std::unique_ptr<Transformer> transformer;
    std::vector<TokenId> instruction;
    SurrogateFitOptions options;
};

TEST(SurrogateFit, testModel_findsMoreOfUnseenTextThanPlainHeadScores) {
    Stage stage(pilotModel());
    const auto hidden = static_cast<std::size_t>(stage.model->spec.hidden);
    const auto text = stage.tokensOf("the_naval_treaty.txt", 0, 6 * (hidden + 1));
    std::int64_t shown = 0;
    stage.options.progress = [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(total, static_cast<std::int64_t>(text.size()));
        EXPECT_GT(done, shown);
        shown = done;
    };
    const auto fitted = fitSurrogate(*stage.transformer, stage.pool, text, stage.options);
    ASSERT_TRUE(fitted) << fitted.error().what;
    EXPECT_EQ(shown, static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(fitted->fingerprint, stage.model->spec.fingerprint);

    const auto unseen = stage.tokensOf("our_mutual_friend.txt", 0, 700);
    stage.options.progress = {};
    const auto agreement = [&](const ReconstructionSurrogate& surrogate) {
        return compareSurrogate(std::make_shared<const ReconstructionSurrogate>(surrogate),
                                *stage.transformer, stage.pool, unseen, stage.options)
            .value();
    };
    const SurrogateAgreement full = agreement(*fitted);
    ReconstructionSurrogate headsAlone = *fitted;
    std::ranges::fill(headsAlone.weights, 0.0F);
    const SurrogateAgreement control = agreement(headsAlone);
    EXPECT_EQ(full.tokens, 700);
    EXPECT_GT(full.correlation, control.correlation + 0.1);
    EXPECT_GT(full.overlap, control.overlap);
    EXPECT_GT(full.correlation, 0.6);
}

TEST(SurrogateFit, shortText_isRefusedWithTheRequiredLength) {
    Stage stage(pilotModel());
    const auto text = stage.tokensOf("our_mutual_friend.txt", 0, 300);
    const auto fitted = fitSurrogate(*stage.transformer, stage.pool, text, stage.options);
    ASSERT_FALSE(fitted);
    EXPECT_EQ(fitted.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(fitted.error().what.find(std::to_string(kMinFitTokens)), std::string::npos)
        << fitted.error().what;
}

TEST(SurrogateFit, cancelled_returnsNothing) {
    Stage stage(pilotModel());
    const auto text = stage.tokensOf("the_naval_treaty.txt", 0,
                                     4 * (static_cast<std::size_t>(stage.model->spec.hidden) + 1));
    stage.options.cancelled = [] { return true; };
    const auto fitted = fitSurrogate(*stage.transformer, stage.pool, text, stage.options);
    ASSERT_FALSE(fitted);
    EXPECT_EQ(fitted.error().code, ErrorCode::Cancelled);
}

/// Returns a run over a text, in short pieces.
std::unique_ptr<SurrogateRun> runOver(const Stage& stage, std::size_t first = 0) {
    SurrogateFitOptions options = stage.options;
    options.piece = 256;
    options.chunk = 100;
    return SurrogateRun::create(*stage.model,
                                stage.tokensOf("the_naval_treaty.txt", first, kMinFitTokens),
                                stage.instruction, options)
        .value();
}

void finish(SurrogateRun& run, Stage& stage) {
    while (!run.done()) {
        const Status status = run.step(*stage.transformer, stage.pool);
        ASSERT_TRUE(status) << status.error().what;
    }
}

TEST(SurrogateRun, slicedFit_equalsTheFitInOneRun_bitForBit) {
    Stage stage(pilotModel());
    const auto run = runOver(stage);
    double share = 0;
    int slices = 0;
    while (!run->done()) {
        ASSERT_TRUE(run->step(*stage.transformer, stage.pool));
        EXPECT_GE(run->share(), share);
        share = run->share();
        ++slices;
    }
    EXPECT_EQ(share, 1);
    EXPECT_GT(slices, 4 * (3 + 1 + 3)) << "chunks of each piece and of its repetition";
    stage.options.piece = 256;
    stage.options.chunk = 100;
    const auto atOnce =
        fitSurrogate(*stage.transformer, stage.pool,
                     stage.tokensOf("the_naval_treaty.txt", 0, kMinFitTokens), stage.options);
    ASSERT_TRUE(atOnce) << atOnce.error().what;
    EXPECT_EQ(run->surrogate(), *atOnce);
}

TEST(SurrogateRun, cancelInEverySlice_resumedInAnotherRun_givesTheSameFit) {
    Stage stage(pilotModel());
    const auto whole = runOver(stage);
    finish(*whole, stage);

    // Every slice is tried twice and cancelled the first time.
    bool cancels = false;
    stage.options.cancelled = [&cancels] { return cancels; };
    auto run = runOver(stage);
    int cancelled = 0;
    while (run->read() < 2 * 256) {
        cancels = !cancels;
        const Status status = run->step(*stage.transformer, stage.pool);
        if (status) continue;
        ASSERT_EQ(status.error().code, ErrorCode::Cancelled) << status.error().what;
        ++cancelled;
    }
    EXPECT_GT(cancelled, 5);
    // Cancelled within the third piece, which is then repeated.
    stage.options.cancelled = {};
    const std::string kept = run->kept();
    run = runOver(stage);
    ASSERT_TRUE(run->resumeFrom(kept));
    EXPECT_EQ(run->read(), 2 * 256);
    finish(*run, stage);
    EXPECT_EQ(run->surrogate(), whole->surrogate());
}

TEST(SurrogateRun, storedSums_damagedOrOfAnotherText_areRefused) {
    Stage stage(pilotModel());
    const auto run = runOver(stage);
    while (run->read() == 0) ASSERT_TRUE(run->step(*stage.transformer, stage.pool));
    const std::string kept = run->kept();
    const auto fresh = runOver(stage);
    for (const std::size_t at :
         {std::size_t{3}, std::size_t{20}, kept.size() / 2, kept.size() - 1}) {
        std::string damaged = kept;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const Status refused = fresh->resumeFrom(damaged);
        ASSERT_FALSE(refused) << at;
        EXPECT_EQ(refused.error().code, ErrorCode::Corrupt) << at;
        EXPECT_FALSE(fresh->resumeFrom(std::string_view(kept).substr(0, at))) << at;
    }
    const auto other = runOver(stage, 1);
    const Status foreign = other->resumeFrom(kept);
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ErrorCode::Incompatible);
    EXPECT_EQ(other->read(), 0);
    EXPECT_EQ(fresh->read(), 0);
    EXPECT_TRUE(fresh->resumeFrom(kept)) << "what was refused before left nothing";
}

TEST(SurrogateRun, longInputs_useLandmarks_andGiveSimilarScores) {
    // Random inputs in few directions, which the landmarks span.
    constexpr int kHidden = 160;
    constexpr int kTokens = 600;
    RandomStream random(5, 0);
    std::vector<float> directions(40 * kHidden);
    for (float& x : directions) x = static_cast<float>(random.normal());
    std::vector<float> inputs(std::size_t{kTokens} * kHidden, 3.0F);
    ReconstructionScores scores{
        .layers = 1, .kvHeads = 1, .tokens = kTokens, .shares = {}, .pieces = 1};
    for (int t = 0; t < kTokens; ++t) {
        double sum = -4;
        for (int k = 0; k < 40; ++k) {
            const double amount = random.normal() / (1 + k);
            sum += (k % 3 == 0 ? 0.5 : -0.2) * amount;
            for (int d = 0; d < kHidden; ++d)
                inputs[static_cast<std::size_t>(t * kHidden + d)] +=
                    static_cast<float>(amount) *
                    directions[static_cast<std::size_t>(k * kHidden + d)];
        }
        scores.shares.push_back(static_cast<float>(std::exp(sum)));
    }
    std::vector<LayerMap> maps;
    for (const int landmarks : {0, 100}) {
        LayerSums sums({.hidden = kHidden, .kvHeads = 1, .landmarks = landmarks});
        SumsScratch scratch;
        sums.add(inputs, scores, 0, scratch);
        const auto map = sums.solve(0.01);
        ASSERT_TRUE(map);
        maps.push_back(*map);
    }
    double difference = 0;
    double size = 0;
    for (int t = 0; t < kTokens; ++t) {
        const auto predicted = [&](const LayerMap& map) {
            double sum = static_cast<double>(map.bias[0]);
            for (int d = 0; d < kHidden; ++d)
                sum += static_cast<double>(map.weights[static_cast<std::size_t>(d)]) *
                       static_cast<double>(inputs[static_cast<std::size_t>(t * kHidden + d)]);
            return sum;
        };
        const double log =
            std::log(static_cast<double>(scores.shares[static_cast<std::size_t>(t)]));
        difference += std::pow(predicted(maps[1]) - predicted(maps[0]), 2);
        size += std::pow(log + 4, 2);
    }
    EXPECT_LT(difference, 1e-3 * size);
}

TEST(SurrogateFit, fitText_isHalfRandom_andReproducibleFromItsSeed) {
    const auto path = std::filesystem::path(LACUNA_RESOURCE_DIR) / "texts/the_naval_treaty.txt";
    const std::string prose = readFile(path, 1 << 20).value();
    const std::string made = textToFit(prose, 1 << 20, 1);
    EXPECT_GT(made.size(), prose.size() * 19 / 10);
    EXPECT_LT(made.size(), prose.size() * 21 / 10);
    EXPECT_EQ(made, textToFit(prose, 1 << 20, 1));
    EXPECT_NE(made, textToFit(prose, 1 << 20, 2));
    EXPECT_EQ(textToFit(prose, 5000, 1).size(), 5000U);
    EXPECT_EQ(textToFit("1 2 3", 100, 1), "1 2 3");
}

/// Results of PyTorch for the same tokens in float32 (tests/golden/box/README.md).
struct GoldenScores {
    std::vector<TokenId> text;
    std::vector<TokenId> instruction;
    NpyMatrix shares;  ///< [layers * kvHeads, tokens]
};

GoldenScores goldenScores() {
    const auto folder = std::filesystem::path(LACUNA_GOLDEN_DIR) / "box";
    const Json json = *parseJson(*readFile(folder / "reconstruction.json", 1 << 20));
    return {json["ids"].get<std::vector<TokenId>>(), json["ins"].get<std::vector<TokenId>>(),
            readNpyMatrix(folder / "reconstruction.npy").value()};
}

TEST(SurrogateFit, bundledModel_matchesReferenceScores) {
    const GoldenScores golden = goldenScores();
    Stage stage(boxModel());
    EXPECT_EQ(golden.instruction, stage.instruction);
    const auto surrogate = loadSurrogate(boxModel(), stage.model->spec);
    ASSERT_TRUE(surrogate) << surrogate.error().what;
    ASSERT_NE(*surrogate, nullptr);
    PredictedScores predicted(*surrogate);
    const auto cache = makeFullCache(stage.model->spec, DType::F16).value();
    const std::span<const TokenId> text(golden.text);
    for (std::size_t at = 0; at < text.size(); at += 256) {
        const BatchRun run{.tokens = text.subspan(at, std::min<std::size_t>(256, text.size() - at)),
                           .cache = cache.get(),
                           .logits = LogitsFor::None,
                           .observer = &predicted};
        ASSERT_TRUE(stage.transformer->forward({&run, 1}, {}));
    }
    ASSERT_EQ(predicted.tokens(), static_cast<std::int64_t>(text.size()));
    const auto scores = predicted.scores(predicted.tokens());
    ASSERT_EQ(scores.shares.size(), golden.shares.values.size());
    double ab = 0;
    double aa = 0;
    double bb = 0;
    double meanA = 0;
    double meanB = 0;
    const auto logOf = [](float share) {
        return std::log(std::max(1e-6, static_cast<double>(share)));
    };
    const auto count = static_cast<double>(scores.shares.size());
    for (std::size_t i = 0; i < scores.shares.size(); ++i) {
        meanA += logOf(scores.shares[i]) / count;
        meanB += logOf(golden.shares.values[i]) / count;
    }
    for (std::size_t i = 0; i < scores.shares.size(); ++i) {
        const double a = logOf(scores.shares[i]) - meanA;
        const double b = logOf(golden.shares.values[i]) - meanB;
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    EXPECT_GT(ab / std::sqrt(aa * bb), 0.85);
}

/// A compaction of a text by scores, with a reader that counts its calls.
struct Compacted {
    CompactionReport report;
    int readings = 0;
};

Compacted compactBy(Stage& stage, const HeadProfiles& profiles, const KvOptions& kv,
                    bool observed = true) {
    const ModelSpec& spec = stage.model->spec;
    Compactor compactor(compactorModel(spec, 1, profiles),
                        {.layers = spec.layers,
                         .kvHeads = spec.kvHeads,
                         .keyDim = spec.headDim,
                         .valueDim = spec.headDim},
                        stage.pool, stage.clock);
    const auto text = stage.tokensOf("our_mutual_friend.txt", 0, 400);
    const auto cache = makeFullCache(spec, DType::F16).value();
    for (std::size_t at = 0; at < text.size(); at += 200) {
        const BatchRun run{.tokens = std::span(text).subspan(at, 200),
                           .cache = cache.get(),
                           .logits = LogitsFor::None,
                           .observer = observed ? compactor.observer(*cache, kv) : nullptr};
        EXPECT_TRUE(stage.transformer->forward({&run, 1}, {}));
    }
    Compacted out;
    const QueryReader real = queryReader({.model = stage.transformer.get(), .tokens = text});
    const QueryReader counting = [&](const QueryRequest& request) {
        ++out.readings;
        return real(request);
    };
    out.report = compactor.compact(*cache, kv, {.reader = counting});
    return out;
}

KvOptions reconstructing() {
    KvOptions kv;
    kv.method = CompactionMethod::Eviction;
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    kv.evictionPolicy = EvictionPolicy::Reconstruct;
    kv.budget = 100;
    return kv;
}

TEST(SurrogateFit, fittedSurrogate_selectsTokensWithoutReread) {
    Stage stage(pilotModel());
    const auto text = stage.tokensOf("the_naval_treaty.txt", 0,
                                     4 * (static_cast<std::size_t>(stage.model->spec.hidden) + 1));
    HeadProfiles profiles;
    profiles.surrogate = std::make_shared<const ReconstructionSurrogate>(
        fitSurrogate(*stage.transformer, stage.pool, text, stage.options).value());
    KvOptions kv = reconstructing();
    const Compacted predicted = compactBy(stage, profiles, kv);
    ASSERT_EQ(predicted.report.result, CompactionResult::Done) << predicted.report.notes;
    EXPECT_EQ(predicted.readings, 0);
    EXPECT_TRUE(mentions(predicted.report.notes, CompactionReason::ScoresPredicted));

    const Compacted unseen = compactBy(stage, profiles, kv, false);
    ASSERT_EQ(unseen.report.result, CompactionResult::Done) << unseen.report.notes;
    EXPECT_EQ(unseen.readings, 1);
    EXPECT_TRUE(mentions(unseen.report.notes, CompactionReason::ScoresPredictedAgain));

    kv.scoreSource = ScoreSource::Repetition;
    const Compacted repeated = compactBy(stage, profiles, kv);
    ASSERT_EQ(repeated.report.result, CompactionResult::Done) << repeated.report.notes;
    EXPECT_EQ(repeated.readings, 1);
    EXPECT_TRUE(mentions(repeated.report.notes, CompactionReason::ScoredByRepetition));

    kv.scoreSource = ScoreSource::Auto;
    const Compacted without = compactBy(stage, {}, kv);
    EXPECT_EQ(without.readings, 1);
    EXPECT_TRUE(mentions(without.report.notes, CompactionReason::ScoredByRepetition));
}

}  // namespace
}  // namespace lacuna::test
