// Conversations on disk: written data is read back, a damaged file is moved aside, a file of a
// newer version is not touched. The created files were also inspected with SQLite's command line
// tool.

#include "app/state/storage/conversation_database.h"
#include "app/state/storage/conversation_rows.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <atomic>
#include <csignal>
#include <thread>

#include "tests/app/store_stage.h"

namespace lacuna::app {
namespace {

class ConversationDatabaseTest : public StoreStage {
  protected:
    /// Overwrites the file from `from` on with `bytes`.
    void overwrite(qint64 from, const QByteArray& bytes) const {
        QFile broken(file());
        ASSERT_TRUE(broken.open(QIODevice::ReadWrite));
        ASSERT_GE(broken.size(), from + bytes.size());
        broken.seek(from);
        broken.write(bytes);
    }
    /// Fills the page whose number `sql` returns with garbage.
    void ruinPage(const char* sql) const {
        const qint64 page = numberRaw(sql);
        ASSERT_GT(page, 1);
        overwrite((page - 1) * 4096, QByteArray(4096, '\x5a'));
    }
    [[nodiscard]] QStringList aside() const {
        return QDir(folder.path()).entryList({QStringLiteral("*.damaged-*")});
    }
};

TEST_F(ConversationDatabaseTest, savedConversation_isReadBackComplete) {
    const ConversationRecord record = someRecord(7, "key");
    const qint64 before = QDateTime::currentMSecsSinceEpoch();
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(record, {0}));
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
    EXPECT_EQ(all->front().revision, 1);
    const auto read = database.lines(7);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->revision, 1);
    EXPECT_EQ(read->damaged, 0);
    const auto& lines = read->lines;
    ASSERT_EQ(lines.size(), 2);
    EXPECT_EQ(lines[0].text, record.lines[0].text);
    EXPECT_EQ(lines[0].attachmentText, record.lines[0].attachmentText);
    EXPECT_EQ(lines[0].speaker, MessageRole::Person);
    EXPECT_EQ(lines[1].state, LineState::Done);
    EXPECT_TRUE(lines[1].problem.isEmpty());
    ASSERT_TRUE(lines[1].figures.has_value());
    EXPECT_EQ(lines[1].figures->promptTokens, 812);
    EXPECT_DOUBLE_EQ(lines[1].figures->decodeSeconds, 0.25);
    EXPECT_EQ(lines[1].model, QStringLiteral("SmolLM2"));
    EXPECT_FALSE(lines[0].figures.has_value());
}

TEST_F(ConversationDatabaseTest, attachments_areReadBackSeparately_withAndWithoutFigures) {
    ConversationRecord record = someRecord(7, "key");
    record.lines[0].attachment = QStringLiteral("a, b");
    record.lines[0].attachmentText = QStringLiteral("a:\n\none\n\nb:\n\ntwo");
    record.lines[0].parts = {{QStringLiteral("a"), 4, 3}, {QStringLiteral("b"), 13, 3}};
    record.lines[1].figures.reset();
    record.lines[1].thought = {QStringLiteral("hm"), 1.5, 12};
    ConversationDatabase database = open();
    ASSERT_TRUE(database.save(record, {0}));
    const auto lines = database.lines(7).value().lines;
    ASSERT_EQ(lines.size(), 2);
    EXPECT_EQ(lines[0].parts, record.lines[0].parts);
    EXPECT_FALSE(lines[1].figures.has_value());
    EXPECT_EQ(lines[1].model, QStringLiteral("SmolLM2"));
    EXPECT_EQ(lines[1].thought.text, QStringLiteral("hm"));
    EXPECT_DOUBLE_EQ(lines[1].thought.seconds, 1.5);
    EXPECT_EQ(lines[1].thought.tokens, 12);
}

TEST_F(ConversationDatabaseTest, file_isReadableByItsOwnerOnly) {
    static_cast<void>(open());
    const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther;
    EXPECT_FALSE(QFile::permissions(file()) & others);
}

TEST_F(ConversationDatabaseTest, save_replacesOnlyTheLinesFromTheFirstChangedOne) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.revision = database.save(record, {0}).value();
    record.lines[0].text = QStringLiteral("not written");
    record.lines[1].text = QStringLiteral("Under the third plank.");
    ASSERT_TRUE(database.save(record, {1}));
    const auto lines = database.lines(7).value().lines;
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[0].text.startsWith(QStringLiteral("Where")));
    EXPECT_EQ(lines[1].text, record.lines[1].text);
}

TEST_F(ConversationDatabaseTest, search_findsWordsInMessagesAndAttachments) {
    ConversationDatabase database = open();
    ASSERT_TRUE(database.save(someRecord(7, "key"), {0}));
    ConversationRecord other = someRecord(8, "other");
    other.lines[0].attachmentText = QStringLiteral("nothing of the kind");
    other.lines[1].text = QStringLiteral("No.");
    other.revision = database.save(other, {0}).value();
    EXPECT_EQ(idsOf(database.search(QStringLiteral("plank"))), QVector<qint64>{7});
    EXPECT_EQ(idsOf(database.search(QStringLiteral("thi pla"))), QVector<qint64>{7})
        << "beginnings";
    EXPECT_EQ(database.search(QStringLiteral("boathouse")).value().size(), 2);
    // The search index is updated by a change.
    other.lines[1].text = QStringLiteral("A plank after all.");
    ASSERT_TRUE(database.save(other, {1}));
    EXPECT_EQ(database.search(QStringLiteral("plank")).value().size(), 2);
}

// Each of these is an FTS5 operator or a syntax error unless it is quoted.
TEST_F(ConversationDatabaseTest, searchOperators_areTreatedAsLiteralText) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.lines[1].text = QStringLiteral("Plank AND key, hid near a text or not.");
    ASSERT_TRUE(database.save(record, {0}));
    ASSERT_TRUE(database.save(someRecord(8, "other"), {0}));
    const struct {
        const char* words;
        qsizetype found;
    } rows[] = {
        {"AND", 1},
        {"NOT", 1},
        {"OR", 1},
        {"plank AND", 1},
        {"plank NOT hid", 1},
        {"AND AND", 1},
        {"plank OR key", 1},
        {"NEAR(plank", 1},
        {"NEAR(plank hid, 2)", 0},
        {"\"", 0},
        {"\"plank", 2},
        {"pla\"nk", 0},
        {"*", 0},
        {"plank*", 2},
        {"  \"* -( ", 0},
        {"text:plank", 1},
        {"-plank", 2},
        {"^plank", 2},
        {"{text} : plank", 1},
        {"(plank", 2},
        {"plank + hid", 2},
    };
    for (const auto& row : rows) {
        const auto found = database.search(QString::fromUtf8(row.words));
        ASSERT_TRUE(found) << row.words << ": " << found.error().what;
        EXPECT_EQ(found->size(), row.found) << row.words;
    }
}

TEST_F(ConversationDatabaseTest, deletedConversation_canBeRestoredUntilPurged) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.revision = database.save(record, {0}).value();
    record.revision = database.remove(7, record.revision).value();
    EXPECT_TRUE(database.conversations()->isEmpty());
    record.revision = database.saveHead(record).value();
    EXPECT_EQ(database.conversations()->size(), 1);
    EXPECT_EQ(database.lines(7)->lines.size(), 2);
    ASSERT_TRUE(database.remove(7, record.revision));
    ASSERT_TRUE(database.purge());
    EXPECT_FALSE(database.revision(7).value().has_value());
    EXPECT_TRUE(database.search(QStringLiteral("plank"))->isEmpty()) << "the words are gone too";
    EXPECT_TRUE(database.remove(7, 3)) << "what is not there need not be deleted";
}

TEST_F(ConversationDatabaseTest, unfinishedAnswer_isReadBackAsStopped) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.lines[1].state = LineState::Streaming;
    ASSERT_TRUE(database.save(record, {0}));
    const auto lines = database.lines(7).value().lines;
    EXPECT_EQ(lines[1].state, LineState::Stopped);
    EXPECT_FALSE(lines[1].problem.isEmpty());
}

TEST_F(ConversationDatabaseTest, writerWithAnOldRevision_isRejectedAndChangesNothing) {
    ConversationDatabase database = open();
    ConversationRecord mine = someRecord(7, "key");
    mine.revision = database.save(mine, {0}).value();
    ConversationRecord theirs = mine;
    theirs.lines.push_back(theirs.lines.front());
    theirs.lines.back().text = QStringLiteral("Written by the other one.");
    ASSERT_TRUE(database.save(theirs, {2}));
    mine.lines.resize(1);
    const auto refused = [](const auto& done) {
        return !done && done.error().code == ErrorCode::Conflict;
    };
    EXPECT_TRUE(refused(database.save(mine, {0})));
    EXPECT_TRUE(refused(database.save(mine, {1})));
    EXPECT_TRUE(refused(database.saveHead(mine)));
    EXPECT_TRUE(refused(database.remove(7, mine.revision)));
    mine.revision = 0;
    EXPECT_TRUE(refused(database.save(mine, {0}))) << "one of the same id is there";
    const auto read = database.lines(7);
    ASSERT_EQ(read->lines.size(), 3);
    EXPECT_EQ(read->lines[2].text, theirs.lines[2].text);
    EXPECT_EQ(read->revision, 2);
    // A permanent deletion does not permit a write either.
    ASSERT_TRUE(database.remove(7, 2));
    ASSERT_TRUE(database.purge());
    mine.revision = 3;
    EXPECT_TRUE(refused(database.save(mine, {0})));
}

TEST_F(ConversationDatabaseTest, secondProcess_isReadOnlyAndReportsTheOwnerUntilItExits) {
    std::optional<ConversationDatabase> first = open();
    ASSERT_TRUE(first->save(someRecord(7, "key"), {0}));
    auto second = ConversationDatabase::open(folder.path());
    ASSERT_TRUE(second.database);
    EXPECT_TRUE(second.database->readOnly());
    EXPECT_TRUE(second.mayPass);
    EXPECT_TRUE(second.problem.contains(QString::number(::getpid())));
    EXPECT_TRUE(second.problem.contains(QStringLiteral("--data-dir")));
    EXPECT_EQ(second.database->conversations()->size(), 1);
    EXPECT_EQ(second.database->lines(7)->lines.size(), 2);
    EXPECT_FALSE(second.database->save(someRecord(8, "no"), {0}));
    EXPECT_FALSE(ConversationDatabase::canTakeOwnership(folder.path()));
    first.reset();
    EXPECT_TRUE(ConversationDatabase::canTakeOwnership(folder.path()));
    EXPECT_FALSE(open().readOnly());
}

TEST_F(ConversationDatabaseTest, lockOfAnotherProcess_isWaitedFor) {
    ConversationDatabase database = open();
    auto other = SqliteFile::open(file());
    ASSERT_TRUE(other);
    ASSERT_TRUE(other->run("BEGIN IMMEDIATE"));
    std::thread end([&other] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_TRUE(other->run("COMMIT"));
    });
    const auto saved = database.save(someRecord(7, "key"), {0});
    end.join();
    EXPECT_TRUE(saved) << saved.error().what;
}

TEST_F(ConversationDatabaseTest, invalidFile_isMovedAsideWithANotice) {
    for (const char fill : {'x', '\0'}) {
        {
            ConversationDatabase database = open();
            ASSERT_TRUE(database.save(someRecord(7 + fill, "key"), {0}));
        }
        overwrite(0, QByteArray(QFile(file()).size(), fill));
        ConversationDatabase database = open();
        EXPECT_TRUE(notice.contains(QStringLiteral("nothing could be recovered")));
        EXPECT_TRUE(database.conversations()->isEmpty());
        ASSERT_FALSE(aside().isEmpty());
        QFile kept(folder.filePath(aside().back()));
        ASSERT_TRUE(kept.open(QIODevice::ReadOnly));
        EXPECT_EQ(kept.read(4), QByteArray(4, fill));
        ASSERT_TRUE(kept.remove());
    }
}

TEST_F(ConversationDatabaseTest, versionWithoutItsTables_isReportedAsCorrupt) {
    for (const char* version : {"1", "2", "3", "4", "0", "-7"}) {
        QFile::remove(file());
        static_cast<void>(open());
        runRaw("DROP TABLE messages");
        runRaw((std::string("PRAGMA user_version = ") + version).c_str());
        ConversationDatabase database = open();
        EXPECT_TRUE(notice.contains(QStringLiteral("damaged"))) << version;
        EXPECT_TRUE(database.save(someRecord(7, "key"), {0})) << version;
    }
    static_cast<void>(open());
    runRaw("ALTER TABLE conversations DROP COLUMN revision");
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.contains(QStringLiteral("damaged")));
    EXPECT_EQ(database.conversations()->size(), 1) << "the rows are there";
    EXPECT_EQ(database.lines(7)->lines.size(), 2);
}

TEST_F(ConversationDatabaseTest, changedByteOnDisk_isReported) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), {0}));
    }
    QFile broken(file());
    ASSERT_TRUE(broken.open(QIODevice::ReadWrite));
    QByteArray bytes = broken.readAll();
    qsizetype at = 0;
    while ((at = bytes.indexOf("Under a plank.", at)) >= 0) bytes[at] = 'W', ++at;
    broken.seek(0);
    broken.write(bytes);
    broken.close();
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.isEmpty()) << "SQLite cannot know";
    const auto read = database.lines(7);
    ASSERT_EQ(read->lines.size(), 2);
    EXPECT_EQ(read->damaged, 1);
    EXPECT_TRUE(read->lines[0].problem.isEmpty());
    EXPECT_EQ(read->lines[1].text, QStringLiteral("Wnder a plank."));
    EXPECT_TRUE(read->lines[1].problem.contains(QStringLiteral("damaged")));
}

/// 60 conversations of 20 lines with some hundred bytes each: several B-tree levels and many pages.
class CorruptDatabaseTest : public ConversationDatabaseTest {
  protected:
    static constexpr int kConversations = 60, kLines = 20;
    CorruptDatabaseTest() {
        ConversationDatabase database = open();
        for (qint64 id = 1; id <= kConversations; ++id) {
            ConversationRecord record = someRecord(id * 1'000'000'007, "");
            record.title = QStringLiteral("many lines ").repeated(30);
            while (record.lines.size() < kLines) {
                record.lines.push_back(record.lines.front());
                record.lines.back().attachmentText.clear();
                record.lines.back().text =
                    QStringLiteral("line %1 of %2 ").arg(record.lines.size()).arg(id).repeated(9);
            }
            record.revision = database.save(record, {0}).value();
            static_cast<void>(database.saveHead(record));
        }
        static_cast<void>(database.saveSettings({{QStringLiteral("top_k"), QStringLiteral("7")}}));
    }
    /// Opens the damaged store and returns the number of messages before and after.
    [[nodiscard]] std::pair<qint64, qint64> messages() {
        ConversationDatabase database = open();
        EXPECT_TRUE(notice.contains(QStringLiteral("were recovered"))) << notice.toStdString();
        EXPECT_FALSE(aside().isEmpty());
        qint64 there = 0;
        const auto all = database.conversations().value();
        for (const ConversationRecord& record : all) {
            const auto read = database.lines(record.id);
            EXPECT_EQ(read->damaged, 0);
            EXPECT_EQ(read->lines.size(), record.messages);
            there += record.messages;
            // The remaining lines can be extended from any line.
            ConversationRecord more = record;
            more.lines = read->lines;
            more.lines.push_back(more.lines.isEmpty() ? ChatLine{} : more.lines.front());
            EXPECT_TRUE(database.save(more, {more.lines.size() - 1}));
            EXPECT_EQ(database.lines(record.id)->lines.size(), more.lines.size());
        }
        return {qint64{kConversations} * kLines, there};
    }
};

TEST_F(CorruptDatabaseTest, corruptMessagePage_losesOnlyItsOwnMessages) {
    // The page of row 600, in the middle.
    ruinPage(
        "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' "
        "ORDER BY path LIMIT 1 OFFSET 30");
    const auto [before, after] = messages();
    EXPECT_LT(after, before);
    EXPECT_GE(after, before - 60);
    EXPECT_TRUE(
        notice.contains(QStringLiteral("At least %1 messages are lost").arg(before - after)))
        << notice.toStdString();
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.isEmpty()) << "sound again";
    EXPECT_EQ(database.conversations()->size(), kConversations);
    EXPECT_EQ(database.settings()->value(QStringLiteral("top_k")), QStringLiteral("7"));
    EXPECT_GE(database.search(QStringLiteral("boathouse"))->size(), kConversations - 3);
}

TEST_F(CorruptDatabaseTest, twoCorruptPages_keepTheMessagesBetweenThem) {
    for (const char* page : {"SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = "
                             "'leaf' ORDER BY path LIMIT 1 OFFSET 15",
                             "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = "
                             "'leaf' ORDER BY path LIMIT 1 OFFSET 45"})
        ruinPage(page);
    const auto [before, after] = messages();
    EXPECT_LT(after, before);
    EXPECT_GE(after, before - 120);
}

TEST_F(CorruptDatabaseTest, corruptPage_ofIndexOrConversationTable_losesNoMessage) {
    const char* pages[] = {
        "SELECT pageno FROM dbstat WHERE name = 'sqlite_autoindex_messages_1' AND pagetype = "
        "'leaf' LIMIT 1 OFFSET 1",
        "SELECT pageno FROM dbstat WHERE name = 'words_data' AND pagetype = 'leaf' LIMIT 1",
        "SELECT pageno FROM dbstat WHERE name = 'conversations' AND pagetype = 'leaf' "
        "LIMIT 1 OFFSET 1"};
    qint64 more = 0;
    for (const char* page : pages) {
        ruinPage(page);
        const auto [before, after] = messages();
        EXPECT_EQ(after, before + more) << page;
        more += kConversations;  // messages() adds a line to each
        EXPECT_TRUE(notice.contains(QStringLiteral("No message is known to be missing")))
            << notice.toStdString();
    }
    int named = 0;
    const auto all = look().conversations().value();
    for (const ConversationRecord& record : all)
        named += record.title.startsWith(QStringLiteral("Where is the boathouse key")) ? 1 : 0;
    EXPECT_GT(named, 0) << "those whose own row was lost";
    EXPECT_LT(named, kConversations);
}

/// Flips bits of one byte at a time on the pages of a table or an index.
class CorruptIndexTest : public CorruptDatabaseTest {
  protected:
    CorruptIndexTest() {
        QFile whole(file());
        EXPECT_TRUE(whole.open(QIODevice::ReadOnly));
        bytes = whole.readAll();
    }
    /// Writes the original store with one byte changed.
    void writeChanged(qsizetype at, char bits) const {
        for (const char* name : {"", "-wal", "-shm"})
            QFile::remove(file() + QString::fromLatin1(name));
        for (const QString& name : aside()) QFile::remove(folder.filePath(name));
        QByteArray changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ bits);
        QFile out(file());
        ASSERT_TRUE(out.open(QIODevice::WriteOnly));
        out.write(changed);
    }
    /// File offsets of the leaf pages of `name`.
    [[nodiscard]] QVector<qint64> leavesOf(const char* name) const {
        auto raw = SqliteFile::openToRead(file());
        EXPECT_TRUE(raw.has_value());
        auto rows = raw->prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'");
        EXPECT_TRUE(rows.has_value());
        rows->bind(QString::fromLatin1(name));
        QVector<qint64> places;
        while (rows->step().value_or(false)) places << (rows->number(0) - 1) * 4096;
        return places;
    }
    QByteArray bytes;
};

TEST_F(CorruptIndexTest, changedIndexByte_hidesNoMessage) {
    int noticed = 0;
    for (const qint64 page : leavesOf("sqlite_autoindex_messages_1")) {
        // Cells are at the end of a page, the cell pointers at its beginning.
        for (const qsizetype at : {9, 40, 1500, 2501, 3402, 3503, 3604, 3705, 4000, 4090}) {
            writeChanged(page + at, '\x10');
            ConversationDatabase database = open();
            noticed += notice.isEmpty() ? 0 : 1;
            qsizetype lines = 0, listed = 0;
            const auto all = database.conversations();
            ASSERT_TRUE(all.has_value());
            for (const ConversationRecord& record : *all) {
                lines += database.lines(record.id)->lines.size();
                listed += record.messages;
            }
            EXPECT_EQ(lines, kConversations * kLines) << page << " " << at;
            EXPECT_EQ(listed, kConversations * kLines) << page << " " << at;
            if (notice.isEmpty()) continue;
            EXPECT_TRUE(notice.contains(QStringLiteral("No message is known to be missing")))
                << notice.toStdString();
            EXPECT_FALSE(aside().isEmpty());
        }
    }
    EXPECT_GT(noticed, 10);
}

TEST_F(CorruptIndexTest, readOnlyProcess_withACorruptIndex_readsEveryLine) {
    for (const qint64 page : leavesOf("sqlite_autoindex_messages_1")) {
        writeChanged(page + 3604, '\x10');
        const auto owner = FolderLock::take(folder.filePath(QStringLiteral("conversations.lock")));
        ASSERT_TRUE(owner.has_value());
        auto opened = ConversationDatabase::open(folder.path());
        ASSERT_TRUE(opened.database.has_value());
        EXPECT_TRUE(opened.database->readOnly());
        qsizetype lines = 0;
        const auto all = opened.database->conversations();
        for (const ConversationRecord& record : *all)
            lines += opened.database->lines(record.id)->lines.size();
        EXPECT_EQ(lines, kConversations * kLines);
    }
}

TEST_F(CorruptIndexTest, duplicateLinePositions_keepBothLines) {
    // Drops the unique index, so a duplicate line position can be inserted.
    runRaw(
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE(conversation, place)', "
        "'CHECK(1)') WHERE name = 'messages';"
        "DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_messages_1';");
    runRaw(
        "INSERT INTO messages(conversation, place, speaker, state, text, attachment, "
        "attachment_text, problem, figures, line) SELECT conversation, place, speaker, state, "
        "'written twice', '', '', '', '', line FROM messages WHERE conversation = 1000000007 "
        "AND place = 3;"
        "INSERT INTO messages(conversation, place, speaker, state, text, attachment, "
        "attachment_text, problem, figures, line, hash) SELECT conversation, place, speaker, "
        "state, text, attachment, attachment_text, problem, figures, line, hash FROM messages "
        "WHERE conversation = 1000000007 AND place = 4;");
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.contains(QStringLiteral("No message is known to be missing")))
        << notice.toStdString();
    const auto lines = database.lines(1'000'000'007).value().lines;
    ASSERT_EQ(lines.size(), kLines + 1) << "the one that is the same is kept once";
    EXPECT_EQ(lines.back().text, QStringLiteral("written twice"));
    EXPECT_NE(lines[3].text, lines.back().text);
}

TEST_F(CorruptIndexTest, fullCheck_findsCorruptionThatOpeningMisses) {
    std::atomic<bool> stop = false;
    EXPECT_TRUE(ConversationDatabase::inspect(folder.path(), stop).has_value());
    int damaged = 0;
    for (const qint64 page : leavesOf("sqlite_autoindex_messages_1")) {
        writeChanged(page + 3604, '\x10');
        const Status found = ConversationDatabase::inspect(folder.path(), stop);
        if (found) continue;
        ++damaged;
        EXPECT_EQ(found.error().code, ErrorCode::Corrupt) << found.error().what;
    }
    EXPECT_GT(damaged, 1);
}

TEST_F(CorruptIndexTest, corruptSearchIndex_isDetectedAndRebuilt) {
    int damaged = 0;
    for (const char* name : {"words_data", "words_docsize"}) {
        for (const qint64 page : leavesOf(name)) {
            for (const qsizetype at : {2000, 3000, 4000}) {
                writeChanged(page + at, '\x04');
                auto opened = ConversationDatabase::open(folder.path());
                ASSERT_TRUE(opened.database.has_value());
                ConversationDatabase& database = *opened.database;
                if (database.checkSearch()) continue;
                ++damaged;
                ASSERT_TRUE(database.rebuildSearch());
                EXPECT_TRUE(database.checkSearch());
                EXPECT_EQ(database.search(QStringLiteral("boathouse")).value().size(),
                          kConversations);
            }
        }
    }
    EXPECT_GT(damaged, 3);
}

TEST_F(ConversationDatabaseTest, interruptedSalvage_isCompletedOrRestarted) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), {0}));
    }
    // Killed after the new store was complete and the damaged one moved aside.
    ASSERT_TRUE(QFile::rename(file(), file() + QStringLiteral(".salvaged")));
    QFile dead(file() + QStringLiteral(".salvaging"));
    ASSERT_TRUE(dead.open(QIODevice::WriteOnly));
    dead.write("half");
    dead.close();
    QFile wal(file() + QStringLiteral("-wal"));
    ASSERT_TRUE(wal.open(QIODevice::WriteOnly));
    wal.write("of the damaged one");
    wal.close();
    {
        ConversationDatabase database = open();
        EXPECT_EQ(database.lines(7)->lines.size(), 2);
        EXPECT_FALSE(dead.exists());
        EXPECT_EQ(aside().size(), 1) << "a side file of another store is not read into this one";
    }
    // Killed before that: the existing store is newer than the copy.
    ASSERT_TRUE(QFile::copy(file(), file() + QStringLiteral(".salvaged")));
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(8, "newer"), {0}));
    }
    EXPECT_EQ(open().conversations()->size(), 2);
    EXPECT_FALSE(QFile::exists(file() + QStringLiteral(".salvaged")));
}

// A writer in a separate process reports each conversation it has written and is killed at an
// arbitrary point.
TEST_F(ConversationDatabaseTest, killedWriter_losesNoCommittedConversation) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
        auto opened = ConversationDatabase::open(folder.path());
        for (std::int32_t id = 1; opened.database; ++id) {
            if (!opened.database->save(someRecord(id, "key"), {0})) break;
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

TEST_F(ConversationDatabaseTest, newerSchema_isNotModified) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), {0}));
    }
    runRaw("PRAGMA user_version = 99");
    const auto opened = ConversationDatabase::open(folder.path());
    EXPECT_FALSE(opened.database.has_value());
    EXPECT_FALSE(opened.mayPass);
    EXPECT_TRUE(opened.problem.contains(QStringLiteral("newer")));
    EXPECT_EQ(numberRaw("SELECT count(*) FROM messages"), 2);
}

/// The schemas of earlier releases.
constexpr const char* kFirstSchema = R"(
CREATE TABLE conversations(
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, title_chosen INTEGER NOT NULL,
    settings TEXT NOT NULL, touched INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages(
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    place INTEGER NOT NULL, speaker INTEGER NOT NULL, state INTEGER NOT NULL,
    text TEXT NOT NULL, attachment TEXT NOT NULL, attachment_text TEXT NOT NULL,
    problem TEXT NOT NULL, figures TEXT NOT NULL,
    UNIQUE(conversation, place));
CREATE VIRTUAL TABLE words USING fts5(
    text, attachment_text, content = 'messages', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER messages_in AFTER INSERT ON messages BEGIN
    INSERT INTO words(rowid, text, attachment_text) VALUES (new.id, new.text, new.attachment_text);
END;
CREATE TRIGGER messages_out AFTER DELETE ON messages BEGIN
    INSERT INTO words(words, rowid, text, attachment_text)
        VALUES ('delete', old.id, old.text, old.attachment_text);
END;
CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO conversations VALUES (7, 'key', 0, 'Method am', 1700000000000, 0);
INSERT INTO messages VALUES (1, 7, 0, 1, 0, 'Where is it?', '', '', '', '');
INSERT INTO messages VALUES (2, 7, 1, 2, 0, 'Under a plank.', '', '', '', '{"prompt":812}');
INSERT INTO settings VALUES ('top_k', '7');
PRAGMA user_version = 1;
)";
constexpr const char* kSecondSchema = R"(
ALTER TABLE conversations ADD COLUMN own_settings TEXT NOT NULL DEFAULT '';
UPDATE conversations SET own_settings = '{"am_ratio":"3"}';
PRAGMA user_version = 2;
)";
/// The schema of 0.9, including revisions and privacy.
constexpr const char* kFourthSchema = R"(
ALTER TABLE conversations ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN hash INTEGER;
ALTER TABLE conversations ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET revision = 12, private = 1;
PRAGMA user_version = 4;
)";

TEST_F(ConversationDatabaseTest, earlierSchema_isMigrated_conversationSettingsAreKept) {
    const QMap<QString, QString> own{{QStringLiteral("am_ratio"), QStringLiteral("2.5")}};
    for (const bool second : {false, true}) {
        ASSERT_TRUE(QFile::remove(file()) || !second);
        runRaw(kFirstSchema);
        if (second) runRaw(kSecondSchema);
        {
            ConversationDatabase database = open();
            EXPECT_TRUE(notice.isEmpty()) << notice.toStdString();
            auto all = database.conversations();
            ASSERT_TRUE(all);
            ASSERT_EQ(all->size(), 1);
            EXPECT_EQ(all->front().changed, 1'700'000'000'000);
            EXPECT_EQ(all->front().ownSettings.value(QStringLiteral("am_ratio")),
                      second ? QStringLiteral("3") : QString());
            const auto read = database.lines(7);
            ASSERT_EQ(read->lines.size(), 2);
            EXPECT_EQ(read->damaged, 0);
            EXPECT_EQ(read->lines[1].figures->promptTokens, 812);
            EXPECT_EQ(numberRaw("SELECT count(*) FROM messages WHERE hash IS NULL"), 0);
            EXPECT_EQ(idsOf(database.search(QStringLiteral("plank"))), QVector<qint64>{7});
            EXPECT_EQ(database.settings()->value(QStringLiteral("top_k")), QStringLiteral("7"));
            ConversationRecord record = someRecord(7, "key");
            EXPECT_FALSE(all->front().isPrivate);
            record.ownSettings = own;
            record.isPrivate = true;
            record.revision = read->revision;
            ASSERT_TRUE(database.save(record, {0}));
        }
        EXPECT_EQ(open().conversations()->front().ownSettings, own);
        EXPECT_TRUE(open().conversations()->front().isPrivate);
        EXPECT_EQ(numberRaw("PRAGMA user_version"), kConversationSchema);
    }
}

TEST_F(ConversationDatabaseTest, schemaWithoutBranches_isMigratedAndStoresBranches) {
    runRaw(kFirstSchema);
    runRaw(kSecondSchema);
    runRaw(kFourthSchema);
    {
        ConversationDatabase database = open();
        EXPECT_TRUE(notice.isEmpty()) << notice.toStdString();
        const auto all = database.conversations();
        ASSERT_EQ(all->size(), 1);
        EXPECT_EQ(all->front().revision, 12);
        EXPECT_TRUE(all->front().isPrivate);
        EXPECT_TRUE(all->front().pins.isEmpty());
        const auto read = database.lines(7);
        ASSERT_EQ(read->lines.size(), 2);
        EXPECT_TRUE(read->hidden.isEmpty());
        EXPECT_EQ(read->lines[0].id, 1);
        EXPECT_EQ(read->lines[1].id, 2) << "each has a number, so that others can follow it";
        ConversationRecord record = all->front();
        record.lines = read->lines;
        ChatLine other = read->lines[1];
        other.id = 3;
        other.text = QStringLiteral("In the lighthouse.");
        record.hidden = {{other, 1}};
        record.pins = {{2, 6, 13}};
        ASSERT_TRUE(database.save(record, {.shown = 2}));
    }
    ConversationDatabase database = open();
    const auto read = database.lines(7);
    ASSERT_EQ(read->hidden.size(), 1);
    EXPECT_EQ(read->hidden[0].parent, 1);
    EXPECT_EQ(read->hidden[0].line.text, QStringLiteral("In the lighthouse."));
    EXPECT_EQ(read->lines.size(), 2);
    EXPECT_EQ(read->damaged, 0);
    EXPECT_EQ(database.conversations()->front().messages, 2) << "those that are shown";
    EXPECT_EQ(database.conversations()->front().pins, (QVector<PinnedWords>{{2, 6, 13}}));
}

TEST_F(ConversationDatabaseTest, search_findsTextOfHiddenBranches) {
    ConversationDatabase database = open();
    ConversationRecord record = someRecord(7, "key");
    record.lines[0].id = 1;
    record.lines[1].id = 2;
    ChatLine other = record.lines[1];
    other.id = 5;
    other.text = QStringLiteral("In the lighthouse.");
    record.hidden = {{other, 1}};
    record.revision = database.save(record, {}).value();
    const auto hidden = database.search(QStringLiteral("lighthouse"));
    ASSERT_EQ(hidden->size(), 1);
    EXPECT_EQ(hidden->front().hiddenLine, 5);
    EXPECT_TRUE(hidden->front().excerpt.contains(QStringLiteral("lighthouse")));
    const auto shown = database.search(QStringLiteral("plank"));
    ASSERT_EQ(shown->size(), 1);
    EXPECT_EQ(shown->front().hiddenLine, 0);
    // If both contain the words, the visible line comes first.
    record.hidden[0].line.text = QStringLiteral("Not under a plank.");
    record.revision = database.save(record, {.shown = 2}).value();
    EXPECT_EQ(database.search(QStringLiteral("plank"))->front().hiddenLine, 0);
    EXPECT_TRUE(database.search(QStringLiteral("lighthouse"))->isEmpty());
    record.hidden.clear();
    record.revision = database.save(record, {.shown = 2}).value();
    EXPECT_TRUE(database.lines(7)->hidden.isEmpty());
    EXPECT_TRUE(database.search(QStringLiteral("not"))->isEmpty());
}

TEST_F(ConversationDatabaseTest, corruptDatabase_withBranches_salvagesThemSeparately) {
    {
        ConversationDatabase database = open();
        for (qint64 id = 1; id <= 40; ++id) {
            ConversationRecord record = someRecord(id, "key");
            record.lines.clear();
            for (int i = 0; i < 20; ++i) {
                ChatLine line;
                line.id = i + 1;
                line.text = QStringLiteral("shown %1 ").arg(i).repeated(20);
                record.lines << line;
                line.id = 100 + i;
                line.text = QStringLiteral("hidden %1 ").arg(i).repeated(20);
                record.hidden.push_back({line, i});
            }
            ASSERT_TRUE(database.save(record, {}));
        }
    }
    runRaw("PRAGMA wal_checkpoint(TRUNCATE)");
    ruinPage(
        "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' "
        "ORDER BY path LIMIT 1 OFFSET 3");
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.contains(QStringLiteral("were recovered")));
    qsizetype shown = 0, hidden = 0;
    for (qint64 id = 1; id <= 40; ++id) {
        const auto read = database.lines(id);
        for (const ChatLine& line : read->lines)
            EXPECT_TRUE(line.text.startsWith(QStringLiteral("shown")));
        for (const HiddenLine& one : read->hidden) {
            EXPECT_TRUE(one.line.text.startsWith(QStringLiteral("hidden")));
            EXPECT_EQ(one.parent, one.line.id - 100);
        }
        shown += read->lines.size();
        hidden += read->hidden.size();
    }
    EXPECT_GT(shown, 600);
    EXPECT_GT(hidden, 600);
    EXPECT_LT(shown + hidden, 1600);
}

TEST_F(ConversationDatabaseTest, corruptDatabase_ofTheFirstSchema_isSalvaged) {
    runRaw(kFirstSchema);
    runRaw(
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
        "INSERT INTO messages SELECT NULL, 7, i, 1, 0, 'line ' || i, '', '', '', '' FROM n");
    runRaw("PRAGMA wal_checkpoint(TRUNCATE)");
    ruinPage(
        "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' "
        "ORDER BY path LIMIT 1 OFFSET 3");
    ConversationDatabase database = open();
    EXPECT_TRUE(notice.contains(QStringLiteral("were recovered")));
    const auto read = database.lines(7);
    EXPECT_GT(read->lines.size(), 700);
    EXPECT_LT(read->lines.size(), 1000);
    EXPECT_EQ(read->damaged, 0);
    EXPECT_EQ(read->lines.front().text, QStringLiteral("Where is it?"));
    EXPECT_EQ(read->lines.back().text, QStringLiteral("line 999"));
}

TEST_F(ConversationDatabaseTest, unusableFolder_isReportedAndNothingIsStored) {
    const auto opened = ConversationDatabase::open(QStringLiteral("/proc/none"));
    EXPECT_FALSE(opened.database.has_value());
    EXPECT_TRUE(opened.problem.contains(QStringLiteral("/proc/none")));
}

TEST_F(ConversationDatabaseTest, savedSettings_areReadBack) {
    ConversationDatabase database = open();
    const QMap<QString, QString> values{{QStringLiteral("am_ratio"), QStringLiteral("2.5")},
                                        {QStringLiteral("method"), QStringLiteral("am")}};
    ASSERT_TRUE(database.saveSettings(values));
    EXPECT_EQ(database.settings().value(), values);
    ASSERT_TRUE(database.saveSettings({}));
    EXPECT_TRUE(database.settings()->isEmpty());
}

}  // namespace
}  // namespace lacuna::app
