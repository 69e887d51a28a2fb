#include "engine/grammar/json_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/grammar/json_pieces.h"
#include "engine/grammar/schema_node.h"
#include "engine/grammar/schema_values.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxSchemaBytes = std::size_t{1} << 20;
constexpr int kDeepestSchema = 64;
constexpr std::int64_t kMaxItems = 100'000;
constexpr std::size_t kMaxKeys = 4'096;  // per object; keys are looked up linearly

/// Returns the largest number of keys of any object, in text that may be invalid JSON.
std::size_t mostKeys(std::string_view text) {
    std::vector<std::size_t> open;  // key counts of the enclosing objects
    std::size_t most = 0;
    bool inText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') inText = !inText;
        if (inText && c == '\\') ++i;
        if (inText) continue;
        if (c == '{') open.push_back(0);
        if (c == '}' && !open.empty()) open.pop_back();
        if (c == ':' && !open.empty()) most = std::max(most, ++open.back());
    }
    return most;
}

class SchemaCompiler {
  public:
    SchemaCompiler(const OrderedJson& document, WorkBudget& work)
        : document_(document), work_(work) {}

    [[nodiscard]] Result<GrammarTree> compile() {
        space_ = addRule("space", spaceNode());
        character_ = addRule("character", jsonChars({{0, kLastChar}}));
        LACUNA_TRY(const GrammarNode root, reference({document_, "#"}, "#"));
        tree_.root = root.rule;
        return std::move(tree_);
    }

  private:
    std::size_t addRule(std::string name, GrammarNode body) {
        tree_.rules.push_back({std::move(name), std::move(body)});
        return tree_.rules.size() - 1;
    }
    [[nodiscard]] GrammarNode space() const { return ruleNode(space_); }

    /// Returns an error if `parts` more would exceed the budget.
    [[nodiscard]] Status spend(const SchemaNode& place, std::size_t parts) const {
        work_.spend(parts * kStepsOfAPart);
        return work_.status(ErrorCode::InvalidArgument,
                            format("JSON schema at {}: the schema is too large to follow",
                                   place.path.substr(0, kShownPath)));
    }

    /// Returns the target of a $ref. Its rule may still be under construction, so that schemas can
    /// be recursive.
    [[nodiscard]] Result<GrammarNode> reference(const SchemaNode& place,
                                                const std::string& target) {
        if (const auto known = byReference_.find(target); known != byReference_.end())
            return ruleNode(known->second);
        const OrderedJson* schema = schemaAt(document_, target, work_);
        LACUNA_TRY_STATUS(spend(place, target.size() / kStepsOfAPart));
        if (schema == nullptr)
            return place.wrong(format("$ref {} does not exist in this schema", target));
        const std::size_t rule = addRule(target, {});
        byReference_.emplace(target, rule);
        LACUNA_TRY(GrammarNode body, value({*schema, target}));
        tree_.rules[rule].body = std::move(body);
        return ruleNode(rule);
    }

    [[nodiscard]] Result<GrammarNode> value(const SchemaNode& place) {
        if (place.schema.is_boolean()) {
            if (place.schema.get<bool>()) return anyValue();
            return place.wrong("the schema false allows no value");
        }
        if (!place.schema.is_object())
            return place.wrong(
                format("a schema is {}; expected an object", place.schema.type_name()));
        LACUNA_TRY_STATUS(spend(place, 1 + place.path.size() / kStepsOfAPart));
        if (depth_ >= kDeepestSchema)
            return place.unsupported(format("nesting over {}", kDeepestSchema));
        ++depth_;
        auto node = objectValue(place);
        --depth_;
        return node;
    }

    [[nodiscard]] Result<GrammarNode> objectValue(const SchemaNode& place) {
        if (const OrderedJson* target = place.find("$ref")) {
            LACUNA_TRY_STATUS(place.allow({"$ref"}));
            if (!target->is_string()) return place.wrong("$ref is not a string");
            return reference(place, target->get<std::string>());
        }
        if (place.has("const") || place.has("enum")) return listed(place);
        for (const std::string_view keyword : {"anyOf", "oneOf", "allOf"})
            if (place.constrains(keyword)) return combined(place, keyword);
        return typed(place);
    }

    [[nodiscard]] Result<GrammarNode> listed(const SchemaNode& place) {
        LACUNA_TRY_STATUS(place.allow({"const", "enum", "type"}));
        if (place.has("const") && place.has("enum"))
            return place.unsupported("const together with enum");
        const auto values = listedValues(place.schema);
        LACUNA_TRY_STATUS(spend(place, values ? values->size() : 0));
        if (!values) return place.wrong("enum is not a list");
        unsigned types = kAnyType;
        if (place.has("type")) {
            LACUNA_TRY(types, typesOf(place));
        }
        std::vector<GrammarNode> choices;
        for (const OrderedJson& one : *values)
            if ((typeOf(one) & types) != 0) choices.push_back(valueNode(one));
        if (choices.empty()) return place.wrong("no listed value has the requested type");
        return choiceNode(std::move(choices));
    }

    [[nodiscard]] Result<GrammarNode> combined(const SchemaNode& place, std::string_view keyword) {
        LACUNA_TRY_STATUS(place.allow({keyword}));
        const OrderedJson& list = *place.find(keyword);
        if (!list.is_array() || list.empty())
            return place.wrong(format("{} is not a list with at least one entry", keyword));
        if (keyword == "allOf" && list.size() > 1)
            return place.unsupported("allOf of more than one schema");
        if (keyword == "oneOf") LACUNA_TRY_STATUS(checkApart(place, list));
        std::vector<GrammarNode> choices;
        for (std::size_t i = 0; i < list.size(); ++i) {
            LACUNA_TRY(GrammarNode one, value(place.below(list[i], format("{}/{}", keyword, i))));
            choices.push_back(std::move(one));
        }
        return choiceNode(std::move(choices));
    }

    [[nodiscard]] Status checkApart(const SchemaNode& place, const OrderedJson& list) const {
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (!schemasApart(list[j], list[i], document_, work_)) {
                    LACUNA_TRY_STATUS(work_.status(
                        ErrorCode::InvalidArgument,
                        format("JSON schema at {}: telling {} entries of oneOf apart takes more "
                               "than {} steps (use anyOf)",
                               place.path, list.size(), work_.limit())));
                    return place.unsupported(
                        format("oneOf whose entries {} and {} may both match (use anyOf)", j, i));
                }
        return {};
    }

    [[nodiscard]] Result<GrammarNode> typed(const SchemaNode& place) {
        LACUNA_TRY(unsigned types, typesOf(place));
        LACUNA_TRY_STATUS(place.allow(
            {"type", "properties", "required", "additionalProperties", "unevaluatedProperties",
             "items", "prefixItems", "unevaluatedItems", "minItems", "maxItems", "minLength",
             "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
            types));
        if (types == kAnyType && !place.has("type")) return anyValue();
        if (const OrderedJson* nullable = place.find("nullable"); nullable && place.has("type")) {
            if (!nullable->is_boolean()) return place.wrong("nullable is neither true nor false");
            if (nullable->get<bool>()) types |= kNullType;  // OpenAPI 3.0
        }
        std::vector<GrammarNode> choices;
        if ((types & kNullType) != 0) choices.push_back(literalNode("null"));
        if ((types & kBooleanType) != 0)
            choices.push_back(choiceNode({literalNode("true"), literalNode("false")}));
        if ((types & kNumberType) != 0) {
            LACUNA_TRY(GrammarNode node, number(place, (types & kFractionType) == 0));
            choices.push_back(std::move(node));
        }
        if ((types & kStringType) != 0) {
            LACUNA_TRY(GrammarNode node, stringOf(place, ruleNode(character_), work_));
            choices.push_back(std::move(node));
        }
        if ((types & kArrayType) != 0) {
            LACUNA_TRY(GrammarNode node, arrayOf(place));
            choices.push_back(std::move(node));
        }
        if ((types & kObjectType) != 0) {
            LACUNA_TRY(GrammarNode node, objectOf(place));
            choices.push_back(std::move(node));
        }
        return choices.size() == 1 ? std::move(choices.front()) : choiceNode(std::move(choices));
    }

    /// Numbers take several hundred nodes each; unbounded ones share one rule.
    [[nodiscard]] Result<GrammarNode> number(const SchemaNode& place, bool whole) {
        const bool bounded =
            std::ranges::any_of(std::to_array<std::string_view>(
                                    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
                                [&](std::string_view keyword) { return place.has(keyword); });
        std::optional<std::size_t>& known = whole ? anyWhole_ : anyNumber_;
        if (!bounded && known) return ruleNode(*known);
        LACUNA_TRY_STATUS(spend(place, kPartsOfANumber));
        LACUNA_TRY(GrammarNode node, whole ? integerOf(place) : numberOf(place));
        if (bounded) return node;
        known = addRule(whole ? "whole number" : "number", std::move(node));
        return ruleNode(*known);
    }

    // --- any value ---

    [[nodiscard]] GrammarNode anyValue() {
        if (any_) return ruleNode(*any_);
        any_ = addRule("any value", {});
        const GrammarNode text =
            quotedNode(repeatNode(ruleNode(character_), 0, GrammarNode::kUnbounded));
        GrammarNode body = choiceNode(
            {text, anyNumberNode(), literalNode("true"), literalNode("false"), literalNode("null"),
             bracketed("[", listOf(ruleNode(*any_), 0, GrammarNode::kUnbounded), "]"),
             bracketed("{", listOf(pair(text, ruleNode(*any_)), 0, GrammarNode::kUnbounded), "}")});
        tree_.rules[*any_].body = std::move(body);
        return ruleNode(*any_);
    }

    [[nodiscard]] GrammarNode bracketed(std::string_view open, GrammarNode content,
                                        std::string_view close) {
        return ruleNode(
            addRule(std::string(open), sequenceNode({literalNode(open), space(), std::move(content),
                                                     space(), literalNode(close)})));
    }
    [[nodiscard]] GrammarNode comma() const { return sequenceNode({literalNode(","), space()}); }
    [[nodiscard]] GrammarNode pair(GrammarNode name, GrammarNode content) const {
        return sequenceNode({std::move(name), literalNode(":"), space(), std::move(content)});
    }
    /// `least` to `most` of `item`, separated by commas.
    [[nodiscard]] GrammarNode listOf(const GrammarNode& item, int least, int most) const {
        if (most == 0) return sequenceNode({});
        const GrammarNode more = sequenceNode({comma(), item});
        const GrammarNode some =
            sequenceNode({item, repeatNode(more, std::max(least - 1, 0),
                                           most == GrammarNode::kUnbounded ? most : most - 1)});
        return least > 0 ? some : repeatNode(some, 0, 1);
    }

    // --- arrays ---

    [[nodiscard]] Result<GrammarNode> arrayOf(const SchemaNode& place) {
        LACUNA_TRY(const std::int64_t least, place.count("minItems", 0, kMaxItems));
        LACUNA_TRY(const std::int64_t most,
                   place.count("maxItems", std::max(least, kMaxItems), kMaxItems));
        if (most < least) return place.wrong("maxItems is below minItems");
        const OrderedJson* items = place.find("items");
        if (items == nullptr) items = place.find("unevaluatedItems");
        // Before 2020-12, prefixItems was written as a list under `items`. Only the listed items
        // are generated; a valid text does not need any others.
        const bool tuple = items != nullptr && items->is_array();
        if (tuple && place.has("prefixItems"))
            return place.wrong("items is a list although there is prefixItems");
        LACUNA_TRY(const std::vector<GrammarNode> first,
                   itemsInOrder(place, tuple ? "items" : "prefixItems"));
        const bool closed =
            tuple || (items != nullptr && items->is_boolean() && !items->get<bool>());
        const auto given = static_cast<std::int64_t>(first.size());
        if (least > given && closed) return place.wrong("minItems is above the items allowed");
        GrammarNode item;
        if (!closed) {
            LACUNA_TRY(item, items == nullptr ? anyValue() : value(place.below(*items, "items")));
            item = ruleNode(addRule("item", std::move(item)));
        }
        const bool open = !place.has("maxItems");
        const int rest = closed ? 0
                         : open ? GrammarNode::kUnbounded
                                : static_cast<int>(std::max<std::int64_t>(most - given, 0));
        if (given == 0) return bracketed("[", listOf(item, static_cast<int>(least), rest), "]");
        if (most < given || (least < given && !tuple))
            return place.unsupported(
                "a list that may be shorter than its prefixItems (set minItems)");
        std::vector<GrammarNode> parts;
        for (const GrammarNode& one : first) {
            if (!parts.empty()) parts.push_back(comma());
            parts.push_back(one);
        }
        if (rest != 0)
            parts.push_back(
                repeatNode(sequenceNode({comma(), item}), static_cast<int>(least - given), rest));
        return bracketed("[", sequenceNode(std::move(parts)), "]");
    }

    [[nodiscard]] Result<std::vector<GrammarNode>> itemsInOrder(const SchemaNode& place,
                                                                std::string_view keyword) {
        std::vector<GrammarNode> nodes;
        const OrderedJson* list = place.find(keyword);
        if (list == nullptr) return nodes;
        if (!list->is_array()) return place.wrong(format("{} is not a list", keyword));
        for (std::size_t i = 0; i < list->size(); ++i) {
            LACUNA_TRY(GrammarNode one,
                       value(place.below((*list)[i], format("{}/{}", keyword, i))));
            nodes.push_back(std::move(one));
        }
        return nodes;
    }

    // --- objects ---

    struct Property {
        GrammarNode pair;
        bool required = false;
    };

    [[nodiscard]] Result<GrammarNode> objectOf(const SchemaNode& place) {
        LACUNA_TRY(const std::set<std::string> required, requiredNames(place));
        LACUNA_TRY(const std::vector<Property> properties, propertiesOf(place, required));
        LACUNA_TRY(const std::optional<GrammarNode> further, furtherPairs(place));
        // States after property i, depending on whether something was written before.
        std::size_t afterNone = addRule(
            "end", further ? listOf(*further, 0, GrammarNode::kUnbounded) : sequenceNode({}));
        std::size_t afterSome = addRule(
            "end", further
                       ? repeatNode(sequenceNode({comma(), *further}), 0, GrammarNode::kUnbounded)
                       : sequenceNode({}));
        for (std::size_t i = properties.size(); i-- > 0;) {
            const Property& property = properties[i];
            std::vector<GrammarNode> first{sequenceNode({property.pair, ruleNode(afterSome)})};
            std::vector<GrammarNode> next{
                sequenceNode({comma(), property.pair, ruleNode(afterSome)})};
            if (!property.required) {
                first.push_back(ruleNode(afterNone));
                next.push_back(ruleNode(afterSome));
            }
            afterNone = addRule("properties", choiceNode(std::move(first)));
            afterSome = addRule("properties", choiceNode(std::move(next)));
        }
        return bracketed("{", ruleNode(afterNone), "}");
    }

    [[nodiscard]] Result<std::set<std::string>> requiredNames(const SchemaNode& place) const {
        std::set<std::string> names;
        const OrderedJson* list = place.find("required");
        if (list == nullptr) return names;
        const bool texts =
            list->is_array() &&
            std::ranges::all_of(*list, [](const OrderedJson& one) { return one.is_string(); });
        if (!texts) return place.wrong("required is not a list of strings");
        for (const OrderedJson& one : *list) names.insert(one.get<std::string>());
        return names;
    }

    /// Returns the declared properties in order, followed by those that are only required.
    [[nodiscard]] Result<std::vector<Property>> propertiesOf(const SchemaNode& place,
                                                             std::set<std::string> required) {
        std::vector<Property> properties;
        const OrderedJson* declared = place.find("properties");
        if (declared != nullptr && !declared->is_object())
            return place.wrong("properties is not an object");
        if (declared != nullptr) {
            for (const auto& [name, schema] : declared->items()) {
                const bool needed = required.erase(name) > 0;
                if (schema.is_boolean() && !schema.template get<bool>() && !needed) continue;
                LACUNA_TRY(GrammarNode node,
                           value(place.below(schema, format("properties/{}", name))));
                properties.push_back({pair(valueNode(OrderedJson(name)), std::move(node)), needed});
            }
        }
        const OrderedJson* further = furtherSchema(place);
        for (const std::string& name : required) {
            if (further != nullptr && further->is_boolean() && !further->get<bool>())
                return place.wrong(format(
                    "{} is required, but not declared, and additional properties are not allowed",
                    name));
            LACUNA_TRY(GrammarNode node,
                       further == nullptr ? anyValue()
                                          : value(place.below(*further, "additionalProperties")));
            properties.push_back({pair(valueNode(OrderedJson(name)), std::move(node)), true});
        }
        return properties;
    }

    /// Returns the schema of undeclared properties; null if not specified.
    [[nodiscard]] static const OrderedJson* furtherSchema(const SchemaNode& place) {
        const OrderedJson* schema = place.find("additionalProperties");
        return schema != nullptr ? schema : place.find("unevaluatedProperties");
    }

    /// Returns one undeclared property, if such are allowed.
    [[nodiscard]] Result<std::optional<GrammarNode>> furtherPairs(const SchemaNode& place) {
        const OrderedJson* further = furtherSchema(place);
        const OrderedJson* declared = place.find("properties");
        std::vector<std::string> taken;
        if (declared != nullptr)
            for (const auto& [name, schema] : declared->items()) taken.push_back(name);
        if (const OrderedJson* list = place.find("required"))
            for (const OrderedJson& name : *list) taken.push_back(name.get<std::string>());
        if (further == nullptr && !taken.empty()) return std::nullopt;
        if (further != nullptr && further->is_boolean() && !further->get<bool>())
            return std::nullopt;
        LACUNA_TRY(GrammarNode node, further == nullptr
                                         ? anyValue()
                                         : value(place.below(*further, "additionalProperties")));
        auto names = otherNames(taken);
        if (!names) return place.unsupported(names.error().what);
        return ruleNode(
            addRule("further property", pair(quotedNode(std::move(*names)), std::move(node))));
    }

    /// Cost of a part: some tree nodes and states, a few hundred bytes in total.
    static constexpr std::size_t kStepsOfAPart = 64;
    static constexpr std::size_t kPartsOfANumber = 400;
    static constexpr std::size_t kShownPath = 120;

    const OrderedJson& document_;
    WorkBudget& work_;
    GrammarTree tree_;
    std::map<std::string, std::size_t> byReference_;
    std::size_t space_ = 0;
    std::size_t character_ = 0;
    std::optional<std::size_t> any_;
    std::optional<std::size_t> anyWhole_;
    std::optional<std::size_t> anyNumber_;
    int depth_ = 0;
};

}  // namespace

Result<GrammarTree> schemaGrammar(std::string_view text, WorkBudget& work) {
    if (text.size() > kMaxSchemaBytes)
        return fail(ErrorCode::InvalidArgument,
                    format("the JSON schema has {} bytes; at most {} are read", text.size(),
                           kMaxSchemaBytes));
    if (const std::size_t keys = mostKeys(text); keys > kMaxKeys)
        return fail(ErrorCode::InvalidArgument,
                    format("the JSON schema has an object with {} keys; at most {} are read", keys,
                           kMaxKeys));
    LACUNA_TRY(const OrderedJson document, parseOrderedJson(text));
    return SchemaCompiler(document, work).compile();
}

Result<GrammarTree> schemaGrammar(std::string_view text) {
    WorkBudget work(kFormSteps);
    return schemaGrammar(text, work);
}

}  // namespace lacuna
