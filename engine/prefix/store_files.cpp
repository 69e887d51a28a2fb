#include "engine/prefix/store_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/page_index.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSecretFile = "secret";
constexpr std::string_view kLockFile = "lock";

Result<std::string> randomBytes(std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t done = 0;
    while (done < count) {
        const ssize_t n = ::getrandom(bytes.data() + done, count - done, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail(ErrorCode::Read, "the system provides no random numbers");
        done += static_cast<std::size_t>(n);
    }
    return bytes;
}

}  // namespace

bool isOwnFile(std::string_view name) {
    return name == kSecretFile || name == kLockFile || name == kFidelityFile ||
           name.starts_with(PageIndex::kFileName);
}

std::int64_t ownBytes(const fs::path& folder) {
    std::int64_t bytes = 0;
    const std::string index = PageIndex::kFileName;
    for (const std::string& name :
         {index, index + "-wal", index + "-shm", std::string(kSecretFile)}) {
        struct stat info {};
        if (::stat((folder / name).c_str(), &info) == 0) bytes += info.st_size;
    }
    return bytes;
}

FolderHold::FolderHold(const fs::path& folder, IfMissing lock) {
    const int make = lock == IfMissing::Make ? O_CREAT : 0;
    fd_ = ::open((folder / kLockFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | make, 0600);
    if (fd_ >= 0)
        while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
        }
}

FolderHold::~FolderHold() {
    if (fd_ >= 0) ::close(fd_);
}

Result<PageSecret> folderSecret(const fs::path& folder, IfMissing secret) {
    PageSecret kept;
    const fs::path path = folder / kSecretFile;
    const auto text = readFile(path, kept.bytes.size());
    // readFile() fails with Read for a longer file, which is as damaged as a shorter one.
    const bool damaged =
        !text && (text.error().code == ErrorCode::NotFound || text.error().code == ErrorCode::Read);
    if (!text && !damaged) return tl::unexpected<Error>(text.error());
    if (text && text->size() == kept.bytes.size()) {
        std::memcpy(kept.bytes.data(), text->data(), text->size());
        return kept;
    }
    if (secret == IfMissing::Leave)
        return fail(ErrorCode::NotFound,
                    format("{} is missing or damaged, and the pages of the folder cannot be found "
                           "without it",
                           path.string()));
    LACUNA_TRY(const std::string random, randomBytes(kept.bytes.size()));
    LACUNA_TRY_STATUS(writeFileAtomically(path, random, FileAccess::OwnerOnly));
    std::memcpy(kept.bytes.data(), random.data(), random.size());
    return kept;
}

}  // namespace lacuna
