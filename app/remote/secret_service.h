#pragma once
/// \file
/// The desktop's keyring by the Secret Service over D-Bus. Nothing waits: every call is answered by
/// a callback, also after a person has unlocked the keyring in its own window. The bus is joined at
/// the first call. Owned by the GUI thread.
/// Source: freedesktop.org, "Secret Service API Draft"; sessions are plain, on the person's own
/// bus.

#include <QByteArray>
#include <QDBusConnection>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>

namespace lacuna::app {

class SecretService final : public QObject {
    Q_OBJECT

  public:
    /// `problem`: a sentence; empty: it went well.
    using Stored = std::function<void(const QString& problem)>;
    /// Nothing where the keyring has no such secret.
    using Found =
        std::function<void(const std::optional<QByteArray>& secret, const QString& problem)>;

    /// With the bus of the session, or another one; for tests.
    explicit SecretService(QObject* parent = nullptr);
    explicit SecretService(const QDBusConnection& bus, QObject* parent = nullptr);
    ~SecretService() override;

    /// Whether there is a keyring, or one that starts when it is called.
    void look(std::function<void(bool there)> done);
    /// `account` names the secret; what was stored under it is replaced.
    void store(const QString& account, const QString& label, const QByteArray& secret, Stored done);
    void find(const QString& account, Found done);
    void remove(const QString& account, Stored done);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
