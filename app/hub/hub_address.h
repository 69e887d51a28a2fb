#pragma once
/// \file
/// Where models are fetched from: what a person types as a model, made a repository and a file or
/// an address; the addresses of a hub; and which addresses nothing is fetched from. Pure functions.

#include <QString>
#include <QUrl>
#include <optional>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

/// The hub that names without an address are looked up at, unless a person writes another one:
/// Hugging Face's, whose public API (docs/downloads.md) mirrors have as well.
inline constexpr const char* kDefaultHub = "https://huggingface.co";

struct HubRepository {
    QString owner, name;
    QString revision = QStringLiteral("main");
    friend bool operator==(const HubRepository&, const HubRepository&) = default;
};

/// What is to be fetched: of a repository one file or what a person chooses of it, or one address.
struct HubTarget {
    std::optional<HubRepository> repository = std::nullopt;
    QString file = {};  ///< of the repository, with its folders; empty: to be chosen
    QUrl url = {};      ///< without a repository
};

/// A hub's address as typed: https://host, or http where that is allowed. Errors: Address.
[[nodiscard]] HubResult<QUrl> hubFrom(const QString& typed);
/// "OWNER/NAME", "OWNER/NAME/FILE", a page or a file of the hub as a browser shows its address, or
/// any other address of a file. Errors: Address.
[[nodiscard]] HubResult<HubTarget> targetFrom(const QString& typed, const QUrl& hub);

/// The list of a repository's files, as JSON.
[[nodiscard]] QUrl listingUrl(const QUrl& hub, const HubRepository& repository);
/// A file of it; the hub answers with the bytes or with where they are.
[[nodiscard]] QUrl fileUrl(const QUrl& hub, const HubRepository& repository, const QString& file);

enum class PlainHttp { ThisMachineOnly, Anywhere };

/// Why nothing is fetched from there: no web address, a password in it, or bytes that anybody on
/// the way may change. Empty: it may be fetched.
[[nodiscard]] QString whyNotFetch(const QUrl& url, PlainHttp plain);
/// The same for where a server sends to: besides, not from https to http, and not from a public
/// host into this machine or a private network.
[[nodiscard]] QString whyNotFollow(const QUrl& from, const QUrl& to, PlainHttp plain);
[[nodiscard]] bool sameOrigin(const QUrl& a, const QUrl& b);

/// The last part of a path as the name of a file here. Errors: Name.
[[nodiscard]] HubResult<QString> localName(const QString& path);

}  // namespace lacuna::app
