#include "app/serve/api_routes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/http_reader.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

using Body = Route::Body;

constexpr Route kRoutes[] = {
    {"GET", "/health", Endpoint::Health},
    {"GET", "/v1/health", Endpoint::Health},
    {"GET", "/v1/models", Endpoint::Models},
    {"GET", "/models", Endpoint::Models},
    {"GET", "/v1/models/{}", Endpoint::OneModel},
    {"GET", "/props", Endpoint::Props},
    {"GET", "/slots", Endpoint::Slots},
    {"GET", "/metrics", Endpoint::Metrics},
    {"GET", "/admin/api/compression/status", Endpoint::CompressionStatus},
    {"GET", "/admin/api/compression/config", Endpoint::CompressionConfig},
    {"POST", "/admin/api/compression/config", Endpoint::ChangeCompression, Body::Json},
    {"PUT", "/admin/api/compression/config", Endpoint::ReplaceCompression, Body::Json},
    {"GET", "/admin/api/cache/status", Endpoint::CacheStatus},
    {"DELETE", "/admin/api/cache", Endpoint::ClearCaches},
    {"POST", "/slots/{}", Endpoint::SlotAction, Body::Optional},
    {"POST", "/tokenize", Endpoint::Tokenize, Body::Json},
    {"POST", "/detokenize", Endpoint::Detokenize, Body::Json},
    {"POST", "/apply-template", Endpoint::ApplyTemplate, Body::Json},
    {"POST", "/v1/chat/completions", Endpoint::ChatCompletions, Body::Json},
    {"POST", "/chat/completions", Endpoint::ChatCompletions, Body::Json},
    {"POST", "/v1/completions", Endpoint::Completions, Body::Json},
    {"POST", "/completion", Endpoint::NativeCompletion, Body::Json},
    {"POST", "/completions", Endpoint::NativeCompletion, Body::Json},
    {"POST", "/v1/requests/{}/cancel", Endpoint::CancelRequest, Body::Optional},
    {"POST", "/v1/embeddings", Endpoint::Embeddings, Body::Json},
    {"POST", "/embeddings", Endpoint::NativeEmbeddings, Body::Json},
    {"POST", "/embedding", Endpoint::NativeEmbeddings, Body::Json},
    {"POST", "/infill", Endpoint::Infill, Body::Json},
    {"POST", "/rerank", Endpoint::NotBuilt, Body::Json},
    {"POST", "/v1/rerank", Endpoint::NotBuilt, Body::Json},
    {"GET", "/lora-adapters", Endpoint::NotBuilt},
    {"POST", "/lora-adapters", Endpoint::NotBuilt, Body::Json},
    {"POST", "/v1/responses", Endpoint::Responses, Body::Json},
    {"POST", "/responses", Endpoint::Responses, Body::Json},
    {"GET", "/v1/responses/{}", Endpoint::StoredResponse},
    {"GET", "/responses/{}", Endpoint::StoredResponse},
    {"DELETE", "/v1/responses/{}", Endpoint::DeleteResponse},
    {"DELETE", "/responses/{}", Endpoint::DeleteResponse},
    {"POST", "/v1/chat/completions/input_tokens", Endpoint::CountChat, Body::Json},
    {"POST", "/chat/completions/input_tokens", Endpoint::CountChat, Body::Json},
    {"POST", "/v1/responses/input_tokens", Endpoint::CountResponse, Body::Json},
    {"POST", "/responses/input_tokens", Endpoint::CountResponse, Body::Json},
};

/// Returns the text in the position of {}; nullopt if the path does not match.
std::optional<std::string> parameterOf(std::string_view pattern, const std::string& path) {
    const std::size_t hole = pattern.find("{}");
    if (hole == std::string_view::npos)
        return path == pattern ? std::optional<std::string>("") : std::nullopt;
    const std::string_view before = pattern.substr(0, hole);
    const std::string_view after = pattern.substr(hole + 2);
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after))
        return std::nullopt;
    std::string parameter = path.substr(before.size(), path.size() - before.size() - after.size());
    if (parameter.find('/') != std::string::npos) return std::nullopt;
    return parameter;
}

/// True for "application/json", with or without parameters.
bool isJson(const std::string& contentType) {
    std::string type = contentType.substr(0, contentType.find(';'));
    while (type.ends_with(' ')) type.pop_back();
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return type == "application/json";
}

}  // namespace

std::span<const Route> routes() {
    return kRoutes;
}

RouteMatch matchRoute(const HttpHead& head) {
    RouteMatch result;
    for (const Route& route : kRoutes) {
        auto parameter = parameterOf(route.path, head.path);
        if (!parameter) continue;
        result.allowed += (result.allowed.empty() ? "" : ", ") + std::string(route.method);
        const bool same = head.method == route.method ||
                          (head.method == "HEAD" && std::string_view(route.method) == "GET");
        if (!same || result.route != nullptr) continue;
        result.route = &route;
        result.parameter = std::move(*parameter);
    }
    return result;
}

std::optional<HttpReply> refusalOf(const RouteMatch& match, const HttpHead& head) {
    if (!percentDecoded(head.path))
        return errorReply({.status = 400, .message = "the path has an invalid percent escape"});
    if (match.allowed.empty())
        return errorReply({.status = 404, .message = "there is no endpoint at this path"});
    if (head.method == "OPTIONS") return std::nullopt;
    if (match.route == nullptr) {
        HttpReply reply = errorReply(
            {.status = 405, .message = format("this path accepts only {}", match.allowed)});
        reply.fields.emplace_back("Allow", match.allowed);
        return reply;
    }
    const bool wantsJson =
        match.route->body == Body::Json || (match.route->body == Body::Optional && head.hasBody);
    if (!wantsJson) return std::nullopt;
    const std::string* const type = head.find("content-type");
    if (type == nullptr || !isJson(*type))
        return errorReply({.status = 415,
                           .message = "the body has to be sent as Content-Type: application/json"});
    if (head.find("content-length") == nullptr && head.find("transfer-encoding") == nullptr)
        return errorReply(
            {.status = 411,
             .message = "this path needs a body, with a Content-Length or in chunks"});
    return std::nullopt;
}

}  // namespace lacuna::app
