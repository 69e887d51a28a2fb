#include "engine/text/jinja_value.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"

namespace lacuna::jinja {
namespace {

constexpr int kMaxPrintDepth = 64;
constexpr std::size_t kMaxTextBytes = 16U << 20;
constexpr int kMaxCompared = 100'000;

std::string floatText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::string text = format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string escapedForRepr(std::string_view text, char quote) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            out.append({'\\', c});
        else if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7F)
            out += format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out;
}

MarkedText quoted(const MarkedText& text) {
    const std::string& bytes = text.bytes();
    const bool doubled =
        bytes.find('\'') != std::string::npos && bytes.find('"') == std::string::npos;
    const char quote = doubled ? '"' : '\'';
    MarkedText out(std::string(1, quote));
    out.append(text.mapped([&](std::string_view part) { return escapedForRepr(part, quote); }));
    out.append(std::string(1, quote));
    return out;
}

std::string escapedForJson(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out.append({'\\', c});
        else if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\b')
            out += "\\b";
        else if (c == '\f')
            out += "\\f";
        else if (byte < 0x20)
            out += format("\\u{:04x}", byte);
        else
            out += c;
    }
    return out;
}

tl::unexpected<Error> tooDeep() {
    return fail(ErrorCode::TplLimit, format("a value nested deeper than {}", kMaxPrintDepth));
}

Result<MarkedText> repr(const Value& value, int depth);

Result<MarkedText> reprOfList(const List& list, int depth) {
    MarkedText out(std::string("["));
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) out.append(", ");
        LACUNA_TRY(const MarkedText element, repr(list[i], depth + 1));
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append("]");
    return out;
}

Result<MarkedText> reprOfDict(const Dict& dict, int depth) {
    MarkedText out(std::string("{"));
    for (std::size_t i = 0; i < dict.size(); ++i) {
        if (i > 0) out.append(", ");
        out.append(quoted(dict[i].key));
        out.append(": ");
        LACUNA_TRY(const MarkedText element, repr(dict[i].value, depth + 1));
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append("}");
    return out;
}

/// How Python shows a value inside a list.
Result<MarkedText> repr(const Value& value, int depth) {
    if (depth > kMaxPrintDepth) return tooDeep();
    if (const MarkedText* text = value.asText()) return quoted(*text);
    if (const List* list = value.asList()) return reprOfList(*list, depth);
    if (const Dict* dict = value.asDict()) return reprOfDict(*dict, depth);
    if (value.isNone()) return MarkedText(std::string("None"));
    if (const bool* b = std::get_if<bool>(&value.held()))
        return MarkedText(std::string(*b ? "True" : "False"));
    if (const std::int64_t* i = value.asInteger()) return MarkedText(format("{}", *i));
    if (const double* d = std::get_if<double>(&value.held())) return MarkedText(floatText(*d));
    return fail(ErrorCode::TplRuntime, format("a {} cannot be written", value.kindName()));
}

struct JsonLayout {
    JsonStyle style;
    [[nodiscard]] std::string separator() const { return style.indent < 0 ? ", " : ","; }
    [[nodiscard]] std::string newLine(int depth) const {
        if (style.indent < 0) return {};
        return "\n" + std::string(static_cast<std::size_t>(depth * style.indent), ' ');
    }
};

Result<MarkedText> json(const Value& value, const JsonLayout& layout, int depth);

MarkedText jsonText(const MarkedText& text) {
    MarkedText out(std::string("\""));
    out.append(text.mapped(escapedForJson));
    out.append("\"");
    return out;
}

Result<MarkedText> jsonOfList(const List& list, const JsonLayout& layout, int depth) {
    if (list.empty()) return MarkedText(std::string("[]"));
    MarkedText out(std::string("["));
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) out.append(layout.separator());
        out.append(layout.newLine(depth + 1));
        LACUNA_TRY(const MarkedText element, json(list[i], layout, depth + 1));
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append(layout.newLine(depth));
    out.append("]");
    return out;
}

Result<MarkedText> jsonOfDict(const Dict& dict, const JsonLayout& layout, int depth) {
    if (dict.empty()) return MarkedText(std::string("{}"));
    MarkedText out(std::string("{"));
    for (std::size_t i = 0; i < dict.size(); ++i) {
        if (i > 0) out.append(layout.separator());
        out.append(layout.newLine(depth + 1));
        out.append(jsonText(dict[i].key));
        out.append(": ");
        LACUNA_TRY(const MarkedText element, json(dict[i].value, layout, depth + 1));
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append(layout.newLine(depth));
    out.append("}");
    return out;
}

Result<MarkedText> json(const Value& value, const JsonLayout& layout, int depth) {
    if (depth > kMaxPrintDepth) return tooDeep();
    if (const MarkedText* text = value.asText()) return jsonText(*text);
    if (const List* list = value.asList()) return jsonOfList(*list, layout, depth);
    if (const Dict* dict = value.asDict()) return jsonOfDict(*dict, layout, depth);
    if (value.isNone()) return MarkedText(std::string("null"));
    if (const bool* b = std::get_if<bool>(&value.held()))
        return MarkedText(std::string(*b ? "true" : "false"));
    if (value.isNumber()) return repr(value, depth);
    return fail(ErrorCode::TplRuntime, format("a {} cannot become JSON", value.kindName()));
}

/// One comparison of two values, however deep.
class Comparison {
  public:
    Result<bool> equal(const Value& a, const Value& b) {
        if (++compared_ > kMaxCompared)
            return fail(ErrorCode::TplLimit,
                        format("a comparison of more than {} elements", kMaxCompared));
        if (a.asList() && b.asList()) return equalLists(*a.asList(), *b.asList());
        if (a.asDict() && b.asDict()) return equalDicts(*a.asDict(), *b.asDict());
        return equalPlain(a, b);
    }

  private:
    static bool equalPlain(const Value& a, const Value& b) {
        if (a.isNumber() && b.isNumber()) {
            const bool floats = std::holds_alternative<double>(a.held()) ||
                                std::holds_alternative<double>(b.held());
            return floats ? a.toDouble() == b.toDouble() : a.toInteger() == b.toInteger();
        }
        if (a.isUndefined() || a.isNone()) return a.held().index() == b.held().index();
        if (a.asText() && b.asText()) return a.asText()->bytes() == b.asText()->bytes();
        const auto* left = std::get_if<Value::NamespacePtr>(&a.held());
        const auto* right = std::get_if<Value::NamespacePtr>(&b.held());
        return left && right && *left == *right;
    }
    Result<bool> equalLists(const List& a, const List& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            LACUNA_TRY(const bool same, equal(a[i], b[i]));
            if (!same) return false;
        }
        return true;
    }
    Result<bool> equalDicts(const Dict& a, const Dict& b) {
        if (a.size() != b.size()) return false;
        for (const DictEntry& entry : a) {
            const Value* other = findKey(b, entry.key.bytes());
            if (!other) return false;
            LACUNA_TRY(const bool same, equal(entry.value, *other));
            if (!same) return false;
        }
        return true;
    }

    int compared_ = 0;
};

}  // namespace

Value Value::text(MarkedText text) {
    return Value(Held(std::make_shared<const MarkedText>(std::move(text))));
}
Value Value::list(List items) {
    int below = 0;
    for (const Value& item : items) below = std::max(below, item.depth());
    Value made(Held(std::make_shared<const List>(std::move(items))));
    made.depth_ = below + 1;
    return made;
}
Value Value::dict(Dict entries) {
    int below = 0;
    for (const DictEntry& entry : entries) below = std::max(below, entry.value.depth());
    Value made(Held(std::make_shared<const Dict>(std::move(entries))));
    made.depth_ = below + 1;
    return made;
}
Value Value::loop(LoopState state) {
    const int below = state.itemDepth;
    Value made(Held(std::make_shared<const LoopState>(std::move(state))));
    made.depth_ = below + 1;
    return made;
}

const MarkedText* Value::asText() const {
    const TextPtr* text = std::get_if<TextPtr>(&held_);
    return text ? text->get() : nullptr;
}
const List* Value::asList() const {
    const ListPtr* list = std::get_if<ListPtr>(&held_);
    return list ? list->get() : nullptr;
}
const Dict* Value::asDict() const {
    const DictPtr* dict = std::get_if<DictPtr>(&held_);
    return dict ? dict->get() : nullptr;
}

bool Value::isNumber() const {
    return std::holds_alternative<bool>(held_) || std::holds_alternative<std::int64_t>(held_) ||
           std::holds_alternative<double>(held_);
}

double Value::toDouble() const {
    if (const double* d = std::get_if<double>(&held_)) return *d;
    return static_cast<double>(toInteger());
}

std::int64_t Value::toInteger() const {
    if (const std::int64_t* i = asInteger()) return *i;
    if (const bool* b = std::get_if<bool>(&held_)) return *b ? 1 : 0;
    if (const double* d = std::get_if<double>(&held_)) return static_cast<std::int64_t>(*d);
    return 0;
}

bool Value::truthy() const {
    if (isUndefined() || isNone()) return false;
    if (const double* d = std::get_if<double>(&held_)) return *d != 0;
    if (isNumber()) return toInteger() != 0;
    if (const MarkedText* text = asText()) return !text->empty();
    if (const List* list = asList()) return !list->empty();
    if (const Dict* dict = asDict()) return !dict->empty();
    return true;
}

std::string_view Value::kindName() const {
    constexpr std::string_view kNames[] = {"undefined value", "none",   "boolean", "integer",
                                           "float",           "string", "list",    "dictionary",
                                           "namespace",       "loop",   "macro",   "function"};
    return kNames[held_.index()];
}

const Value* findKey(const Dict& dict, std::string_view key) {
    const auto found = std::find_if(dict.begin(), dict.end(),
                                    [&](const DictEntry& e) { return e.key.bytes() == key; });
    return found == dict.end() ? nullptr : &found->value;
}

Result<bool> equal(const Value& a, const Value& b) {
    return Comparison().equal(a, b);
}

Status checkTextSize(std::size_t bytes) {
    if (bytes <= kMaxTextBytes) return {};
    return fail(ErrorCode::TplLimit,
                format("a text of {} bytes; at most {} are allowed", bytes, kMaxTextBytes));
}

Result<MarkedText> toText(const Value& value) {
    if (const MarkedText* text = value.asText()) return *text;
    if (value.isUndefined()) return MarkedText();
    return repr(value, 0);
}

Result<Value::ListPtr> elements(const Value& value) {
    if (const auto* list = std::get_if<Value::ListPtr>(&value.held())) return *list;
    List items;
    if (value.isUndefined()) return std::make_shared<const List>();
    if (const Dict* dict = value.asDict()) {
        for (const DictEntry& entry : *dict) items.push_back(Value::text(entry.key));
        return std::make_shared<const List>(std::move(items));
    }
    if (const MarkedText* text = value.asText()) {
        for (const ByteRange c : text->characters())
            items.push_back(Value::text(text->slice(c.begin, c.end)));
        return std::make_shared<const List>(std::move(items));
    }
    return fail(ErrorCode::TplRuntime, format("a {} has no elements", value.kindName()));
}

Result<MarkedText> toJson(const Value& value, JsonStyle style) {
    return json(value, JsonLayout{style}, 0);
}

}  // namespace lacuna::jinja
