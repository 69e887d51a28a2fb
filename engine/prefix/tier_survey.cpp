#include "engine/prefix/tier_survey.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/prefix/folder_files.h"
#include "engine/prefix/store_files.h"

namespace lacuna {

Status checkTierFolder(const std::filesystem::path& folder) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) != 0) {
        const int why = errno;
        if (why == ENOENT && ::lstat(folder.c_str(), &info) == 0)
            return fail(ErrorCode::NotAFile, format("{} is a broken link", folder.string()));
        if (why == ENOENT)
            return fail(ErrorCode::NotFound, format("{} does not exist", folder.string()));
        return fail(why == ENOTDIR ? ErrorCode::NotAFile : ErrorCode::Denied,
                    format("cannot read {}: {}", folder.string(), std::strerror(why)));
    }
    if (!S_ISDIR(info.st_mode))
        return fail(ErrorCode::NotAFile, format("{} is not a folder", folder.string()));
    if (::access(folder.c_str(), R_OK | X_OK) != 0)
        return fail(ErrorCode::Denied,
                    format("cannot read {}: {}", folder.string(), std::strerror(errno)));
    return {};
}

Result<TierSurvey> surveyTier(const std::filesystem::path& folder, const std::stop_token& stop) {
    LACUNA_TRY_STATUS(checkTierFolder(folder));
    TierSurvey survey;
    std::map<std::pair<std::string, StoredFile>, ModelUsage> usage;
    LACUNA_TRY_STATUS(forEachFile(folder, stop, [&](const std::string& path, std::int64_t bytes) {
        PathParts parts = partsOf(path);
        std::int64_t tokens = 0;
        if (parts.page) {
            survey.pages = true;
            if (const auto open = OpenPage::open(folder / path))
                if (const auto page = open->readHead()) {
                    tokens = page->header.run.count;
                    if (page->header.kind == PageKind::Whole) parts.sort = StoredFile::Whole;
                }
        }
        ModelUsage& one = usage[{parts.model, parts.sort}];
        one.model = parts.model;
        one.sort = parts.sort;
        ++one.files;
        one.bytes += bytes;
        one.tokens += tokens;
        survey.bytes += bytes;
    }));
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "reading the folder was cancelled");
    for (auto& [key, one] : usage) survey.usage.push_back(std::move(one));
    survey.bytes += ownBytes(folder);
    survey.writtenToday = PageIndex::counterOf(folder, writtenTodayCounter());
    return survey;
}

}  // namespace lacuna
