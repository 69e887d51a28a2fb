#pragma once
/// \file
/// Where an engine is reached: what a person types as its address, made whole and checked. Pure
/// functions.

#include <QString>
#include <QUrl>
#include <optional>

namespace lacuna::app {

struct RemoteAddress {
    QUrl root;        ///< without "/v1" and without a slash at the end; metrics lie below it
    QString problem;  ///< a sentence, where it is no address; then `root` is empty
    [[nodiscard]] bool ok() const { return problem.isEmpty(); }
    /// `path` begins with a slash and may have a query.
    [[nodiscard]] QUrl at(const QString& path) const;
};

/// Takes "127.0.0.1:8080", "http://host:8000/v1/" and what lies between. Other schemes than http
/// and https, and addresses that hold a name or a password, are refused.
[[nodiscard]] RemoteAddress addressFrom(const QString& typed);
/// Why `key` cannot be sent, as a sentence; empty: it can. Keys are ASCII without blanks.
[[nodiscard]] QString keyProblem(const QString& key);
/// Whether a key would leave this machine where others may read it.
[[nodiscard]] bool sendsKeyOpenly(const RemoteAddress& address, const QString& key);

}  // namespace lacuna::app
