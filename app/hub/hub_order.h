#pragma once
/// \file
/// What is fetched and where it goes: one file, or several that are a model together. While it is
/// not all there, the order lies beside it as NAME.part.json, so that a later start can go on; a
/// folder of models is searched for them, there is no list that could be lost. Pure functions but
/// for the files they name.

#include <QString>
#include <QUrl>
#include <QVector>
#include <optional>

#include "app/hub/hub_address.h"
#include "app/hub/hub_listing.h"

namespace lacuna::app {

struct HubItem {
    QUrl url;
    QString name;          ///< of the file here
    qint64 size = -1;      ///< -1: not known before the server says
    bool learned = false;  ///< the server said it with the bytes; it may say another one anew
    QString sha256 = {};   ///< empty: not known, then it is not checked
    QString etag = {};     ///< strong one of the bytes that have come, or empty
    qint64 synced = 0;     ///< bytes that are on the disk for sure
    bool whole = false;    ///< all there, checked
    friend bool operator==(const HubItem&, const HubItem&) = default;
};

struct HubOrder {
    QString title;   ///< as a person calls it: "owner/name, file"
    QString folder;  ///< that the model goes into
    /// The model is a folder of this name in it; empty: its files go in directly.
    QString subfolder = {};
    QVector<HubItem> items;
    bool plainHttp = false;
    /// Its origin gets the token, where there is one; of an address without a hub: nobody.
    QUrl hub = {};
    friend bool operator==(const HubOrder&, const HubOrder&) = default;

    [[nodiscard]] qint64 bytes() const;  ///< -1: not known
    /// Where an item stands at the end.
    [[nodiscard]] QString targetOf(const HubItem& item) const;
    /// What is opened as the model: the first file, or the folder.
    [[nodiscard]] QString result() const;
    /// Where items lie until the end: a folder's in NAME.part.
    [[nodiscard]] QString workFolder() const;
    [[nodiscard]] QString sidecar() const;
};

/// Errors: Name, and the problem of the model.
[[nodiscard]] HubResult<HubOrder> orderOf(const QUrl& hub, const HubRepository& repository,
                                          const HubModel& model, const QString& folder);
/// One file at an address. Errors: Name, Address (a digest that is none).
[[nodiscard]] HubResult<HubOrder> orderOf(const QUrl& url, const QString& sha256,
                                          const QString& folder);
/// 64 hexadecimal digits in small letters; nothing: it is none.
[[nodiscard]] std::optional<QString> digestFrom(const QString& typed);

/// A sentence when it cannot be written.
[[nodiscard]] QString keepOrder(const HubOrder& order);
/// Nothing: there is none, or it is damaged; then the bytes beside it are fetched again.
[[nodiscard]] std::optional<HubOrder> keptOrder(const QString& sidecar);
/// Those that lie in a folder, unfinished.
[[nodiscard]] QVector<HubOrder> ordersIn(const QString& folder);

}  // namespace lacuna::app
