#include "engine/grammar/schema_place.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 12> kAnnotations{
    "title",    "description", "default",  "examples",  "$schema", "$id",
    "$comment", "deprecated",  "readOnly", "writeOnly", "$defs",   "definitions"};

constexpr std::array<std::pair<std::string_view, unsigned>, 7> kTypeNames{
    {{"null", kNullType},
     {"boolean", kBooleanType},
     {"integer", kIntegerType},
     {"number", kNumberType},
     {"string", kStringType},
     {"array", kArrayType},
     {"object", kObjectType}}};

/// Keywords that speak of one type only.
constexpr std::array<std::pair<std::string_view, unsigned>, 15> kTypeOfKeyword{
    {{"properties", kObjectType},
     {"required", kObjectType},
     {"additionalProperties", kObjectType},
     {"items", kArrayType},
     {"prefixItems", kArrayType},
     {"minItems", kArrayType},
     {"maxItems", kArrayType},
     {"minLength", kStringType},
     {"maxLength", kStringType},
     {"pattern", kStringType},
     {"format", kStringType},
     {"minimum", kNumberType},
     {"maximum", kNumberType},
     {"exclusiveMinimum", kNumberType},
     {"exclusiveMaximum", kNumberType}}};

}  // namespace

const OrderedJson* SchemaPlace::find(std::string_view keyword) const {
    const auto found = schema.find(std::string(keyword));
    return found == schema.end() ? nullptr : &*found;
}

tl::unexpected<Error> SchemaPlace::unsupported(std::string_view what) const {
    return fail(ErrorCode::Unsupported,
                format("JSON schema at {}: {} is not supported", path, what));
}

tl::unexpected<Error> SchemaPlace::wrong(std::string_view what) const {
    return fail(ErrorCode::InvalidArgument, format("JSON schema at {}: {}", path, what));
}

Result<std::int64_t> SchemaPlace::count(std::string_view keyword, std::int64_t fallback,
                                        std::int64_t most) const {
    const OrderedJson* value = find(keyword);
    if (value == nullptr) return fallback;
    if (value->is_number_unsigned() &&
        value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
        return value->get<std::int64_t>();
    return wrong(
        format("{} is {}; expected a whole number of 0 to {}", keyword, value->dump(), most));
}

Status SchemaPlace::allow(std::initializer_list<std::string_view> keywords) const {
    for (const auto& [key, value] : schema.items()) {
        const bool known = std::ranges::find(keywords, key) != keywords.end() ||
                           std::ranges::find(kAnnotations, key) != kAnnotations.end();
        if (!known) return unsupported(format("keyword {} here", key));
    }
    return {};
}

unsigned typeNamed(std::string_view name) {
    for (const auto& [known, bits] : kTypeNames)
        if (known == name) return bits;
    return 0;
}

unsigned typeOf(const OrderedJson& value) {
    if (value.is_null()) return kNullType;
    if (value.is_boolean()) return kBooleanType;
    if (value.is_number_float()) return kFractionType;
    if (value.is_number()) return kIntegerType;
    if (value.is_string()) return kStringType;
    return value.is_array() ? kArrayType : kObjectType;
}

Result<unsigned> typesOf(const SchemaPlace& place) {
    const OrderedJson* type = place.find("type");
    unsigned bits = 0;
    if (type == nullptr) {
        for (const auto& [keyword, one] : kTypeOfKeyword)
            if (place.has(keyword)) bits |= one;
        return bits == 0 ? unsigned{kAnyType} : bits;
    }
    const OrderedJson names = type->is_array() ? *type : OrderedJson::array({*type});
    for (const OrderedJson& name : names) {
        const unsigned one = name.is_string() ? typeNamed(name.get<std::string>()) : 0;
        if (one == 0) return place.wrong(format("type {} is no type", name.dump()));
        bits |= one;
    }
    if (bits == 0) return place.wrong("type is an empty list");
    return bits;
}

std::optional<std::vector<OrderedJson>> listedValues(const OrderedJson& schema) {
    if (const auto only = schema.find("const"); only != schema.end()) return std::vector{*only};
    const auto list = schema.find("enum");
    if (list == schema.end() || !list->is_array()) return std::nullopt;
    return std::vector<OrderedJson>(list->begin(), list->end());
}

}  // namespace lacuna
