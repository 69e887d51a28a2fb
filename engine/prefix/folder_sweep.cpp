#include "engine/prefix/folder_sweep.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/string_format.h"
#include "engine/prefix/folder_files.h"
#include "engine/prefix/store_files.h"

namespace lacuna {

Result<PageCheck> checkPages(
    const std::filesystem::path& folder, const PageSecret& secret, const std::stop_token& stop,
    const std::function<bool(const std::string&, std::int64_t, const std::string&)>& quarantine,
    const std::function<void(std::int64_t)>& progress) {
    PageCheck found;
    const auto check = [&](const std::string& path, std::int64_t bytes) {
        const PathParts parts = partsOf(path);
        if (!parts.page) return;
        const auto open = OpenPage::open(folder / path);
        if (!open && open.error().fault == PageFault::Missing) return;
        // The head is checked first, so that large foreign files are not read.
        const auto head = open ? open->readHead() : tl::unexpected<PageRefusal>(open.error());
        const auto content =
            head ? open->read(open->size()) : tl::unexpected<PageRefusal>(head.error());
        if (!content && content.error().fault == PageFault::Unreadable) {
            ++found.unreadable;
            return;
        }
        const auto page =
            content ? parsePage(*content) : tl::unexpected<PageRefusal>(content.error());
        if (page && checkLocation(*page, secret, path)) {
            ++found.sound;
            found.bytes += bytes;
        } else if (page && pathOfPage(page->header.space, page->header.key) == path) {
            ++found.otherSecret;
        } else {
            ++found.damaged;
            if (quarantine(path, bytes, parts.model)) ++found.quarantined;
        }
        if (progress) progress(found.sound + found.damaged + found.otherSecret + found.unreadable);
    };
    const Status looked = forEachFile(folder, stop, check);
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "the check was cancelled");
    if (!looked) return tl::unexpected<Error>(looked.error());
    return found;
}

Removal removeFiles(const std::filesystem::path& folder, const std::optional<std::string>& model,
                    const std::function<void(const std::filesystem::path&)>& visitFolder) {
    Removal removal;
    FolderCleared& cleared = removal.cleared;
    cleared.bytesBefore = ownBytes(folder);
    const auto remove = [&](const std::string& path, std::int64_t bytes) {
        const PathParts parts = partsOf(path);
        cleared.bytesBefore += bytes;
        cleared.bytes += bytes;
        if (parts.sort == StoredFile::Foreign || (model && parts.model != *model)) return;
        ++cleared.files;
        if (::unlink((folder / path).c_str()) == 0 || errno == ENOENT) {
            removal.removed.push_back(path);
            cleared.bytes -= bytes;
        } else if (removal.status) {
            removal.status = fail(
                ErrorCode::Write,
                format("cannot remove {}: {}", (folder / path).string(), std::strerror(errno)));
        }
    };
    const Status looked = forEachFile(folder, {}, remove, visitFolder);
    if (removal.status) removal.status = looked;
    return removal;
}

}  // namespace lacuna
