#pragma once
/// \file
/// A request in the form of OpenAI's responses, as the chat request that asks the same. It may go
/// on from a response that is kept; what else needs an earlier one is refused by its name.
/// docs/server.md, "Responses".

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"

namespace lacuna::app {

/// What is asked about: the items of a conversation before its answer.
struct ResponseItemsAsked {
    OrderedJson all = OrderedJson::array();
    std::size_t earlier = 0;  ///< of them, those that came before this request
};
/// `input` after what `previous_response_id` names, each reference to an item of an earlier answer
/// as that item. 400 with the place.
[[nodiscard]] ApiResult<ResponseItemsAsked> itemsOfResponses(const OrderedJson& asked,
                                                             ResponseStore& kept);

/// Members that mean the same in both forms are taken over as they are. 400 with the place. Pure.
[[nodiscard]] ApiResult<OrderedJson> chatOfResponses(const OrderedJson& asked,
                                                     const ResponseItemsAsked& items);

/// Whether clients may go on from the answer (`store`, true where it is left out).
[[nodiscard]] bool keepsResponse(const OrderedJson& asked);

/// What the answer repeats of the request: instructions, tools, text, metadata ...
[[nodiscard]] OrderedJson repeatedOfResponses(const OrderedJson& asked);

/// An error of the chat request in the words of this one.
[[nodiscard]] ApiError errorOfResponses(ApiError error);

}  // namespace lacuna::app
