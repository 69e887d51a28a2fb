#pragma once
/// \file
/// Requests answered from the vocabulary and the chat template alone: tokenize, detokenize, render
/// a prompt, count its tokens. Pure functions, called on a worker thread. docs/server.md,
/// "Endpoints".

#include <optional>

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"
#include "app/serve/served_model.h"

namespace lacuna::app {

/// Returns {"tokens": [...]}, with their text if `with_pieces` is set.
[[nodiscard]] ApiResult<OrderedJson> tokenizeJson(JsonFields& fields, const ServedModel& model,
                                                  const StopRequested& stop);
/// Returns {"content": "..."}.
[[nodiscard]] ApiResult<OrderedJson> detokenizeJson(JsonFields& fields, const ServedModel& model);
/// Returns {"prompt": "..."}. `reasoning`: see RequestDefaults.
[[nodiscard]] ApiResult<OrderedJson> promptJson(JsonFields& fields, const ServedModel& model,
                                                std::optional<bool> reasoning,
                                                const StopRequested& stop);
/// Returns the number of prompt tokens of a chat request without answering it; the prompt may
/// exceed the context.
[[nodiscard]] ApiResult<OrderedJson> chatTokensJson(JsonFields& fields, const ServedModel& model,
                                                    std::optional<bool> reasoning,
                                                    const StopRequested& stop);
/// Like chatTokensJson() for a Responses request, which may continue a stored response.
[[nodiscard]] ApiResult<OrderedJson> responseTokensJson(JsonFields& fields,
                                                        const ServedModel& model,
                                                        std::optional<bool> reasoning,
                                                        ResponseStore& kept,
                                                        const StopRequested& stop);

}  // namespace lacuna::app
