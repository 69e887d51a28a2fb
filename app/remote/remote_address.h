#pragma once
/// \file
/// Parses and validates the address of an engine as typed by the user. Pure functions.

#include <QString>
#include <QUrl>
#include <optional>

namespace lacuna::app {

struct RemoteAddress {
    QUrl root;        ///< without "/v1" and trailing slash; metrics are served below it
    QString problem;  ///< error message if the address is invalid; `root` is then empty
    [[nodiscard]] bool ok() const { return problem.isEmpty(); }
    /// Returns the URL of `path`, which begins with a slash and may have a query.
    [[nodiscard]] QUrl at(const QString& path) const;
};

/// Accepts forms from "127.0.0.1:8080" to "http://host:8000/v1/". Schemes other than http and https
/// and addresses with a user name or password are rejected.
[[nodiscard]] RemoteAddress addressFrom(const QString& typed);
/// Returns the reason why `key` cannot be sent; empty if it can. Keys are ASCII without blanks.
[[nodiscard]] QString keyProblem(const QString& key);
/// Returns true if the key would leave this machine unencrypted.
[[nodiscard]] bool sendsKeyOpenly(const RemoteAddress& address, const QString& key);

}  // namespace lacuna::app
