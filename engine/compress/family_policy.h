#pragma once
/// \file
/// Default eviction policy of a model family: the winner of a recall measurement, taken from the
/// table resources/models/policies.json, which is compiled into the program. Pure functions.
/// docs/eviction.md, "Which keys to keep".

#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct FamilyPolicy {
    EvictionPolicy policy = EvictionPolicy::KeyDiff;
    std::string reason;  ///< explanation shown to the user
};

/// `keysNormalised`: the model divides keys by their norm before rotation (QK-norm).
[[nodiscard]] FamilyPolicy policyForFamily(std::string_view family, bool keysNormalised);
/// The same with an explicit table. Errors: Config, naming the field.
[[nodiscard]] Result<FamilyPolicy> policyForFamily(const Json& table, std::string_view family,
                                                   bool keysNormalised);
/// Text of the built-in table.
[[nodiscard]] std::string_view familyPolicyTable();

}  // namespace lacuna
