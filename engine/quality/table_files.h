#pragma once
/// \file
/// Locates, reads and writes the quality tables of a model. Files are named by the model's
/// fingerprint; lacuna-bench writes them and the window reads them.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/quality/table_values.h"

namespace lacuna {

/// Returns "small", "whole" or "formats".
[[nodiscard]] std::string_view tableSizeName(TableSize size);

/// Paths of a table and its cells.
struct TableFiles {
    std::filesystem::path table, cells;
};
/// Returns, below `folder`, "quality/FINGERPRINT-small.json" and "...-small.cells.json".
[[nodiscard]] TableFiles tableFiles(const std::filesystem::path& folder,
                                    const std::string& fingerprint, TableSize size);
/// Path of a table shipped next to a model: model.gguf -> model.small.quality.json; for a model
/// folder, model.small.quality.json inside it.
[[nodiscard]] std::filesystem::path shippedTablePath(const std::filesystem::path& model,
                                                     TableSize size);
/// Returns the model's table at this path; nullopt if there is no file. Errors: those of reading,
/// Json, Config, Incompatible (not a table, or of another model), with the file name.
[[nodiscard]] Result<std::optional<QualityTable>> readTable(const std::filesystem::path& path,
                                                            const std::string& fingerprint);
/// Writes a table and creates its folder if necessary. Errors: Write.
[[nodiscard]] Status storeTable(const std::filesystem::path& path, const QualityTable& table);

}  // namespace lacuna
