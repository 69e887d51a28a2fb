#include "app/bench/case_items.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/quality/grid_items.h"

namespace lacuna {
namespace {

std::vector<TokenId> tokensOf(std::span<const TokenId> tokens) {
    return {tokens.begin(), tokens.end()};
}

}  // namespace

Result<std::vector<GridItem>> caseItems(const LoadedModel& model, std::span<const RecallCase> cases,
                                        const CaseItemOptions& options) {
    std::vector<GridItem> items;
    for (const RecallCase& one : cases) {
        GridItem item;
        item.kind = format("{}@{}", one.kind, one.approxTokens);
        item.key = one.key;
        LACUNA_TRY(item.text, splitPrompt(model, one.messages));
        item.text.answerTokens = options.answerTokens;
        if (items.size() % static_cast<std::size_t>(std::max(options.headEvery, 1)) == 0)
            item.headTokens = options.headTokens;
        items.push_back(std::move(item));
    }
    return items;
}

std::vector<GridItem> textItems(std::span<const TokenId> tokens, const TextItemOptions& options) {
    const auto context = static_cast<std::size_t>(std::max(options.context, 1));
    const auto after = static_cast<std::size_t>(std::max(options.continuation, 2));
    std::vector<GridItem> items;
    for (std::size_t at = 0; at + context + after <= tokens.size(); at += after)
        items.push_back({.kind = "text",
                         .text = {.context = tokensOf(tokens.subspan(at, context)),
                                  .continuation = tokensOf(tokens.subspan(at + context, after)),
                                  .answerTokens = 0},
                         .key = {},
                         .headTokens = options.headTokens});
    return items;
}

}  // namespace lacuna
