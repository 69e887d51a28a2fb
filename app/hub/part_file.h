#pragma once
/// \file
/// An incomplete file: its bytes are written to NAME.part next to the target. The writer holds a
/// lock (flock), so that two windows or programs never write the same file. Not thread-safe.

#include <QByteArray>
#include <QString>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

class PartFile {
  public:
    /// Opens or creates NAME.part for `target`. Errors: Busy (locked by another writer), Write.
    [[nodiscard]] static HubResult<PartFile> open(const QString& target);
    PartFile(PartFile&& other) noexcept;
    PartFile& operator=(PartFile&&) = delete;
    PartFile(const PartFile&) = delete;
    ~PartFile();  ///< keeps the file

    [[nodiscard]] static QString pathFor(const QString& target);
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] qint64 size() const { return m_size; }
    /// Truncates the file. Errors: Write.
    [[nodiscard]] HubResult<void> cutTo(qint64 size);
    /// Appends bytes. Bytes written before an error are kept and counted. Errors: Space (also if
    /// the file size limit is reached), Write.
    [[nodiscard]] HubResult<void> append(const QByteArray& bytes);
    /// Reads at most `most` bytes from offset `from`. Errors: Write.
    [[nodiscard]] HubResult<QByteArray> read(qint64 from, qint64 most) const;
    /// Syncs the file to disk. Errors: Write, Space.
    [[nodiscard]] HubResult<void> sync();
    /// Renames the file; an existing file is not replaced. Errors: Write.
    [[nodiscard]] HubResult<void> moveTo(const QString& path);
    /// Deletes the file.
    void discard();

  private:
    PartFile() = default;
    [[nodiscard]] tl::unexpected<HubProblem> failed(int error) const;

    QString m_path;
    qint64 m_size = 0;
    int m_fd = -1;
};

/// Renames without replacing an existing file. Returns 0 or errno.
[[nodiscard]] int renameFresh(const QString& from, const QString& to);
/// Syncs a directory to disk on a best-effort basis.
void syncFolder(const QString& folder);

}  // namespace lacuna::app
