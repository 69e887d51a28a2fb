#pragma once
/// \file
/// What settings are measured on: questions about long texts, and running text. Pure functions of
/// model and text.

#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/recall_cases.h"

namespace lacuna {

struct CaseItemOptions {
    int answerTokens = 28;  ///< most tokens of an answer
    int headTokens = 8;     ///< tokens whose queries compare the heads
    int headEvery = 4;      ///< heads are compared on each n-th item, from the first
};
/// One item for each question: compacted when the text is read, before the question. Errors: as
/// promptTokens.
[[nodiscard]] Result<std::vector<GridItem>> caseItems(const LoadedModel& model,
                                                      std::span<const RecallCase> cases,
                                                      const CaseItemOptions& options);

struct TextItemOptions {
    int context = 768;       ///< tokens before the compaction
    int continuation = 256;  ///< tokens after it; windows move on by as many
    int headTokens = 8;
};
/// Windows of running text, as many as fit, of kind "text"; none when it is too short.
[[nodiscard]] std::vector<GridItem> textItems(std::span<const TokenId> tokens,
                                              const TextItemOptions& options);

}  // namespace lacuna
