// A killed window restores its state on the next start.

#include <gtest/gtest.h>

#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>
#include <csignal>

#include "tests/app/hub/fake_hub.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/window_stage.h"

namespace lacuna::ui {
namespace {

using test::waitFor;

constexpr int kPatienceMs = 60'000;

/// The real program with its window and its data in a test folder.
class KilledProcessTest : public ::testing::Test {
  protected:
    KilledProcessTest() { offscreenApplication(); }
    ~KilledProcessTest() override {
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
    [[nodiscard]] QString storedLastModel() const {
        QFile models(at("data/models.json"));
        if (!models.open(QIODevice::ReadOnly)) return {};
        return QJsonDocument::fromJson(models.readAll())[QStringLiteral("last")].toString();
    }

    test::TemporaryFolder folder;
    std::unique_ptr<QProcess> process;
};

TEST_F(KilledProcessTest, restartAfterKill_reloadsTheLastModel) {
    QDir().mkpath(at("home"));
    const QString model = at("mine.gguf");
    ASSERT_TRUE(
        QFile::copy(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"), model));
    const auto loaded = [&] {
        return timesLogged(QStringLiteral("Model Lacuna Pilot 29M loaded"));
    };
    start({model});
    ASSERT_TRUE(waitFor([&] { return loaded() > 0; }, kPatienceMs));
    ASSERT_TRUE(waitFor([&] { return storedLastModel().endsWith(QStringLiteral("mine.gguf")); },
                        kPatienceMs));
    const qsizetype before = loaded();
    kill();
    start({});
    EXPECT_TRUE(waitFor([&] { return loaded() > before; }, kPatienceMs));
}

}  // namespace
}  // namespace lacuna::ui
