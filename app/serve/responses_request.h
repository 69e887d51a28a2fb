#pragma once
/// \file
/// Converts a request in the format of OpenAI's Responses API into the equivalent chat request. It
/// may continue a stored response; other references to earlier state are refused by name.
/// docs/server.md, "Responses".

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"

namespace lacuna::app {

/// Input of a response: the items of the conversation before the answer.
struct RequestedResponseItems {
    OrderedJson all = OrderedJson::array();
    std::size_t earlier = 0;  ///< number of items that precede this request
};
/// Returns `input` appended to the conversation of `previous_response_id`, with references to items
/// of earlier answers resolved. Error: 400 naming the path.
[[nodiscard]] ApiResult<RequestedResponseItems> itemsOfResponses(const OrderedJson& asked,
                                                                 ResponseStore& kept);

/// Members with the same meaning in both formats are copied unchanged. Pure. Error: 400 naming the
/// path.
[[nodiscard]] ApiResult<OrderedJson> chatOfResponses(const OrderedJson& asked,
                                                     const RequestedResponseItems& items);

/// Returns whether the response is stored for later requests (`store`, true by default).
[[nodiscard]] bool keepsResponse(const OrderedJson& asked);

/// Members of the request that the response repeats: instructions, tools, text, metadata ...
[[nodiscard]] OrderedJson repeatedOfResponses(const OrderedJson& asked);

/// Rewrites an error of the chat request in terms of the original request.
[[nodiscard]] ApiError errorOfResponses(ApiError error);

}  // namespace lacuna::app
