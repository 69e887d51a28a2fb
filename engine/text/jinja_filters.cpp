#include <charconv>
#include <cmath>
#include <functional>

#include "engine/base/string_format.h"
#include "engine/text/jinja_calls.h"
#include "engine/text/jinja_names.h"

namespace lacuna::jinja {
namespace {

using Filter = std::function<Result<Value>(const Value&, const CallArgs&)>;

tl::unexpected<Error> needs(std::string_view filter, std::string_view what, const Value& found) {
    return fail(ErrorCode::TplRuntime,
                format("the filter \"{}\" needs {}; found a {}", filter, what, found.kindName()));
}

Result<MarkedText> textOf(std::string_view filter, const Value& value) {
    if (value.isUndefined()) return MarkedText();
    if (const MarkedText* text = value.asText()) return *text;
    // As in Jinja, text filters take the text of any plain value.
    if (value.isNumber() || value.isNone()) return toText(value);
    return needs(filter, "a string", value);
}

Result<Value> length(const Value& input) {
    if (const MarkedText* text = input.asText())
        return Value::integer(static_cast<std::int64_t>(text->characters().size()));
    if (const Dict* dict = input.asDict())
        return Value::integer(static_cast<std::int64_t>(dict->size()));
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    return Value::integer(static_cast<std::int64_t>(items->size()));
}

Result<Value> fallback(const Value& input, const CallArgs& args) {
    const Value* other = args.find(0, "default_value");
    const Value* alsoFalse = args.find(1, "boolean");
    const bool use = input.isUndefined() || (alsoFalse && alsoFalse->truthy() && !input.truthy());
    if (!use) return input;
    return other ? *other : Value::text(std::string());
}

Result<Value> json(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const auto indent, args.integer(0, "indent"));
    if (indent && (*indent < 0 || *indent > 16))
        return fail(ErrorCode::TplRuntime, format("an indent of {}; expected 0 to 16", *indent));
    LACUNA_TRY(MarkedText out, toJson(input, {static_cast<int>(indent.value_or(-1))}));
    return Value::text(std::move(out));
}

Result<Value> join(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const auto separator, args.text(0, "d"));
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    const Value* attribute = args.find(1, "attribute");
    List parts = *items;
    if (attribute)
        for (Value& part : parts) {
            LACUNA_TRY(part, elementOf(part, *attribute));
        }
    LACUNA_TRY(MarkedText out, joinedText(parts, separator.value_or(MarkedText())));
    return Value::text(std::move(out));
}

Result<Value> replace(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, textOf("replace", input));
    LACUNA_TRY(const auto from, args.text(0, "old"));
    LACUNA_TRY(const auto to, args.text(1, "new"));
    LACUNA_TRY(const auto limit, args.integer(2, "count"));
    if (!from || !to) return fail(ErrorCode::TplRuntime, "the filter \"replace\" needs two texts");
    LACUNA_TRY(MarkedText out, replaced(text, *from, *to, limit.value_or(-1)));
    return Value::text(std::move(out));
}

Result<Value> edge(const Value& input, std::string_view which) {
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    if (items->empty()) return Value::undefined(which);
    return which == "first" ? items->front() : items->back();
}

Result<Value> reversed(const Value& input) {
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    List out(items->rbegin(), items->rend());
    if (!input.asText()) return Value::list(std::move(out));
    LACUNA_TRY(MarkedText text, joinedText(out, MarkedText()));
    return Value::text(std::move(text));
}

std::optional<double> parsedNumber(const Value& input) {
    if (input.isNumber()) return input.toDouble();
    const MarkedText* text = input.asText();
    if (!text) return std::nullopt;
    const std::string body = stripped(*text, StripSide::Both, std::nullopt).bytes();
    double value = 0;
    const auto parsed = std::from_chars(body.data(), body.data() + body.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != body.data() + body.size()) return std::nullopt;
    return value;
}

Result<Value> toInt(const Value& input, const CallArgs& args) {
    if (input.isNumber() && !std::holds_alternative<double>(input.held()))
        return Value::integer(input.toInteger());
    const auto number = parsedNumber(input);
    constexpr double kLimit = 9.0e18;
    if (number && std::abs(*number) < kLimit)
        return Value::integer(static_cast<std::int64_t>(*number));
    const Value* other = args.find(0, "default");
    return other ? *other : Value::integer(0);
}

Result<Value> toFloat(const Value& input, const CallArgs& args) {
    if (const auto number = parsedNumber(input)) return Value::number(*number);
    const Value* other = args.find(0, "default");
    return other ? *other : Value::number(0);
}

Result<Value> absolute(const Value& input) {
    if (const double* d = std::get_if<double>(&input.held())) return Value::number(std::abs(*d));
    if (!input.isNumber()) return needs("abs", "a number", input);
    return applyBinary(BinaryOp::Multiply, input, Value::integer(input.toInteger() < 0 ? -1 : 1));
}

Result<Value> indented(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, textOf("indent", input));
    LACUNA_TRY(const auto width, args.integer(0, "width"));
    const Value* first = args.find(1, "first");
    if (width && (*width < 0 || *width > 256))
        return fail(ErrorCode::TplRuntime, format("an indent of {}; expected 0 to 256", *width));
    const MarkedText pad(std::string(static_cast<std::size_t>(width.value_or(4)), ' '));
    MarkedText out = first && first->truthy() ? pad : MarkedText();
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.bytes().find('\n', begin);
        if (end == std::string::npos) break;
        out.append(text.slice(begin, end + 1));
        begin = end + 1;
        const bool blank = begin >= text.size() || text.bytes()[begin] == '\n';
        if (!blank) out.append(pad);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append(text.slice(begin, text.size()));
    return Value::text(std::move(out));
}

/// The arguments after the first `count`.
CallArgs after(const CallArgs& args, std::size_t count) {
    CallArgs rest;
    for (std::size_t i = count; i < args.positional.size(); ++i)
        rest.positional.push_back(args.positional[i]);
    return rest;
}

Result<Value> mapped(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    List out;
    const Value* attribute = args.find(kNamedOnly, "attribute");
    const Value* other = args.find(kNamedOnly, "default");
    for (const Value& item : *items) {
        if (attribute) {
            LACUNA_TRY(Value part, elementOf(item, *attribute));
            out.push_back(part.isUndefined() && other ? *other : std::move(part));
            continue;
        }
        LACUNA_TRY(const auto name, args.text(0, "filter"));
        if (!name) return fail(ErrorCode::TplRuntime, "the filter \"map\" needs a filter's name");
        if (knownFilter(name->bytes()) != Known::Built)
            return fail(ErrorCode::TplUnsupported,
                        format("the filter \"{}\" is not built here", name->bytes()));
        LACUNA_TRY(Value part, applyFilter(name->bytes(), item, after(args, 1)));
        out.push_back(std::move(part));
    }
    return Value::list(std::move(out));
}

/// select, reject, selectattr, rejectattr.
Result<Value> chosen(std::string_view filter, const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    const bool byAttribute = filter.ends_with("attr");
    const bool keep = filter.starts_with("select");
    const std::size_t testAt = byAttribute ? 1 : 0;
    if (byAttribute && args.positional.empty())
        return fail(ErrorCode::TplRuntime, format("the filter \"{}\" needs an attribute", filter));
    LACUNA_TRY(const auto test, args.text(testAt, "test"));
    if (test && knownTest(test->bytes()) != Known::Built)
        return fail(ErrorCode::TplUnsupported,
                    format("the test \"{}\" is not built here", test->bytes()));
    List out;
    for (const Value& item : *items) {
        Value subject = item;
        if (byAttribute) {
            LACUNA_TRY(subject, elementOf(item, args.positional[0]));
        }
        bool passes = subject.truthy();
        if (test) {
            LACUNA_TRY(passes, applyTest(test->bytes(), subject, after(args, testAt + 1)));
        }
        if (passes == keep) out.push_back(item);
    }
    return Value::list(std::move(out));
}

Filter casing(std::string_view name, LetterCase letterCase) {
    return [name, letterCase](const Value& input, const CallArgs&) -> Result<Value> {
        LACUNA_TRY(const MarkedText text, textOf(name, input));
        return Value::text(inCase(text, letterCase));
    };
}

Result<Value> trimmed(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, textOf("trim", input));
    LACUNA_TRY(const auto characters, args.text(0, "chars"));
    return Value::text(stripped(text, StripSide::Both, characters));
}

Result<Value> plainText(const Value& input, const CallArgs&) {
    LACUNA_TRY(MarkedText text, toText(input));
    return Value::text(std::move(text));
}

Result<Value> listed(const Value& input, const CallArgs&) {
    LACUNA_TRY(const Value::ListPtr items, elements(input));
    return Value::list(List(*items));
}

const std::map<std::string_view, Filter>& filters() {
    static const std::map<std::string_view, Filter> table = {
        {"abs", [](const Value& v, const CallArgs&) { return absolute(v); }},
        {"capitalize", casing("capitalize", LetterCase::Capital)},
        {"count", [](const Value& v, const CallArgs&) { return length(v); }},
        {"d", fallback},
        {"default", fallback},
        {"first", [](const Value& v, const CallArgs&) { return edge(v, "first"); }},
        {"float", toFloat},
        {"indent", indented},
        {"int", toInt},
        {"items", [](const Value& v, const CallArgs&) { return callMethod(v, "items", {}); }},
        {"join", join},
        {"last", [](const Value& v, const CallArgs&) { return edge(v, "last"); }},
        {"length", [](const Value& v, const CallArgs&) { return length(v); }},
        {"list", listed},
        {"lower", casing("lower", LetterCase::Lower)},
        {"map", mapped},
        {"replace", replace},
        {"reverse", [](const Value& v, const CallArgs&) { return reversed(v); }},
        {"safe", [](const Value& v, const CallArgs&) { return Result<Value>(v); }},
        {"string", plainText},
        {"title", casing("title", LetterCase::Title)},
        {"tojson", json},
        {"trim", trimmed},
        {"upper", casing("upper", LetterCase::Upper)},
    };
    return table;
}

}  // namespace

const Value* CallArgs::find(std::size_t index, std::string_view name) const {
    if (index < positional.size()) return &positional[index];
    for (const auto& [given, value] : named)
        if (given == name) return &value;
    return nullptr;
}

Result<std::optional<MarkedText>> CallArgs::text(std::size_t index, std::string_view name) const {
    const Value* value = find(index, name);
    if (!value) return std::optional<MarkedText>();
    if (const MarkedText* found = value->asText()) return std::optional<MarkedText>(*found);
    return fail(ErrorCode::TplRuntime,
                format("the argument \"{}\" is a {}; expected a string", name, value->kindName()));
}

Result<std::optional<std::int64_t>> CallArgs::integer(std::size_t index,
                                                      std::string_view name) const {
    const Value* value = find(index, name);
    if (!value || value->isNone()) return std::optional<std::int64_t>();
    if (const std::int64_t* found = value->asInteger()) return std::optional<std::int64_t>(*found);
    return fail(ErrorCode::TplRuntime, format("the argument \"{}\" is a {}; expected an integer",
                                              name, value->kindName()));
}

Result<Value> applyFilter(std::string_view name, const Value& input, const CallArgs& args) {
    if (name.starts_with("select") || name.starts_with("reject")) return chosen(name, input, args);
    const auto found = filters().find(name);
    if (found == filters().end())
        return fail(ErrorCode::TplUnsupported, format("the filter \"{}\" is not built here", name));
    return found->second(input, args);
}

}  // namespace lacuna::jinja
