#include "engine/quality/precision_measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "engine/base/file.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/weight_placement.h"
#include "tests/support/fake_model.h"
#include "tests/support/rounded_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::LogitError;

std::vector<MeasuredPrecision> measured(double fast, double twoTerms) {
    return {{Precision::Fast, fast, 0.9}, {Precision::TwoTerms, twoTerms, 0.99}};
}

TEST(ChoosePrecision, fastestPrecisionWithinTheBound_isChosen) {
    EXPECT_EQ(choosePrecision(measured(0.0005, 0)), Precision::Fast) << "the bound itself is kept";
    EXPECT_EQ(choosePrecision(measured(0.000501, 0.00002)), Precision::TwoTerms);
    EXPECT_EQ(choosePrecision(measured(0.1, 0.0006)), Precision::Exact);
    EXPECT_EQ(choosePrecision(measured(0.0001, 0.3)), Precision::Fast);
    EXPECT_EQ(choosePrecision({}), Precision::Exact);
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(choosePrecision(measured(none, none)), Precision::Exact);
}

TEST(PrecisionSentence, message_namesChosenAndRejectedPrecisions) {
    PrecisionMeasurement found{.positions = 320, .measured = measured(0.0033, 0.000018)};
    EXPECT_EQ(precisionText(found),
              "int8 in two terms: mean KL 1.8e-05 from exact over 320 tokens; int8 0.0033, above "
              "0.0005");
    found.measured = measured(0.0002, 0.000001);
    EXPECT_EQ(precisionText(found), "int8: mean KL 0.0002 from exact over 320 tokens");
    found.measured = measured(0.2, 0.1);
    EXPECT_EQ(precisionText(found), "float32; int8 0.2; int8 in two terms 0.1, above 0.0005");
}

/// A fake model whose precisions have errors of `error`.
struct Fake {
    explicit Fake(LogitError off = {}) : error(std::move(off)) {}

    LogitError error;
    test::FakeModelOptions options = {};
    std::shared_ptr<const LoadedModel> model = test::fakeLoadedModel(options);
    std::vector<double> shares;
    std::function<bool()> cancelled = {};
    std::map<Precision, test::RoundedTransformer*> made;

    [[nodiscard]] Result<PrecisionMeasurement> measure(
        const std::function<void(const Fake&)>& after = {}) {
        const auto found = measurePrecision(
            {.model = *model,
             .transformer = [this](Precision precision,
                                   int) -> Result<std::unique_ptr<Transformer>> {
                 auto rounded = std::make_unique<test::RoundedTransformer>(
                     std::make_unique<test::FakeTransformer>(model, options), error[precision]);
                 made[precision] = rounded.get();
                 return rounded;
             },
             .progress =
                 [&](double share) {
                     shares.push_back(share);
                     if (share == 1.0 && after) after(*this);
                 },
             .cancelled = cancelled});
        return found;
    }
};

TEST(MeasurePrecision, errorOfEachPrecision_determinesItsDivergence) {
    Fake fake({{Precision::Fast, 0.2F}, {Precision::TwoTerms, 0.002F}});
    const auto found = fake.measure();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->model, "fake");
    EXPECT_EQ(found->fingerprint, fake.model->spec.fingerprint);
    EXPECT_EQ(found->kernels, bestKernels().name);
    EXPECT_EQ(found->positions, 320);
    ASSERT_EQ(found->measured.size(), 2U);
    // Half of the logits rise by e: the divergence is about p (1 - p) e^2 / 2.
    EXPECT_GT(found->measured[0].klMean, 1e-4);
    EXPECT_LT(found->measured[0].klMean, 0.2 * 0.2 / 8 * 1.1);
    EXPECT_NEAR(found->measured[1].klMean / found->measured[0].klMean, 1e-4, 2e-5);
    EXPECT_EQ(fake.shares.back(), 1.0);
    EXPECT_TRUE(std::ranges::is_sorted(fake.shares));
}

TEST(MeasurePrecision, noError_givesZeroDivergence) {
    Fake fake;
    const auto found = fake.measure();
    ASSERT_TRUE(found) << found.error().what;
    for (const MeasuredPrecision& one : found->measured) {
        EXPECT_EQ(one.klMean, 0);
        EXPECT_EQ(one.top1, 1);
    }
}

// Prompts and answers use different kernels, so a measurement must cover both.
TEST(MeasurePrecision, text_isReadAsPromptThenAsAnswer) {
    Fake fake;
    bool looked = false;
    const auto found = fake.measure([&](const Fake& at) {
        looked = true;
        for (const Precision precision : {Precision::Fast, Precision::TwoTerms}) {
            const std::vector<int>& sizes = at.made.at(precision)->sizes;
            EXPECT_GE(sizes.front(), 16);
            EXPECT_LE(sizes.back(), 8);
            const auto few = std::ranges::count_if(sizes, [](int size) { return size <= 8; });
            EXPECT_GE(few, 15) << "a good part is read so";
        }
    });
    EXPECT_TRUE(found && looked);
}

TEST(MeasurePrecision, cancel_endsTheMeasurement) {
    Fake fake;
    fake.cancelled = [&] { return fake.shares.size() > 2; };
    const auto found = fake.measure();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Cancelled);
    EXPECT_LT(fake.shares.back(), 1.0);
}

TEST(PrecisionRun, cancelledSlice_isRepeatedWithTheSameResult) {
    const LogitError error{{Precision::Fast, 0.2F}, {Precision::TwoTerms, 0.002F}};
    Fake calm(error);
    const auto expected = calm.measure();
    ASSERT_TRUE(expected) << expected.error().what;
    Fake fake(error);
    int asked = 0;
    int most = 1'000'000;  // number of polls until the run is cancelled
    auto run = PrecisionRun::create(
        {.model = *fake.model,
         .transformer = [&fake](Precision precision, int) -> Result<std::unique_ptr<Transformer>> {
             return std::make_unique<test::RoundedTransformer>(
                 std::make_unique<test::FakeTransformer>(fake.model, fake.options),
                 fake.error[precision]);
         },
         .cancelled = [&] { return ++asked > most; }});
    ASSERT_TRUE(run) << run.error().what;
    int cancelled = 0;
    double share = 0;
    most = 2;
    while (!run->done()) {
        asked = 0;
        const Status step = run->step();
        if (step) {
            EXPECT_GT(run->share(), share);
            share = run->share();
            most = 2;
            continue;
        }
        ASSERT_EQ(step.error().code, ErrorCode::Cancelled) << step.error().what;
        ASSERT_LT(++cancelled, 1000);
        EXPECT_EQ(run->share(), share) << "nothing of it counts";
        most += 3;
    }
    EXPECT_GT(cancelled, 10);
    EXPECT_EQ(run->measurement(), *expected);
}

/// A real model: two terms move the logits of the test model by a hundredth of what int8 does.
TEST(MeasurePrecision, testModel_divergesWithInt8_andFarLessWithTwoTerms) {
    const auto path = std::filesystem::path(LACUNA_RESOURCE_DIR) / "models" / "pilot-29m-q8_0.gguf";
    ThreadPool pool(2);
    const auto model = loadToRun(path, {}).value();
    const auto found =
        measurePrecision({.model = *model, .transformer = [&](Precision precision, int maxTokens) {
                              return Transformer::create(
                                  model, pool, {.precision = precision, .maxTokens = maxTokens});
                          }});
    ASSERT_TRUE(found) << found.error().what;
    if (bestKernels().quantise == nullptr) GTEST_SKIP() << "no integer products here";
    EXPECT_GT(found->measured[0].klMean, 1e-4);
    EXPECT_LT(found->measured[1].klMean, found->measured[0].klMean / 100);
    EXPECT_NE(choosePrecision(found->measured), Precision::Exact);
}

class StoredPrecision : public ::testing::Test {
  protected:
    test::TemporaryFolder folder_;
    const PrecisionSubject subject_{"0123abcd", "avx2"};
    const PrecisionMeasurement measurement_{.model = "small",
                                            .fingerprint = "0123abcd",
                                            .kernels = "avx2",
                                            .positions = 320,
                                            .measured = measured(0.0033, 0.000018)};
    [[nodiscard]] std::filesystem::path path() const {
        return precisionPath(folder_.path(), subject_);
    }
};

TEST_F(StoredPrecision, storedPrecision_isReadBack) {
    ASSERT_TRUE(storePrecision(folder_.path() / "deeper", measurement_));
    const auto kept = storedPrecision(folder_.path() / "deeper", subject_);
    ASSERT_TRUE(kept) << kept.error().what;
    ASSERT_TRUE(*kept);
    EXPECT_EQ(**kept, measurement_);
}

TEST_F(StoredPrecision, missingFile_returnsNothing) {
    EXPECT_EQ(storedPrecision(folder_.path(), subject_).value(), std::nullopt);
    EXPECT_EQ(storedPrecision({}, subject_).value(), std::nullopt);
    ASSERT_TRUE(storePrecision(folder_.path(), measurement_));
    EXPECT_EQ(storedPrecision(folder_.path(), {"0123abcd", "avx512"}).value(), std::nullopt);
    EXPECT_EQ(storedPrecision(folder_.path(), {"other", "avx2"}).value(), std::nullopt);
}

TEST_F(StoredPrecision, fileOfAnotherModel_isRefused) {
    PrecisionMeasurement other = measurement_;
    other.fingerprint = "ffff";
    ASSERT_TRUE(writeFileAtomically(path(), dumpJson(precisionJson(other))));
    const auto kept = storedPrecision(folder_.path(), subject_);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::Incompatible);
    EXPECT_NE(kept.error().what.find("ffff"), std::string::npos);
}

TEST_F(StoredPrecision, damagedFile_isRefusedWithItsName) {
    ASSERT_TRUE(storePrecision(folder_.path(), measurement_));
    const std::string whole = readFile(path(), 1 << 16).value();
    const auto refuses = [&](const std::string& text) {
        EXPECT_TRUE(writeFileAtomically(path(), text));
        const auto kept = storedPrecision(folder_.path(), subject_);
        EXPECT_FALSE(kept) << text;
        if (kept) return;
        EXPECT_NE(kept.error().what.find(path().string()), std::string::npos);
    };
    refuses("");
    refuses(whole.substr(0, whole.size() / 2));
    const auto changed = [&](auto&& change) {
        Json json = *parseJson(whole);
        change(json);
        return dumpJson(OrderedJson(json));
    };
    refuses(changed([](Json& json) { json["format"] = "lacuna precision 0"; }));
    refuses(changed([](Json& json) { json["measured"] = Json::array(); }));
    refuses(changed([](Json& json) { json["measured"][0]["precision"] = "exact"; }));
    refuses(changed([](Json& json) { json["measured"][0]["precision"] = "int4"; }));
    refuses(changed([](Json& json) { json["measured"][1]["kl_mean"] = -1; }));
    refuses(changed([](Json& json) { json["measured"][1]["kl_mean"] = nullptr; }));
    refuses(changed([](Json& json) { json["measured"][0]["top1"] = 1.5; }));
    refuses(changed([](Json& json) { json.erase("positions"); }));
    refuses(changed([](Json& json) { json["more"] = 1; }));
}

}  // namespace
}  // namespace lacuna
