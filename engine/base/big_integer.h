#pragma once
/// \file
/// Whole numbers beyond 64 bits in JSON. The library has no kind for them and would round them:
/// parseOrderedJson keeps their digits as a value of the kind binary, which no JSON text has, and
/// dumpJson writes the digits again. Pure functions.

#include <string>

#include "engine/base/json.h"

namespace lacuna {

[[nodiscard]] inline bool isBigInteger(const OrderedJson& value) {
    return value.is_binary();
}
/// The digits, with a minus sign in front of a negative number. @pre isBigInteger(value)
[[nodiscard]] std::string bigIntegerText(const OrderedJson& value);
/// A number of any kind.
[[nodiscard]] inline bool isJsonNumber(const OrderedJson& value) {
    return value.is_number() || isBigInteger(value);
}

}  // namespace lacuna
