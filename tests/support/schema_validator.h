#pragma once
/// \file
/// Checks whether a value is valid under a JSON schema, for the keywords that our grammars support.
/// Written from the specification and independent of the code under test. `pattern` uses
/// std::regex.

#include <cmath>
#include <regex>
#include <string>

#include "engine/base/json.h"

namespace lacuna::test {

/// Converts valid UTF-8 to one wchar_t per character, as a pattern counts them.
inline std::wstring wide(const std::string& text) {
    std::wstring out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            out += static_cast<wchar_t>(byte);
        else if (byte >= 0xC0)
            out += static_cast<wchar_t>(byte & (byte >= 0xF0 ? 0x07 : byte >= 0xE0 ? 0x0F : 0x1F));
        else
            out.back() = static_cast<wchar_t>((out.back() << 6) | (byte & 0x3F));
    }
    return out;
}

inline bool hasType(const Json& value, const std::string& type) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "number") return value.is_number();
    return type == "integer" && value.is_number() &&
           std::floor(value.get<double>()) == value.get<double>();
}

inline std::size_t characters(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
    return count;
}

inline bool validUnder(const Json& schema, const Json& value, const Json& document);

inline bool validNumber(const Json& schema, double value) {
    const auto bound = [&](const char* keyword, auto holds) {
        return !schema.contains(keyword) || holds(value, schema[keyword].get<double>());
    };
    return bound("minimum", [](double v, double b) { return v >= b; }) &&
           bound("maximum", [](double v, double b) { return v <= b; }) &&
           bound("exclusiveMinimum", [](double v, double b) { return v > b; }) &&
           bound("exclusiveMaximum", [](double v, double b) { return v < b; });
}

inline bool validArray(const Json& schema, const Json& value, const Json& document) {
    if (value.size() < schema.value("minItems", std::size_t{0})) return false;
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>())
        return false;
    const std::size_t first = schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (i < first) {
            if (!validUnder(schema["prefixItems"][i], value[i], document)) return false;
        } else if (schema.contains("items") && !validUnder(schema["items"], value[i], document)) {
            return false;
        }
    }
    return true;
}

inline bool validObject(const Json& schema, const Json& value, const Json& document) {
    if (schema.contains("required"))
        for (const Json& name : schema["required"])
            if (!value.contains(name.get<std::string>())) return false;
    const Json none = Json::object();
    const Json& declared = schema.contains("properties") ? schema["properties"] : none;
    for (const auto& [name, one] : value.items()) {
        if (declared.contains(name)) {
            if (!validUnder(declared[name], one, document)) return false;
        } else if (schema.contains("additionalProperties") &&
                   !validUnder(schema["additionalProperties"], one, document)) {
            return false;
        }
    }
    return true;
}

inline bool validUnder(const Json& schema, const Json& value, const Json& document) {
    if (schema.is_boolean()) return schema.get<bool>();
    if (schema.contains("$ref"))
        return validUnder(
            document.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value,
            document);
    if (schema.contains("const") && schema["const"] != value) return false;
    if (schema.contains("enum")) {
        bool listed = false;
        for (const Json& one : schema["enum"]) listed = listed || one == value;
        if (!listed) return false;
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
        if (!schema.contains(keyword)) continue;
        int holds = 0;
        for (const Json& one : schema[keyword]) holds += validUnder(one, value, document) ? 1 : 0;
        if (holds == 0 || (std::string(keyword) == "oneOf" && holds > 1)) return false;
    }
    if (schema.contains("allOf"))
        for (const Json& one : schema["allOf"])
            if (!validUnder(one, value, document)) return false;
    if (schema.contains("type")) {
        bool typed = false;
        const Json names =
            schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
        for (const Json& name : names) typed = typed || hasType(value, name.get<std::string>());
        if (!typed) return false;
    }
    if (value.is_number()) return validNumber(schema, value.get<double>());
    if (value.is_array()) return validArray(schema, value, document);
    if (value.is_object()) return validObject(schema, value, document);
    if (!value.is_string()) return true;
    const auto text = value.get<std::string>();
    if (characters(text) < schema.value("minLength", std::size_t{0})) return false;
    if (schema.contains("maxLength") && characters(text) > schema["maxLength"].get<std::size_t>())
        return false;
    return !schema.contains("pattern") ||
           std::regex_search(wide(text), std::wregex(wide(schema["pattern"].get<std::string>())));
}

}  // namespace lacuna::test
