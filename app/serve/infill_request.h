#pragma once
/// \file
/// A request to fill a gap between two texts, in the form of llama.cpp's server (/infill), as the
/// completion that asks it of a model that was trained for gaps: its vocabulary has marks for what
/// stands before and after. Pure function. Source: Hui et al. 2024, "Qwen2.5-Coder Technical
/// Report" (the order of repository, files and gap). docs/server.md, "Gaps".

#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "engine/text/tokenizer.h"

namespace lacuna::app {

struct InfillAsked {
    OrderedJson completion;  ///< the native form, its prompt as token ids
    std::vector<std::string> warnings;
};

/// 400 with the place; 501 where the model has no marks for gaps. Of more files than the context
/// has room for the first are left out, with a warning; `answerTokens` is how long an answer may be
/// where the request does not say.
/// @param context tokens of prompt and answer
[[nodiscard]] ApiResult<InfillAsked> completionOfInfill(const OrderedJson& asked,
                                                        const Tokenizer& tokenizer, int context,
                                                        int answerTokens, const StopAsked& stop);

}  // namespace lacuna::app
