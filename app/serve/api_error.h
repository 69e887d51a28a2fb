#pragma once
/// \file
/// Errors as OpenAI's clients read them: a status, and {"error": {message, type, param, code}} with
/// all four always there. Plain data.

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
    std::string param = {};  ///< field of the request; empty: none
    std::string code = {};   ///< stable: a rule's id or an error's name; empty: none
    std::string type = {};   ///< empty: that of the status
    OrderedJson more = OrderedJson::object();  ///< further members of the object
    std::optional<int> retryAfterSeconds = std::nullopt;
};

/// {"error": {...}}
[[nodiscard]] OrderedJson errorJson(const ApiError& error);
[[nodiscard]] HttpReply errorReply(const ApiError& error);
[[nodiscard]] HttpReply faultReply(const HttpFault& fault);
/// What went wrong in the engine. A mistake of the one who asked is 400, a shortage 503, what is
/// not built here 400 with its name, and the rest 500.
[[nodiscard]] ApiError apiErrorOf(const Error& error);
[[nodiscard]] ApiError apiErrorOf(const RuleViolation& violation);

}  // namespace lacuna::app
