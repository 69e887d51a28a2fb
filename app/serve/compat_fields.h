#pragma once
/// \file
/// Request members of other servers. A member that would change the answer and is not implemented
/// is refused by name unless its value has no effect; members that never affect an answer are
/// ignored. Pure function. docs/server.md, "Request members".

#include "app/serve/json_fields.h"

namespace lacuna::app {

/// Reads all of them. Error: 400 naming the member.
void readForeignMembers(JsonFields& fields);

}  // namespace lacuna::app
