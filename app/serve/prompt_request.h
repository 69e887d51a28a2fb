#pragma once
/// \file
/// Parses the prompt of a completion: a text, token ids, a mix of both, an object with a text, or a
/// list of any of these. Pure function. docs/server.md, "Endpoints".

#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"

namespace lacuna::app {

struct RequestedPrompts {
    struct One {
        std::vector<TokenId> tokens;
        std::string text;  ///< prompt text, for reply formats that repeat it
    };
    std::vector<One> prompts;
    bool listed = false;  ///< the prompts came as a list
};

/// Reads the member `prompt`. Error: 400 naming it.
[[nodiscard]] RequestedPrompts readPrompts(JsonFields& fields, const ServedModel& model,
                                           const StopRequested& stop);

}  // namespace lacuna::app
