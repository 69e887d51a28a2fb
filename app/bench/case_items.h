#pragma once
/// \file
/// Items that settings are measured on: questions about long texts, and prose. Pure functions of
/// model and text.

#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/recall_cases.h"

namespace lacuna {

struct CaseItemOptions {
    int answerTokens = 28;  ///< maximum tokens of an answer
    int headTokens = 8;     ///< tokens whose queries are used to compare the heads
    int headEvery = 4;      ///< compare heads on every n-th item, starting with the first
};
/// Returns one item per question; the cache is compacted after the text is read and before the
/// question. Errors: as promptTokens.
[[nodiscard]] Result<std::vector<GridItem>> caseItems(const LoadedModel& model,
                                                      std::span<const RecallCase> cases,
                                                      const CaseItemOptions& options);

struct TextItemOptions {
    int context = 768;       ///< tokens before the compaction
    int continuation = 256;  ///< tokens after it; also the step between windows
    int headTokens = 8;
};
/// Returns as many windows of prose as fit, of kind "text"; empty if the text is too short.
[[nodiscard]] std::vector<GridItem> textItems(std::span<const TokenId> tokens,
                                              const TextItemOptions& options);

}  // namespace lacuna
