// tier: shows size and owners of the disk tier without loading a model, verifies its pages and
// clears it. May run while another process uses the folder.

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/task_free_profile.h"
#include "engine/base/sqlite_statement.h"
#include "engine/base/string_format.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/page_index.h"
#include "engine/prefix/page_store.h"
#include "engine/prefix/tier_survey.h"

namespace lacuna::cli {
namespace {

constexpr int kDamagedStatus = static_cast<int>(ErrorClass::Data);

/// Returns the folder of the pages. Errors: InvalidArgument, NotFound (the named folder does not
/// exist), those of checkTierFolder.
Result<std::filesystem::path> folderOf(const TierArguments& arguments) {
    const std::filesystem::path data = arguments.dataFolder.empty()
                                           ? personalFolder()
                                           : std::filesystem::path(arguments.dataFolder);
    if (data.empty())
        return fail(ErrorCode::InvalidArgument,
                    "there is no folder for personal data; set one with --data-dir");
    // Setting a codec creates the folder.
    if (!arguments.dataFolder.empty() && arguments.codec.empty())
        LACUNA_TRY_STATUS(checkTierFolder(data));
    return data / kPrefixFolder;
}

/// Returns whether the folder exists. Errors: those of checkTierFolder except NotFound.
Result<bool> isThere(const std::filesystem::path& folder) {
    const Status checked = checkTierFolder(folder);
    if (!checked && checked.error().code != ErrorCode::NotFound)
        return tl::unexpected<Error>(checked.error());
    return checked.has_value();
}

/// Returns the codec stored in the folder; notes an unreadable entry and returns Exact.
PageFidelity saidFidelity(const std::filesystem::path& folder) {
    const auto said = readPageFidelity(folder);
    if (said) return *said;
    note(format("{}; pages are stored bit for bit until lacuna tier codec sets another precision",
                said.error().what));
    return PageFidelity::Exact;
}

std::unique_ptr<PageStore> openStore(const std::filesystem::path& folder) {
    PageStoreOptions options;
    options.folder = folder;
    // This command only inspects and removes on request; the limit is a setting of the process that
    // writes.
    options.limitBytes = std::numeric_limits<std::int64_t>::max();
    options.cleanUpAtStart = false;
    options.readOnlyFolder = true;
    return PageStore::open(options);
}

std::string_view sortName(StoredFile sort) {
    switch (sort) {
        case StoredFile::Page:
            return "pages";
        case StoredFile::Whole:
            return "whole";
        case StoredFile::Quarantined:
            return "quarantine";
        case StoredFile::OtherVersion:
            return "other_version";
        case StoredFile::Foreign:
            return "foreign";
    }
    return "foreign";
}

OrderedJson usageJson(const TierSurvey& survey) {
    OrderedJson models = OrderedJson::object();
    OrderedJson others = OrderedJson::object();
    for (const ModelUsage& one : survey.usage) {
        const OrderedJson figures{
            {"files", one.files}, {"bytes", one.bytes}, {"tokens", one.tokens}};
        if (one.model.empty())
            others[std::string(sortName(one.sort))] = figures;
        else
            models[one.model][std::string(sortName(one.sort))] = figures;
    }
    return {{"models", models}, {"others", others}};
}

/// Describes why the pages of a folder cannot be found, and a remedy.
std::string withoutSecret(const std::string& problem) {
    return format("{}; put the file back, or remove the pages with lacuna tier clear", problem);
}

Result<int> printStatus(const std::filesystem::path& folder, const std::stop_token& stop) {
    LACUNA_TRY(const bool there, isThere(folder));
    OrderedJson json{{"folder", folder.string()}, {"exists", there}};
    if (!there) {
        json["bytes"] = 0;
        return printJson(json);
    }
    LACUNA_TRY(const TierSurvey survey, surveyTier(folder, stop));
    if (survey.pages)
        if (const auto store = openStore(folder); !store->usable())
            note(withoutSecret(store->stats().problem));
    if (const Status index = checkDatabaseFiles(folder / PageIndex::kFileName); !index)
        note(describe(index.error()));
    json["codec"] = keyOf(saidFidelity(folder));
    json["bytes"] = survey.bytes;
    json["bytes_written_today"] = nullptr;
    if (survey.writtenToday) json["bytes_written_today"] = *survey.writtenToday;
    json.update(usageJson(survey));
    return printJson(json);
}

Result<int> clearFolder(const std::filesystem::path& folder, const std::string& model) {
    LACUNA_TRY(const bool there, isThere(folder));
    FolderCleared cleared;
    if (there) {
        LACUNA_TRY(cleared,
                   openStore(folder)->clear(model.empty() ? std::nullopt : std::optional(model)));
        if (!model.empty() && cleared.files == 0)
            return fail(
                ErrorCode::NotFound,
                format("no pages of model {} are stored in {}; lacuna tier status lists the models",
                       model, folder.string()));
    } else {
        note(format("{} does not exist: nothing is stored", folder.string()));
    }
    return printJson({{"bytes_before", cleared.bytesBefore}, {"bytes", cleared.bytes}});
}

/// Notes what the user should know about corrupt pages.
void noteUnsound(const PageCheck& found, const std::filesystem::path& folder) {
    if (found.quarantined < found.damaged)
        note(format("{} damaged pages could not be quarantined, because {} is not writable",
                    found.damaged - found.quarantined, folder.string()));
    if (found.otherSecret > 0)
        note(
            format("{} pages cannot be found, because the secret in {} has changed; restore that "
                   "file, or remove the pages with lacuna tier clear",
                   found.otherSecret, folder.string()));
    if (found.unreadable > 0)
        note(
            format("{} pages in {} cannot be read, because of missing permissions or a disk error; "
                   "they are left unchanged",
                   found.unreadable, folder.string()));
}

Result<int> verifyFolder(const std::filesystem::path& folder, const std::stop_token& stop) {
    LACUNA_TRY(const bool there, isThere(folder));
    PageCheck found;
    if (there) {
        const auto store = openStore(folder);
        if (store->usable()) {
            ProgressLine line;
            LACUNA_TRY(found, store->verify(stop, [&line](std::int64_t pages) {
                line.show(format("{} pages", pages));
            }));
        } else {
            LACUNA_TRY(const TierSurvey survey, surveyTier(folder, stop));
            if (survey.pages)
                return fail(ErrorCode::NotFound, withoutSecret(store->stats().problem));
        }
        noteUnsound(found, folder);
    } else {
        note(format("{} does not exist: nothing is stored", folder.string()));
    }
    const int printed = printJson({{"sound", found.sound},
                                   {"damaged", found.damaged},
                                   {"put_aside", found.quarantined},
                                   {"other_secret", found.otherSecret},
                                   {"unreadable", found.unreadable},
                                   {"bytes", found.bytes}});
    const bool unsound = found.damaged + found.otherSecret + found.unreadable > 0;
    return printed != 0 ? printed : unsound ? kDamagedStatus : 0;
}

Result<int> codecOfFolder(const std::filesystem::path& folder, const std::string& asked) {
    if (const auto fidelity = valueOfKey<PageFidelity>(asked))
        LACUNA_TRY_STATUS(storePageFidelity(folder, *fidelity));
    return printJson({{"codec", keyOf(saidFidelity(folder))}});
}

Result<int> run(const TierArguments& arguments, const std::stop_token& stop) {
    LACUNA_TRY(const std::filesystem::path folder, folderOf(arguments));
    if (arguments.action == "clear") return clearFolder(folder, arguments.model);
    if (arguments.action == "verify") return verifyFolder(folder, stop);
    if (arguments.action == "codec") return codecOfFolder(folder, arguments.codec);
    return printStatus(folder, stop);
}

}  // namespace

int tier(const TierArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = run(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
