#pragma once
/// \file
/// One process owns a folder: a lock on an open file in it. The system gives the lock back when the
/// process ends in any way, so that a killed one blocks nobody. Movable, any thread.

#include <QString>

#include "engine/base/result.h"

namespace lacuna::app {

class FolderLock {
  public:
    /// Takes the lock of `path`, a file that is made when it is missing and stays. Where the file
    /// system knows no locks, nothing is held and nothing refused.
    /// Errors: Conflict when another process (or another lock of this one) has it, and its text is
    /// who; Denied, Write when the file cannot be made.
    [[nodiscard]] static Result<FolderLock> take(const QString& path);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

  private:
    explicit FolderLock(int file) : m_file(file) {}
    int m_file;
};

}  // namespace lacuna::app
