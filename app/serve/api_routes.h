#pragma once
/// \file
/// Which path and method mean what, in one table, and what is refused before anybody reads a body:
/// paths and methods that are not there, bodies that are not sent as JSON. Pure functions.
/// docs/server.md, "Endpoints".

#include <optional>
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
    ChangeCompression,   ///< what is left out stays as it is
    ReplaceCompression,  ///< what is left out is as the server was started with
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
    KeptResponse,
    ForgetResponse,
    Embeddings,
    NativeEmbeddings,
    CancelRequest,
    NotBuilt,
};

struct Route {
    const char* method;
    const char* path;  ///< may hold one {}
    Endpoint endpoint;
    enum class Body { None, Json, Optional } body = Body::None;
};

struct RouteMatch {
    const Route* route = nullptr;  ///< none: no such path, or not with this method
    std::string parameter = {};    ///< what stands where the path has {}, percent-encoded
    std::string allowed = {};      ///< methods of this path; empty: there is no such path
};
/// HEAD is taken wherever GET is.
[[nodiscard]] RouteMatch matchRoute(const HttpHead& head);

/// Why such a request is not read: 400, 404, 405, 411 or 415; nothing where it may be.
[[nodiscard]] std::optional<HttpReply> refusalOf(const RouteMatch& match, const HttpHead& head);

}  // namespace lacuna::app
