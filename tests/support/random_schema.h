#pragma once
/// \file
/// Random JSON schemas of the supported keywords, nested up to a given depth.

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/random.h"

namespace lacuna::test {

class RandomSchema {
  public:
    explicit RandomSchema(std::uint64_t seed) : random_(seed, 0x5c4e) {}

    [[nodiscard]] OrderedJson make() {
        OrderedJson schema = value(3);
        if (!schema.is_object()) schema = {{"type", "object"}};
        schema["$defs"] = {
            {"tree",
             {{"type", "object"},
              {"properties",
               {{"name", {{"type", "string"}, {"maxLength", 4}}},
                {"children",
                 {{"type", "array"}, {"items", {{"$ref", "#/$defs/tree"}}}, {"maxItems", 2}}}}},
              {"required", {"name"}},
              {"additionalProperties", false}}}};
        return schema;
    }

  private:
    [[nodiscard]] std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(n)));
    }

    [[nodiscard]] OrderedJson value(int depth) {
        const std::int64_t kinds = depth > 0 ? 13 : 8;
        switch (below(kinds)) {
            case 0:
                return {{"type", "boolean"}};
            case 1:
                return {{"type", "null"}};
            case 2:
                return integer();
            case 3:
                return number();
            case 4:
                return text();
            case 5:
                return pattern();
            case 6:
                return {{"enum", {"red", 3, nullptr, 2.5, true, "a\"b\\c", {{"k", {1, 2}}}}}};
            case 7:
                return {{"const", below(1000) - 500}};
            case 8:
                return {{"$ref", "#/$defs/tree"}};
            case 9:
                return {{"anyOf", {value(depth - 1), value(depth - 1)}}};
            case 10:
                return oneOf(depth);
            case 11:
                return array(depth);
            default:
                return object(depth);
        }
    }

    [[nodiscard]] OrderedJson integer() {
        OrderedJson schema{{"type", "integer"}};
        const std::int64_t least = below(2000) - 1000;
        if (below(2) == 0) schema[below(2) == 0 ? "minimum" : "exclusiveMinimum"] = least;
        if (below(2) == 0)
            schema[below(2) == 0 ? "maximum" : "exclusiveMaximum"] = least + 2 + below(100'000);
        return schema;
    }
    [[nodiscard]] OrderedJson number() {
        OrderedJson schema{{"type", "number"}};
        const double least = static_cast<double>(below(2000) - 1000) / 8;
        if (below(3) > 0) schema[below(2) == 0 ? "minimum" : "exclusiveMinimum"] = least;
        if (below(3) > 0)
            schema[below(2) == 0 ? "maximum" : "exclusiveMaximum"] =
                least + static_cast<double>(1 + below(4000)) / 16;
        return schema;
    }
    [[nodiscard]] OrderedJson text() {
        OrderedJson schema{{"type", "string"}};
        const std::int64_t least = below(6);
        if (below(2) == 0) schema["minLength"] = least;
        if (below(2) == 0) schema["maxLength"] = least + below(12);
        return schema;
    }
    [[nodiscard]] OrderedJson pattern() {
        static const std::vector<std::string> kPatterns{"^[a-z]{2,5}$",
                                                        "^(foo|bar)+-[0-9]*$",
                                                        "a.c",
                                                        "^\\d{3}-\\d{4}$",
                                                        "[^\"\\\\]x$",
                                                        "^\\w+@\\w+\\.(com|org)$",
                                                        "^[A-F0-9]{2}(:[A-F0-9]{2}){2}$",
                                                        "^\\\\?\"q\"$"};
        return {{"type", "string"},
                {"pattern", kPatterns[static_cast<std::size_t>(
                                below(static_cast<std::int64_t>(kPatterns.size())))]}};
    }
    [[nodiscard]] OrderedJson oneOf(int depth) {
        OrderedJson left{{"type", "object"},
                         {"properties", {{"kind", {{"const", "left"}}}, {"v", value(depth - 1)}}},
                         {"required", {"kind"}}};
        OrderedJson right{{"type", "object"},
                          {"properties", {{"kind", {{"const", "right"}}}, {"w", value(depth - 1)}}},
                          {"required", {"kind", "w"}}};
        return {{"oneOf", {left, right, {{"type", "string"}}}}};
    }
    [[nodiscard]] OrderedJson array(int depth) {
        OrderedJson schema{{"type", "array"}};
        if (below(5) > 0) schema["items"] = value(depth - 1);
        const std::int64_t least = below(3);
        if (below(4) == 0) {
            schema["prefixItems"] = {value(depth - 1), value(depth - 1)};
            schema["minItems"] = 2 + least;
            if (below(2) == 0) schema["items"] = value(depth - 1);
            return schema;
        }
        if (below(2) == 0) schema["minItems"] = least;
        if (below(2) == 0) schema["maxItems"] = least + below(4);
        return schema;
    }
    [[nodiscard]] OrderedJson object(int depth) {
        OrderedJson schema{{"type", "object"}};
        OrderedJson properties = OrderedJson::object();
        OrderedJson required = OrderedJson::array();
        static const std::vector<std::string> kNames{"id", "name", "näme", "a\"b", "x1", "value"};
        for (const std::string& name : kNames) {
            if (below(2) == 0) continue;
            properties[name] = value(depth - 1);
            if (below(2) == 0) required.push_back(name);
        }
        if (below(6) == 0) required.push_back("extra");
        if (!properties.empty()) schema["properties"] = properties;
        if (!required.empty()) schema["required"] = required;
        const bool extra = !required.empty() && required.back() == "extra";
        if (below(3) == 0)
            schema["additionalProperties"] = value(depth - 1);
        else if (!extra && below(2) == 0)
            schema["additionalProperties"] = below(2) == 0;
        return schema;
    }

    RandomStream random_;
};

}  // namespace lacuna::test
