// User workflow on the cache formats page, with a scripted engine and a scripted lacuna-bench.

#include "ui/pages/format_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <functional>

#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/files/bundled_texts.h"
#include "app/state/settings/config_controller.h"
#include "engine/base/file.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_value.h"
#include "tests/support/fake_bench.h"
#include "tests/support/made_up_table.h"
#include "tests/ui/window_stage.h"
#include "ui/pages/progress_footer.h"
#include "ui/panels/cache_format_panel.h"
#include "ui/panels/rotation_panel.h"

namespace lacuna::ui {
namespace {

enum Column { Name, KeysValues, Bits, Bytes, KlMean, KlP99, SameTop, Recall, Speed, Remark };

/// First base class, so it outlives the window.
struct WithBench {
    test::FakeBench bench;
};

class FormatWindowTest : private WithBench, public WindowStage {
  protected:
    using WithBench::bench;

    FormatWindowTest()
        : WindowStage({.settings = {},
                       .dataFolder = bench.dataFolder(),
                       .server = {},
                       .program = bench.program()}) {
        ModelFacts facts = app::smallFacts();
        facts.fingerprint = "small-print";
        facts.headDim = 64;
        hear(ModelLoaded{facts, 0.2});
        hear(StateChanged{EngineState::Idle});
        trigger("measure.formats");
        QCoreApplication::processEvents();
        page = window->findChild<FormatPage*>();
    }
    /// A table with `done` of 60 cells.
    static QualityTable table(std::int64_t done) {
        QualityTable made = test::madeUpTable(TableSize::Formats);
        made.model = "small";
        made.fingerprint = "small-print";
        made.done = done;
        return made;
    }
    /// Stores a table with `done` of 60 cells.
    void keep(std::int64_t done) {
        bench.keep(table(done));
        state->quality().readTables();
    }
    static void waitFor(const std::function<bool()>& condition) {
        EXPECT_TRUE(QTest::qWaitFor(
            [&] {
                QTest::qWait(40);
                return condition();
            },
            20'000));
    }
    [[nodiscard]] QString cell(int line, int column) const {
        return page->table().model()->index(line, column).data().toString();
    }
    [[nodiscard]] int lineOf(const char* name) const {
        for (int i = 0; i < page->table().model()->rowCount(); ++i)
            for (const int column : {Name, KeysValues})
                if (cell(i, column) == QString::fromLatin1(name)) return i;
        ADD_FAILURE() << "no row " << name;
        return -1;
    }
    [[nodiscard]] QString asked(const char* key) const {
        return state->config().spec(QString::fromLatin1(key)).requestedText();
    }

    FormatPage* page = nullptr;
};

TEST_F(FormatWindowTest, presets_areListedBeforeAnyMeasurement) {
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(page->isVisible());
    ASSERT_EQ(page->table().model()->rowCount(), 5);
    EXPECT_EQ(cell(0, Name), QStringLiteral("Exact"));
    EXPECT_EQ(cell(0, Remark), QStringLiteral("selected"));
    for (int line = 0; line < 5; ++line)
        EXPECT_EQ(cell(line, Bits), QStringLiteral("not measured")) << line;
    EXPECT_FALSE(page->usePassingButton().isEnabled());
    EXPECT_TRUE(page->gate().contains(QStringLiteral("known after measuring")));
    EXPECT_TRUE(shows(*page, "Nothing has been measured for this model yet."));
}

TEST_F(FormatWindowTest, measurement_showsProgressThenTheFigures) {
    page->foot().beginButton().click();
    waitFor([this] { return bench.asked().size() == 1; });
    EXPECT_EQ(bench.asked().first(),
              QStringLiteral("presets %1").arg(QString::fromStdString(app::smallFacts().path)));
    bench.keep(table(30));
    waitFor([this] {
        bench.say("progress: some of it measured");
        return page->foot().sentence().contains(QStringLiteral("30 of 60"));
    });
    page->foot().stopButton().click();
    waitFor([this] { return !state->quality().progress().running; });
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("Stopped at 30 of 60")));
    EXPECT_EQ(page->foot().beginButton().text(), QStringLiteral("Continue"));
    page->foot().beginButton().click();
    waitFor([this] { return bench.asked().size() == 2; });
    EXPECT_FALSE(bench.asked().last().contains(QStringLiteral("--fresh")));
    bench.keep(table(60));
    bench.end(0);
    waitFor([this] { return !state->quality().progress().running; });
    const int safe = lineOf("Safe");
    EXPECT_EQ(cell(safe, KeysValues), QStringLiteral("t8/t4"));
    EXPECT_EQ(cell(safe, Bits), QStringLiteral("6.25"));
    EXPECT_EQ(cell(safe, Bytes), QStringLiteral("9,000"));
    EXPECT_EQ(cell(safe, KlMean), QStringLiteral("0.001"));
    EXPECT_EQ(cell(safe, SameTop), QStringLiteral("97.1 %"));
    EXPECT_EQ(cell(safe, Recall), QStringLiteral("28 of 29"));
    EXPECT_EQ(cell(safe, Speed), QStringLiteral("31.0 (1.24x)"));
    EXPECT_EQ(cell(lineOf("Balanced"), KeysValues), QStringLiteral("t5/t4")) << "it passes";
    EXPECT_EQ(cell(lineOf("Compact"), KlMean), QStringLiteral("0.03"));
    EXPECT_EQ(cell(lineOf("Compact"), KeysValues), QStringLiteral("t8/t4, Attention matching 4x"));
    EXPECT_EQ(cell(lineOf("q4_0"), Bits), QStringLiteral("5.00")) << "formats after the presets";
    EXPECT_EQ(page->table().model()->rowCount(), 7) << "none stands there twice";
    page->copyButton().click();
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("| t5/t4 | 4.75 |")));
}

TEST_F(FormatWindowTest, shortAndMissingTexts_areReportedInTheirRow) {
    QualityTable made = table(40);
    TableRow& t4 = made.rows[4];
    t4.klMean = 4.8e-6;
    t4.klP99 = 3.1e-5;
    t4.unsaved = 2;
    t4.open = 4;
    t4.left = 1;
    bench.keep(made);
    state->quality().readTables();
    const int line = lineOf("t4");
    EXPECT_EQ(cell(line, KlMean), QStringLiteral("<0.00001"));
    EXPECT_EQ(cell(line, KlP99), QStringLiteral("0.000031"));
    EXPECT_EQ(cell(line, Remark),
              QStringLiteral("passes, 21 of 25 texts so far, nothing saved in 2 short texts, 1 "
                             "texts excluded"));
}

TEST_F(FormatWindowTest, passingFormat_isOfferedAndSetOnlyOnConfirmation) {
    keep(60);
    EXPECT_TRUE(page->gate().contains(QStringLiteral("t5/t4 is the smallest that passes")))
        << page->gate().toStdString();
    EXPECT_TRUE(page->gate().contains(QStringLiteral("0.004")));
    EXPECT_EQ(asked("kv_type"), QStringLiteral("f16")) << "nothing is set by itself";
    page->usePassingButton().click();
    EXPECT_EQ(asked("kv_type"), QStringLiteral("t5"));
    EXPECT_EQ(asked("v_type"), QStringLiteral("t4"));
    EXPECT_EQ(page->keyBits().text(), QStringLiteral("5"));
    EXPECT_EQ(cell(lineOf("Balanced"), Remark), QStringLiteral("passes, selected"));
    EXPECT_EQ(cell(lineOf("t4"), Remark), QString()) << "0.02 is above the bound";
    EXPECT_EQ(cell(lineOf("Compact"), Remark), QString()) << "what evicts is no candidate";
}

TEST_F(FormatWindowTest, presetsInSequence_leaveNoSettingOfThePreviousOne) {
    const auto use = [this](const char* name) {
        page->table().selectRow(lineOf(name));
        EXPECT_EQ(page->useRowButton().text(), QStringLiteral("Use ") + QString::fromLatin1(name));
        page->useRowButton().click();
    };
    use("Long chat");
    EXPECT_EQ(asked("method"), QStringLiteral("l2"));
    EXPECT_NE(asked("budget"), QStringLiteral("off"));
    EXPECT_EQ(asked("v_type"), QStringLiteral("t4"));
    use("Compact");
    EXPECT_EQ(asked("method"), QStringLiteral("am"));
    EXPECT_EQ(asked("budget"), QStringLiteral("off"));
    use("Exact");
    EXPECT_EQ(asked("method"), QStringLiteral("none"));
    EXPECT_EQ(asked("kv_type"), QStringLiteral("f16"));
    EXPECT_EQ(asked("v_type"), QStringLiteral("same"));
    EXPECT_FALSE(page->useRowButton().isEnabled()) << "it is in use";
}

TEST_F(FormatWindowTest, bits_showBytesAndPredictedLossBeforeTheyAreApplied) {
    EXPECT_TRUE(page->predictedLoss().contains(QStringLiteral("No loss")));
    page->keyBits().setValue(8);
    page->valueBits().setValue(4);
    EXPECT_EQ(asked("kv_type"), QStringLiteral("f16")) << "stepping sets nothing";
    EXPECT_TRUE(page->predictedLoss().contains(QStringLiteral("not measured")))
        << page->predictedLoss().toStdString();
    EXPECT_TRUE(page->predictedLoss().contains(QStringLiteral("values 0.95 %")));
    // 64 key numbers in 8 bits and 64 value numbers in 4, plus a 2-byte scale each: 100 of 256
    // bytes.
    EXPECT_TRUE(page->bytes().contains(QStringLiteral("with the selected format")))
        << page->bytes().toStdString();
    keep(60);
    EXPECT_TRUE(page->predictedLoss().contains(QStringLiteral("Mean KL 0.001, measured")))
        << page->predictedLoss().toStdString();
    page->keyBits().stepDown();
    EXPECT_EQ(page->keyBits().text(), QStringLiteral("7"));
    EXPECT_TRUE(page->predictedLoss().contains(QStringLiteral("predicted from 3 pairs")))
        << page->predictedLoss().toStdString();
    page->useBitsButton().click();
    EXPECT_EQ(asked("kv_type"), QStringLiteral("t7"));
    EXPECT_EQ(asked("v_type"), QStringLiteral("t4"));
    EXPECT_FALSE(page->useBitsButton().isEnabled());
    page->keyBits().setValue(9);
    EXPECT_EQ(page->keyBits().text(), QStringLiteral("16")) << "the step above 8";
    page->valueBits().stepUp();
    page->useBitsButton().click();
    EXPECT_EQ(asked("kv_type"), QStringLiteral("f16"));
    EXPECT_EQ(asked("v_type"), QStringLiteral("t5"));
    state->config().editAll({{QStringLiteral("kv_type"), QStringLiteral("t3")},
                             {QStringLiteral("v_type"), QStringLiteral("same")}});
    trigger("page.chat");
    trigger("measure.formats");
    QCoreApplication::processEvents();
    EXPECT_EQ(page->keyBits().text(), QStringLiteral("3")) << "as asked for elsewhere";
    EXPECT_EQ(page->valueBits().text(), QStringLiteral("3"));
}

TEST_F(FormatWindowTest, unsupportedModel_disablesPresetsWithAReason) {
    ModelFacts odd = app::smallFacts();
    odd.fingerprint = "odd-print";
    odd.headDim = 24;
    hear(ModelLoaded{odd, 0.1});
    page->table().selectRow(lineOf("Safe"));
    EXPECT_FALSE(page->useRowButton().isEnabled());
    EXPECT_TRUE(cell(lineOf("Safe"), Remark).contains(QStringLiteral("24 dimensions")));
    page->keyBits().setValue(4);
    EXPECT_FALSE(page->useBitsButton().isEnabled());
    EXPECT_TRUE(page->bytes().contains(QStringLiteral("24 dimensions")));
}

TEST_F(FormatWindowTest, tableOfAnotherModel_isNotShown) {
    keep(60);
    ModelFacts other = app::smallFacts();
    other.fingerprint = "other-print";
    hear(ModelLoaded{other, 0.1});
    EXPECT_EQ(cell(lineOf("Safe"), Bits), QStringLiteral("not measured"));
    const auto files =
        tableFiles(bench.dataFolder().toStdString(), "other-print", TableSize::Formats);
    ASSERT_TRUE(writeFileInFolder(files.table, "damaged"));
    state->quality().readTables();
    EXPECT_TRUE(shows(*page, "stored table of cache formats of this model cannot be used"));
}

TEST_F(FormatWindowTest, everyFocusableWidget_hasAnAccessibleName) {
    keep(60);
    for (const QWidget* widget : page->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(page)) continue;
        if (qobject_cast<const QLabel*>(widget) != nullptr) continue;
        if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

TEST_F(FormatWindowTest, requestedBits_areShownInTheSpinBoxesWhenThePageOpens) {
    trigger("page.chat");
    state->config().edit(QStringLiteral("kv_type"), QStringLiteral("t4"), app::EditPace::Settled);
    state->config().edit(QStringLiteral("v_type"), QStringLiteral("t3"), app::EditPace::Settled);
    trigger("measure.formats");
    QCoreApplication::processEvents();
    EXPECT_EQ(page->keyBits().value(), 4);
    EXPECT_EQ(page->valueBits().value(), 3);
}

TEST_F(FormatWindowTest, runningFormatMigration_isShownAndCanBeCancelled) {
    CacheFormatPanel& box = page->recoding();
    EXPECT_FALSE(box.isVisible());
    const ConversationId here(state->chat().current());
    state->config().edit(QStringLiteral("kv_type"), QStringLiteral("t4"), app::EditPace::Settled);
    const auto apply = [&](const SetConfig& sent) {
        hear(ConfigApplied{.revision = sent.revision, .config = sent.config, .at = {}});
    };
    apply(engine->sent<SetConfig>().back());
    CacheRecoded said{.conversation = here, .from = "f16", .to = "t4"};
    said.back = {{"kv_type", "f16"}, {"v_type", "same"}};
    CacheRecoded elsewhere = said;
    elsewhere.conversation = ConversationId(here.value + 1);
    elsewhere.share = 0.9;
    hear(said);
    said.share = 0.37;
    hear(said);
    hear(elsewhere);
    EXPECT_TRUE(box.isVisible());
    EXPECT_EQ(box.progress().value(), 370) << "of the conversation on screen";
    EXPECT_TRUE(box.text().contains(QStringLiteral("from f16 to t4")));
    EXPECT_TRUE(box.text().contains(QStringLiteral("37 %")));

    box.cancelButton().click();
    const SetConfig back = engine->sent<SetConfig>().back();
    EXPECT_EQ(back.cancels, here);
    EXPECT_EQ(settingValueText(back.config, "kv_type"), "f16");
    hear(ConfigRejected{back.revision, {}, 0});  // the cancellation came too late
    EXPECT_EQ(asked("kv_type"), QStringLiteral("t4")) << "what is in force stays";
    said.share = 1;
    said.ended = true;
    hear(said);
    EXPECT_TRUE(box.text().contains(QStringLiteral("changed from f16 to t4")));
    EXPECT_FALSE(box.cancelButton().isVisible());

    said.ended = false;
    said.back.clear();
    hear(said);
    EXPECT_FALSE(box.cancelButton().isEnabled()) << "nothing is known to go back to";
    said.ended = true;
    said.error = Error{ErrorCode::NoMemory, "there is not enough memory for both", {}};
    hear(said);
    EXPECT_TRUE(box.text().contains(QStringLiteral("stays in f16: there is not enough memory")));
    hear(ModelUnloaded{});
    EXPECT_FALSE(box.isVisible());
}

TEST_F(FormatWindowTest, rotationCalibration_showsProgress_appliesAfterTheNextLoad) {
    RotationPanel& box = page->rotations();
    EXPECT_TRUE(box.text().contains(QStringLiteral("random rotations")));
    EXPECT_FALSE(box.loadButton().isVisible());
    box.calibrateButton().click();
    ASSERT_EQ(engine->sent<CalibrateRotations>().size(), 1U);
    const std::string book = engine->sent<CalibrateRotations>()[0].book;
    EXPECT_GT(book.size(), 100'000U);
    for (const char* name : {app::kFactsText, app::kProseText}) {
        const std::string text =
            readFile(std::string(LACUNA_RESOURCE_DIR "/texts/") + name, 1U << 24).value();
        for (std::size_t at = 0; at + 60 <= book.size(); at += 997)
            EXPECT_EQ(text.find(book.substr(at, 60)), std::string::npos)
                << "what is calibrated on is measured on: " << book.substr(at, 60);
    }
    EXPECT_FALSE(box.calibrateButton().isVisible());
    hear(RotationsCalibrated{.done = 4096, .total = 30000});
    EXPECT_TRUE(box.text().contains(QStringLiteral("4,096 of 30,000 tokens")));
    hear(RotationsCalibrated{.done = 30000,
                             .total = 30000,
                             .seconds = 41,
                             .ended = true,
                             .path = "/models/small.rotations.safetensors",
                             .hash = "0123"});
    EXPECT_TRUE(box.text().contains(QStringLiteral("/models/small.rotations.safetensors")));
    EXPECT_TRUE(box.text().contains(QStringLiteral("loaded again")));
    const std::size_t loads = engine->sent<LoadModel>().size();
    box.loadButton().click();
    ASSERT_EQ(engine->sent<LoadModel>().size(), loads + 1);
    ModelFacts facts = app::smallFacts();
    facts.fingerprint = "small-print";
    facts.headDim = 64;
    facts.rotationsNote = "rotations are of another model";
    hear(ModelLoaded{facts, 0.2});
    EXPECT_FALSE(box.loadButton().isVisible());
    EXPECT_TRUE(box.text().contains(QStringLiteral("of another model")));
}

TEST_F(FormatWindowTest, stoppedOrFailedCalibration_isReported) {
    RotationPanel& box = page->rotations();
    box.calibrateButton().click();
    hear(RotationsCalibrated{.done = 2048, .total = 30000});
    box.stopButton().click();
    EXPECT_EQ(engine->sent<StopCalibration>().size(), 1U);
    EXPECT_FALSE(box.stopButton().isEnabled());
    hear(RotationsCalibrated{.done = 2048,
                             .total = 30000,
                             .ended = true,
                             .error = Error{ErrorCode::Cancelled, "stopped", {}}});
    EXPECT_TRUE(box.text().contains(QStringLiteral("nothing was saved")));
    box.calibrateButton().click();
    hear(RotationsCalibrated{.ended = true,
                             .error = Error{ErrorCode::NoMemory, "no room for its cache", {}}});
    EXPECT_TRUE(box.text().contains(QStringLiteral("no room for its cache")));
    EXPECT_FALSE(box.loadButton().isVisible());
    hear(ModelUnloaded{});
    EXPECT_FALSE(box.calibrateButton().isEnabled());
}

}  // namespace
}  // namespace lacuna::ui
