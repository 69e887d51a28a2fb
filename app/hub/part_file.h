#pragma once
/// \file
/// A file that is not all there yet: its bytes in NAME.part next to where it will stand. Whoever
/// writes it holds a lock on it (flock), so that two windows or programs never write one. Not
/// thread-safe.

#include <QByteArray>
#include <QString>

#include "app/hub/hub_problem.h"

namespace lacuna::app {

class PartFile {
  public:
    /// Opens or makes NAME.part for `target`. Errors: Busy (another one writes it), Write.
    [[nodiscard]] static HubResult<PartFile> open(const QString& target);
    PartFile(PartFile&& other) noexcept;
    PartFile& operator=(PartFile&&) = delete;
    PartFile(const PartFile&) = delete;
    ~PartFile();  ///< what was written stays

    [[nodiscard]] static QString pathFor(const QString& target);
    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] qint64 size() const { return m_size; }
    /// Errors: Write.
    [[nodiscard]] HubResult<void> cutTo(qint64 size);
    /// At its end. Errors: Space (also a disk that takes no file of this size), Write; what was
    /// written of it before counts.
    [[nodiscard]] HubResult<void> append(const QByteArray& bytes);
    /// `most` bytes from `from` on. Errors: Write.
    [[nodiscard]] HubResult<QByteArray> read(qint64 from, qint64 most) const;
    /// Brings what was written to the disk. Errors: Write, Space.
    [[nodiscard]] HubResult<void> sync();
    /// Gives it another name, which nothing has. Errors: Write.
    [[nodiscard]] HubResult<void> moveTo(const QString& path);
    /// Removes it.
    void discard();

  private:
    PartFile() = default;
    [[nodiscard]] tl::unexpected<HubProblem> failed(int error) const;

    QString m_path;
    qint64 m_size = 0;
    int m_fd = -1;
};

/// Renames where nothing has the new name; 0, or what errno says.
[[nodiscard]] int renameFresh(const QString& from, const QString& to);
/// Brings the names in a folder to the disk; what cannot be brought is left to the system.
void syncFolder(const QString& folder);

}  // namespace lacuna::app
