#pragma once
/// \file
/// Members of other servers' requests. What would change the answer and is not built here is
/// refused by its name, unless its value changes nothing; what changes no answer anywhere is let
/// pass. Pure function. docs/server.md, "What a request may ask".

#include "app/serve/json_fields.h"

namespace lacuna::app {

/// Reads all of them. 400 naming the member.
void readForeignMembers(JsonFields& fields);

}  // namespace lacuna::app
