#include "engine/prefix/folder_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/prefix/store_files.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".kv";
constexpr std::size_t kFirstRead = 4096;

bool isHex(std::string_view text, std::size_t length) {
    return text.size() == length && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace

bool isModelName(std::string_view name) {
    return !name.empty() && name.size() <= 128 && name.front() != '.' &&
           std::ranges::all_of(name, [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
           });
}

PathParts partsOf(const std::string& path) {
    std::vector<std::string> parts;
    for (const fs::path& part : fs::path(path)) parts.push_back(part.string());
    const auto isPageName = [](const std::string& name) {
        return name.ends_with(kEnding) && isHex(name.substr(0, name.size() - kEnding.size()), 32);
    };
    if (parts.size() == 2 && parts[0] == kQuarantineFolder && isPageName(parts[1]))
        return {.sort = StoredFile::Quarantined, .model = {}, .page = false};
    const bool version =
        !parts.empty() && !parts[0].empty() && parts[0].size() <= 9 &&
        std::ranges::all_of(parts[0], [](unsigned char c) { return std::isdigit(c) != 0; });
    if (parts.size() != 4 || !version || !isModelName(parts[1]) || !isHex(parts[2], 2) ||
        !isPageName(parts[3]))
        return {};
    const bool ours = parts[0] == std::to_string(kPageVersion);
    return {.sort = ours ? StoredFile::Page : StoredFile::OtherVersion,
            .model = parts[1],
            .page = ours};
}

std::string pathOfPage(const PageSpace& space, const PageKey& key) {
    const std::string hex = key.hex();
    return format("{}/{}/{}/{}{}", kPageVersion, space.model, hex.substr(0, 2), hex, kEnding);
}

PageResult<void> checkLocation(const ParsedPage& page, const PageSecret& secret,
                               const std::string& path) {
    const PageHeader& header = page.header;
    const PageKey key =
        pageKey(secret, spaceKey(secret, header.space), header.parent, header.kind, page.tokens);
    if (key == header.key && pathOfPage(header.space, key) == path) return {};
    return tl::unexpected<PageRefusal>(
        PageRefusal{PageFault::Key, "its tokens do not match its key"});
}

PageResult<OpenPage> OpenPage::open(const fs::path& path) {
    OpenPage page;
    // A link in place of a page could lead to another user's file.
    page.fd_ = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info {};
    if (page.fd_ < 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        return tl::unexpected<PageRefusal>(PageRefusal{
            missing ? PageFault::Missing : PageFault::Unreadable, std::strerror(errno)});
    }
    if (::fstat(page.fd_, &info) != 0 || !S_ISREG(info.st_mode))
        return tl::unexpected<PageRefusal>(
            PageRefusal{PageFault::Unreadable, "it is not a regular file"});
    page.size_ = static_cast<std::uint64_t>(info.st_size);
    return page;
}

OpenPage::OpenPage(OpenPage&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

OpenPage::~OpenPage() {
    if (fd_ >= 0) ::close(fd_);
}

PageResult<std::vector<std::byte>> OpenPage::read(std::uint64_t bytes) const {
    std::vector<std::byte> content(static_cast<std::size_t>(std::min(bytes, size_)));
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n =
            ::pread(fd_, content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return tl::unexpected<PageRefusal>(
                n < 0 ? PageRefusal{PageFault::Unreadable, std::strerror(errno)}
                      : PageRefusal{PageFault::Length, "it became shorter while it was read"});
        done += static_cast<std::size_t>(n);
    }
    return content;
}

PageResult<ParsedPage> OpenPage::readHead() const {
    auto start = read(kFirstRead);
    if (!start) return tl::unexpected<PageRefusal>(start.error());
    const auto needed = pageHeadBytes(*start, size_);
    if (!needed) return tl::unexpected<PageRefusal>(needed.error());
    if (*needed > start->size()) {
        start = read(*needed);
        if (!start) return tl::unexpected<PageRefusal>(start.error());
    }
    return parsePageHead(*start, size_);
}

Status forEachFile(const fs::path& folder, const std::stop_token& stop,
                   const std::function<void(const std::string&, std::int64_t)>& file,
                   const std::function<void(const fs::path&)>& visitFolder) {
    Status whole;
    const auto failed = [&](const fs::path& at, const std::string& why) {
        if (whole) whole = fail(ErrorCode::Read, format("cannot read {}: {}", at.string(), why));
    };
    std::error_code problem;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        problem);
    if (!problem && ::access(folder.c_str(), R_OK | X_OK) != 0)
        failed(folder, std::strerror(errno));
    for (const fs::recursive_directory_iterator end;
         !problem && at != end && !stop.stop_requested(); at.increment(problem)) {
        std::error_code gone;
        const fs::directory_entry& entry = *at;
        if (entry.is_directory(gone) && !entry.is_symlink(gone)) {
            if (::access(entry.path().c_str(), R_OK | X_OK) != 0 && errno != ENOENT)
                failed(entry.path(), std::strerror(errno));
            if (visitFolder) visitFolder(entry.path());
            continue;
        }
        const std::string name = entry.path().filename().string();
        if (at.depth() == 0 && isOwnFile(name)) continue;
        if (name.find(".tmp-") != std::string::npos) continue;
        struct stat info {};
        if (::lstat(entry.path().c_str(), &info) != 0) continue;  // removed in the meantime
        file(entry.path().lexically_relative(folder).string(),
             static_cast<std::int64_t>(info.st_size));
    }
    if (problem) failed(folder, problem.message());
    return whole;
}

}  // namespace lacuna
