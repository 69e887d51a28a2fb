#pragma once
/// \file
/// Requests that only turn text into tokens, tokens into text, or messages into a prompt: read from
/// a body's members and answered from the model's vocabulary and template alone. Pure functions,
/// for a worker's thread. docs/server.md, "Endpoints".

#include <optional>

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"
#include "app/serve/served_model.h"

namespace lacuna::app {

/// {"tokens": [...]}, with their pieces where `with_pieces` asks for them.
[[nodiscard]] ApiResult<OrderedJson> tokenizeJson(JsonFields& fields, const ServedModel& model,
                                                  const StopAsked& stop);
/// {"content": "..."}
[[nodiscard]] ApiResult<OrderedJson> detokenizeJson(JsonFields& fields, const ServedModel& model);
/// {"prompt": "..."}; `reasoning` as RequestDefaults.
[[nodiscard]] ApiResult<OrderedJson> promptJson(JsonFields& fields, const ServedModel& model,
                                                std::optional<bool> reasoning,
                                                const StopAsked& stop);
/// How many tokens the prompt of a chat has, before anybody answers it; also one that the context
/// has no room for.
[[nodiscard]] ApiResult<OrderedJson> chatTokensJson(JsonFields& fields, const ServedModel& model,
                                                    std::optional<bool> reasoning,
                                                    const StopAsked& stop);
/// The same of a response, which may go on from one that is kept.
[[nodiscard]] ApiResult<OrderedJson> responseTokensJson(JsonFields& fields,
                                                        const ServedModel& model,
                                                        std::optional<bool> reasoning,
                                                        ResponseStore& kept, const StopAsked& stop);

}  // namespace lacuna::app
