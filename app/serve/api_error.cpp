#include "app/serve/api_error.h"

namespace lacuna::app {
namespace {

std::string typeOf(int status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 409:
            return "conflict_error";
        case 429:
            return "rate_limit_error";
        case 500:
            return "server_error";
        case 501:
            return "not_supported_error";
        case 503:
            return "unavailable_error";
        default:
            return "invalid_request_error";
    }
}

OrderedJson textOrNull(const std::string& text) {
    return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

int statusOf(const Error& error) {
    switch (error.code) {
        case ErrorCode::NoMemory:
            return 503;
        case ErrorCode::Cancelled:
            return 503;
        case ErrorCode::NotFound:
            return 404;
        default:
            break;
    }
    switch (errorClass(error.code)) {
        case ErrorClass::Usage:
        case ErrorClass::Data:
        case ErrorClass::Unsupported:
            return 400;
        case ErrorClass::NotFound:
            return 404;
        case ErrorClass::Memory:
            return 503;
        case ErrorClass::Cancelled:
            return 503;
        case ErrorClass::Internal:
        case ErrorClass::Io:
            return 500;
    }
    return 500;
}

}  // namespace

OrderedJson errorJson(const ApiError& error) {
    OrderedJson inner{{"message", error.message},
                      {"type", error.type.empty() ? typeOf(error.status) : error.type},
                      {"param", textOrNull(error.param)},
                      {"code", textOrNull(error.code)}};
    for (const auto& [name, value] : error.more.items()) inner[name] = value;
    return {{"error", std::move(inner)}};
}

HttpReply errorReply(const ApiError& error) {
    HttpReply reply{.status = error.status, .body = dumpJson(errorJson(error))};
    if (error.retryAfterSeconds)
        reply.fields.emplace_back("Retry-After", std::to_string(*error.retryAfterSeconds));
    if (error.status == 401) reply.fields.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
}

HttpReply faultReply(const HttpFault& fault) {
    return errorReply({.status = fault.status, .message = fault.sentence});
}

ApiError apiErrorOf(const Error& error) {
    ApiError result{.status = statusOf(error),
                    .message = error.what,
                    .code = std::string(errorName(error.code))};
    if (error.code == ErrorCode::ContextFull) result.type = "exceed_context_size_error";
    if (result.status == 503) result.retryAfterSeconds = 1;
    return result;
}

ApiError apiErrorOf(const RuleViolation& violation) {
    return {.status = 400,
            .message = violation.sentence,
            .param = violation.field,
            .code = violation.rule};
}

}  // namespace lacuna::app
