#include "engine/format/config_fields.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

/// True for whole numbers from 0 to 2^31 - 1. A number too large for 63 bits is stored as unsigned,
/// so the unsigned form is tested first.
bool fitsInt(const Json& value) {
    constexpr auto kMaxValue = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= kMaxValue;
    return value.get<std::int64_t>() >= 0 &&
           static_cast<std::uint64_t>(value.get<std::int64_t>()) <= kMaxValue;
}

}  // namespace

const Json* ConfigFields::find(const char* name) const {
    used_->insert(name);
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
}

tl::unexpected<Error> ConfigFields::wrong(const char* name, std::string_view expected) const {
    const Json* value = find(name);
    return fail(ErrorCode::Config,
                format("{}: {}{} should be {}; found {}", kConfigFile, path_, name, expected,
                       value != nullptr ? printable(dumpJson(*value), 60) : "nothing"));
}

tl::unexpected<Error> ConfigFields::refuse(const char* name) const {
    const Json* value = find(name);
    return fail(ErrorCode::Unsupported,
                format("{}: {}{} {} is not supported", kConfigFile, path_, name,
                       value != nullptr ? printable(dumpJson(*value), 60) : "null"));
}

Result<std::optional<int>> ConfigFields::optionalInt(const char* name, ErrorCode tooLarge) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number_integer()) return wrong(name, "a whole number");
    if (!fitsInt(*value))
        return fail(tooLarge, format("{}: {}{} is {}, which is out of range", kConfigFile, path_,
                                     name, dumpJson(*value)));
    return value->get<int>();
}

Result<int> ConfigFields::requiredInt(const char* name, ErrorCode tooLarge, int fallback) const {
    LACUNA_TRY(const auto value, optionalInt(name, tooLarge));
    if (value) return *value;
    if (fallback != 0) return fallback;
    return fail(ErrorCode::ModelMissingKey,
                format("{}: {}{} is missing", kConfigFile, path_, name));
}

Result<std::optional<int>> ConfigFields::sameInt(const char* name, ErrorCode tooLarge) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_array()) return optionalInt(name, tooLarge);
    LACUNA_TRY(const auto items, ints(name));
    if (items->empty()) return wrong(name, "a whole number, or one for each layer");
    if (std::ranges::adjacent_find(*items, std::ranges::not_equal_to()) != items->end())
        return refuse(name);
    return items->front();
}

Result<std::optional<double>> ConfigFields::optionalNumber(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return wrong(name, "a number");
    return value->get<double>();
}

Result<double> ConfigFields::number(const char* name, double fallback) const {
    LACUNA_TRY(const auto value, optionalNumber(name));
    return value.value_or(fallback);
}

Result<std::optional<bool>> ConfigFields::optionalFlag(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) return wrong(name, "true or false");
    return value->get<bool>();
}

Result<bool> ConfigFields::flag(const char* name, bool fallback) const {
    LACUNA_TRY(const auto value, optionalFlag(name));
    return value.value_or(fallback);
}

Result<std::optional<std::string>> ConfigFields::text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) return wrong(name, "a string");
    return value->get<std::string>();
}

Result<const Json*> ConfigFields::list(const char* name) const {
    const Json* value = find(name);
    if (value != nullptr && !value->is_array()) return wrong(name, "a list");
    return value;
}

Result<std::optional<std::vector<float>>> ConfigFields::numbers(const char* name) const {
    LACUNA_TRY(const Json* value, list(name));
    if (value == nullptr) return std::nullopt;
    std::vector<float> items;
    for (const Json& item : *value) {
        if (!item.is_number()) return wrong(name, "a list of numbers");
        items.push_back(static_cast<float>(item.get<double>()));
    }
    return items;
}

Result<std::optional<std::vector<int>>> ConfigFields::ints(const char* name) const {
    LACUNA_TRY(const Json* value, list(name));
    if (value == nullptr) return std::nullopt;
    std::vector<int> items;
    for (const Json& item : *value) {
        if (!item.is_number_integer() || !fitsInt(item))
            return wrong(name, "a list of whole numbers of 0 or more");
        items.push_back(item.get<int>());
    }
    return items;
}

Result<std::optional<std::vector<std::string>>> ConfigFields::texts(const char* name) const {
    LACUNA_TRY(const Json* value, list(name));
    if (value == nullptr) return std::nullopt;
    std::vector<std::string> items;
    for (const Json& item : *value) {
        if (!item.is_string()) return wrong(name, "a list of strings");
        items.push_back(item.get<std::string>());
    }
    return items;
}

}  // namespace lacuna
