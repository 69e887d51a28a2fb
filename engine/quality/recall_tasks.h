#pragma once
/// \file
/// Questions about long texts, made on the spot: facts hidden in running text, register lines,
/// key-value pairs. What calibration asks a model, so that nothing measured with other dialogues is
/// tuned on them. Pure function of its arguments.

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/quality/recall.h"

namespace lacuna {

enum class RecallTask { Facts, Lines, Pairs };

struct RecallTaskOptions {
    RecallTask task = RecallTask::Facts;
    int approxTokens = 500;   ///< at about 3.5 characters each
    std::string_view filler;  ///< running text around facts; its paragraphs are taken in turn
    std::uint64_t seed = 0;   ///< another seed, another case
};

/// One user message that ends with the question, as a paragraph of its own.
[[nodiscard]] RecallCase makeRecallCase(const RecallTaskOptions& options);
/// Tasks in turn, each at every length.
[[nodiscard]] std::vector<RecallCase> makeRecallCases(int rounds, const std::vector<int>& lengths,
                                                      std::string_view filler, std::uint64_t seed);

}  // namespace lacuna
