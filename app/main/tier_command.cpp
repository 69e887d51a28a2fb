// tier: what lies in the folder of the disk tier, without a model: how much it is and whose,
// whether every page is sound, and how it is emptied. May run next to the program that uses it.

#include <filesystem>
#include <limits>
#include <map>
#include <system_error>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/task_free_profile.h"
#include "engine/base/string_format.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/page_store.h"

namespace lacuna::cli {
namespace {

constexpr int kDamagedStatus = static_cast<int>(ErrorClass::Data);

Result<std::filesystem::path> folderOf(const TierArguments& arguments) {
    const std::filesystem::path data = arguments.dataFolder.empty()
                                           ? personalFolder()
                                           : std::filesystem::path(arguments.dataFolder);
    if (data.empty())
        return fail(ErrorCode::InvalidArgument,
                    "there is no folder for personal data; name one with --data-dir");
    return data / kPrefixFolder;
}

std::unique_ptr<PageStore> openStore(const std::filesystem::path& folder) {
    PageStoreOptions options;
    options.folder = folder;
    // Looks, and removes what is asked for; what the limit is stands in the settings of whoever
    // writes.
    options.limitBytes = std::numeric_limits<std::int64_t>::max();
    options.tidyAtStart = false;
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

OrderedJson usageJson(PageStore& store) {
    OrderedJson models = OrderedJson::object();
    OrderedJson others = OrderedJson::object();
    for (const ModelUsage& one : store.usage()) {
        const OrderedJson figures{
            {"files", one.files}, {"bytes", one.bytes}, {"tokens", one.tokens}};
        if (one.model.empty())
            others[std::string(sortName(one.sort))] = figures;
        else
            models[one.model][std::string(sortName(one.sort))] = figures;
    }
    return {{"models", models}, {"others", others}};
}

Result<int> printStatus(const std::filesystem::path& folder) {
    OrderedJson json{{"folder", folder.string()}};
    std::error_code problem;
    json["exists"] = std::filesystem::is_directory(folder, problem);
    if (json["exists"] == false) {
        json["bytes"] = 0;
        return printJson(json);
    }
    const auto store = openStore(folder);
    const PageStoreStats stats = store->stats();
    if (!store->usable()) return fail(ErrorCode::Denied, stats.trouble);
    json["codec"] = keyOf(pageFidelityOf(folder));
    json["bytes"] = stats.bytes;
    json["bytes_written_today"] = stats.bytesWrittenToday;
    json.update(usageJson(*store));
    return printJson(json);
}

Result<int> clearFolder(const std::filesystem::path& folder, const std::string& model) {
    std::error_code problem;
    std::int64_t before = 0;
    std::int64_t after = 0;
    if (std::filesystem::is_directory(folder, problem)) {
        const auto store = openStore(folder);
        before = store->stats().bytes;
        LACUNA_TRY_STATUS(
            store->clear(model.empty() ? std::nullopt : std::optional<std::string>(model)));
        after = store->stats().bytes;
    }
    return printJson({{"bytes_before", before}, {"bytes", after}});
}

Result<int> verifyFolder(const std::filesystem::path& folder, const std::stop_token& stop) {
    std::error_code problem;
    PageCheck found;
    if (std::filesystem::is_directory(folder, problem)) {
        const auto store = openStore(folder);
        if (!store->usable()) return fail(ErrorCode::Denied, store->stats().trouble);
        ProgressLine line;
        LACUNA_TRY(found, store->verify(stop, [&line](std::int64_t pages) {
            line.show(format("{} pages", pages));
        }));
    }
    const int printed =
        printJson({{"sound", found.sound}, {"damaged", found.damaged}, {"bytes", found.bytes}});
    return printed != 0 ? printed : found.damaged > 0 ? kDamagedStatus : 0;
}

Result<int> codecOfFolder(const std::filesystem::path& folder, const std::string& asked) {
    if (const auto fidelity = valueOfKey<PageFidelity>(asked))
        LACUNA_TRY_STATUS(keepPageFidelity(folder, *fidelity));
    return printJson({{"codec", keyOf(pageFidelityOf(folder))}});
}

Result<int> run(const TierArguments& arguments, const std::stop_token& stop) {
    LACUNA_TRY(const std::filesystem::path folder, folderOf(arguments));
    if (arguments.action == "clear") return clearFolder(folder, arguments.model);
    if (arguments.action == "verify") return verifyFolder(folder, stop);
    if (arguments.action == "codec") return codecOfFolder(folder, arguments.codec);
    return printStatus(folder);
}

}  // namespace

int tier(const TierArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = run(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
