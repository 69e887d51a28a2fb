#pragma once
/// \file
/// Parses a hub's file list of a repository and groups the files into models that can be
/// downloaded: a GGUF file, all parts of a split one, or a folder of safetensors. The format is
/// that of Hugging Face's public API (docs/downloads.md): an array of {type, path, size, oid, lfs:
/// {oid, size}}, where lfs.oid is the SHA-256 of the file. Pure functions.

#include <QByteArray>
#include <QString>
#include <QVector>
#include <limits>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

struct HubFile {
    QString path;         ///< path within the repository
    qint64 size = -1;     ///< -1 if unknown
    QString sha256 = {};  ///< 64 lower-case digits; empty if unknown
    friend bool operator==(const HubFile&, const HubFile&) = default;
};

/// A downloadable model of a repository.
struct HubModel {
    QString name;            ///< name of its first file or of the repository
    QVector<HubFile> files;  ///< in download order
    bool folder = false;     ///< true if the files are stored in a folder of their own
    QString problem = {};    ///< why it cannot be fetched; empty if it can
    [[nodiscard]] qint64 bytes() const;
};

/// Adds two declared sizes with saturation, because servers and sidecars are not trusted.
[[nodiscard]] inline qint64 addSizes(qint64 a, qint64 b) {
    qint64 sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<qint64>::max() : sum;
}

inline constexpr qint64 kMaxListing = qint64{8} << 20;  ///< maximum size in bytes of one page of a
                                                        ///< list
inline constexpr int kMaxListedFiles = 100'000;
inline constexpr int kMaxListingPages = 50;

/// Returns the files on one page; folders are omitted. Errors: Listing.
[[nodiscard]] HubResult<QVector<HubFile>> filesIn(const QByteArray& json);
/// Returns the URL in a Link header field: <...>; rel="next". Empty on the last page.
[[nodiscard]] QString nextPage(const QByteArray& link);
/// Returns the models of supported file types, smallest first. `repository` becomes the name of a
/// folder.
[[nodiscard]] QVector<HubModel> modelsIn(const QVector<HubFile>& files, const QString& repository);

}  // namespace lacuna::app
