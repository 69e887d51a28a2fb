// User workflow on the models page: list, loading, downloads from a fake hub, drafts, calibrations,
// conversions, caches in files.

#include "ui/pages/models_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QProgressBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

#include "app/state/files/program_files.h"
#include "app/state/models/memory_plan_view.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_jobs.h"
#include "app/state/models/model_library.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/app/hub/fake_hub.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/memory_plan_chart.h"
#include "ui/pages/download_page.h"
#include "ui/pages/prepare_page.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {
namespace {

using app::CalibrationKind;
using app::ModelLibrary;
using app::ModelLibraryEntry;
using test::FakeHub;
using test::waitFor;

class ModelsWindowTest : public WindowStage {
  protected:
    ModelsWindowTest() { begin(); }

    /// Starts, or restarts, the program with its data in the test folder.
    void begin() {
        window.reset();
        state.reset();
        auto owned = std::make_unique<app::FakeEngine>();
        engine = owned.get();
        app::ApplicationOptions options;
        options.dataFolder = data();
        options.program = QStringLiteral(LACUNA_PROGRAM);
        state = std::make_unique<app::ApplicationState>(options, std::move(owned), engine->events);
        window = std::make_unique<MainWindow>(*state, *themes);
        window->resize(1280, 800);
        window->show();
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QString at(const char* name) const {
        return QString::fromStdString((folder.path() / name).string());
    }
    [[nodiscard]] QString data() const { return at("data"); }
    /// Copies the test model, which is a real model.
    QString put(const char* name) {
        const QString path = at(name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        EXPECT_TRUE(
            QFile::copy(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"), path))
            << name;
        QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        return path;
    }
    ModelsPage& page() {
        trigger("model.page");
        ModelsPage* found = window->findChild<ModelsPage*>();
        EXPECT_TRUE(waitFor([&] { return !state->library().scanning(); }, 30'000));
        return *found;
    }
    [[nodiscard]] QString cell(ModelsPage& page, const char* name, int column) const {
        const QAbstractItemModel& rows = *page.table().model();
        for (int i = 0; i < rows.rowCount(); ++i)
            if (rows.index(i, 0).data().toString() == QLatin1String(name))
                return rows.index(i, column).data().toString();
        return {};
    }
    [[nodiscard]] QStringList listed(ModelsPage& page) const {
        QStringList names;
        for (int i = 0; i < page.table().model()->rowCount(); ++i)
            names << page.table().model()->index(i, 0).data().toString();
        return names;
    }
    static void click(QPushButton& button) { QTest::mouseClick(&button, Qt::LeftButton); }
    void cameIntoUse(const QString& path) {
        ModelFacts facts = app::smallFacts();
        facts.path = path.toStdString();
        hear(ModelLoaded{facts, 0.2});
        hear(StateChanged{EngineState::Idle});
    }
    bool settled() {
        return waitFor([&] { return !state->library().scanning(); }, 30'000);
    }

    test::TemporaryFolder folder;
};

TEST_F(ModelsWindowTest, folderScan_listsEachModelWithItsDetails) {
    put("models/one.gguf");
    put("models/deep/er/two.gguf");
    QDir().mkpath(at("models/broken"));
    QFile broken(at("models/broken/page.gguf"));
    ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
    broken.write("<html>");
    broken.close();
    ModelsPage& here = page();
    here.take({at("models")});
    ASSERT_TRUE(settled());
    EXPECT_TRUE(listed(here).contains(QStringLiteral("one.gguf")));
    EXPECT_TRUE(listed(here).contains(QStringLiteral("two.gguf")));
    EXPECT_TRUE(cell(here, "one.gguf", 1).endsWith(QLatin1String("MiB")));
    EXPECT_TRUE(cell(here, "one.gguf", 2).startsWith(QLatin1String("llama, ")));
    EXPECT_EQ(cell(here, "one.gguf", 3), QStringLiteral("Q8_0"));
    EXPECT_EQ(cell(here, "one.gguf", 5), QStringLiteral("fits"));
    here.choose(at("models/broken/page.gguf"));
    EXPECT_TRUE(here.sentence().contains(QLatin1String("HTML"))) << here.sentence().toStdString();
    EXPECT_FALSE(here.loadButton().isEnabled());
    // The next start still lists the folder.
    state->library().settle();
    begin();
    EXPECT_TRUE(listed(page()).contains(QStringLiteral("two.gguf")));
    // Removing the folder removes its models from the list but not from disk.
    state->library().removeFolder(at("models"));
    EXPECT_FALSE(listed(page()).contains(QStringLiteral("two.gguf")));
    EXPECT_TRUE(QFile::exists(at("models/one.gguf")));
}

TEST_F(ModelsWindowTest, selectedModel_isLoadedStoppedAndUnloaded) {
    const QString one = put("one.gguf");
    ModelsPage& here = page();
    here.take({one});
    ASSERT_TRUE(settled());
    EXPECT_EQ(here.chosen(), one);
    click(here.loadButton());
    ASSERT_EQ(engine->sent<LoadModel>().size(), 1U);
    EXPECT_EQ(engine->sent<LoadModel>()[0].path.string(), one.toStdString());
    hear(ModelLoading{one.toStdString(), 0.4});
    EXPECT_FALSE(here.loadButton().isEnabled());
    ASSERT_TRUE(here.stopButton().isVisible());
    click(here.stopButton());
    EXPECT_EQ(engine->sent<CancelTurn>().size(), 1U);
    cameIntoUse(one);
    EXPECT_FALSE(here.stopButton().isVisible());
    EXPECT_TRUE(cell(here, "one.gguf", 6).contains(QLatin1String("in use")));
    EXPECT_FALSE(here.removeButton().isEnabled()) << "it is in use";
    click(here.unloadButton());
    EXPECT_EQ(engine->sent<UnloadModel>().size(), 1U);
    hear(ModelUnloaded{});
    // Removing a model from the list keeps its file.
    here.choose(one);
    click(here.removeButton());
    EXPECT_FALSE(listed(here).contains(QStringLiteral("one.gguf")));
    EXPECT_TRUE(QFile::exists(one));
}

TEST_F(ModelsWindowTest, memoryPlanOfRecurrentLayers_listsStatesAndTheCostOfACheckpoint) {
    const QString hybrid = QStringLiteral(LACUNA_GOLDEN_DIR "/models-2026/qwen35/model.gguf");
    ModelsPage& here = page();
    here.take({hybrid});
    ASSERT_TRUE(settled());
    QCoreApplication::processEvents();
    ASSERT_TRUE(here.chart().plan());
    const app::MemoryPlanView plan = *here.chart().plan();
    EXPECT_GT(plan.planned.of(app::MemoryPart::States), 0);
    EXPECT_GT(plan.planned.of(app::MemoryPart::Checkpoints), plan.oneCheckpoint);
    EXPECT_GT(plan.oneCheckpoint, 0);
    EXPECT_TRUE(here.chart().accessibleDescription().contains(QLatin1String("Checkpoints")));
    const QTableWidget& table = here.planTable();
    QStringList parts;
    for (int row = 0; row < table.rowCount(); ++row) parts << table.item(row, 0)->text();
    EXPECT_TRUE(parts.contains(QStringLiteral("One more checkpoint costs")));
}

TEST_F(ModelsWindowTest, memoryPlan_isAChartATextAndATable) {
    const QString one = put("one.gguf");
    ModelsPage& here = page();
    here.take({one});
    ASSERT_TRUE(settled());
    QCoreApplication::processEvents();
    MemoryPlanChart& chart = here.chart();
    ASSERT_TRUE(chart.plan());
    const app::MemoryPlanView plan = *chart.plan();
    EXPECT_GT(plan.planned.of(app::MemoryPart::Weights), 0);
    EXPECT_GT(plan.planned.of(app::MemoryPart::Live), 0);
    EXPECT_GT(plan.planned.of(app::MemoryPart::Slack), 0);
    EXPECT_FALSE(plan.measured) << "it is not loaded";
    EXPECT_TRUE(chart.accessibleDescription().contains(QLatin1String("Weights")));
    EXPECT_TRUE(chart.accessibleDescription().contains(QLatin1String("in all")));
    // Parts are drawn one after another, with lengths proportional to their bytes.
    const auto weights = chart.place(app::MemoryPart::Weights, false);
    const auto live = chart.place(app::MemoryPart::Live, false);
    ASSERT_TRUE(weights && live);
    EXPECT_NEAR(weights->right(), live->left(), 0.01);
    EXPECT_NEAR(live->width() / weights->width(),
                static_cast<double>(plan.planned.of(app::MemoryPart::Live)) /
                    static_cast<double>(plan.planned.of(app::MemoryPart::Weights)),
                0.01);
    ASSERT_TRUE(chart.limitPosition());
    EXPECT_GT(*chart.limitPosition(), live->right()) << "it fits";
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_TRUE(chart.accessibleDescription().startsWith(QLatin1String("Weights: planned")));
    QTest::mouseClick(&here.planTableButton(), Qt::LeftButton);
    EXPECT_TRUE(here.planTable().isVisible());
    EXPECT_EQ(here.planTable().item(0, 0)->text(), QStringLiteral("Weights"));
    // For the current model, the measured memory is shown next to the plan.
    cameIntoUse(one);
    ASSERT_TRUE(settled());
    StepSample sample;
    sample.conversation = WindowStage::here();
    sample.kv.liveBytes = 3'000'000;
    sample.kv.allocatedBytes = 4'000'000;
    sample.liveBytesAll = 3'000'000;
    sample.rssBytes = 90'000'000;
    hear(sample);
    ASSERT_TRUE(here.chart().plan() && here.chart().plan()->measured);
    const app::MemoryBar& now = *here.chart().plan()->measured;
    EXPECT_EQ(now.of(app::MemoryPart::Weights), 31'000'000);
    EXPECT_EQ(now.of(app::MemoryPart::Live), 3'000'000);
    EXPECT_EQ(now.of(app::MemoryPart::Slack), 1'000'000);
    EXPECT_EQ(now.of(app::MemoryPart::Activations),
              here.chart().plan()->planned.of(app::MemoryPart::Activations));
    EXPECT_GT(now.of(app::MemoryPart::Rest), 0) << "the window, the vocabulary and the recording";
    EXPECT_EQ(now.total(), 90'000'000) << "the parts add up to the process";
    EXPECT_EQ(here.planTable().item(1, 2)->text(), app::bytesText(3'000'000));
}

TEST_F(ModelsWindowTest, lastModel_isReloadedUnlessSwitchedOff) {
    const QString one = put("one.gguf");
    cameIntoUse(one);
    state->library().settle();
    begin();  // no orderly end was recorded, as after a kill
    QString why;
    EXPECT_EQ(state->library().takeLast(&why), one);
    EXPECT_TRUE(why.isEmpty());
    // The program ends while loading the model, so it is not loaded automatically again.
    begin();
    EXPECT_EQ(state->library().takeLast(&why), QString());
    EXPECT_TRUE(why.contains(QLatin1String("one.gguf")));
    cameIntoUse(one);
    state->library().settle();
    begin();
    QTest::mouseClick(&page().loadAgainBox(), Qt::LeftButton, {},
                      QPoint(8, page().loadAgainBox().height() / 2));
    EXPECT_FALSE(state->library().loadsLast());
    state->library().settle();
    begin();
    EXPECT_EQ(state->library().takeLast(&why), QString());
    EXPECT_FALSE(page().loadAgainBox().isChecked());
    state->library().setLoadsLast(true);
    ASSERT_TRUE(QFile::remove(one));
    EXPECT_EQ(state->library().takeLast(&why), QString());
    EXPECT_TRUE(why.contains(QLatin1String("no longer exists")));
}

TEST_F(ModelsWindowTest, droppedModels_areLoadedOrListed) {
    const QString one = put("m/one.gguf"), two = put("m/two.gguf");
    const auto drop = [](QWidget& on, const QStringList& paths) {
        QMimeData files;
        QList<QUrl> urls;
        for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
        files.setUrls(urls);
        QDragEnterEvent enters(QPoint(20, 20), Qt::CopyAction, &files, Qt::LeftButton,
                               Qt::NoModifier);
        QCoreApplication::sendEvent(&on, &enters);
        EXPECT_TRUE(enters.isAccepted());
        QDropEvent event(QPointF(20, 20), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&on, &event);
    };
    drop(*window, {one});
    EXPECT_EQ(engine->sent<LoadModel>().size(), 1U);
    drop(*window, {one, two});
    EXPECT_EQ(engine->sent<LoadModel>().size(), 1U) << "several are listed";
    ModelsPage& here = page();
    EXPECT_TRUE(listed(here).contains(QStringLiteral("two.gguf")));
    put("n/three.gguf");
    drop(here, {at("n")});
    ASSERT_TRUE(settled());
    EXPECT_TRUE(listed(here).contains(QStringLiteral("three.gguf")));
}

TEST_F(ModelsWindowTest, download_isFoundFetchedListedLoadedAndDeletedOnConfirmation) {
    FakeHub hub;
    QFile pilot(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
    ASSERT_TRUE(pilot.open(QIODevice::ReadOnly));
    hub.repository("maker/pilot-gguf", {{"pilot-q8.gguf", pilot.readAll()}});
    ModelsPage& here = page();
    here.tabs().setCurrentIndex(1);
    DownloadPage& page = here.downloads();
    EXPECT_TRUE(page.sentence().contains(QLatin1String("No connection is made")));
    QTest::keyClicks(&page.hubField(), hub.address());
    QTest::keyClick(&page.hubField(), Qt::Key_Return);
    EXPECT_EQ(hub.connections(), 0) << "nothing is asked before a person asks";
    QTest::keyClicks(&page.nameField(), QStringLiteral("maker/pilot-gguf"));
    click(page.lookUpButton());
    ASSERT_TRUE(waitFor([&] { return page.offers().rowCount() == 1; }))
        << page.sentence().toStdString();
    EXPECT_EQ(page.offers().item(0, 3)->text(), QStringLiteral("from the hub"));
    click(page.fetchButton());
    ASSERT_TRUE(waitFor(
        [&] {
            return page.downloads().rowCount() == 1 &&
                   page.downloads().item(0, 1)->text() == QLatin1String("complete");
        },
        60'000))
        << (page.downloads().rowCount() > 0 ? page.downloads().item(0, 1)->text().toStdString()
                                            : "");
    here.tabs().setCurrentIndex(0);
    ASSERT_TRUE(settled());
    EXPECT_TRUE(listed(here).contains(QStringLiteral("pilot-q8.gguf")));
    EXPECT_TRUE(cell(here, "pilot-q8.gguf", 6).contains(QLatin1String("downloaded")));
    click(here.loadButton());
    ASSERT_EQ(engine->sent<LoadModel>().size(), 1U);
    const QString path = QString::fromStdString(engine->sent<LoadModel>()[0].path.string());
    EXPECT_EQ(path, data() + QStringLiteral("/models/pilot-q8.gguf"));
    hear(ModelFailed{path.toStdString(), Error{ErrorCode::Cancelled, "stopped", {}}, false});
    // Deleting asks first, and the default answer keeps the file.
    here.choose(path);
    for (const bool really : {false, true}) {
        click(here.deleteButton());
        auto* box = here.findChild<QMessageBox*>();
        ASSERT_NE(box, nullptr);
        EXPECT_TRUE(box->text().contains(path));
        EXPECT_EQ(box->defaultButton()->text(), QStringLiteral("Keep"));
        click(*button(*box, really ? "Delete" : "Keep"));
        delete box;
        EXPECT_EQ(QFile::exists(path), !really);
    }
    EXPECT_FALSE(listed(here).contains(QStringLiteral("pilot-q8.gguf")));
}

TEST_F(ModelsWindowTest, pausedDownload_resumesAfterTheNextStart) {
    FakeHub hub;
    const QByteArray bytes = test::ggufBytes(400'000);
    hub.repository("o/n", {{"m.gguf", bytes}});
    hub.on("/o/n/resolve/main/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nETag: \"one\"\r\nContent-Length: 400000\r\n\r\n" +
                     bytes.left(100'000));
    });
    {
        DownloadPage& page = this->page().downloads();
        QTest::keyClicks(&page.hubField(), hub.address());
        QTest::keyClick(&page.hubField(), Qt::Key_Return);
        QTest::keyClicks(&page.nameField(), QStringLiteral("o/n"));
        QTest::keyClick(&page.nameField(), Qt::Key_Return);
        ASSERT_TRUE(waitFor([&] { return page.offers().rowCount() == 1; }));
        this->page().tabs().setCurrentIndex(1);
        click(page.fetchButton());
        ASSERT_TRUE(waitFor([&] {
            return page.downloads().rowCount() == 1 &&
                   page.downloads().item(0, 2)->text().startsWith(QLatin1String("97.7 KiB"));
        }));
        click(page.pauseButton());
        ASSERT_TRUE(waitFor(
            [&] { return page.downloads().item(0, 1)->text() == QLatin1String("paused"); }));
        EXPECT_TRUE(page.resumeButton().isEnabled());
    }
    state->library().settle();
    begin();
    ModelsPage& here = page();
    here.tabs().setCurrentIndex(1);
    DownloadPage& page = here.downloads();
    ASSERT_EQ(page.downloads().rowCount(), 1);
    EXPECT_EQ(page.downloads().item(0, 1)->text(), QStringLiteral("paused"));
    hub.serve("/o/n/resolve/main/m.gguf", {bytes});
    click(page.resumeButton());
    ASSERT_TRUE(
        waitFor([&] { return page.downloads().item(0, 1)->text() == QLatin1String("complete"); }));
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=100000-");
}

/// Output and exit status of a `lacuna download` command.
struct Ran {
    int status = -1;
    QString out, said;
};
class Command {
  public:
    explicit Command(const QStringList& words) {
        process.start(QStringLiteral(LACUNA_PROGRAM),
                      QStringList{QStringLiteral("download")} + words);
    }
    Ran end() {
        EXPECT_TRUE(waitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000));
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }
    QProcess process;
};

TEST_F(ModelsWindowTest, commandLine_downloadsTheSameFile) {
    FakeHub hub;
    const QByteArray bytes = test::ggufBytes(400'000), other = test::ggufBytes(50'000, 2);
    hub.repository("o/n", {{"m.gguf", bytes}, {"small.gguf", other}});
    const QStringList here{QStringLiteral("--hub"), hub.address(), QStringLiteral("--out"),
                           at("out")};
    const auto run = [&](const QStringList& words) { return Command(words + here).end(); };
    const QString repository = QStringLiteral("o/n"), file = QStringLiteral("m.gguf");
    const Ran listed = run({repository, QStringLiteral("--list")});
    EXPECT_EQ(listed.status, 0) << listed.said.toStdString();
    EXPECT_TRUE(listed.out.contains(QLatin1String("small.gguf")));
    const Ran many = run({repository});
    EXPECT_EQ(many.status, 2);
    EXPECT_TRUE(many.said.contains(QLatin1String("DL_ADDRESS"))) << many.said.toStdString();
    EXPECT_TRUE(many.out.contains(file)) << "which there are";
    // After an interruption the same command resumes.
    hub.on("/o/n/resolve/main/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nETag: \"one\"\r\nContent-Length: 400000\r\n\r\n" +
                     bytes.left(100'000));
    });
    {
        Command stopped(QStringList{repository, file} + here);
        ASSERT_TRUE(
            waitFor([&] { return QFileInfo(at("out/m.gguf.part")).size() == 100'000; }, 30'000));
        stopped.process.terminate();
        const Ran end = stopped.end();
        EXPECT_EQ(end.status, 143) << end.said.toStdString();
        EXPECT_TRUE(end.said.contains(QLatin1String("to resume")));
    }
    hub.serve("/o/n/resolve/main/m.gguf", {bytes});
    const Ran whole = run({repository, file});
    EXPECT_EQ(whole.status, 0) << whole.said.toStdString();
    EXPECT_TRUE(whole.out.contains(at("out/m.gguf")));
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=100000-");
    const Ran wrong = run({hub.address() + QStringLiteral("/o/n/resolve/main/small.gguf"),
                           QStringLiteral("--sha256"), QString(64, QLatin1Char('0'))});
    EXPECT_EQ(wrong.status, 65);
    EXPECT_TRUE(wrong.said.contains(QLatin1String("DL_HASH"))) << wrong.said.toStdString();
    EXPECT_EQ(run({QStringLiteral("nonsense")}).status, 2);
}

TEST_F(ModelsWindowTest, draftModel_isStoredPerModel_rejectedOneIsCleared) {
    const QString one = put("one.gguf"), two = put("two.gguf");
    ModelsPage& here = page();
    here.take({one, two});
    ASSERT_TRUE(settled());
    cameIntoUse(one);
    here.choose(one);
    here.tabs().setCurrentIndex(2);
    QComboBox& draft = here.prepare().draftBox();
    const int row = draft.findText(QStringLiteral("two.gguf"));
    ASSERT_GT(row, 0);
    EXPECT_EQ(draft.findText(QStringLiteral("one.gguf")), -1) << "not itself";
    draft.setCurrentIndex(row);
    Q_EMIT draft.activated(row);
    ASSERT_EQ(engine->sent<LoadModel>().size(), 1U) << "the model in use is loaded with it";
    EXPECT_EQ(engine->sent<LoadModel>()[0].draft.string(), two.toStdString());
    hear(ModelFailed{one.toStdString(),
                     Error{ErrorCode::Incompatible, "the draft model has another vocabulary", {}},
                     true});
    EXPECT_EQ(state->library().draftOf(one), QString()) << "refused, it is not kept";
    EXPECT_EQ(here.prepare().draftBox().currentIndex(), 0);
    EXPECT_TRUE(shows(here, "another vocabulary"));
    state->library().setDraft(one, two);
    state->library().settle();
    begin();
    state->model().load(one);
    EXPECT_EQ(engine->sent<LoadModel>()[0].draft.string(), two.toStdString());
    // If no model is in use, loading is retried without the draft.
    hear(ModelFailed{one.toStdString(), Error{ErrorCode::Incompatible, "no", {}}, false});
    ASSERT_EQ(engine->sent<LoadModel>().size(), 2U);
    EXPECT_TRUE(engine->sent<LoadModel>()[1].draft.empty());
}

TEST_F(ModelsWindowTest, calibrations_runAsChildProcessesWithProgressAndStop) {
    const QString one = put("one.gguf");
    ModelsPage& here = page();
    here.take({one});
    ASSERT_TRUE(settled());
    here.choose(one);
    here.tabs().setCurrentIndex(2);
    PreparePage& prepare = here.prepare();
    EXPECT_EQ(prepare.calibrationText(CalibrationKind::Layers), QStringLiteral("missing"));
    click(prepare.calibrateButton(CalibrationKind::Rotations));
    EXPECT_TRUE(state->jobs().view().running);
    EXPECT_FALSE(prepare.calibrateButton(CalibrationKind::Heads).isEnabled()) << "one at a time";
    ASSERT_TRUE(waitFor([&] { return state->jobs().view().share > 0; }, 60'000));
    EXPECT_TRUE(prepare.jobText().contains(QLatin1String("tokens")));
    click(prepare.stopButton());
    ASSERT_TRUE(waitFor([&] { return !state->jobs().view().running; }, 60'000));
    EXPECT_TRUE(prepare.jobText().contains(QLatin1String("Stopped")));
    EXPECT_FALSE(QFile::exists(at("one.rotations.safetensors"))) << "nothing was saved";
    // A calibration that runs to its end is stored.
    click(prepare.calibrateButton(CalibrationKind::Heads));
    ASSERT_TRUE(waitFor([&] { return !state->jobs().view().running; }, 120'000));
    EXPECT_FALSE(state->jobs().view().problem) << prepare.jobText().toStdString();
    ASSERT_TRUE(settled());
    EXPECT_EQ(prepare.calibrationText(CalibrationKind::Heads),
              QStringLiteral("available for this model"));
    // A calibration of another model is reported as stale.
    ASSERT_TRUE(QFile::copy(at("one.heads.json"), at("two.heads.json")));
    QFile other(QStringLiteral(LACUNA_GOLDEN_DIR "/models/llama/model.gguf"));
    ASSERT_TRUE(other.copy(at("two.gguf")));
    here.take({at("two.gguf")});
    ASSERT_TRUE(settled());
    here.choose(at("two.gguf"));
    EXPECT_TRUE(prepare.calibrationText(CalibrationKind::Heads).startsWith(QLatin1String("stale")))
        << prepare.calibrationText(CalibrationKind::Heads).toStdString();
}

TEST_F(ModelsWindowTest, quantisation_writesTheModelOrReportsTheReason) {
    const QString one = put("one.gguf");
    ModelsPage& here = page();
    here.take({one});
    ASSERT_TRUE(settled());
    here.tabs().setCurrentIndex(2);
    EXPECT_FALSE(here.prepare().writeButton().isEnabled());
    EXPECT_TRUE(shows(here, "already Q8_0"));
    // A folder with unconverted weights is converted and listed.
    here.take({QStringLiteral(LACUNA_GOLDEN_DIR "/models/llama")});
    ASSERT_TRUE(settled());
    here.choose(QStringLiteral(LACUNA_GOLDEN_DIR "/models/llama"));
    ASSERT_TRUE(here.prepare().writeButton().isEnabled());
    here.prepare().typeBox().setCurrentText(QStringLiteral("q8_0"));
    here.prepare().writeTo(at("made.gguf"));
    ASSERT_TRUE(waitFor([&] { return !state->jobs().view().running; }, 60'000));
    EXPECT_FALSE(state->jobs().view().problem) << here.prepare().jobText().toStdString();
    EXPECT_TRUE(QFile::exists(at("made.gguf")));
    ASSERT_TRUE(settled());
    EXPECT_TRUE(listed(here).contains(QStringLiteral("made.gguf")));
    // A refusal is reported in the words of the command.
    here.prepare().writeTo(at("no/such/folder/made.gguf"));
    ASSERT_TRUE(waitFor([&] { return !state->jobs().view().running; }, 60'000));
    EXPECT_TRUE(state->jobs().view().problem);
    EXPECT_FALSE(state->jobs().view().sentence.isEmpty());
}

TEST_F(ModelsWindowTest, cache_isSavedAndLoaded_mismatchIsReported) {
    load();
    StepSample sample;
    sample.conversation = WindowStage::here();
    sample.kv.tokens = 120;
    hear(sample);
    ModelsPage& page = this->page();
    page.tabs().setCurrentIndex(2);
    state->saveCache(at("c.kvcache"));
    ASSERT_EQ(engine->sent<SavePromptCache>().size(), 1U);
    EXPECT_EQ(engine->sent<SavePromptCache>()[0].conversation, WindowStage::here());
    PromptCacheMoved moved;
    moved.conversation = WindowStage::here();
    moved.path = at("c.kvcache").toStdString();
    moved.tokens = 120;
    hear(moved);
    EXPECT_TRUE(shows("120 tokens"));
    state->loadCache(at("c.kvcache"));
    ASSERT_EQ(engine->sent<LoadPromptCache>().size(), 1U);
    moved.loaded = true;
    moved.error = Error{ErrorCode::Incompatible, "the cache was made with another model", {}};
    hear(moved);
    EXPECT_TRUE(shows("another model"));
    EXPECT_TRUE(shows(page, "another model"));
    EXPECT_TRUE(page.prepare().loadCacheButton().isEnabled());
}

TEST_F(ModelsWindowTest, everyControl_hasAnAccessibleNameAndIsReachableByKeyboard) {
    const QString one = put("one.gguf");
    ModelsPage& here = page();
    here.take({one});
    ASSERT_TRUE(settled());
    for (int tab = 0; tab < here.tabs().count(); ++tab) {
        here.tabs().setCurrentIndex(tab);
        QCoreApplication::processEvents();
        for (const QWidget* widget : here.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
            if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
            if (qobject_cast<const QLabel*>(widget) != nullptr) continue;  // its text is its name
            EXPECT_FALSE(widget->accessibleName().isEmpty() &&
                         qobject_cast<const QAbstractScrollArea*>(widget->parent()) == nullptr)
                << widget->metaObject()->className() << " on tab " << tab;
        }
    }
    here.resize(760, 520);
    QCoreApplication::processEvents();
    EXPECT_LE(here.minimumSizeHint().width(), 780);
    EXPECT_LE(here.minimumSizeHint().height(), 560) << "it fits a screen of 800 x 600";
}

}  // namespace
}  // namespace lacuna::ui
