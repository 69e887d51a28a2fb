// The quality table of a model, measured by the lacuna-bench program in a separate process.

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "app/state/experiments/quality_controller.h"
#include "engine/model/weight_placement.h"
#include "engine/session/read_facts.h"
#include "tests/app/hub/fake_hub.h"
#include "tests/support/bundled_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/offscreen.h"

namespace lacuna::app {
namespace {

using test::waitFor;

constexpr int kPatienceMs = 240'000;

TEST(BenchProcess, qualityTable_isMeasuredPausedStoppedAndStored) {
    ui::offscreenApplication();
    const test::TemporaryFolder folder;
    const QString data = QString::fromStdString(folder.path().string());
    const auto model = loadToRun(test::pilotModel(), {});
    ASSERT_TRUE(model) << model.error().what;
    const ModelFacts facts = factsOf(**model, {});
    QualityController quality(machineFacts(), data, QStringLiteral(LACUNA_PROGRAM));
    quality.setModel(&facts);
    ASSERT_FALSE(quality.table(QualityController::Small).there);
    QSignalSpy ended(&quality, &QualityController::ended);
    quality.measure(QualityController::Small, false);
    ASSERT_TRUE(quality.progress().running);
    EXPECT_FALSE(quality.disabledReason().isEmpty());
    ASSERT_TRUE(
        waitFor([&] { return quality.progress().done > 0 || !ended.isEmpty(); }, kPatienceMs))
        << "nothing was measured";
    ASSERT_TRUE(ended.isEmpty()) << ended.first().first().toString().toStdString();
    EXPECT_GT(quality.progress().total, quality.progress().done);
    EXPECT_TRUE(quality.table(QualityController::Small).there) << "as far as it is";

    quality.setPaused(QStringLiteral("An answer is written."));
    quality.stop();
    ASSERT_TRUE(waitFor([&] { return !ended.isEmpty(); }, kPatienceMs)) << "it was held";
    EXPECT_TRUE(ended.first().first().toString().startsWith(QLatin1String("Stopped at ")))
        << ended.first().first().toString().toStdString();
    EXPECT_FALSE(ended.first().at(1).toBool());
    const QualityTableView kept = quality.table(QualityController::Small);
    EXPECT_GT(kept.done, 0);

    QualityController next(machineFacts(), data, QStringLiteral(LACUNA_PROGRAM));
    next.setModel(&facts);
    EXPECT_EQ(next.table(QualityController::Small).done, kept.done);
}

}  // namespace
}  // namespace lacuna::app
