#include "engine/compress/family_policy.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

Result<std::string> textOf(const Json& row, std::string_view family, std::string_view key) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string())
        return fail(ErrorCode::Config, format("families.{}.{} is not a text", family, key));
    return found->get<std::string>();
}

Result<FamilyPolicy> policyOfRow(const Json& row, std::string_view family) {
    if (!row.is_object())
        return fail(ErrorCode::Config, format("families.{} is not an object", family));
    LACUNA_TRY(const std::string name, textOf(row, family, "policy"));
    LACUNA_TRY(const std::string model, textOf(row, family, "model"));
    LACUNA_TRY(const std::string date, textOf(row, family, "date"));
    const auto dialogues = row.find("dialogues");
    if (dialogues == row.end() || !dialogues->is_number_unsigned())
        return fail(ErrorCode::Config, format("families.{}.dialogues is not a number", family));
    const auto at = std::ranges::find(kEvictionPolicyNames, name);
    const auto index = static_cast<std::size_t>(at - kEvictionPolicyNames.begin());
    const auto policy = static_cast<EvictionPolicy>(index);
    if (at == kEvictionPolicyNames.end() || policy == EvictionPolicy::Auto)
        return fail(ErrorCode::Config,
                    format("families.{}.policy is {}, which is not a policy", family, name));
    return FamilyPolicy{policy, format("auto is {}: best recall in {} dialogues with {}, {}", name,
                                       dialogues->get<std::uint64_t>(), model, date)};
}

}  // namespace

Result<FamilyPolicy> policyForFamily(const Json& table, std::string_view family,
                                     bool keysNormalised) {
    const auto families = table.find("families");
    if (families == table.end() || !families->is_object())
        return fail(ErrorCode::Config, "the table has no families");
    const auto row = families->find(family);
    if (row != families->end()) return policyOfRow(*row, family);
    if (keysNormalised)
        return FamilyPolicy{EvictionPolicy::KeyDiff,
                            format("auto is keydiff: {} models normalise their keys (QK-norm), so "
                                   "key norms carry no information",
                                   family)};
    return FamilyPolicy{
        EvictionPolicy::KeyDiff,
        format("auto is keydiff: recall was not measured with any {} model", family)};
}

FamilyPolicy policyForFamily(std::string_view family, bool keysNormalised) {
    const auto table = parseJson(familyPolicyTable());
    LACUNA_REQUIRE(table.has_value(), "the table of policies is JSON");
    auto found = policyForFamily(*table, family, keysNormalised);
    LACUNA_REQUIRE(found.has_value(), "the table of policies is well formed");
    return std::move(*found);
}

}  // namespace lacuna
