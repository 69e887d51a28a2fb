#include "app/hub/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace lacuna::app {

namespace {

struct PartTexts {
    Q_DECLARE_TR_FUNCTIONS(PartFile)
};

constexpr int kMode = 0666;  // reduced by the user's umask

bool sameFile(int fd, const QByteArray& path) {
    struct stat open {
    }, there{};
    return ::fstat(fd, &open) == 0 && ::stat(path.constData(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

QString reasonOf(int error) {
    return QString::fromLocal8Bit(std::strerror(error));
}

}  // namespace

QString PartFile::pathFor(const QString& target) {
    return target + QStringLiteral(".part");
}

tl::unexpected<HubProblem> PartFile::failed(int error) const {
    if (error == ENOSPC || error == EDQUOT)
        return hubFail(HubFault::Space,
                       PartTexts::tr("The disk is full: %1 cannot be written. The downloaded part "
                                     "is kept: free some space, then resume.")
                           .arg(m_path));
    if (error == EFBIG)
        return hubFail(
            HubFault::Space,
            PartTexts::tr(
                "The disk cannot store a file of this size (%1). Choose a folder on another disk.")
                .arg(m_path));
    return hubFail(HubFault::Write,
                   PartTexts::tr("%1 cannot be written: %2.").arg(m_path, reasonOf(error)));
}

HubResult<PartFile> PartFile::open(const QString& target) {
    PartFile file;
    file.m_path = pathFor(target);
    const QByteArray path = QFile::encodeName(file.m_path);
    file.m_fd = ::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (file.m_fd < 0) return file.failed(errno);
    // The previous owner may have renamed the file between open and flock.
    if (::flock(file.m_fd, LOCK_EX | LOCK_NB) != 0 || !sameFile(file.m_fd, path))
        return hubFail(HubFault::Busy, PartTexts::tr("Another window or program is downloading %1.")
                                           .arg(QFileInfo(target).fileName()));
    struct stat now {};
    if (::fstat(file.m_fd, &now) != 0 || !S_ISREG(now.st_mode)) return file.failed(errno);
    file.m_size = now.st_size;
    return file;
}

PartFile::PartFile(PartFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_size(other.m_size), m_fd(std::exchange(other.m_fd, -1)) {}

PartFile::~PartFile() {
    if (m_fd >= 0) ::close(m_fd);
}

HubResult<void> PartFile::cutTo(qint64 size) {
    if (::ftruncate(m_fd, size) != 0) return failed(errno);
    m_size = size;
    return {};
}

HubResult<void> PartFile::append(const QByteArray& bytes) {
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pwrite(m_fd, bytes.constData() + done,
                                   static_cast<std::size_t>(bytes.size() - done), m_size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return failed(n == 0 ? ENOSPC : errno);
        done += n;
        m_size += n;
    }
    return {};
}

HubResult<QByteArray> PartFile::read(qint64 from, qint64 most) const {
    QByteArray bytes(static_cast<qsizetype>(most), Qt::Uninitialized);
    ssize_t n = 0;
    do n = ::pread(m_fd, bytes.data(), static_cast<std::size_t>(bytes.size()), from);
    while (n < 0 && errno == EINTR);
    if (n < 0) return failed(errno);
    bytes.truncate(n);
    return bytes;
}

HubResult<void> PartFile::sync() {
    if (::fdatasync(m_fd) != 0) return failed(errno);
    return {};
}

HubResult<void> PartFile::moveTo(const QString& path) {
    if (int error = renameFresh(m_path, path); error != 0) return failed(error);
    m_path = path;
    return {};
}

int renameFresh(const QString& from, const QString& to) {
    const QByteArray source = QFile::encodeName(from);
    const QByteArray target = QFile::encodeName(to);
    if (::renameat2(AT_FDCWD, source.constData(), AT_FDCWD, target.constData(), RENAME_NOREPLACE) ==
        0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // The file system does not support RENAME_NOREPLACE.
    if (QFileInfo::exists(to)) return EEXIST;
    return ::rename(source.constData(), target.constData()) == 0 ? 0 : errno;
}

void PartFile::discard() {
    ::unlink(QFile::encodeName(m_path).constData());
}

void syncFolder(const QString& folder) {
    const int fd =
        ::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace lacuna::app
