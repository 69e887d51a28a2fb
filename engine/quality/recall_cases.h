#pragma once
/// \file
/// Generates questions about long texts: facts hidden in running text, register lines and key-value
/// pairs. They are used for calibration only, so that measurements on other dialogues are not tuned
/// on them. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/template/chat_template.h"

namespace lacuna {

struct RecallCase {
    std::string kind;      ///< "facts1"
    int approxTokens = 0;  ///< target length of the text
    std::vector<ChatMessage> messages;
    std::string answer;  ///< example of a right answer
    std::string key;     ///< the part that an answer must contain
};
enum class RecallTask { Facts, Lines, Pairs };

struct RecallTaskOptions {
    RecallTask task = RecallTask::Facts;
    int approxTokens = 500;   ///< approximate length, at 3.5 characters per token
    std::string_view filler;  ///< running text around the facts; its paragraphs are used in turn
    std::uint64_t seed = 0;   ///< each seed gives a different case
};

/// Returns one user message that ends with the question as a separate paragraph.
[[nodiscard]] RecallCase makeRecallCase(const RecallTaskOptions& options);
/// Cycles through the tasks, each at every length.
[[nodiscard]] std::vector<RecallCase> makeRecallCases(int rounds, const std::vector<int>& lengths,
                                                      std::string_view filler, std::uint64_t seed);

/// Number of prompt tokens before the question, which is the last paragraph of the last message.
/// Errors: as promptTokens.
[[nodiscard]] Result<std::size_t> tokensBeforeQuestion(const LoadedModel& model,
                                                       std::span<const ChatMessage> messages,
                                                       std::span<const TokenId> prompt);

/// Length of the common prefix of `prompt` and the prompt of the text alone; leaves at least one
/// token to be fed with the question.
[[nodiscard]] std::size_t tokensOfText(std::span<const TokenId> prompt,
                                       std::span<const TokenId> textAlone);

}  // namespace lacuna
