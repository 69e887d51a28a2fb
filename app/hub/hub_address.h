#pragma once
/// \file
/// Addresses for downloads: parses a model name as typed into a repository and file or a URL,
/// builds the URLs of a hub, and decides which addresses are allowed. Pure functions.

#include <QString>
#include <QUrl>
#include <optional>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

/// Hub used for names without an address unless the user sets another: Hugging Face, whose public
/// API (docs/downloads.md) is also offered by mirrors.
inline constexpr const char* kDefaultHub = "https://huggingface.co";

struct HubRepository {
    QString owner, name;
    QString revision = QStringLiteral("main");
    friend bool operator==(const HubRepository&, const HubRepository&) = default;
};

/// A download target: a repository (one file, or one to be chosen) or a single URL.
struct HubTarget {
    std::optional<HubRepository> repository = std::nullopt;
    QString file = {};  ///< path within the repository; empty if still to be chosen
    QUrl url = {};      ///< set if there is no repository
};

/// Parses a hub address as typed: https://host, or http where allowed. Errors: Address.
[[nodiscard]] HubResult<QUrl> hubFrom(const QString& typed);
/// Parses "OWNER/NAME", "OWNER/NAME/FILE", a browser address of a hub page or file, or any other
/// URL of a file. Errors: Address.
[[nodiscard]] HubResult<HubTarget> targetFrom(const QString& typed, const QUrl& hub);

/// Returns the URL of a repository's file list (JSON).
[[nodiscard]] QUrl listingUrl(const QUrl& hub, const HubRepository& repository);
/// Returns the URL of a file; the hub replies with the bytes or a redirect.
[[nodiscard]] QUrl fileUrl(const QUrl& hub, const HubRepository& repository, const QString& file);

enum class PlainHttp { ThisMachineOnly, Anywhere };

/// Returns the reason why fetching from `url` is refused (not a web address, contains a password,
/// or unencrypted); empty if it is allowed.
[[nodiscard]] QString fetchBlocker(const QUrl& url, PlainHttp plain);
/// Returns the reason why a redirect is refused; empty if it is allowed. In addition to
/// fetchBlocker, redirects from https to http and from a public host into this machine or a private
/// network are refused.
[[nodiscard]] QString followBlocker(const QUrl& from, const QUrl& to, PlainHttp plain);
[[nodiscard]] bool sameOrigin(const QUrl& a, const QUrl& b);

/// Returns the local file name for the last part of a path. Errors: Name.
[[nodiscard]] HubResult<QString> localName(const QString& path);

}  // namespace lacuna::app
