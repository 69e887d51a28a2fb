// The page of commands: that it has all of the command line, what a person fills in becomes the
// words of the command, and the command runs; and the window killed, which comes back as it was.

#include "ui/command_window.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QSettings>
#include <QTest>
#include <QWheelEvent>
#include <csignal>

#include "app/state/command_run.h"
#include "app/state/session_feed.h"
#include "tests/app/hub/fake_hub.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/window_stage.h"

namespace lacuna::ui {
namespace {

using test::waitFor;

constexpr int kPatienceMs = 60'000;

class Commands : public WindowStage {
  protected:
    Commands() {
        window.reset();
        state.reset();
        auto owned = std::make_unique<app::FakeEngine>();
        engine = owned.get();
        app::ApplicationOptions options;
        options.program = QStringLiteral(LACUNA_PROGRAM);
        state = std::make_unique<app::ApplicationState>(options, std::move(owned));
        window = std::make_unique<MainWindow>(*state, *themes);
        window->show();
        QCoreApplication::processEvents();
    }
    CommandWindow& page() {
        trigger("tools.commands");
        auto* found = window->findChild<CommandWindow*>();
        EXPECT_NE(found, nullptr);
        EXPECT_TRUE(waitFor([&] { return !found->listed().isEmpty(); }, kPatienceMs))
            << state->commands().table().problem.toStdString();
        return *found;
    }
    static void type(CommandWindow& page, const char* option, const QString& text) {
        auto* edit = qobject_cast<QLineEdit*>(page.field(QString::fromLatin1(option)));
        ASSERT_NE(edit, nullptr) << option;
        edit->clear();
        QTest::keyClicks(edit, text);
    }
    /// Presses Run and waits for the end.
    bool run(CommandWindow& page) {
        QTest::mouseClick(&page.runButton(), Qt::LeftButton);
        return waitFor([&] { return !state->commands().view().running; }, kPatienceMs);
    }
    [[nodiscard]] QString at(const char* name) const {
        return QString::fromStdString((folder.path() / name).string());
    }

    test::TemporaryFolder folder;
};

TEST_F(Commands, whateverTheCommandLineCan_isHereOrHasItsPlaceInTheWindow) {
    CommandWindow& here = page();
    const auto& table = state->commands().table().commands;
    EXPECT_GE(table.size(), 25);
    EXPECT_EQ(here.listed().size(), table.size());
    for (const app::CommandRow& command : table) {
        const QString name = command.name();
        here.choose(name);
        const QString action = CommandWindow::actionOf(name);
        if (!action.isEmpty()) {
            ASSERT_NE(window->actions().find(action), nullptr) << action.toStdString();
            EXPECT_TRUE(here.pageButton().isVisible()) << name.toStdString();
        }
        if (CommandWindow::runsHere(name)) {
            for (const app::CommandOption& option : command.options)
                EXPECT_NE(here.field(option.name), nullptr)
                    << name.toStdString() << " " << option.name.toStdString();
            EXPECT_TRUE(here.line().startsWith(QStringLiteral("lacuna ") + name));
        } else {
            EXPECT_TRUE(!action.isEmpty() || name == QLatin1String("window"))
                << name.toStdString() << " is neither run here nor elsewhere in the window";
            EXPECT_FALSE(here.runButton().isEnabled());
        }
    }
}

TEST_F(Commands, whatIsFilledIn_isRun_andItsOutputStandsThere) {
    CommandWindow& here = page();
    here.choose(QStringLiteral("tokenize"));
    EXPECT_FALSE(here.runButton().isEnabled()) << "the model is needed";
    EXPECT_TRUE(here.sentence().contains(QLatin1String("model"))) << here.sentence().toStdString();
    const QString model = QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf");
    QFile text(at("a text.txt"));
    ASSERT_TRUE(text.open(QIODevice::WriteOnly));
    text.write("hello");
    text.close();
    type(here, "model", model);
    type(here, "--file", text.fileName());
    qobject_cast<QCheckBox*>(here.field(QStringLiteral("--plain")))->click();
    EXPECT_EQ(here.line(),
              QStringLiteral("lacuna tokenize %1 --file '%2' --plain").arg(model, text.fileName()));
    ASSERT_TRUE(run(here));
    EXPECT_FALSE(state->commands().view().problem) << here.sentence().toStdString();
    EXPECT_TRUE(here.output().startsWith(QLatin1Char('['))) << here.output().toStdString();
    EXPECT_TRUE(state->feed().timeline().back().title.startsWith(QLatin1String("lacuna tokenize")))
        << "it is an event of the session";
    EXPECT_EQ(state->commands().saveOutput(at("out.txt")), QString());
    QFile saved(at("out.txt"));
    ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
    EXPECT_EQ(QString::fromUtf8(saved.readAll()), here.output());
    // What was given stays, as long as the window does.
    here.choose(QStringLiteral("settings"));
    here.choose(QStringLiteral("tokenize"));
    EXPECT_TRUE(here.line().endsWith(QLatin1String("--plain")));
}

TEST_F(Commands, aDraftModel_isCutHere_andARefusalIsSaidInItsWords) {
    CommandWindow& here = page();
    here.choose(QStringLiteral("cut-layers"));
    type(here, "in", QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
    type(here, "out", at("draft.gguf"));
    type(here, "--keep", QStringLiteral("0,999"));
    ASSERT_TRUE(run(here));
    EXPECT_TRUE(state->commands().view().problem);
    EXPECT_TRUE(here.sentence().contains(QLatin1String("999"))) << here.sentence().toStdString();
    EXPECT_FALSE(QFile::exists(at("draft.gguf")));
    type(here, "--keep", QStringLiteral("0,1"));
    ASSERT_TRUE(run(here));
    EXPECT_FALSE(state->commands().view().problem) << here.sentence().toStdString();
    EXPECT_TRUE(QFile::exists(at("draft.gguf")));
}

TEST_F(Commands, oneThatRuns_saysHowFarItIs_andIsStopped) {
    QString text;
    for (int i = 0; i < 120; ++i) text += QStringLiteral("Item %1 lies there. ").arg(i);
    QStringList messages;
    for (int i = 0; i < 10; ++i)
        messages << QStringLiteral(R"({"role": "user", "content": "%1\n\nWhere is item %2?"})")
                        .arg(i == 0 ? text : QStringLiteral("And then:"))
                        .arg(i)
                 << QStringLiteral(R"({"role": "assistant", "content": "It lies there."})");
    QFile file(at("messages.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QStringLiteral("[%1]").arg(messages.join(QLatin1Char(','))).toUtf8());
    file.close();
    CommandWindow& here = page();
    here.choose(QStringLiteral("sweep"));
    type(here, "model", QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
    type(here, "--messages", at("messages.json"));
    type(here, "--set", QStringLiteral("keep_recent=8 n_sink=2"));
    EXPECT_TRUE(here.line().contains(QLatin1String(" --set keep_recent=8 --set n_sink=2")))
        << here.line().toStdString();
    QTest::mouseClick(&here.runButton(), Qt::LeftButton);
    EXPECT_TRUE(state->commands().view().running);
    EXPECT_FALSE(here.runButton().isEnabled()) << "one at a time";
    ASSERT_TRUE(waitFor([&] { return !state->commands().view().progress.isEmpty(); }, kPatienceMs))
        << here.sentence().toStdString();
    EXPECT_EQ(here.sentence(), state->commands().view().progress);
    QTest::mouseClick(&here.stopButton(), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return !state->commands().view().running; }, kPatienceMs));
    EXPECT_EQ(here.sentence(), QStringLiteral("Stopped."));
    EXPECT_FALSE(state->commands().view().problem);
}

TEST_F(Commands, commands_areFoundByWordsOfTheirHelpAndOptions) {
    CommandWindow& here = page();
    QTest::keyClicks(&here.words(), QStringLiteral("--keep"));
    EXPECT_TRUE(here.listed().contains(QStringLiteral("cut-layers")));
    EXPECT_FALSE(here.listed().contains(QStringLiteral("serve")));
    here.words().setText(QStringLiteral("nothing like this"));
    EXPECT_TRUE(here.listed().isEmpty());
    EXPECT_TRUE(shows(here, "No command has these words"));
    EXPECT_FALSE(here.runButton().isEnabled());
}

/// The program itself with its window, its data in a folder of the test's.
class KilledWindow : public ::testing::Test {
  protected:
    KilledWindow() { offscreenApplication(); }
    ~KilledWindow() override {
        if (process) kill();
    }
    void start(const QStringList& words) {
        process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
            environment.insert(QString::fromLatin1(name), at("home"));
        process->setProcessEnvironment(environment);
        process->start(
            QStringLiteral(LACUNA_PROGRAM),
            QStringList{QStringLiteral("window"), QStringLiteral("--data-dir"), at("data")} +
                words);
        ASSERT_TRUE(process->waitForStarted());
    }
    void kill() {
        ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
        process->waitForFinished();
        process.reset();
    }
    [[nodiscard]] QString at(const char* name) const {
        return QString::fromStdString((folder.path() / name).string());
    }
    [[nodiscard]] qsizetype timesLogged(const QString& words) const {
        QFile log(at("data/lacuna.log"));
        return log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()).count(words) : 0;
    }

    test::TemporaryFolder folder;
    std::unique_ptr<QProcess> process;
};

TEST_F(KilledWindow, comesBackWithTheModelItHad) {
    QDir().mkpath(at("home"));
    const QString model = at("mine.gguf");
    ASSERT_TRUE(
        QFile::copy(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"), model));
    const auto loaded = [&] {
        return timesLogged(QStringLiteral("Model Lacuna Pilot 29M loaded"));
    };
    start({model});
    ASSERT_TRUE(waitFor([&] { return loaded() > 0; }, kPatienceMs));
    QTest::qWait(500);  // whatever else it writes after a start
    const qsizetype before = loaded();
    kill();
    start({});
    EXPECT_TRUE(waitFor([&] { return loaded() > before; }, kPatienceMs));
}

}  // namespace
}  // namespace lacuna::ui
