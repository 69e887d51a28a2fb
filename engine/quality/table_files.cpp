#include "engine/quality/table_files.h"

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/quality/quality_table.h"

namespace lacuna {
namespace {

constexpr std::size_t kTableLimit = std::size_t{16} << 20;

}  // namespace

std::string_view tableSizeName(TableSize size) {
    switch (size) {
        case TableSize::Small:
            return "small";
        case TableSize::Whole:
            return "whole";
        case TableSize::Formats:
            return "formats";
    }
    return {};
}

TableFiles tableFiles(const std::filesystem::path& folder, const std::string& fingerprint,
                      TableSize size) {
    const std::string stem = format("{}-{}", fingerprint, tableSizeName(size));
    return {.table = folder / "quality" / (stem + ".json"),
            .cells = folder / "quality" / (stem + ".cells.json")};
}

std::filesystem::path shippedTablePath(const std::filesystem::path& model, TableSize size) {
    const std::string ending = format(".{}.quality.json", tableSizeName(size));
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored)) return model / ("model" + ending);
    std::filesystem::path path = model;
    return path.replace_extension(ending);
}

Result<std::optional<QualityTable>> readTable(const std::filesystem::path& path,
                                              const std::string& fingerprint) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::optional<QualityTable>();
    const auto read = [&]() -> Result<QualityTable> {
        LACUNA_TRY(const std::string text, readFile(path, kTableLimit));
        LACUNA_TRY(const Json json, parseJson(text));
        LACUNA_TRY(QualityTable table, qualityTableFromJson(json));
        if (table.fingerprint != fingerprint)
            return fail(ErrorCode::Incompatible,
                        format("this is the quality table of another model, {}", table.model));
        return table;
    };
    auto table = read();
    if (!table) return tl::unexpected<Error>(withPrefix(table.error(), path.string()));
    return std::optional<QualityTable>(std::move(*table));
}

Status storeTable(const std::filesystem::path& path, const QualityTable& table) {
    return writeFileInFolder(path, dumpJson(qualityTableJson(table), 1) + "\n");
}

}  // namespace lacuna
