#pragma once
/// \file
/// Options of `generate` and `chat` that control an answer besides the settings; converts them to
/// AnswerRules.

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/session/event.h"

namespace CLI {
class App;
}

namespace lacuna::cli {

struct AnswerArguments {
    std::optional<int> logprobs;
    std::vector<std::string> logitBias;  ///< TOKEN=VALUE
    std::optional<std::string> presencePenalty, frequencyPenalty;
    std::string grammar;     ///< path of the grammar
    std::string jsonSchema;  ///< path of the schema
    std::string draftModel;
    std::string promptCache;  ///< file that the cache is read from and written to
};

void addAnswerOptions(CLI::App& command, AnswerArguments& arguments);
/// Errors: InvalidArgument naming the option; those of reading a file.
[[nodiscard]] Result<AnswerRules> answerRules(const AnswerArguments& arguments,
                                              const std::stop_token& stop);
/// Appends the settings that have an option of their own.
[[nodiscard]] std::vector<std::string> withOptionSettings(std::vector<std::string> settings,
                                                          const AnswerArguments& arguments);
/// {"token": id, "text": ..., "logprob": x, "top": [{...}]}; null for a forbidden token's logprob.
[[nodiscard]] OrderedJson logprobsJson(const TokenText& drawn);

}  // namespace lacuna::cli
