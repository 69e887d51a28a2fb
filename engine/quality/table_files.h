#pragma once
/// \file
/// Where the quality tables of a model are kept, and reading one. Files are named by the model's
/// fingerprint; lacuna-bench writes them, the window reads them.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/quality/table_values.h"

namespace lacuna {

/// "small", "whole", "formats".
[[nodiscard]] std::string_view tableSizeName(TableSize size);

/// Where a table is kept.
struct TableFiles {
    std::filesystem::path table, cells;
};
/// Below `folder`, "quality/FINGERPRINT-small.json" and "...-small.cells.json".
[[nodiscard]] TableFiles tableFiles(const std::filesystem::path& folder,
                                    const std::string& fingerprint, TableSize size);
/// The file next to a model that ships a table: model.gguf -> model.small.quality.json, in a folder
/// model.small.quality.json.
[[nodiscard]] std::filesystem::path shippedTablePath(const std::filesystem::path& model,
                                                     TableSize size);
/// The table of a model that is kept there; nothing where there is no file. Errors: those of
/// reading, Json, Config, Incompatible (another model's, or no table), with the file's name.
[[nodiscard]] Result<std::optional<QualityTable>> readTable(const std::filesystem::path& path,
                                                            const std::string& fingerprint);
/// Writes a table so, making its folder. Errors: Write.
[[nodiscard]] Status keepTable(const std::filesystem::path& path, const QualityTable& table);

}  // namespace lacuna
