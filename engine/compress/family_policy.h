#pragma once
/// \file
/// Which keys an eviction keeps when nobody says so: the winner of a recall measurement for the
/// family of the model, from the table resources/models/policies.json, which is part of the
/// program. Pure functions. docs/eviction.md, "Which keys to keep".

#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct FamilyPolicy {
    EvictionPolicy policy = EvictionPolicy::KeyDiff;
    std::string why;  ///< a sentence for people
};

/// `keysNormalised`: the model divides keys by their norm before they are turned (QK-norm).
[[nodiscard]] FamilyPolicy policyForFamily(std::string_view family, bool keysNormalised);
/// The same with a table. Errors: Config, naming the field.
[[nodiscard]] Result<FamilyPolicy> policyForFamily(const Json& table, std::string_view family,
                                                   bool keysNormalised);
/// The text of the table.
[[nodiscard]] std::string_view familyPolicyTable();

}  // namespace lacuna
