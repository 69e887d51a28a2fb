// Each operation is a short chain of calls: session, collection, unlock if locked, then the
// operation itself. A prompt is a window of the keyring; its completion is reported by a signal.

#include "app/remote/secret_service.h"

#include <QDBusArgument>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QMap>
#include <utility>

namespace lacuna::app {

/// The Secret struct of the specification, signature (oayays).
struct BusSecret {
    QDBusObjectPath session;
    QByteArray parameters;
    QByteArray value;
    QString contentType;
};

QDBusArgument& operator<<(QDBusArgument& out, const BusSecret& secret) {
    out.beginStructure();
    out << secret.session << secret.parameters << secret.value << secret.contentType;
    out.endStructure();
    return out;
}

const QDBusArgument& operator>>(const QDBusArgument& in, BusSecret& secret) {
    in.beginStructure();
    in >> secret.session >> secret.parameters >> secret.value >> secret.contentType;
    in.endStructure();
    return in;
}

namespace {

using Attributes = QMap<QString, QString>;

QString serviceName() {
    return QStringLiteral("org.freedesktop.secrets");
}
QString servicePath() {
    return QStringLiteral("/org/freedesktop/secrets");
}
QString interfaceName(const char* name) {
    return QStringLiteral("org.freedesktop.Secret.") + QLatin1String(name);
}
/// Timeout of calls answered by a program. Prompts wait for the user and have none.
constexpr int kCallMs = 10'000;

Attributes attributesOf(const QString& account) {
    return {{QStringLiteral("application"), QStringLiteral("org.lacuna.Lacuna")},
            {QStringLiteral("account"), account}};
}

bool isNone(const QDBusObjectPath& path) {
    return path.path().isEmpty() || path.path() == QLatin1String("/");
}

}  // namespace

}  // namespace lacuna::app

Q_DECLARE_METATYPE(lacuna::app::BusSecret)

namespace lacuna::app {

/// Waits for the Completed signal of one prompt, which requires a slot.
class PromptEnd final : public QObject {
    Q_OBJECT

  public:
    PromptEnd(std::function<void(bool dismissed)> done, QObject* parent)
        : QObject(parent), m_done(std::move(done)) {}

  public Q_SLOTS:
    void completed(bool dismissed, const QDBusVariant&) {
        deleteLater();
        if (const auto done = std::exchange(m_done, nullptr)) done(dismissed);
    }

  private:
    std::function<void(bool)> m_done;
};

struct SecretService::Impl {
    SecretService& owner;
    std::optional<QDBusConnection> given;
    QDBusObjectPath session;

    using Answer = std::function<void(const QDBusMessage&)>;
    using Then = std::function<void()>;
    using Failed = std::function<void(const QString&)>;

    Impl(SecretService& self, std::optional<QDBusConnection> bus)
        : owner(self), given(std::move(bus)) {
        qDBusRegisterMetaType<Attributes>();
        qDBusRegisterMetaType<BusSecret>();
    }

    [[nodiscard]] QDBusConnection bus() const {
        return given ? *given : QDBusConnection::sessionBus();
    }

    void call(const QString& path, const char* interface, const char* method,
              const QVariantList& arguments, Answer answered, Failed failed) {
        QDBusMessage message = QDBusMessage::createMethodCall(
            serviceName(), path, interfaceName(interface), QLatin1String(method));
        message.setArguments(arguments);
        auto* watcher = new QDBusPendingCallWatcher(bus().asyncCall(message, kCallMs), &owner);
        QObject::connect(watcher, &QDBusPendingCallWatcher::finished, &owner,
                         [answered = std::move(answered),
                          failed = std::move(failed)](QDBusPendingCallWatcher* ended) {
                             ended->deleteLater();
                             const QDBusMessage reply = ended->reply();
                             if (reply.type() == QDBusMessage::ErrorMessage)
                                 failed(tr("The keyring reports: %1.").arg(reply.errorMessage()));
                             else
                                 answered(reply);
                         });
    }

    /// Shows the keyring's prompt if one is required.
    void prompt(const QDBusObjectPath& path, Then then, const Failed& failed) {
        if (isNone(path)) return then();
        auto* end = new PromptEnd(
            [then = std::move(then), failed](bool dismissed) {
                if (dismissed)
                    failed(tr("The keyring was not unlocked."));
                else
                    then();
            },
            &owner);
        bus().connect(serviceName(), path.path(), interfaceName("Prompt"),
                      QStringLiteral("Completed"), end, SLOT(completed(bool, QDBusVariant)));
        call(
            path.path(), "Prompt", "Prompt", {QString()}, [](const QDBusMessage&) {}, failed);
    }

    void withSession(Then then, const Failed& failed) {
        if (!isNone(session)) return then();
        call(
            servicePath(), "Service", "OpenSession",
            {QStringLiteral("plain"), QVariant::fromValue(QDBusVariant(QString()))},
            [this, then = std::move(then)](const QDBusMessage& reply) {
                session = reply.arguments().value(1).value<QDBusObjectPath>();
                then();
            },
            failed);
    }

    void unlock(const QDBusObjectPath& path, Then then, const Failed& failed) {
        const QList<QDBusObjectPath> paths{path};
        call(
            servicePath(), "Service", "Unlock", {QVariant::fromValue(paths)},
            [this, then = std::move(then), failed](const QDBusMessage& reply) {
                prompt(reply.arguments().value(1).value<QDBusObjectPath>(), then, failed);
            },
            failed);
    }

    /// Passes the user's default collection, unlocked, to `then`.
    void withCollection(std::function<void(const QDBusObjectPath&)> then, const Failed& failed) {
        call(
            servicePath(), "Service", "ReadAlias", {QStringLiteral("default")},
            [this, then = std::move(then), failed](const QDBusMessage& reply) {
                const auto path = reply.arguments().value(0).value<QDBusObjectPath>();
                if (isNone(path)) return failed(tr("The keyring has no collection yet."));
                unlock(
                    path, [path, then] { then(path); }, failed);
            },
            failed);
    }

    /// Passes the unlocked item of an account to `then`; nullopt if there is none.
    void withItem(const QString& account,
                  std::function<void(const std::optional<QDBusObjectPath>&)> then,
                  const Failed& failed) {
        call(
            servicePath(), "Service", "SearchItems", {QVariant::fromValue(attributesOf(account))},
            [this, then = std::move(then), failed](const QDBusMessage& reply) {
                QList<QDBusObjectPath> open, locked;
                reply.arguments().value(0).value<QDBusArgument>() >> open;
                reply.arguments().value(1).value<QDBusArgument>() >> locked;
                if (!open.isEmpty()) return then(open.front());
                if (locked.isEmpty()) return then(std::nullopt);
                const QDBusObjectPath item = locked.front();
                unlock(
                    item, [item, then] { then(item); }, failed);
            },
            failed);
    }
};

SecretService::SecretService(QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, std::nullopt)) {}

SecretService::SecretService(const QDBusConnection& bus, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, bus)) {}

SecretService::~SecretService() = default;

void SecretService::look(std::function<void(bool there)> done) {
    if (!m_impl->bus().isConnected()) return done(false);
    // Calling a method starts a keyring that is not running.
    m_impl->call(
        servicePath(), "Service", "ReadAlias", {QStringLiteral("default")},
        [done](const QDBusMessage& reply) {
            done(!isNone(reply.arguments().value(0).value<QDBusObjectPath>()));
        },
        [done](const QString&) { done(false); });
}

void SecretService::store(const QString& account, const QString& label, const QByteArray& secret,
                          Stored done) {
    const auto create = [this, account, label, secret, done](const QDBusObjectPath& collection) {
        const QVariantMap properties{{interfaceName("Item") + QStringLiteral(".Label"), label},
                                     {interfaceName("Item") + QStringLiteral(".Attributes"),
                                      QVariant::fromValue(attributesOf(account))}};
        const BusSecret value{m_impl->session, {}, secret, QStringLiteral("text/plain")};
        m_impl->call(
            collection.path(), "Collection", "CreateItem",
            {properties, QVariant::fromValue(value), true},
            [this, done](const QDBusMessage& reply) {
                m_impl->prompt(
                    reply.arguments().value(1).value<QDBusObjectPath>(), [done] { done({}); },
                    done);
            },
            done);
    };
    m_impl->withSession([this, create, done] { m_impl->withCollection(create, done); }, done);
}

void SecretService::find(const QString& account, Found done) {
    const auto failed = [done](const QString& problem) { done(std::nullopt, problem); };
    const auto read = [this, done, failed](const std::optional<QDBusObjectPath>& item) {
        if (!item) return done(std::nullopt, {});
        m_impl->call(
            item->path(), "Item", "GetSecret", {QVariant::fromValue(m_impl->session)},
            [done](const QDBusMessage& reply) {
                BusSecret secret;
                reply.arguments().value(0).value<QDBusArgument>() >> secret;
                done(secret.value, {});
            },
            failed);
    };
    m_impl->withSession([this, account, read, failed] { m_impl->withItem(account, read, failed); },
                        failed);
}

void SecretService::remove(const QString& account, Stored done) {
    m_impl->withItem(
        account,
        [this, done](const std::optional<QDBusObjectPath>& item) {
            if (!item) return done({});
            m_impl->call(
                item->path(), "Item", "Delete", {},
                [this, done](const QDBusMessage& reply) {
                    m_impl->prompt(
                        reply.arguments().value(0).value<QDBusObjectPath>(), [done] { done({}); },
                        done);
                },
                done);
        },
        done);
}

}  // namespace lacuna::app

#include "secret_service.moc"
