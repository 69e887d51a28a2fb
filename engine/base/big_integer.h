#pragma once
/// \file
/// Integers beyond 64 bits in JSON. The library does not support them and would round them:
/// parseOrderedJson stores their digits as a value of kind binary, which no JSON text can produce,
/// and dumpJson writes the digits. Pure functions.

#include <string>

#include "engine/base/json.h"

namespace lacuna {

[[nodiscard]] inline bool isBigInteger(const OrderedJson& value) {
    return value.is_binary();
}
/// Returns the digits, with a minus sign in front of a negative number. @pre isBigInteger(value)
[[nodiscard]] std::string bigIntegerText(const OrderedJson& value);
/// Returns true for a number of any kind, including big integers.
[[nodiscard]] inline bool isJsonNumber(const OrderedJson& value) {
    return value.is_number() || isBigInteger(value);
}

}  // namespace lacuna
