// Conversations on disk: what is written comes back, what is broken is moved aside, what is newer
// is left alone. SQLite's own command line was used to look at the files made here.

#include "app/state/conversation_database.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

#include "app/state/conversation_keeper.h"
#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

ConversationRecord someRecord(qint64 id, const char* title) {
    ConversationRecord record;
    record.id = id;
    record.title = QString::fromUtf8(title);
    record.settings = QStringLiteral("Method am");
    ChatLine question;
    question.speaker = Speaker::Person;
    question.text = QStringLiteral("Where is the boathouse key? \U0001F511");
    question.attachment = QStringLiteral("note");
    question.attachmentText = QStringLiteral("Oscar hid it under the third plank.");
    ChatLine answer;
    answer.speaker = Speaker::Model;
    answer.text = QStringLiteral("Under a plank.");
    TurnRow figures;
    figures.promptTokens = 812;
    figures.decodeSeconds = 0.25;
    figures.finish = QStringLiteral("stop");
    answer.figures = figures;
    record.lines = {question, answer};
    return record;
}

class Database : public ::testing::Test {
  protected:
    Database() { coreApplication(); }
    [[nodiscard]] ConversationDatabase open() {
        auto opened = ConversationDatabase::open(folder.path());
        notice = opened.notice;
        EXPECT_TRUE(opened.database.has_value()) << notice.toStdString();
        return std::move(*opened.database);
    }
    [[nodiscard]] QString file() const {
        return folder.filePath(QStringLiteral("conversations.sqlite"));
    }

    QTemporaryDir folder;
    QString notice;
};

TEST_F(Database, savedConversation_comesBackWhole) {
    const ConversationRecord record = someRecord(7, "key");
    const qint64 before = QDateTime::currentMSecsSinceEpoch();
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(record, 0));
    }
    const qint64 after = QDateTime::currentMSecsSinceEpoch();
    ConversationDatabase database = open();
    const auto all = database.conversations();
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 1);
    EXPECT_EQ(all->front().title, record.title);
    EXPECT_EQ(all->front().settings, record.settings);
    EXPECT_EQ(all->front().messages, 2);
    EXPECT_GE(all->front().changed, before);
    EXPECT_LE(all->front().changed, after);
    const auto lines = database.lines(7);
    ASSERT_TRUE(lines);
    ASSERT_EQ(lines->size(), 2);
    EXPECT_EQ(lines->at(0).text, record.lines[0].text);
    EXPECT_EQ(lines->at(0).attachmentText, record.lines[0].attachmentText);
    EXPECT_EQ(lines->at(0).speaker, Speaker::Person);
    EXPECT_EQ(lines->at(1).state, LineState::Done);
    ASSERT_TRUE(lines->at(1).figures.has_value());
    EXPECT_EQ(lines->at(1).figures->promptTokens, 812);
    EXPECT_DOUBLE_EQ(lines->at(1).figures->decodeSeconds, 0.25);
}

TEST_F(Database, file_isReadableByItsOwnerOnly) {
    static_cast<void>(open());
    const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther;
    EXPECT_FALSE(QFile::permissions(file()) & others);
}

TEST_F(Database, laterLines_replaceOnlyWhatFollows) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    ASSERT_TRUE(database.save(record, 0));
    record.lines[0].text = QStringLiteral("not written");
    record.lines[1].text = QStringLiteral("Under the third plank.");
    ASSERT_TRUE(database.save(record, 1));
    const auto lines = database.lines(7);
    ASSERT_TRUE(lines);
    EXPECT_TRUE(lines->at(0).text.startsWith(QStringLiteral("Where")));
    EXPECT_EQ(lines->at(1).text, record.lines[1].text);
}

TEST_F(Database, search_findsWordsInMessagesAndAttachments) {
    ConversationDatabase database = open();
    ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
    ConversationRecord other = someRecord(8, "other");
    other.lines[0].attachmentText = QStringLiteral("nothing of the kind");
    other.lines[1].text = QStringLiteral("No.");
    ASSERT_TRUE(database.save(other, 0));
    EXPECT_EQ(database.search(QStringLiteral("plank")).value(), QVector<qint64>{7});
    EXPECT_EQ(database.search(QStringLiteral("thi pla")).value(), QVector<qint64>{7})
        << "beginnings";
    EXPECT_EQ(database.search(QStringLiteral("boathouse")).value().size(), 2);
    EXPECT_TRUE(database.search(QStringLiteral("  \"* -( ")).value().isEmpty());
    EXPECT_TRUE(database.search(QStringLiteral("NEAR(plank")).value().isEmpty()) << "no operators";
    // The index follows a change.
    other.lines[1].text = QStringLiteral("A plank after all.");
    ASSERT_TRUE(database.save(other, 1));
    EXPECT_EQ(database.search(QStringLiteral("plank")).value().size(), 2);
}

TEST_F(Database, deletedConversation_comesBackUntilPurged) {
    ConversationDatabase database = open();
    ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
    ASSERT_TRUE(database.remove(7));
    EXPECT_TRUE(database.conversations()->isEmpty());
    ASSERT_TRUE(database.restore(7));
    EXPECT_EQ(database.conversations()->size(), 1);
    ASSERT_TRUE(database.remove(7));
    ASSERT_TRUE(database.purge());
    ASSERT_TRUE(database.restore(7));
    EXPECT_TRUE(database.conversations()->isEmpty());
    EXPECT_TRUE(database.search(QStringLiteral("plank"))->isEmpty()) << "the words are gone too";
}

TEST_F(Database, answerThatWasBeingWritten_isStoppedWhenReadAgain) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.lines[1].state = LineState::Streaming;
    ASSERT_TRUE(database.save(record, 0));
    const auto lines = database.lines(7);
    EXPECT_EQ(lines->at(1).state, LineState::Stopped);
    EXPECT_FALSE(lines->at(1).problem.isEmpty());
}

TEST_F(Database, damagedFile_isMovedAsideWithANotice) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
    }
    QFile broken(file());
    ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
    broken.write(QByteArray(8192, 'x'));
    broken.close();
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.contains(QStringLiteral("damaged")));
    EXPECT_TRUE(database.conversations()->isEmpty());
    ASSERT_TRUE(database.save(someRecord(8, "new"), 0));
    const QStringList aside = QDir(folder.path()).entryList({QStringLiteral("*.damaged-*")});
    ASSERT_FALSE(aside.isEmpty());
    QFile kept(folder.filePath(aside.front()));
    ASSERT_TRUE(kept.open(QIODevice::ReadOnly));
    EXPECT_EQ(kept.read(4), QByteArray("xxxx"));
}

TEST_F(Database, pageOverwrittenInTheMiddle_isNoticed) {
    {
        ConversationDatabase database = open();
        for (qint64 id = 1; id < 40; ++id) ASSERT_TRUE(database.save(someRecord(id, "key"), 0));
    }
    QFile broken(file());
    ASSERT_TRUE(broken.open(QIODevice::ReadWrite));
    ASSERT_GT(broken.size(), 5 * 4096);
    broken.seek(4096);
    broken.write(QByteArray(3 * 4096, '\x5a'));
    broken.close();
    static_cast<void>(open());
    EXPECT_TRUE(notice.contains(QStringLiteral("damaged")));
}

// A writer in a process of its own tells each conversation it has written and is killed somewhere
// in the middle.
TEST_F(Database, killedWriter_losesNothingItHadWritten) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
        auto opened = ConversationDatabase::open(folder.path());
        for (std::int32_t id = 1; opened.database; ++id) {
            if (!opened.database->save(someRecord(id, "key"), 0)) break;
            if (::write(told[1], &id, sizeof id) != sizeof id) break;
        }
        ::_exit(1);
    }
    ::close(told[1]);
    std::int32_t last = 0;
    while (last < 25) ASSERT_EQ(::read(told[0], &last, sizeof last), ssize_t{sizeof last});
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    std::int32_t more = 0;
    while (::read(told[0], &more, sizeof more) == ssize_t{sizeof more}) last = more;
    ::close(told[0]);
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.isEmpty()) << notice.toStdString();
    const auto all = database.conversations();
    ASSERT_TRUE(all);
    ASSERT_GE(all->size(), last);
    for (const ConversationRecord& record : *all) EXPECT_EQ(record.messages, 2) << record.id;
    EXPECT_EQ(database.search(QStringLiteral("plank"))->size(), all->size());
}

TEST_F(Database, fileOfANewerLacuna_isLeftAlone) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
        auto raw = SqliteFile::open(file());
        ASSERT_TRUE(raw);
        ASSERT_TRUE(raw->run("PRAGMA user_version = 99"));
    }
    const auto opened = ConversationDatabase::open(folder.path());
    EXPECT_FALSE(opened.database.has_value());
    EXPECT_TRUE(opened.notice.contains(QStringLiteral("newer")));
    auto raw = SqliteFile::open(file());
    EXPECT_EQ(raw->number("SELECT count(*) FROM messages").value(), 2);
}

TEST_F(Database, fileOfTheFirstSchema_isTakenOver_andOwnSettingsComeBack) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
        auto raw = SqliteFile::open(file());
        ASSERT_TRUE(raw);
        ASSERT_TRUE(raw->run(
            "ALTER TABLE conversations DROP COLUMN own_settings; PRAGMA user_version = 1"));
    }
    const QMap<QString, QString> own{{QStringLiteral("am_ratio"), QStringLiteral("2.5")}};
    {
        ConversationDatabase database = open();
        EXPECT_TRUE(notice.isEmpty()) << notice.toStdString();
        auto all = database.conversations();
        ASSERT_TRUE(all);
        ASSERT_EQ(all->size(), 1);
        EXPECT_TRUE(all->front().ownSettings.isEmpty());
        EXPECT_EQ(database.lines(7)->size(), 2);
        ConversationRecord record = someRecord(7, "key");
        record.ownSettings = own;
        ASSERT_TRUE(database.save(record, 0));
    }
    EXPECT_EQ(open().conversations()->front().ownSettings, own);
}

TEST_F(Database, folderThatCannotBeMade_isToldAndNothingIsKept) {
    const auto opened = ConversationDatabase::open(QStringLiteral("/proc/none"));
    EXPECT_FALSE(opened.database.has_value());
    EXPECT_TRUE(opened.notice.contains(QStringLiteral("/proc/none")));
}

TEST_F(Database, settings_comeBack) {
    ConversationDatabase database = open();
    const QMap<QString, QString> values{{QStringLiteral("am_ratio"), QStringLiteral("2.5")},
                                        {QStringLiteral("method"), QStringLiteral("am")}};
    ASSERT_TRUE(database.saveSettings(values));
    EXPECT_EQ(database.settings().value(), values);
    ASSERT_TRUE(database.saveSettings({}));
    EXPECT_TRUE(database.settings()->isEmpty());
}

TEST_F(Database, keeper_writesWhatWasTouchedSoonAndInOrder) {
    ConversationRecord record = someRecord(7, "key");
    {
        ConversationKeeper keeper(folder.path(), [&record](qint64) { return record; });
        QSignalSpy opened(&keeper, &ConversationKeeper::opened);
        keeper.open();
        ASSERT_TRUE(opened.wait(10'000));
        keeper.touch(7);
        record.lines[1].text = QStringLiteral("written later");
        keeper.touch(7);
        QSignalSpy fetched(&keeper, &ConversationKeeper::fetched);
        ASSERT_FALSE(fetched.wait(ConversationKeeper::kFlushMs + 300)) << "nothing was asked";
        keeper.fetch(7);
        ASSERT_TRUE(fetched.wait(10'000));
        const auto lines = fetched.front().at(1).value<QVector<ChatLine>>();
        ASSERT_EQ(lines.size(), 2);
        EXPECT_EQ(lines[1].text, QStringLiteral("written later"));
        record.title = QStringLiteral("renamed");
        keeper.touch(7);
    }  // the end writes what was touched
    ConversationDatabase database = open();
    EXPECT_EQ(database.conversations()->front().title, QStringLiteral("renamed"));
}

TEST_F(Database, keeper_leavesLinesItNeverReadAlone) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), 0));
    }
    ConversationRecord unread = someRecord(7, "renamed without reading");
    unread.lines.clear();
    unread.messages = 2;
    {
        ConversationKeeper keeper(folder.path(), [&unread](qint64) { return unread; });
        keeper.open();
        keeper.touch(7);
    }
    ConversationDatabase database = open();
    EXPECT_EQ(database.conversations()->front().title, QStringLiteral("renamed without reading"));
    EXPECT_EQ(database.lines(7)->size(), 2);
}

}  // namespace
}  // namespace lacuna::app
