// Saved connections and the storage of their keys.

#include "app/remote/connection_list.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <memory>

#include "app/remote/secret_service.h"
#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

class ConnectionListTest : public ::testing::Test {
  protected:
    ConnectionListTest() { coreApplication(); }
    [[nodiscard]] std::unique_ptr<ConnectionList> list() const {
        return std::make_unique<ConnectionList>(folder.path(), nullptr);
    }
    [[nodiscard]] static RemoteConnection named(const char* name) {
        return {{}, QString::fromLatin1(name), QStringLiteral("http://h:1"), {}, KeyStorage::None};
    }
    [[nodiscard]] QByteArray contentOf(const char* name) const {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// The key as the list reads it.
    static QString keyOf(ConnectionList& in, const QString& id) {
        QString found;
        in.readKey(id, [&](const QString& key, const QString& problem) {
            EXPECT_TRUE(problem.isEmpty()) << problem.toStdString();
            found = key;
        });
        return found;
    }
    QTemporaryDir folder;
};

TEST_F(ConnectionListTest, connections_areRestoredAfterARestart) {
    {
        const auto before = list();
        RemoteConnection one = before->save(named("one"));
        before->save(named("two"));
        one.address = QStringLiteral("http://other:2");
        before->save(one);
        before->setModel(one.id, QStringLiteral("m"));
    }
    const auto after = list();
    ASSERT_EQ(after->connections().size(), 2);
    EXPECT_EQ(after->connections()[0].name, QStringLiteral("one"));
    EXPECT_EQ(after->connections()[0].address, QStringLiteral("http://other:2"));
    EXPECT_EQ(after->connections()[0].model, QStringLiteral("m"));
    EXPECT_NE(after->connections()[0].id, after->connections()[1].id);
}

TEST_F(ConnectionListTest, keys_withoutAKeyring_areStoredInAnOwnerOnlyFile) {
    const auto here = list();
    const QString id = here->save(named("one")).id;
    KeyStorage place = KeyStorage::None;
    here->storeKey(id, QStringLiteral("sk-secret"),
                   [&](KeyStorage at, const QString&) { place = at; });
    EXPECT_EQ(place, KeyStorage::File);
    const QFileInfo file(folder.filePath(QStringLiteral("remote-keys.json")));
    EXPECT_EQ(file.permissions() & (QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup |
                                    QFile::ReadOther | QFile::WriteOther | QFile::ExeOther),
              QFile::Permissions());
    EXPECT_FALSE(contentOf("connections.json").contains("sk-secret"));
    EXPECT_EQ(keyOf(*list(), id), QStringLiteral("sk-secret"));
    here->storeKey(id, {}, [&](KeyStorage at, const QString&) { place = at; });
    EXPECT_EQ(place, KeyStorage::None);
    EXPECT_FALSE(contentOf("remote-keys.json").contains("sk-secret"));
}

TEST_F(ConnectionListTest, removedConnection_deletesItsKey) {
    const auto here = list();
    const QString one = here->save(named("one")).id, two = here->save(named("two")).id;
    here->storeKey(one, QStringLiteral("k1"), [](KeyStorage, const QString&) {});
    here->storeKey(two, QStringLiteral("k2"), [](KeyStorage, const QString&) {});
    here->remove(one);
    EXPECT_EQ(list()->connections().size(), 1);
    EXPECT_FALSE(contentOf("remote-keys.json").contains("k1"));
    EXPECT_EQ(keyOf(*here, two), QStringLiteral("k2"));
}

TEST_F(ConnectionListTest, keys_withoutAFolder_areKeptInMemory) {
    ConnectionList here({}, nullptr);
    const QString id = here.save(named("one")).id;
    KeyStorage place = KeyStorage::None;
    here.storeKey(id, QStringLiteral("k"), [&](KeyStorage at, const QString&) { place = at; });
    EXPECT_EQ(place, KeyStorage::Memory);
    EXPECT_EQ(keyOf(here, id), QStringLiteral("k"));
}

TEST_F(ConnectionListTest, corruptFile_isReportedAsUnreadable) {
    for (const char* text : {"{", "[]", "{\"connections\":[{\"id\":7},null,{\"id\":\"a\"}]}"}) {
        QFile file(folder.filePath(QStringLiteral("connections.json")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        EXPECT_TRUE(list()->connections().isEmpty()) << text;
    }
    EXPECT_TRUE(list()->problem().isEmpty()) << "the last one is a list of nothing";
}

}  // namespace
}  // namespace lacuna::app
