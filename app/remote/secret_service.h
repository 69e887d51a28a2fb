#pragma once
/// \file
/// The desktop's keyring through the Secret Service over D-Bus. Calls never block: each one is
/// answered by a callback, even after the user has unlocked the keyring in its own window. The bus
/// is connected at the first call. Owned by the GUI thread. Source: freedesktop.org, "Secret
/// Service API Draft"; sessions are unencrypted, on the user's own bus.

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
    /// `problem` is an error message; empty on success.
    using Stored = std::function<void(const QString& problem)>;
    /// `secret` is nullopt if the keyring has no such secret.
    using Found =
        std::function<void(const std::optional<QByteArray>& secret, const QString& problem)>;

    /// Connects to the session bus; tests pass another one.
    explicit SecretService(QObject* parent = nullptr);
    explicit SecretService(const QDBusConnection& bus, QObject* parent = nullptr);
    ~SecretService() override;

    /// Checks for a keyring, including one that starts on demand.
    void look(std::function<void(bool there)> done);
    /// Stores a secret under `account` and replaces an earlier one.
    void store(const QString& account, const QString& label, const QByteArray& secret, Stored done);
    void find(const QString& account, Found done);
    void remove(const QString& account, Stored done);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
