#pragma once
/// \file
/// Members of a JSON object that may be absent or of another type. Pure functions; may be called
/// from many threads.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

/// A member, or null when it is absent or `object` is no object.
[[nodiscard]] const Json& memberAt(const Json& object, const char* key);
/// Its text, or an empty one.
[[nodiscard]] std::string textAt(const Json& object, const char* key);
/// Its truth value, or `otherwise`.
[[nodiscard]] bool flagAt(const Json& object, const char* key, bool otherwise = false);
/// The steps of a part that may be null, one step, or a Sequence of them under `listKey`.
[[nodiscard]] std::vector<const Json*> stepsAt(const Json& part, const char* listKey);

}  // namespace lacuna
