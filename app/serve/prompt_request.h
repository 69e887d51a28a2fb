#pragma once
/// \file
/// What a completion goes on from: a text, token ids, both in turn, an object with a text, or a
/// list of any of these. Pure function. docs/server.md, "Endpoints".

#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"

namespace lacuna::app {

struct AskedPrompts {
    struct One {
        std::vector<TokenId> tokens;
        std::string text;  ///< for forms that repeat it
    };
    std::vector<One> prompts;
    bool listed = false;  ///< they came as a list of several
};

/// The member `prompt`. 400 naming it.
[[nodiscard]] AskedPrompts readPrompts(JsonFields& fields, const ServedModel& model,
                                       const StopAsked& stop);

}  // namespace lacuna::app
