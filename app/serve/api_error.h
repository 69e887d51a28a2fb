#pragma once
/// \file
/// Errors in OpenAI's format: a status and {"error": {message, type, param, code}}, where all four
/// members are always present. Plain data.

#include <optional>
#include <string>
#include <vector>

#include "app/serve/http_message.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/settings/config_check.h"

namespace lacuna::app {

struct ApiError {
    int status = 400;
    std::string message = {};
    std::string param = {};  ///< field of the request; empty if none
    std::string code = {};   ///< stable id of a rule or name of an error; empty if none
    std::string type = {};   ///< empty: derived from the status
    OrderedJson more = OrderedJson::object();  ///< further members of the object
    std::optional<int> retryAfterSeconds = std::nullopt;
};

/// {"error": {...}}
[[nodiscard]] OrderedJson errorJson(const ApiError& error);
[[nodiscard]] HttpReply errorReply(const ApiError& error);
[[nodiscard]] HttpReply faultReply(const HttpFault& fault);
/// Maps an engine error: 400 for a mistake of the client, 400 with the feature's name for what is
/// not implemented, 503 for a lack of resources, otherwise 500.
[[nodiscard]] ApiError apiErrorOf(const Error& error);
[[nodiscard]] ApiError apiErrorOf(const RuleViolation& violation);

}  // namespace lacuna::app
