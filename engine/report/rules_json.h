#pragma once
/// \file
/// The rules of an answer as a member of a recorded turn, and back. Pure functions. Internal to
/// this room.

#include <string>

#include "engine/base/json.h"
#include "engine/generate/answer_rules.h"
#include "engine/report/object_reader.h"

namespace lacuna {

/// {"logit_bias": [[token, value], ...], "logprobs": count or null, "form": "free", "grammar" or
/// "json_schema", "form_text": text}
[[nodiscard]] OrderedJson rulesJson(const AnswerRules& rules);
/// Strict, as everything of a report: `problem` names the member that is wrong.
[[nodiscard]] AnswerRules readRules(const Json& json, const std::string& path,
                                    ReadProblem& problem);

}  // namespace lacuna
