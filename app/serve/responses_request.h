#pragma once
/// \file
/// A request in the form of OpenAI's responses, as the chat request that asks the same. What needs
/// an earlier response is refused by its name: none is kept here. Pure function.
/// docs/server.md, "Responses".

#include "app/serve/json_fields.h"

namespace lacuna::app {

/// Members that mean the same in both forms are taken over as they are. 400 with the place.
[[nodiscard]] ApiResult<OrderedJson> chatOfResponses(const OrderedJson& asked);

/// What the answer repeats of the request: instructions, tools, text, metadata ...
[[nodiscard]] OrderedJson repeatedOfResponses(const OrderedJson& asked);

/// An error of the chat request in the words of this one.
[[nodiscard]] ApiError errorOfResponses(ApiError error);

}  // namespace lacuna::app
