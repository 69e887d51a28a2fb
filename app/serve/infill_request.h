#pragma once
/// \file
/// Converts a fill-in-the-middle request of llama.cpp's server (/infill) into a completion for a
/// model trained for it, whose vocabulary has marks for prefix and suffix. Pure function. Source:
/// Hui et al. 2024, "Qwen2.5-Coder Technical Report" (order of repository, files and gap).
/// docs/server.md, "Infill".

#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "engine/text/tokenizer.h"

namespace lacuna::app {

struct RequestedInfill {
    OrderedJson completion;  ///< in the native format, with the prompt as token ids
    std::vector<std::string> warnings;
};

/// If the files exceed the context, the first ones are left out with a warning. `answerTokens`
/// limits the answer if the request does not. Errors: 400 naming the path; 501 if the model has no
/// fill-in-the-middle marks.
/// @param context tokens of prompt and answer
[[nodiscard]] ApiResult<RequestedInfill> completionOfInfill(const OrderedJson& asked,
                                                            const Tokenizer& tokenizer, int context,
                                                            int answerTokens,
                                                            const StopRequested& stop);

}  // namespace lacuna::app
