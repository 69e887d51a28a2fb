#pragma once
/// \file
/// Questions about long texts, and some made on the spot: facts hidden in running text, register
/// lines, key-value pairs. What calibration asks a model, so that nothing measured with other
/// dialogues is tuned on them. Pure functions.

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
    int approxTokens = 0;  ///< length class of the text
    std::vector<ChatMessage> messages;
    std::string answer;  ///< what a right answer looks like
    std::string key;     ///< the part of it that counts
};
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

/// Tokens of the prompt that come before the question: the last paragraph of the last message.
/// Errors: as promptTokens.
[[nodiscard]] Result<std::size_t> tokensBeforeQuestion(const LoadedModel& model,
                                                       std::span<const ChatMessage> messages,
                                                       std::span<const TokenId> prompt);

/// Tokens that `prompt` has in common with the prompt of the text alone; at least one is left to be
/// fed with the question.
[[nodiscard]] std::size_t tokensOfText(std::span<const TokenId> prompt,
                                       std::span<const TokenId> textAlone);

}  // namespace lacuna
