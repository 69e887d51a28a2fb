#pragma once
/// \file
/// Describes a model file and its memory requirements as one page of sections and lines, with the
/// same text in the terminal and in the window. The file is inspected, not loaded.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct PageLine {
    std::string label;
    std::string value;  ///< includes its unit
};
struct PageSection {
    std::string title;
    std::vector<PageLine> lines;
};
struct ModelPage {
    std::string path;
    std::string heading;  ///< name of the model, or of the file if it has none
    bool supported = false;
    std::string verdict;  ///< verdict of the memory plan, a sentence; empty if there is none
    std::string reason;   ///< why the file cannot be loaded; empty if it can
    std::vector<PageSection> sections;
};

/// Returns describeModel, extended for a loadable model by `memory_plan` under these settings,
/// `eviction_policy` (what norm_policy=auto resolves to) and `precision` (what precision=auto
/// resolves to, if it is measured in `measurements`, which may be empty). Errors: as describeModel.
[[nodiscard]] Result<OrderedJson> inspectModel(const std::filesystem::path& path,
                                               const MachineFacts& machine,
                                               const EngineConfig& config,
                                               const std::filesystem::path& measurements = {});
/// Formats an inspection as a page.
[[nodiscard]] ModelPage modelPage(const std::filesystem::path& path, const OrderedJson& inspection);
/// Formats a page for the terminal, with headings and aligned lines.
[[nodiscard]] std::string pageText(const ModelPage& page);

}  // namespace lacuna
