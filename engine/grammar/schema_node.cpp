#include "engine/grammar/schema_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/base/big_integer.h"
#include "engine/base/string_format.h"
#include "engine/grammar/schema_values.h"

namespace lacuna {
namespace {

/// A keyword that constrains values, in any draft or in OpenAPI.
struct Constraint {
    std::string_view keyword;
    unsigned types;            ///< types of values that it constrains
    bool impliesType = false;  ///< a schema without a type is assumed to have these types
};

/// Keywords not listed are descriptive (title, format, readOnly, contentEncoding, x-...), read by
/// other code ($defs, $id, $anchor), or permissive (nullable).
constexpr auto kConstraints = std::to_array<Constraint>({
    {"$ref", kAnyType},
    {"$dynamicRef", kAnyType},
    {"$recursiveRef", kAnyType},
    {"type", kAnyType},
    {"const", kAnyType},
    {"enum", kAnyType},
    {"allOf", kAnyType},
    {"anyOf", kAnyType},
    {"oneOf", kAnyType},
    {"not", kAnyType},
    {"if", kAnyType},
    {"extends", kAnyType},
    {"disallow", kAnyType},
    {"properties", kObjectType, true},
    {"required", kObjectType, true},
    {"additionalProperties", kObjectType, true},
    {"unevaluatedProperties", kObjectType},
    {"patternProperties", kObjectType},
    {"propertyNames", kObjectType},
    {"minProperties", kObjectType},
    {"maxProperties", kObjectType},
    {"dependencies", kObjectType},
    {"dependentRequired", kObjectType},
    {"dependentSchemas", kObjectType},
    {"items", kArrayType, true},
    {"prefixItems", kArrayType, true},
    {"unevaluatedItems", kArrayType},
    {"contains", kArrayType},
    {"minItems", kArrayType, true},
    {"maxItems", kArrayType, true},
    {"uniqueItems", kArrayType},
    {"minLength", kStringType, true},
    {"maxLength", kStringType, true},
    {"pattern", kStringType, true},
    {"minimum", kNumberType, true},
    {"maximum", kNumberType, true},
    {"exclusiveMinimum", kNumberType, true},
    {"exclusiveMaximum", kNumberType, true},
    {"multipleOf", kNumberType},
    {"divisibleBy", kNumberType},
});

unsigned constrainedTypes(std::string_view keyword) {
    const auto found = std::ranges::find(kConstraints, keyword, &Constraint::keyword);
    return found == kConstraints.end() ? 0 : found->types;
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Returns true if a schema accepts every value according to its own keywords.
bool acceptsAll(const OrderedJson& schema) {
    if (schema.is_boolean()) return schema.get<bool>();
    return schema.is_object() && std::ranges::none_of(schema.items(), [](const auto& one) {
               return constrainedTypes(one.key()) != 0;
           });
}

bool isCountUpTo(const OrderedJson* value, std::size_t most) {
    return value != nullptr && value->is_number_unsigned() && value->get<std::uint64_t>() <= most;
}

constexpr std::array<std::pair<std::string_view, unsigned>, 7> kTypeNames{
    {{"null", kNullType},
     {"boolean", kBooleanType},
     {"integer", kIntegerType},
     {"number", kNumberType},
     {"string", kStringType},
     {"array", kArrayType},
     {"object", kObjectType}}};

/// Returns true if a constraint has a value that excludes no value of `types`.
bool excludesNothing(const SchemaNode& place, std::string_view keyword, const OrderedJson& value,
                     unsigned types) {
    if (isOneOf(keyword, {"uniqueItems", "not"}) && value == OrderedJson(false)) return true;
    if (keyword == "uniqueItems") return isCountUpTo(place.find("maxItems"), 1);
    if (isOneOf(keyword, {"minItems", "minLength"})) return isCountUpTo(&value, 0);
    if (keyword == "minProperties") {
        const OrderedJson* required = place.find("required");
        return isCountUpTo(&value, required != nullptr ? required->size() : 0);
    }
    if (isOneOf(keyword, {"properties", "patternProperties", "dependencies", "dependentRequired",
                          "dependentSchemas"}))
        return value.is_object() && value.empty();
    if (isOneOf(keyword, {"required", "allOf", "extends", "disallow"}))
        return value.is_array() && std::ranges::all_of(value, [&](const OrderedJson& one) {
                   return keyword == "allOf" && acceptsAll(one);
               });
    if (isOneOf(keyword, {"exclusiveMinimum", "exclusiveMaximum"}))
        return value == OrderedJson(false);
    if (keyword == "if")
        return std::ranges::all_of(std::array{"then", "else"}, [&](const char* branch) {
            const OrderedJson* schema = place.find(branch);
            return schema == nullptr || acceptsAll(*schema);
        });
    if (keyword == "contains")
        return isCountUpTo(place.find("minContains"), 0) && !place.has("maxContains");
    // Names are strings anyway; generators emit this for maps.
    if (keyword == "propertyNames" && value.is_object() && value.size() == 1 &&
        value.begin().key() == "type")
        return value.begin().value() == "string";
    if (isOneOf(keyword, {"items", "additionalProperties", "unevaluatedProperties",
                          "unevaluatedItems", "propertyNames"}))
        return acceptsAll(value);
    if (keyword == "multipleOf") return (types & kFractionType) == 0 && value == OrderedJson(1);
    return false;
}

}  // namespace

const OrderedJson* SchemaNode::find(std::string_view keyword) const {
    const auto found = schema.find(std::string(keyword));
    return found == schema.end() ? nullptr : &*found;
}

bool SchemaNode::constrains(std::string_view keyword) const {
    const OrderedJson* value = find(keyword);
    return value != nullptr && !excludesNothing(*this, keyword, *value, kAnyType);
}

tl::unexpected<Error> SchemaNode::unsupported(std::string_view what) const {
    return fail(ErrorCode::Unsupported,
                format("JSON schema at {}: {} is not supported", path, what));
}

tl::unexpected<Error> SchemaNode::wrong(std::string_view what) const {
    return fail(ErrorCode::InvalidArgument, format("JSON schema at {}: {}", path, what));
}

Result<std::int64_t> SchemaNode::count(std::string_view keyword, std::int64_t fallback,
                                       std::int64_t most) const {
    const OrderedJson* value = find(keyword);
    if (value == nullptr) return fallback;
    if (value->is_number_unsigned() &&
        value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
        return value->get<std::int64_t>();
    return wrong(
        format("{} is {}; expected a whole number of 0 to {}", keyword, dumpJson(*value), most));
}

Status SchemaNode::allow(std::initializer_list<std::string_view> keywords, unsigned types) const {
    for (const auto& [key, value] : schema.items()) {
        if ((constrainedTypes(key) & types) == 0 || isOneOf(key, keywords)) continue;
        if (!excludesNothing(*this, key, value, types))
            return unsupported(format("keyword {} here", key));
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
    if (isJsonNumber(value)) return kIntegerType;
    if (value.is_string()) return kStringType;
    return value.is_array() ? kArrayType : kObjectType;
}

Result<unsigned> typesOf(const SchemaNode& place) {
    const OrderedJson* type = place.find("type");
    unsigned bits = 0;
    if (type == nullptr) {
        for (const Constraint& one : kConstraints)
            if (one.impliesType && place.has(one.keyword)) bits |= one.types;
        if (const OrderedJson* format = place.find("format"); format && isStringFormat(*format))
            bits |= kStringType;
        return bits == 0 ? unsigned{kAnyType} : bits;
    }
    const OrderedJson names = type->is_array() ? *type : OrderedJson::array({*type});
    for (const OrderedJson& name : names) {
        const unsigned one = name.is_string() ? typeNamed(name.get<std::string>()) : 0;
        if (one == 0) return place.wrong(format("type {} is unknown", dumpJson(name)));
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

namespace {

constexpr int kFarthest = 6;

constexpr std::uint64_t kStepsOfAPair = 32;

/// Cost of a schema's listed values, which are copied and compared.
std::uint64_t listedSize(const OrderedJson& schema) {
    const auto list = schema.find("enum");
    return list == schema.end() ? 1 : list->size() + 1;
}

const OrderedJson& resolved(const OrderedJson& schema, const OrderedJson& document,
                            WorkBudget& work) {
    const OrderedJson* at = &schema;
    for (int hops = 0; hops < kFarthest && at->is_object(); ++hops) {
        const auto reference = at->find("$ref");
        if (reference == at->end() || !reference->is_string()) break;
        const OrderedJson* target = schemaAt(document, reference->get<std::string>(), work);
        if (target == nullptr) break;
        at = target;
    }
    return *at;
}

/// Returns the types that a schema accepts according to its own keywords.
unsigned accepted(const OrderedJson& schema) {
    if (!schema.is_object()) return kAnyType;
    if (const auto values = listedValues(schema)) {
        unsigned bits = 0;
        for (const OrderedJson& value : *values) bits |= typeOf(value);
        return bits;
    }
    const auto type = schema.find("type");
    if (type == schema.end()) return kAnyType;
    const auto bits = typesOf({schema, "#"});
    return bits ? *bits : unsigned{kAnyType};
}

bool requires_(const OrderedJson& schema, const std::string& name) {
    const auto required = schema.find("required");
    return required != schema.end() && required->is_array() &&
           std::ranges::find(*required, OrderedJson(name)) != required->end();
}

std::uint64_t requiredSize(const OrderedJson& schema) {
    const auto required = schema.find("required");
    return required == schema.end() ? 0 : required->size();
}

bool apart(const OrderedJson& left, const OrderedJson& right, const OrderedJson& document,
           WorkBudget& work, int depth) {
    if (depth > kFarthest || !work.spend(kStepsOfAPair)) return false;
    const OrderedJson& a = resolved(left, document, work);
    const OrderedJson& b = resolved(right, document, work);
    if (!a.is_object() || !b.is_object()) return false;
    if (!work.spend(a.size() + b.size() + 8 * (listedSize(a) + listedSize(b)))) return false;
    if ((accepted(a) & accepted(b)) == 0) return true;
    const auto valuesOfA = listedValues(a);
    const auto valuesOfB = listedValues(b);
    if (valuesOfA && valuesOfB) {
        if (!work.spend(valuesOfA->size() * valuesOfB->size())) return false;
        return std::ranges::none_of(*valuesOfA, [&](const OrderedJson& value) {
            return std::ranges::find(*valuesOfB, value) != valuesOfB->end();
        });
    }
    if (accepted(a) != kObjectType || accepted(b) != kObjectType) return false;
    const auto propertiesOfA = a.find("properties");
    const auto propertiesOfB = b.find("properties");
    if (propertiesOfA == a.end() || propertiesOfB == b.end()) return false;
    for (const auto& [name, schema] : propertiesOfA->items()) {
        if (!work.spend(propertiesOfB->size() + kStepsOfAPair)) return false;
        const auto other = propertiesOfB->find(name);
        if (other == propertiesOfB->end()) continue;
        if (!work.spend(requiredSize(a) + requiredSize(b))) return false;
        if (!requires_(a, name) && !requires_(b, name)) continue;
        if (apart(schema, *other, document, work, depth + 1)) return true;
    }
    return false;
}

}  // namespace

bool schemasApart(const OrderedJson& a, const OrderedJson& b, const OrderedJson& document,
                  WorkBudget& work) {
    return apart(a, b, document, work, 0);
}

namespace {

/// Returns nullopt if a percent sign is not followed by two hexadecimal digits.
std::optional<std::string> percentDecoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const std::string_view code = text.substr(i + 1, 2);
        unsigned byte = 0;
        const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), byte, 16);
        if (code.size() != 2 || error != std::errc() || end != code.data() + 2) return std::nullopt;
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

}  // namespace

const OrderedJson* schemaAt(const OrderedJson& document, std::string_view reference,
                            WorkBudget& work) {
    if (!reference.starts_with('#')) return nullptr;
    const OrderedJson* at = &document;
    const auto decoded = percentDecoded(reference.substr(1));
    if (!decoded) return nullptr;
    reference = *decoded;
    while (!reference.empty()) {
        if (!reference.starts_with('/')) return nullptr;
        if (at->is_object() && !work.spend(at->size())) return nullptr;
        reference.remove_prefix(1);
        const std::size_t end = std::min(reference.find('/'), reference.size());
        std::string step(reference.substr(0, end));
        reference.remove_prefix(end);
        for (const auto& [code, character] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
            for (std::size_t i = step.find(code); i != std::string::npos;
                 i = step.find(code, i + 1))
                step.replace(i, 2, character);
        if (at->is_array()) {
            const bool number =
                !step.empty() && step.size() < 6 &&
                std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
            if (!number || std::stoul(step) >= at->size()) return nullptr;
            at = &(*at)[std::stoul(step)];
        } else {
            if (!at->is_object() || !at->contains(step)) return nullptr;
            at = &(*at)[step];
        }
    }
    return at;
}

}  // namespace lacuna
