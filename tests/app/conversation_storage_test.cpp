// Everything to be saved reaches the disk, however long the disk fails, and two writers lose
// nothing.

#include "app/state/storage/conversation_storage.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <csignal>
#include <optional>

#include "tests/app/store_stage.h"

namespace lacuna::app {
namespace {

constexpr int kHang = 30'000;  ///< ms

class ConversationStorageTest : public StoreStage {
  protected:
    /// Short pauses, so a test sees many retries.
    static constexpr StorageDelays kQuick{
        .flush = 5, .firstRetry = 10, .longestRetry = 40, .busy = 20};

    ConversationStorageTest() { record = someRecord(7, "key"); }
    [[nodiscard]] std::unique_ptr<ConversationStorage> keep(const StorageDelays& pauses = kQuick) {
        auto storage = std::make_unique<ConversationStorage>(
            folder.path(), [this](qint64) { return record; }, pauses);
        watch(*storage);
        QSignalSpy opened(storage.get(), &ConversationStorage::opened);
        storage->open();
        EXPECT_TRUE(opened.wait(kHang));
        return storage;
    }
    void watch(ConversationStorage& storage) {
        QObject::connect(&storage, &ConversationStorage::savingChanged, &storage,
                         [this](int count, const QString& problem) {
                             missing = count;
                             why = problem;
                         });
        QObject::connect(&storage, &ConversationStorage::noticed, &storage,
                         [this](const QString& sentence) { notices << sentence; });
    }
    /// Locks the file as another program would.
    void lockFile() {
        other.emplace(SqliteFile::open(file()).value());
        ASSERT_TRUE(other->run("BEGIN IMMEDIATE"));
    }
    void unlockFile() {
        ASSERT_TRUE(other->run("COMMIT"));
        other.reset();
    }
    [[nodiscard]] bool becomesMissing(int count) {
        return QTest::qWaitFor([&] { return missing == count && !why.isEmpty(); }, kHang);
    }
    [[nodiscard]] bool becomesKept() {
        return QTest::qWaitFor([&] { return missing == 0 && why.isEmpty(); }, kHang);
    }
    /// Saves the conversation and waits until it is on disk.
    void write(ConversationStorage& storage) {
        const char* revision = "SELECT coalesce(max(revision), 0) FROM conversations WHERE id = 7";
        const qint64 before = numberRaw(revision);
        storage.touch(7);
        storage.flush();
        ASSERT_TRUE(QTest::qWaitFor([&] { return numberRaw(revision) > before; }, kHang));
    }

    ConversationRecord record;
    std::optional<SqliteFile> other;
    int missing = 0;
    QString why;
    QStringList notices;
};

TEST_F(ConversationStorageTest, changes_areWrittenSoonAndInOrder) {
    {
        ConversationStorage storage(folder.path(), [this](qint64) { return record; });
        QSignalSpy opened(&storage, &ConversationStorage::opened);
        storage.open();
        ASSERT_TRUE(opened.wait(10'000));
        storage.touch(7);
        record.lines[1].text = QStringLiteral("written later");
        storage.touch(7);
        QSignalSpy fetched(&storage, &ConversationStorage::fetched);
        ASSERT_FALSE(fetched.wait(ConversationStorage::kFlushMs + 300)) << "nothing was asked";
        storage.fetch(7);
        ASSERT_TRUE(fetched.wait(10'000));
        const auto lines = fetched.front().at(1).value<QVector<ChatLine>>();
        ASSERT_EQ(lines.size(), 2);
        EXPECT_EQ(lines[1].text, QStringLiteral("written later"));
        record.title = QStringLiteral("renamed");
        storage.touch(7);
    }  // the destructor writes the touched conversation
    ConversationDatabase database = open();
    EXPECT_EQ(database.conversations()->front().title, QStringLiteral("renamed"));
}

TEST_F(ConversationStorageTest, save_withoutLoadedLines_keepsTheStoredLines) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(someRecord(7, "key"), {0}));
    }
    ConversationRecord unread = someRecord(7, "renamed without reading");
    unread.lines.clear();
    unread.messages = 2;
    {
        ConversationStorage storage(folder.path(), [&unread](qint64) { return unread; });
        storage.open();
        storage.touch(7);
    }
    ConversationDatabase database = open();
    EXPECT_EQ(database.conversations()->front().title, QStringLiteral("renamed without reading"));
    EXPECT_EQ(database.lines(7)->lines.size(), 2);
}

TEST_F(ConversationStorageTest, lockHeldBeyondTheTimeout_isRetriedUntilWritten) {
    const auto storage = keep();
    lockFile();
    storage->touch(7);
    ASSERT_TRUE(becomesMissing(1));
    EXPECT_TRUE(why.contains(QStringLiteral("locked"))) << why.toStdString();
    EXPECT_EQ(storage->problem(), why);
    unlockFile();
    ASSERT_TRUE(becomesKept());
    EXPECT_EQ(linesOnDisk(7).size(), 2);
}

// Lines of a failed write must not be counted as written by the next one.
TEST_F(ConversationStorageTest, failedSave_isNotCountedAsWritten) {
    const auto storage = keep();
    write(*storage);
    lockFile();
    record.lines[0].text = QStringLiteral("changed while the file was locked");
    storage->touch(7);
    ASSERT_TRUE(becomesMissing(1));
    unlockFile();
    ASSERT_TRUE(becomesKept());
    EXPECT_EQ(linesOnDisk(7).front().text, record.lines[0].text);
}

TEST_F(ConversationStorageTest, failedDeletionAndSettings_areRetried) {
    const auto storage = keep();
    write(*storage);
    lockFile();
    const QMap<QString, QString> settings{{QStringLiteral("top_k"), QStringLiteral("7")}};
    storage->remove(7);
    storage->saveSettings(settings);
    ASSERT_TRUE(becomesMissing(1)) << "of the round that had both";
    unlockFile();
    ASSERT_TRUE(becomesKept());
    EXPECT_TRUE(look().conversations()->isEmpty());
    EXPECT_EQ(look().settings().value(), settings);
    storage->restore(7);
    ASSERT_TRUE(QTest::qWaitFor([this] { return look().conversations()->size() == 1; }, kHang));
    EXPECT_EQ(linesOnDisk(7).size(), 2);
}

TEST_F(ConversationStorageTest, shutdown_retriesUnsavedChanges) {
    StorageDelays once = kQuick;
    once.firstRetry = once.longestRetry = 3'600'000;
    auto storage = keep(once);
    lockFile();
    storage->touch(7);
    ASSERT_TRUE(becomesMissing(1));
    unlockFile();
    storage.reset();
    EXPECT_EQ(linesOnDisk(7).size(), 2);
}

QStringList warnings;

TEST_F(ConversationStorageTest, shutdown_withoutADisk_reportsTheUnsavedConversations) {
    record.title = QStringLiteral("Boats\x1b[31m");
    auto storage = keep();
    lockFile();
    storage->touch(7);
    ASSERT_TRUE(becomesMissing(1));
    storage->saveSettings({{QStringLiteral("top_k"), QStringLiteral("7")}});
    warnings.clear();
    const auto before = qInstallMessageHandler(
        [](QtMsgType, const QMessageLogContext&, const QString& text) { warnings << text; });
    storage.reset();
    qInstallMessageHandler(before);
    unlockFile();
    const QString all = warnings.join(QLatin1Char('\n'));
    EXPECT_TRUE(all.contains(QStringLiteral("Boats"))) << all.toStdString();
    EXPECT_FALSE(all.contains(QChar(0x1b)));
    EXPECT_TRUE(all.contains(QStringLiteral("settings")));
    EXPECT_TRUE(all.contains(QStringLiteral("locked")));
}

/// Limits the file size of this process, which acts like a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) : m_signal(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit less{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &less);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_signal);
    }

  private:
    rlimit m_before{};
    void (*m_signal)(int);
};

TEST_F(ConversationStorageTest, fullDisk_losesNothingOnceSpaceIsFree) {
    const auto storage = keep();
    write(*storage);
    {
        const FullDisk full(1 << 20);
        record.lines[1].text = QStringLiteral("word ").repeated(1'000'000);
        storage->touch(7);
        ASSERT_TRUE(becomesMissing(1));
        EXPECT_EQ(linesOnDisk(7)[1].text, QStringLiteral("Under a plank."));
    }
    ASSERT_TRUE(becomesKept());
    EXPECT_EQ(linesOnDisk(7)[1].text, record.lines[1].text);
}

TEST_F(ConversationStorageTest, folderCreatedLater_isUsedWithoutARestart) {
    const QString place = folder.filePath(QStringLiteral("later"));
    QFile inTheWay(place);
    ASSERT_TRUE(inTheWay.open(QIODevice::WriteOnly));
    inTheWay.close();
    ConversationStorage storage(
        place, [this](qint64) { return record; }, kQuick);
    watch(storage);
    QSignalSpy opened(&storage, &ConversationStorage::opened);
    storage.open();
    storage.touch(7);
    ASSERT_TRUE(becomesMissing(1));
    EXPECT_TRUE(why.contains(place)) << why.toStdString();
    EXPECT_TRUE(opened.isEmpty());
    ASSERT_TRUE(inTheWay.remove());
    ASSERT_TRUE(becomesKept());
    EXPECT_EQ(opened.size(), 1);
    EXPECT_EQ(ConversationDatabase::open(place).database->lines(7)->lines.size(), 2);
}

TEST_F(ConversationStorageTest, unreadableDatabase_isReported) {
    static_cast<void>(open());
    runRaw("DROP TABLE settings; CREATE TABLE settings(other TEXT)");
    ConversationStorage storage(
        folder.path(), [this](qint64) { return record; }, kQuick);
    watch(storage);
    QSignalSpy opened(&storage, &ConversationStorage::opened);
    storage.open();
    storage.touch(7);
    ASSERT_TRUE(becomesMissing(1));
    EXPECT_TRUE(why.contains(QStringLiteral("cannot be read"))) << why.toStdString();
    EXPECT_TRUE(opened.isEmpty());
}

TEST_F(ConversationStorageTest, indexCorruptedWhileOpen_isRebuilt) {
    record.lines[1].text = QStringLiteral("By the jetty.");
    const auto storage = keep();
    write(*storage);
    runRaw("UPDATE words_data SET block = zeroblob(9)");
    record.lines[1].text = QStringLiteral("Behind the mill.");
    write(*storage);
    ASSERT_TRUE(becomesKept());
    EXPECT_EQ(linesOnDisk(7)[1].text, record.lines[1].text);
    EXPECT_EQ(idsOf(look().search(QStringLiteral("mill"))), QVector<qint64>{7});
    EXPECT_TRUE(look().search(QStringLiteral("jetty")).value().isEmpty());
}

TEST_F(ConversationStorageTest, incompleteSearchIndex_isRebuiltAfterOpening) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(record, {0}));
    }
    runRaw(
        "INSERT INTO words(words, rowid, text, attachment_text) SELECT 'delete', id, text, "
        "attachment_text FROM messages WHERE place = 0");
    const auto storage = keep();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return notices.join(QLatin1Char(' ')).contains(QStringLiteral("search index")); },
        kHang));
    QSignalSpy found(storage.get(), &ConversationStorage::found);
    storage->search(QStringLiteral("boathouse"));
    ASSERT_TRUE(found.wait(kHang));
    EXPECT_EQ(found.front().at(1).value<QVector<FoundConversation>>().size(), 1);
}

TEST_F(ConversationStorageTest, validDatabase_isCheckedWithoutANotice) {
    {
        ConversationDatabase database = open();
        ASSERT_TRUE(database.save(record, {0}));
    }
    const auto storage = keep();
    QTest::qWait(300);
    write(*storage);
    EXPECT_TRUE(notices.isEmpty()) << notices.join(QLatin1Char(' ')).toStdString();
}

TEST_F(ConversationStorageTest, corruptLine_isReported) {
    {
        const auto storage = keep();
        write(*storage);
    }
    runRaw("UPDATE messages SET text = 'Under another plank.' WHERE place = 1");
    const auto storage = keep();
    QSignalSpy fetched(storage.get(), &ConversationStorage::fetched);
    storage->fetch(7);
    ASSERT_TRUE(fetched.wait(kHang));
    ASSERT_FALSE(notices.isEmpty());
    EXPECT_EQ(notices.filter(QStringLiteral("damaged")).size(), 1);
    EXPECT_FALSE(fetched.front().at(1).value<QVector<ChatLine>>()[1].problem.isEmpty());
}

// Both windows show the conversation and both continue it: every line is kept, in two
// conversations.
TEST_F(ConversationStorageTest, secondWindow_savesItsLinesAsACopyAfterTheFirst) {
    auto first = keep();
    write(*first);
    ConversationRecord here = record;
    const QString said = QStringLiteral("Written in the second window.");
    here.lines[1].text = said;
    ConversationStorage second(
        folder.path(), [&here](qint64) { return here; }, kQuick);
    QStringList told;
    QString reason;
    int waiting = 0;
    QObject::connect(&second, &ConversationStorage::noticed, &second,
                     [&told](const QString& sentence) { told << sentence; });
    QObject::connect(&second, &ConversationStorage::savingChanged, &second,
                     [&](int count, const QString& problem) {
                         waiting = count;
                         reason = problem;
                     });
    QSignalSpy opened(&second, &ConversationStorage::opened);
    second.open();
    ASSERT_TRUE(opened.wait(kHang));
    EXPECT_EQ(opened.front().front().value<QVector<ConversationRecord>>().size(), 1);
    second.touch(7);
    ASSERT_TRUE(QTest::qWaitFor([&] { return waiting == 1; }, kHang));
    EXPECT_TRUE(reason.contains(QStringLiteral("Another instance of Lacuna")));
    record.lines.push_back(record.lines.front());
    record.lines.back().text = QStringLiteral("Written in the first window.");
    write(*first);
    first.reset();
    ASSERT_TRUE(QTest::qWaitFor([&] { return waiting == 0 && reason.isEmpty(); }, kHang));
    ASSERT_EQ(told.size(), 1);
    EXPECT_TRUE(told.front().contains(QStringLiteral("key (copy)")));
    EXPECT_EQ(linesOnDisk(7).size(), 3);
    EXPECT_EQ(linesOnDisk(7)[2].text, record.lines[2].text);
    here.lines.push_back(here.lines.front());
    second.touch(7);
    ASSERT_TRUE(
        QTest::qWaitFor([this] { return numberRaw("SELECT count(*) FROM messages") == 6; }, kHang));
    const auto all = look().conversations().value();
    ASSERT_EQ(all.size(), 2) << "one copy, not one with each write";
    for (const ConversationRecord& one : all) {
        if (one.id == 7) continue;
        EXPECT_EQ(one.title, QStringLiteral("key (copy)"));
        ASSERT_EQ(linesOnDisk(one.id).size(), 3);
        EXPECT_EQ(linesOnDisk(one.id)[1].text, said);
    }
    // Deletes the copy shown here and not the other window's conversation.
    second.remove(7);
    ASSERT_TRUE(QTest::qWaitFor([this] { return look().conversations()->size() == 1; }, kHang));
    EXPECT_EQ(look().conversations()->front().id, 7);
}

TEST_F(ConversationStorageTest, conversationChangedByAnotherProcess_isNotDeleted) {
    const auto storage = keep();
    write(*storage);
    runRaw("UPDATE conversations SET revision = revision + 1");
    storage->remove(7);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !notices.isEmpty(); }, kHang));
    EXPECT_TRUE(notices.front().contains(QStringLiteral("not deleted")));
    EXPECT_EQ(look().conversations()->size(), 1);
}

}  // namespace
}  // namespace lacuna::app
