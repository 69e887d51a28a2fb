#pragma once
/// \file
/// Route table of paths and methods, and the checks made before a body is read: unknown paths and
/// methods, bodies that are not JSON. Pure functions. docs/server.md, "Endpoints".

#include <optional>
#include <span>
#include <string>

#include "app/serve/http_message.h"

namespace lacuna::app {

enum class Endpoint {
    Health,
    Models,
    OneModel,
    Props,
    Slots,
    SlotAction,
    Metrics,
    CompressionStatus,
    CompressionConfig,
    ChangeCompression,   ///< omitted members keep their value
    ReplaceCompression,  ///< omitted members get the value that the server was started with
    CacheStatus,
    ClearCaches,
    Tokenize,
    Detokenize,
    ApplyTemplate,
    CountChat,
    CountResponse,
    ChatCompletions,
    Completions,
    NativeCompletion,
    Infill,
    Responses,
    StoredResponse,
    DeleteResponse,
    Embeddings,
    NativeEmbeddings,
    CancelRequest,
    NotBuilt,
};

struct Route {
    const char* method;
    const char* path;  ///< may contain one {}
    Endpoint endpoint;
    enum class Body { None, Json, Optional } body = Body::None;
};

/// Returns the route table.
[[nodiscard]] std::span<const Route> routes();

struct RouteMatch {
    const Route* route = nullptr;  ///< null if there is no such path or the method is not allowed
    std::string parameter = {};    ///< percent-encoded text in the position of {}
    std::string allowed = {};      ///< allowed methods of this path; empty if there is no such path
};
/// HEAD is accepted wherever GET is.
[[nodiscard]] RouteMatch matchRoute(const HttpHead& head);

/// Returns 400, 404, 405, 411 or 415 for a request that must not be read; nullopt otherwise.
[[nodiscard]] std::optional<HttpReply> refusalOf(const RouteMatch& match, const HttpHead& head);

}  // namespace lacuna::app
