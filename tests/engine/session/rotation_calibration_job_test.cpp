// Calibration of the current model's rotations in pauses: other work comes first and does not
// change the result, and the next load finds the file.

#include "engine/session/jobs/rotation_calibration_job.h"

#include <gtest/gtest.h>

#include "engine/model/rotation_file.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

std::string story() {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "The " + std::to_string(i * 37 % 101) + "th door.\n";
    return text;
}

/// An engine with a model in `folder` whose heads support rotated codes.
struct Calibrator {
    explicit Calibrator(const std::filesystem::path& folder)
        : path(folder / "fake.gguf"),
          runner({}, {.headDim = 32, .context = 1024, .tellingQueries = true}) {}

    void start() {
        runner.start();
        ASSERT_TRUE(runner.load(path));
    }
    [[nodiscard]] RotationsCalibrated ended() {
        RotationsCalibrated newest;
        EXPECT_TRUE(runner.waitForNewest<RotationsCalibrated>([&](const auto& event) {
            newest = event;
            return event.ended;
        })) << "it did not end";
        return newest;
    }

    std::filesystem::path path;
    EngineRunner runner;
};

TEST(RotationCalibrationJob, result_isStoredNextToTheModel_forTheNextLoad) {
    const TemporaryFolder folder;
    Calibrator calibrator(folder.path());
    calibrator.start();
    calibrator.runner.queue.push(CalibrateRotations{story()});
    const RotationsCalibrated end = calibrator.ended();
    ASSERT_FALSE(end.error) << describe(*end.error);
    EXPECT_EQ(end.done, end.total);
    EXPECT_EQ(end.path, rotationPath(calibrator.path).string());
    FakeModelOptions named = calibrator.runner.models.options;
    named.name = calibrator.path.string();
    const auto loaded =
        loadRotations(calibrator.path, fakeLoadedModel(named)->spec, folder.path() / "none");
    ASSERT_TRUE(loaded) << describe(loaded.error());
    ASSERT_NE(*loaded, nullptr);
    EXPECT_EQ((*loaded)->hash(), end.hash);
    std::int64_t shown = -1;
    for (const RotationsCalibrated& one : calibrator.runner.all<RotationsCalibrated>()) {
        EXPECT_GE(one.done, shown);
        shown = one.done;
    }
    EXPECT_GT(calibrator.runner.all<RotationsCalibrated>().size(), 5U) << "progress is said";
}

TEST(RotationCalibrationJob, submitMeanwhile_isAnsweredFirst_andTheResultIsTheSame) {
    std::string calm;
    for (const bool asks : {false, true}) {
        const TemporaryFolder folder;
        Calibrator calibrator(folder.path());
        bool answered = false, answeredFirst = false;
        int asked = 0;
        calibrator.runner.onEvent = [&](const Event& event) {
            if (std::holds_alternative<TurnFinished>(event)) answered = true;
            const auto* said = std::get_if<RotationsCalibrated>(&event);
            if (said == nullptr) return;
            if (said->ended) answeredFirst = answered;
        };
        // Within a window, so that it is interrupted and repeated.
        calibrator.runner.models.before = [&](std::int64_t forward) -> Status {
            if (asks && forward % 7 == 5 && asked < 3)
                calibrator.runner.submit(++asked, "Who is there?");
            return {};
        };
        calibrator.start();
        calibrator.runner.queue.push(CalibrateRotations{story()});
        const RotationsCalibrated end = calibrator.ended();
        ASSERT_FALSE(end.error) << describe(*end.error);
        calibrator.runner.finish();
        EXPECT_EQ(answeredFirst, asks);
        EXPECT_EQ(asked, asks ? 3 : 0);
        if (asks)
            EXPECT_EQ(end.hash, calm);
        else
            calm = end.hash;
    }
}

TEST(RotationCalibrationJob, cancelled_storesNothing) {
    const TemporaryFolder folder;
    Calibrator calibrator(folder.path());
    bool stopped = false;
    calibrator.runner.onEvent = [&](const Event& event) {
        const auto* said = std::get_if<RotationsCalibrated>(&event);
        if (said == nullptr || said->done == 0 || stopped) return;
        stopped = true;
        calibrator.runner.queue.push(StopCalibration{});
    };
    calibrator.start();
    calibrator.runner.queue.push(CalibrateRotations{story()});
    const RotationsCalibrated end = calibrator.ended();
    ASSERT_TRUE(end.error);
    EXPECT_EQ(end.error->code, ErrorCode::Cancelled);
    EXPECT_LT(end.done, end.total);
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST(RotationCalibrationJob, modelUnloaded_cancelsTheCalibration) {
    const TemporaryFolder folder;
    Calibrator calibrator(folder.path());
    bool gone = false;
    calibrator.runner.onEvent = [&](const Event& event) {
        const auto* said = std::get_if<RotationsCalibrated>(&event);
        if (said == nullptr || said->done == 0 || gone) return;
        gone = true;
        calibrator.runner.queue.push(UnloadModel{});
    };
    calibrator.start();
    calibrator.runner.queue.push(CalibrateRotations{story()});
    const RotationsCalibrated end = calibrator.ended();
    ASSERT_TRUE(end.error);
    EXPECT_EQ(end.error->what, "the model was unloaded");
}

TEST(RotationCalibrationJob, unsupportedModel_isRefusedWithTheReason) {
    const TemporaryFolder folder;
    {
        Calibrator without(folder.path());
        without.runner.start();
        without.runner.queue.push(CalibrateRotations{story()});
        EXPECT_EQ(without.ended().error->code, ErrorCode::InvalidArgument);
    }
    Calibrator calibrator(folder.path());
    calibrator.start();
    calibrator.runner.queue.push(CalibrateRotations{"Too short."});
    const RotationsCalibrated end = calibrator.ended();
    ASSERT_TRUE(end.error);
    EXPECT_EQ(end.error->code, ErrorCode::InvalidArgument);
    EXPECT_NE(end.error->what.find("left out"), std::string::npos) << end.error->what;
}

TEST(RotationCalibrationJob, unwritableModelFolder_storesResultInTheUserFolder) {
    const TemporaryFolder folder;
    Calibrator calibrator(folder.path() / "not there");
    calibrator.runner.options.profileFolder = folder.path() / "own";
    calibrator.start();
    calibrator.runner.queue.push(CalibrateRotations{story()});
    const RotationsCalibrated end = calibrator.ended();
    ASSERT_FALSE(end.error) << describe(*end.error);
    EXPECT_EQ(end.path.rfind((folder.path() / "own").string(), 0), 0U) << end.path;
}

}  // namespace
}  // namespace lacuna::test
