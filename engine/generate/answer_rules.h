#pragma once
/// \file
/// What one request asks of its answer alongside the settings: biases of single tokens, reported
/// probabilities, a form that the text must have. Plain data; travels with the request and stands
/// in its report, so that a replay asks the same.

#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace lacuna {

/// Added to the logit of a token before anything else.
struct LogitBias {
    TokenId token = 0;
    double value = 0;  ///< [-100, 100]; -100 forbids the token
    friend bool operator==(const LogitBias&, const LogitBias&) = default;
};

enum class AnswerForm {
    Free,
    Grammar,     ///< `form` is a grammar (engine/grammar/grammar_parser.h)
    JsonSchema,  ///< `form` is a JSON schema (engine/grammar/json_schema.h)
};

struct AnswerRules {
    static constexpr int kMaxLogprobs = 20;
    static constexpr double kForbid = -100;

    std::vector<LogitBias> bias = {};  ///< each token once
    /// Likeliest tokens reported with each drawn one, [0, 20]; none: no probabilities.
    std::optional<int> logprobs = std::nullopt;
    AnswerForm kind = AnswerForm::Free;
    std::string form = {};  ///< text of the grammar or schema
    friend bool operator==(const AnswerRules&, const AnswerRules&) = default;
};

/// Errors: InvalidArgument (a bias out of range, outside the vocabulary or given twice; too many
/// probabilities), naming what was found and what is allowed.
[[nodiscard]] Status checkRules(const AnswerRules& rules, int vocabulary);

}  // namespace lacuna
