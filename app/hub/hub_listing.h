#pragma once
/// \file
/// The list of a repository's files as a hub says it, and what of it is a model that can be
/// fetched as one thing: a GGUF file, all parts of a split one, or a folder of safetensors. The
/// shape is that of Hugging Face's public API (docs/downloads.md): an array of {type, path, size,
/// oid, lfs: {oid, size}}, where the oid of lfs is the SHA-256 of the file. Pure functions.

#include <QByteArray>
#include <QString>
#include <QVector>
#include <limits>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

struct HubFile {
    QString path;         ///< within the repository
    qint64 size = -1;     ///< -1: not said
    QString sha256 = {};  ///< 64 lower-case digits; empty: not said
    friend bool operator==(const HubFile&, const HubFile&) = default;
};

/// A model of a repository.
struct HubModel {
    QString name;            ///< of its first file, or of the repository
    QVector<HubFile> files;  ///< in the order they are fetched in
    bool folder = false;     ///< they get a folder of their own
    QString problem = {};    ///< why it cannot be fetched, a sentence; empty: it can
    [[nodiscard]] qint64 bytes() const;
};

/// The sum of two declared sizes, at most the largest number: servers and sidecars declare what
/// they like.
[[nodiscard]] inline qint64 addSizes(qint64 a, qint64 b) {
    qint64 sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<qint64>::max() : sum;
}

inline constexpr qint64 kMaxListing = qint64{8} << 20;  ///< bytes of one page of a list
inline constexpr int kMaxListedFiles = 100'000;
inline constexpr int kMaxListingPages = 50;

/// The files of one page; folders are left out. Errors: Listing.
[[nodiscard]] HubResult<QVector<HubFile>> filesIn(const QByteArray& json);
/// The address in a field Link: <...>; rel="next"; empty: it was the last page.
[[nodiscard]] QString nextPage(const QByteArray& link);
/// Those that the program can open by their kind, smallest first. `repository` names a folder.
[[nodiscard]] QVector<HubModel> modelsIn(const QVector<HubFile>& files, const QString& repository);

}  // namespace lacuna::app
