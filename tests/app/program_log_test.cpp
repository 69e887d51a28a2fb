#include "app/state/files/program_log.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <thread>

#include "app/state/application_state.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

EventRow eventOf(EventKind kind, const char* title, bool problem = false) {
    EventRow row;
    row.when = QDateTime::currentDateTime();
    row.kind = kind;
    row.title = QString::fromUtf8(title);
    row.problem = problem;
    return row;
}

class ProgramLogTest : public ::testing::Test {
  protected:
    ProgramLogTest() { coreApplication(); }

    [[nodiscard]] QString textOn(const char* name = "lacuna.log") const {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    [[nodiscard]] static QString cell(const ProgramLog& log, int row, ProgramLog::Column column) {
        return log.index(row, column).data().toString();
    }
    /// Waits until everything posted by other threads has arrived.
    static void settle(ProgramLog& log) {
        log.flush();
        QCoreApplication::processEvents();
    }

    QTemporaryDir folder;
};

TEST_F(ProgramLogTest, lines_areShownImmediatelyAndWrittenToDisk) {
    ProgramLog log(folder.path());
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("starts"));
    log.add(LogSeverity::Error, QStringLiteral("model"), QStringLiteral("two\nlines"));
    ASSERT_EQ(log.rowCount(), 2);
    EXPECT_EQ(cell(log, 1, ProgramLog::Severity), QStringLiteral("error"));
    EXPECT_EQ(cell(log, 1, ProgramLog::Text), QStringLiteral("two lines"));
    settle(log);
    const QStringList lines = textOn().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[0].endsWith(QStringLiteral(" info program: starts"))) << qPrintable(lines[0]);
    EXPECT_EQ(lines[1], lineText(log.line(1)));
    EXPECT_TRUE(log.problem().isEmpty());
}

TEST_F(ProgramLogTest, file_isAccessibleToItsOwnerOnly) {
    ProgramLog log(folder.path());
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("starts"));
    settle(log);
    EXPECT_EQ(
        QFile(log.path()).permissions() & ~QFile::Permissions(QFile::ReadUser | QFile::WriteUser),
        QFile::ReadOwner | QFile::WriteOwner);
}

TEST_F(ProgramLogTest, linesOfEarlierRuns_precedeThoseOfThisRun) {
    {
        ProgramLog log(folder.path());
        log.add(LogSeverity::Warning, QStringLiteral("qt"),
                QStringLiteral("a: warning: of before"));
    }
    QFile file(folder.filePath(QStringLiteral("lacuna.log")));
    ASSERT_TRUE(file.open(QIODevice::Append));
    file.write("torn li\n");
    file.close();
    ProgramLog log(folder.path());
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("starts"));
    settle(log);
    ASSERT_EQ(log.rowCount(), 2);
    EXPECT_EQ(cell(log, 0, ProgramLog::Source), QStringLiteral("qt"));
    EXPECT_EQ(cell(log, 0, ProgramLog::Text), QStringLiteral("a: warning: of before"));
    EXPECT_EQ(cell(log, 1, ProgramLog::Text), QStringLiteral("starts"));
}

TEST_F(ProgramLogTest, lineText_survivesWriteAndRead) {
    const LogLine line{QDateTime::fromMSecsSinceEpoch(1'700'000'000'123), LogSeverity::Warning,
                       QStringLiteral("settings"), QStringLiteral("x = 3: refused")};
    EXPECT_EQ(lineText(line),
              QStringLiteral("2023-11-14T22:13:20.123Z warning settings: x = 3: refused"));
    const auto read = lineOf(lineText(line));
    ASSERT_TRUE(read);
    EXPECT_EQ(lineText(*read), lineText(line));
    for (const char* no : {"", "2023", "2023-11-14T22:13:20.123Z loud qt: x",
                           "2023-11-14T22:13:20.123Z warning x", "yesterday warning qt: x"})
        EXPECT_FALSE(lineOf(QString::fromLatin1(no))) << no;
}

TEST_F(ProgramLogTest, writeError_isReportedOnceAndDoesNotFail) {
    QFile inTheWay(folder.filePath(QStringLiteral("data")));
    ASSERT_TRUE(inTheWay.open(QIODevice::WriteOnly));
    ProgramLog log(inTheWay.fileName());
    const QSignalSpy said(&log, &ProgramLog::writeFailed);
    for (int i = 0; i < 3; ++i)
        log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("line"));
    settle(log);
    EXPECT_EQ(said.count(), 1);
    EXPECT_EQ(log.rowCount(), 3);
    EXPECT_TRUE(log.problem().contains(log.path())) << qPrintable(log.problem());
    inTheWay.remove();
    ASSERT_TRUE(QDir().mkpath(inTheWay.fileName()));
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("there is room again"));
    settle(log);
    EXPECT_TRUE(log.problem().isEmpty());
    EXPECT_EQ(said.count(), 1);
}

TEST_F(ProgramLogTest, logWithoutAFolder_keepsLinesInMemory) {
    ProgramLog log{QString()};
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("line"));
    EXPECT_EQ(log.rowCount(), 1);
    EXPECT_TRUE(log.path().isEmpty());
}

TEST_F(ProgramLogTest, rowCountAndLineLength_areBounded) {
    ProgramLog log{QString()};
    log.add(LogSeverity::Info, QStringLiteral("qt"), QString(100'000, QLatin1Char('x')));
    EXPECT_EQ(log.line(0).text.size(), ProgramLog::kMaxLength);
    for (int i = 0; i < ProgramLog::kMaxRows + 10; ++i)
        log.add(LogSeverity::Info, QStringLiteral("qt"), QString::number(i));
    EXPECT_LE(log.rowCount(), ProgramLog::kMaxRows);
    EXPECT_EQ(log.line(log.rowCount() - 1).text, QString::number(ProgramLog::kMaxRows + 9));
}

TEST_F(ProgramLogTest, qtMessages_areLoggedFromAnyThread) {
    ProgramLog log{QString()};
    static int passedOn = 0;
    passedOn = 0;
    const auto before = qInstallMessageHandler(
        [](QtMsgType, const QMessageLogContext&, const QString&) { ++passedOn; });
    {
        const QtMessages messages(log);
        qWarning("from here");
        std::thread([] { qCritical("from there"); }).join();
        const QLoggingCategory category("lacuna.test");
        qCInfo(category, "with a category");
        QCoreApplication::processEvents();
    }
    qWarning("too late");
    QCoreApplication::processEvents();
    qInstallMessageHandler(before);
    ASSERT_EQ(log.rowCount(), 3);
    EXPECT_EQ(log.line(0).text, QStringLiteral("from here"));
    EXPECT_EQ(log.line(0).severity, LogSeverity::Debug) << "Qt's own words warn nobody";
    EXPECT_EQ(log.line(1).severity, LogSeverity::Error);
    EXPECT_EQ(log.line(2).severity, LogSeverity::Info) << "a category of Lacuna's";
    EXPECT_EQ(log.line(2).text, QStringLiteral("lacuna.test: with a category"));
    EXPECT_EQ(passedOn, 4);
}

TEST_F(ProgramLogTest, loggedEvents_areSelectedByTheirContent) {
    EXPECT_FALSE(lineOf(eventOf(EventKind::Turn, "Answer 1 ended")));
    EXPECT_FALSE(lineOf(eventOf(EventKind::Compaction, "compaction 1 done")));
    EXPECT_EQ(lineOf(eventOf(EventKind::Turn, "Answer 1 ended", true))->severity,
              LogSeverity::Error);
    EXPECT_EQ(lineOf(eventOf(EventKind::Compaction, "failed", true))->severity, LogSeverity::Error);
    EXPECT_EQ(lineOf(eventOf(EventKind::Config, "Settings 2 applied"))->severity,
              LogSeverity::Info);
    EXPECT_EQ(lineOf(eventOf(EventKind::Config, "rejected", true))->severity, LogSeverity::Warning);
    EventRow failed = eventOf(EventKind::Model, "Model not loaded: why", true);
    failed.detail = QStringLiteral("NOT_FOUND: why");
    EXPECT_EQ(lineOf(failed)->text, QStringLiteral("Model not loaded: NOT_FOUND: why"));
    failed.detail = QStringLiteral("NOT_FOUND: why: of all things");
    EXPECT_EQ(lineOf(failed)->text,
              QStringLiteral("Model not loaded: why; NOT_FOUND: why: of all things"));
}

TEST_F(ProgramLogTest, conversationTitles_areNotLogged) {
    const auto line = lineOf(
        eventOf(EventKind::Notice,
                "\u201cMy secret: \u201cdear\u201d diary\u201d was changed by another Lacuna."));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->text, QString::fromUtf8("\u201c\u2026\u201d was changed by another Lacuna."));
}

TEST_F(ProgramLogTest, programRun_logsItsEventsButNoConversationText) {
    ApplicationOptions options;
    options.dataFolder = folder.filePath(QStringLiteral("data"));
    {
        auto owned = std::make_unique<FakeEngine>();
        FakeEngine* engine = owned.get();
        ApplicationState state(options, std::move(owned), engine->events);
        engine->post(ModelLoaded{smallFacts(), 0.2});
        engine->post(Notice{"something to know"});
        engine->post(
            ModelFailed{"broken.gguf", fail(ErrorCode::Corrupt, "It is torn.").value(), true});
        TurnFinished turn;
        turn.turn = 1;
        turn.text = "a secret word";
        turn.error = fail(ErrorCode::NoMemory, "there is no memory for it").value();
        engine->post(turn);
        state.drain();
        EXPECT_EQ(state.log().path(), options.dataFolder + QStringLiteral("/lacuna.log"));
    }
    const QString text = textOn("data/lacuna.log");
    for (const char* part :
         {" info program: Lacuna ", "Qt 6", " info model: Model small loaded in 200 ms",
          "warning notice: Something to know", " error answer: ", "NO_MEMORY: there is no memory",
          " info program: ends"})
        EXPECT_TRUE(text.contains(QString::fromLatin1(part))) << part << "\n" << qPrintable(text);
    EXPECT_FALSE(text.contains(QStringLiteral("secret")));
    EXPECT_EQ(text.count(QStringLiteral("It is torn.")), 1) << qPrintable(text);
}

}  // namespace
}  // namespace lacuna::app
