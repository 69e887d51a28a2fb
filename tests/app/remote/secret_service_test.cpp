// Keys in a keyring on a private bus, with a keyring that can be locked. Skipped if there is no
// dbus-daemon.

#include "app/remote/secret_service.h"

#include <gtest/gtest.h>

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusContext>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QMap>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "app/remote/connection_list.h"
#include "tests/app/core_application.h"
#include "tests/app/remote/fake_engine_server.h"

namespace lacuna::app {
namespace {

using test::waitUntil;

constexpr const char* kRoot = "/org/freedesktop/secrets";
constexpr const char* kCollection = "/org/freedesktop/secrets/collection/own";

/// A fake keyring that handles every path itself: one collection, numbered items.
class FakeKeyring final : public QDBusVirtualObject {
  public:
    struct Item {
        QMap<QString, QString> attributes;
        QString label;
        QByteArray secret;
    };
    QMap<int, Item> items;
    bool locked = false;
    bool dismisses = false;  ///< the user dismisses the prompt
    bool hasCollection = true;
    int prompts = 0;

    [[nodiscard]] QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& call, const QDBusConnection& bus) override {
        const QString member = call.member();
        const auto answer = [&](const QVariantList& values) {
            return bus.send(call.createReply(values));
        };
        const auto path = [](const QString& text) {
            return QVariant::fromValue(QDBusObjectPath(text));
        };
        if (member == QLatin1String("OpenSession"))
            return answer({QVariant::fromValue(QDBusVariant(QString())),
                           path(QLatin1String(kRoot) + QStringLiteral("/session/1"))});
        if (member == QLatin1String("ReadAlias"))
            return answer(
                {path(hasCollection ? QString::fromLatin1(kCollection) : QStringLiteral("/"))});
        if (member == QLatin1String("Unlock")) {
            const auto asked = qdbus_cast<QList<QDBusObjectPath>>(call.arguments().at(0));
            if (!locked) return answer({QVariant::fromValue(asked), path(QStringLiteral("/"))});
            return answer(
                {QVariant::fromValue(QList<QDBusObjectPath>()), path(QStringLiteral("/prompt/1"))});
        }
        if (member == QLatin1String("Prompt")) {
            ++prompts;
            locked = dismisses;
            answer({});
            QDBusMessage completed = QDBusMessage::createSignal(
                call.path(), QStringLiteral("org.freedesktop.Secret.Prompt"),
                QStringLiteral("Completed"));
            completed << dismisses << QVariant::fromValue(QDBusVariant(QString()));
            return bus.send(completed);
        }
        if (member == QLatin1String("CreateItem")) return create(call, answer);
        if (member == QLatin1String("SearchItems")) {
            const auto wanted = qdbus_cast<QMap<QString, QString>>(call.arguments().at(0));
            QList<QDBusObjectPath> found;
            for (auto item = items.begin(); item != items.end(); ++item)
                if (item->attributes == wanted) found << QDBusObjectPath(itemPath(item.key()));
            const QList<QDBusObjectPath> none;
            return answer({QVariant::fromValue(locked ? none : found),
                           QVariant::fromValue(locked ? found : none)});
        }
        const int item = call.path().section(QLatin1Char('/'), -1).toInt();
        if (member == QLatin1String("Delete")) {
            items.remove(item);
            return answer({path(QStringLiteral("/"))});
        }
        if (member == QLatin1String("GetSecret")) {
            QDBusMessage reply = call.createReply();
            QDBusArgument secret;
            secret.beginStructure();
            secret << QDBusObjectPath(QLatin1String(kRoot) + QStringLiteral("/session/1"))
                   << QByteArray() << items.value(item).secret << QStringLiteral("text/plain");
            secret.endStructure();
            reply << QVariant::fromValue(secret);
            return bus.send(reply);
        }
        return false;
    }

  private:
    static QString itemPath(int number) {
        return QLatin1String(kCollection) + QLatin1Char('/') + QString::number(number);
    }
    template <class Answer>
    bool create(const QDBusMessage& call, const Answer& answer) {
        const auto properties = qdbus_cast<QVariantMap>(call.arguments().at(0));
        Item item;
        item.label =
            properties.value(QStringLiteral("org.freedesktop.Secret.Item.Label")).toString();
        item.attributes = qdbus_cast<QMap<QString, QString>>(
            properties.value(QStringLiteral("org.freedesktop.Secret.Item.Attributes")));
        const auto secret = call.arguments().at(1).value<QDBusArgument>();
        QDBusObjectPath session;
        QByteArray parameters;
        QString type;
        secret.beginStructure();
        secret >> session >> parameters >> item.secret >> type;
        secret.endStructure();
        for (auto old = items.begin(); old != items.end();)
            old = old->attributes == item.attributes ? items.erase(old) : std::next(old);
        items.insert(m_next, item);
        return answer({QVariant::fromValue(QDBusObjectPath(itemPath(m_next++))),
                       QVariant::fromValue(QDBusObjectPath(QStringLiteral("/")))});
    }
    int m_next = 1;
};

class SecretServiceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        coreApplication();
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (daemon.isEmpty()) GTEST_SKIP() << "there is no dbus-daemon";
        bus.start(daemon, {QStringLiteral("--session"), QStringLiteral("--nofork"),
                           QStringLiteral("--print-address=1"),
                           QStringLiteral("--address=unix:tmpdir=") + folder.path()});
        ASSERT_TRUE(bus.waitForStarted());
        while (!bus.canReadLine() && bus.waitForReadyRead(5000)) continue;
        address = QString::fromUtf8(bus.readLine()).trimmed();
        ASSERT_FALSE(address.isEmpty());
        qDBusRegisterMetaType<QMap<QString, QString>>();
        client = std::make_unique<QDBusConnection>(
            QDBusConnection::connectToBus(address, QStringLiteral("client")));
        ASSERT_TRUE(client->isConnected());
    }
    void TearDown() override {
        client.reset();
        for (const char* name : {"client", "keyring"})
            QDBusConnection::disconnectFromBus(QString::fromLatin1(name));
        bus.kill();
        bus.waitForFinished();
    }
    void startKeyring() {
        QDBusConnection there = QDBusConnection::connectToBus(address, QStringLiteral("keyring"));
        ASSERT_TRUE(
            there.registerVirtualObject(QStringLiteral("/"), &keyring, QDBusConnection::SubPath));
        ASSERT_TRUE(there.registerService(QStringLiteral("org.freedesktop.secrets")));
    }
    QString stored(SecretService& service, const char* account, const QByteArray& secret) {
        std::optional<QString> problem;
        service.store(QString::fromLatin1(account), QStringLiteral("label"), secret,
                      [&](const QString& heard) { problem = heard; });
        EXPECT_TRUE(waitUntil([&] { return problem.has_value(); }));
        return problem.value_or(QString());
    }
    std::optional<QByteArray> found(SecretService& service, const char* account,
                                    QString* why = nullptr) {
        std::optional<QByteArray> secret;
        bool heard = false;
        service.find(QString::fromLatin1(account),
                     [&](const std::optional<QByteArray>& one, const QString& problem) {
                         secret = one;
                         heard = true;
                         if (why != nullptr) *why = problem;
                     });
        EXPECT_TRUE(waitUntil([&] { return heard; }));
        return secret;
    }
    bool there(SecretService& service) {
        std::optional<bool> answer;
        service.look([&](bool is) { answer = is; });
        EXPECT_TRUE(waitUntil([&] { return answer.has_value(); }));
        return answer.value_or(false);
    }

    QTemporaryDir folder;
    QProcess bus;
    QString address;
    FakeKeyring keyring;
    std::unique_ptr<QDBusConnection> client;
};

TEST_F(SecretServiceTest, secret_canBeReadReplacedAndRemoved) {
    startKeyring();
    SecretService service(*client);
    EXPECT_TRUE(there(service));
    EXPECT_EQ(found(service, "a"), std::nullopt);
    EXPECT_EQ(stored(service, "a", "one"), QString());
    EXPECT_EQ(stored(service, "b", "other"), QString());
    EXPECT_EQ(found(service, "a"), QByteArray("one"));
    EXPECT_EQ(stored(service, "a", "two"), QString());
    EXPECT_EQ(keyring.items.size(), 2);
    EXPECT_EQ(found(service, "a"), QByteArray("two"));
    bool removed = false;
    service.remove(QStringLiteral("a"), [&](const QString& problem) {
        EXPECT_EQ(problem, QString());
        removed = true;
    });
    ASSERT_TRUE(waitUntil([&] { return removed; }));
    EXPECT_EQ(found(service, "a"), std::nullopt);
    EXPECT_EQ(found(service, "b"), QByteArray("other"));
}

TEST_F(SecretServiceTest, lockedKeyring_promptsTheUser) {
    startKeyring();
    SecretService service(*client);
    keyring.locked = true;
    EXPECT_EQ(stored(service, "a", "one"), QString());
    EXPECT_EQ(keyring.prompts, 1);
    keyring.locked = true;
    EXPECT_EQ(found(service, "a"), QByteArray("one"));
    EXPECT_EQ(keyring.prompts, 2);
}

TEST_F(SecretServiceTest, dismissedPrompt_isReported) {
    startKeyring();
    SecretService service(*client);
    keyring.locked = keyring.dismisses = true;
    EXPECT_NE(stored(service, "a", "one"), QString());
    EXPECT_TRUE(keyring.items.isEmpty());
    keyring.locked = false;
    EXPECT_EQ(stored(service, "a", "one"), QString());
    keyring.locked = true;
    QString why;
    EXPECT_EQ(found(service, "a", &why), std::nullopt);
    EXPECT_FALSE(why.isEmpty());
}

TEST_F(SecretServiceTest, missingService_isUnavailable) {
    SecretService service(*client);
    EXPECT_FALSE(there(service));
    startKeyring();
    keyring.hasCollection = false;
    EXPECT_FALSE(there(service));
}

TEST_F(SecretServiceTest, connectionKeys_areStoredInTheKeyringOnly) {
    startKeyring();
    QTemporaryDir data;
    ConnectionList list(data.path(), std::make_unique<SecretService>(*client));
    const QString id =
        list.save({{}, QStringLiteral("box"), QStringLiteral("h:1"), {}, KeyStorage::None}).id;
    std::optional<KeyStorage> place;
    list.storeKey(id, QStringLiteral("sk-secret"), [&](KeyStorage at, const QString& problem) {
        EXPECT_EQ(problem, QString());
        place = at;
    });
    ASSERT_TRUE(waitUntil([&] { return place.has_value(); }));
    EXPECT_EQ(*place, KeyStorage::Keyring);
    EXPECT_FALSE(QFile::exists(data.filePath(QStringLiteral("remote-keys.json"))));
    EXPECT_EQ(keyring.items.first().secret, QByteArray("sk-secret"));
    EXPECT_TRUE(keyring.items.first().label.contains(QLatin1String("box")));
    // After a restart the key is read from the keyring.
    ConnectionList again(data.path(), std::make_unique<SecretService>(*client));
    std::optional<QString> key;
    again.readKey(id, [&](const QString& read, const QString&) { key = read; });
    ASSERT_TRUE(waitUntil([&] { return key.has_value(); }));
    EXPECT_EQ(*key, QStringLiteral("sk-secret"));
    again.remove(id);
    EXPECT_TRUE(waitUntil([&] { return keyring.items.isEmpty(); }));
}

}  // namespace
}  // namespace lacuna::app
