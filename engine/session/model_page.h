#pragma once
/// \file
/// What a model file is and what it would take here, as one page of sections and lines for people:
/// the same text in the terminal and in the window. The file is read, not loaded.

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
    std::string value;  ///< with its unit
};
struct PageSection {
    std::string title;
    std::vector<PageLine> lines;
};
struct ModelPage {
    std::string path;
    std::string heading;  ///< name of the model, or of the file when it has none
    bool supported = false;
    std::string verdict;  ///< of the memory plan, a sentence; empty when there is none
    std::string reason;   ///< why it would not load; empty when it would
    std::vector<PageSection> sections;
};

/// describeModel with `memory_plan` under these settings, `eviction_policy`, what norm_policy=auto
/// stands for, and `precision`, what precision=auto stands for as far as that lies measured in
/// `measurements` (empty: nowhere), added for a model that would load. Errors: as describeModel.
[[nodiscard]] Result<OrderedJson> inspectModel(const std::filesystem::path& path,
                                               const MachineFacts& machine,
                                               const EngineConfig& config,
                                               const std::filesystem::path& measurements = {});
/// The page of an inspection.
[[nodiscard]] ModelPage modelPage(const std::filesystem::path& path, const OrderedJson& inspection);
/// For the terminal: headings, aligned lines.
[[nodiscard]] std::string pageText(const ModelPage& page);

}  // namespace lacuna
