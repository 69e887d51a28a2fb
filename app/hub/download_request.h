#pragma once
/// \file
/// Describes a download: one file, or several that form one model, and their target. While it is
/// incomplete, the description is stored next to it as NAME.part.json, so that a later run can
/// resume. Unfinished downloads are found by scanning the folder. Pure functions except for file
/// access.

#include <QString>
#include <QUrl>
#include <QVector>
#include <optional>

#include "app/hub/hub_address.h"
#include "app/hub/hub_listing.h"

namespace lacuna::app {

struct HubItem {
    QUrl url;
    QString name;          ///< local file name
    qint64 size = -1;      ///< -1 until the server reports it
    bool learned = false;  ///< true if the size came from the response and may change when it is
                           ///< requested again
    QString sha256 = {};   ///< empty if unknown; the file is then not verified
    QString etag = {};     ///< strong entity tag of the received bytes, or empty
    qint64 synced = 0;     ///< bytes known to be synced to disk
    bool whole = false;    ///< complete and verified
    friend bool operator==(const HubItem&, const HubItem&) = default;
};

struct DownloadRequest {
    QString title;   ///< display name: "owner/name, file"
    QString folder;  ///< target folder
    /// Name of the model's own folder in `folder`; empty if the files are stored in `folder`
    /// directly.
    QString subfolder = {};
    QVector<HubItem> items;
    bool plainHttp = false;
    /// Only this origin receives the token. Without a hub, the token is never sent.
    QUrl hub = {};
    friend bool operator==(const DownloadRequest&, const DownloadRequest&) = default;

    [[nodiscard]] qint64 bytes() const;  ///< total size; -1 if unknown
    /// Returns the final path of an item.
    [[nodiscard]] QString targetOf(const HubItem& item) const;
    /// Returns the path that is opened as the model: the first file or the folder.
    [[nodiscard]] QString result() const;
    /// Returns the folder of the items until completion; NAME.part if the model has its own folder.
    [[nodiscard]] QString workFolder() const;
    [[nodiscard]] QString sidecar() const;
};

/// Creates the request for a model of a repository. Errors: Name, and the problem of the model.
[[nodiscard]] HubResult<DownloadRequest> requestFor(const QUrl& hub,
                                                    const HubRepository& repository,
                                                    const HubModel& model, const QString& folder);
/// Creates the request for a single URL. Errors: Name, Address (also for an invalid digest).
[[nodiscard]] HubResult<DownloadRequest> requestFor(const QUrl& url, const QString& sha256,
                                                    const QString& folder);
/// Normalises a digest to 64 lower-case hexadecimal digits; nullopt if it is invalid.
[[nodiscard]] std::optional<QString> digestFrom(const QString& typed);

/// Writes the sidecar. Returns an error message; empty on success.
[[nodiscard]] QString saveRequest(const DownloadRequest& request);
/// Reads a sidecar; nullopt if it is missing or damaged, in which case the part files are fetched
/// again.
[[nodiscard]] std::optional<DownloadRequest> loadRequest(const QString& sidecar);
/// Returns the unfinished downloads in a folder.
[[nodiscard]] QVector<DownloadRequest> requestsIn(const QString& folder);

}  // namespace lacuna::app
