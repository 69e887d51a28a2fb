#include <charconv>
#include <cmath>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"

// Filters on values of any kind and on numbers; filters on texts and lists are in separate files.

namespace lacuna::jinja {
namespace {

Result<Value> length(const Value& input, const CallArgs& args) {
    if (const MarkedText* text = input.asText())
        return Value::integer(static_cast<std::int64_t>(text->characterCount()));
    if (const Dict* dict = input.asDict())
        return Value::integer(static_cast<std::int64_t>(dict->size()));
    if (input.asList() && input.listKind() == ListKind::Stream)
        return fail(ErrorCode::TplRuntime,
                    "the result of a filter has no length; apply `| list` first");
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    return Value::integer(static_cast<std::int64_t>(items->size()));
}

Result<Value> fallback(const Value& input, const CallArgs& args) {
    const Value* other = args.find(0, "default_value");
    const bool use = input.isUndefined() || (args.flag(1, "boolean", false) && !input.truthy());
    if (!use) return input;
    return other ? *other : Value::text(std::string());
}

/// Returns the indentation per level of JSON.
Result<std::optional<MarkedText>> indentText(const CallArgs& args) {
    constexpr std::int64_t kMaxIndent = 64;
    const Value* indent = args.find(1, "indent");
    if (!indent || indent->isNone()) return std::optional<MarkedText>();
    if (const MarkedText* text = indent->asText(); text && text->size() <= kMaxIndent)
        return std::optional<MarkedText>(*text);
    if (!indent->isWhole() || indent->toInteger() > kMaxIndent)
        return fail(ErrorCode::TplRuntime,
                    format("an indent is not a number up to {}", kMaxIndent));
    const std::int64_t width = std::max<std::int64_t>(0, indent->toInteger());
    return std::optional<MarkedText>(std::string(static_cast<std::size_t>(width), ' '));
}

/// Takes the arguments of the filter in transformers: ensure_ascii, indent, separators, sort_keys.
Result<Value> json(const Value& input, const CallArgs& args) {
    JsonStyle style;
    LACUNA_TRY(style.indent, indentText(args));
    style.ascii = args.flag(0, "ensure_ascii", false);
    style.sorted = args.flag(3, "sort_keys", false);
    const Value* separators = args.find(2, "separators");
    if (separators && !separators->isNone()) {
        LACUNA_TRY(const Value::ListPtr pair, elements(*separators, args.work));
        if (pair->size() != 2 || !(*pair)[0].asText() || !(*pair)[1].asText())
            return fail(ErrorCode::TplRuntime, "the JSON separators are not two strings");
        style.separators.emplace(*(*pair)[0].asText(), *(*pair)[1].asText());
    }
    LACUNA_TRY(MarkedText out, toJson(input, style, args.work));
    return Value::text(std::move(out));
}

/// Returns the digits of a number in a text, as Python's int and float parse them.
std::optional<std::string> digitsOf(const Value& input, WorkBudget* work) {
    const MarkedText* text = input.asText();
    if (!text) return std::nullopt;
    std::string body = stripped(*text, StripSide::Both, std::nullopt, work).bytes();
    if (body.starts_with('+')) body.erase(0, 1);
    if (body.starts_with('_') || body.ends_with('_') || body.find("__") != std::string::npos)
        return std::nullopt;
    std::erase(body, '_');
    return body;
}

std::optional<double> parsedNumber(const Value& input, WorkBudget* work) {
    if (input.isNumber()) return input.toDouble();
    const auto body = digitsOf(input, work);
    if (!body) return std::nullopt;
    double value = 0;
    const auto parsed = std::from_chars(body->data(), body->data() + body->size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != body->data() + body->size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parsedInteger(const Value& input, int base, WorkBudget* work) {
    auto body = digitsOf(input, work);
    if (!body) return std::nullopt;
    const bool negative = body->starts_with('-');
    if (negative) body->erase(0, 1);
    const std::string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
    if (!prefix.empty() && body->starts_with(prefix)) body->erase(0, 2);
    if (negative) body->insert(body->begin(), '-');
    std::int64_t value = 0;
    const auto parsed = std::from_chars(body->data(), body->data() + body->size(), value, base);
    if (parsed.ec != std::errc() || parsed.ptr != body->data() + body->size()) return std::nullopt;
    return value;
}

Result<Value> toInt(const Value& input, const CallArgs& args) {
    constexpr double kLimit = 9.0e18;
    LACUNA_TRY(const auto base, args.integer(1, "base"));
    if (base.value_or(10) < 2 || base.value_or(10) > 36)
        return fail(ErrorCode::TplRuntime, "the base of a number is not 2 to 36");
    if (input.asBigInteger()) return input;
    if (input.isWhole()) return Value::integer(input.toInteger());
    if (const auto whole = parsedInteger(input, static_cast<int>(base.value_or(10)), args.work))
        return Value::integer(*whole);
    const auto number = parsedNumber(input, args.work);
    if (number && std::abs(*number) < kLimit)
        return Value::integer(static_cast<std::int64_t>(*number));
    const Value* other = args.find(0, "default");
    return other ? *other : Value::integer(0);
}

Result<Value> toFloat(const Value& input, const CallArgs& args) {
    if (const auto number = parsedNumber(input, args.work)) return Value::number(*number);
    const Value* other = args.find(0, "default");
    return other ? *other : Value::number(0);
}

tl::unexpected<Error> needsNumber(std::string_view filter, const Value& found) {
    return fail(ErrorCode::TplRuntime,
                format("the filter \"{}\" needs a number; found a {}", filter, found.kindName()));
}

Result<Value> absolute(const Value& input, const CallArgs& args) {
    if (const double* d = std::get_if<double>(&input.held())) return Value::number(std::abs(*d));
    if (!input.isNumber()) return needsNumber("abs", input);
    if (const std::string* digits = input.asBigInteger())
        return Value::bigInteger(digits->substr(digits->front() == '-' ? 1 : 0));
    return applyBinary(BinaryOp::Multiply, input, Value::integer(input.toInteger() < 0 ? -1 : 1),
                       args.work);
}

/// Rounds half to even on the exact binary value, like Python.
double roundedTo(double value, int places) {
    if (!std::isfinite(value)) return value;
    if (places < 0) {
        const double scale = std::pow(10.0, -places);
        return std::nearbyint(value / scale) * scale;
    }
    const std::string digits = format("{:.{}f}", value, places);
    double out = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
}

Result<Value> round(const Value& input, const CallArgs& args) {
    constexpr std::int64_t kMaxIndexedStates = 300;
    LACUNA_TRY(const auto precision, args.integer(0, "precision"));
    LACUNA_TRY(const auto method, args.text(1, "method"));
    if (!input.isNumber()) return needsNumber("round", input);
    const std::int64_t places = precision.value_or(0);
    if (input.asBigInteger() && places >= 0) return input;
    if (places < -kMaxIndexedStates || places > kMaxIndexedStates)
        return fail(ErrorCode::TplRuntime, format("round to {} places is not supported", places));
    const std::string way = method ? method->bytes() : "common";
    if (way == "common") {
        const double out = roundedTo(input.toDouble(), static_cast<int>(places));
        if (!input.isWhole()) return Value::number(out);
        return places >= 0 ? Value::integer(input.toInteger()) : toInt(Value::number(out), {});
    }
    if (way != "ceil" && way != "floor")
        return fail(ErrorCode::TplRuntime, "round: the method must be common, ceil or floor");
    const double scale = std::pow(10.0, static_cast<double>(places));
    const double scaled = input.toDouble() * scale;
    return Value::number((way == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Result<Value> fileSize(const Value& input, const CallArgs& args) {
    const auto bytes = parsedNumber(input, args.work);
    if (!bytes) return needsNumber("filesizeformat", input);
    const bool binary = args.flag(0, "binary", false);
    const double base = binary ? 1024 : 1000;
    if (*bytes == 1) return Value::text(std::string("1 Byte"));
    if (*bytes < base) return Value::text(format("{:.0f} Bytes", std::trunc(*bytes)));
    constexpr std::string_view kUnits = "kMGTPEZY";
    double unit = base;
    std::size_t which = 0;
    while (*bytes >= unit * base && which + 1 < kUnits.size()) {
        unit *= base;
        ++which;
    }
    const char letter = binary && which == 0 ? 'K' : kUnits[which];
    return Value::text(format("{:.1f} {}{}", *bytes / unit, letter, binary ? "iB" : "B"));
}

const std::map<std::string_view, Filter>& plainFilters() {
    static const std::map<std::string_view, Filter> table = {
        {"abs", absolute},
        {"count", length},
        {"d", fallback},
        {"default", fallback},
        {"filesizeformat", fileSize},
        {"float", toFloat},
        {"int", toInt},
        {"length", length},
        {"round", round},
        {"tojson", json},
    };
    return table;
}

}  // namespace

std::uint64_t CallArgs::steps() const {
    std::uint64_t all = 1;
    for (const Value& value : positional) all += stepsOf(value);
    for (const auto& [name, value] : named) all += stepsOf(value);
    return all;
}

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
    if (value->isWhole()) return std::optional<std::int64_t>(value->toInteger());
    return fail(ErrorCode::TplRuntime, format("the argument \"{}\" is a {}; expected an integer",
                                              name, value->kindName()));
}

bool CallArgs::flag(std::size_t index, std::string_view name, bool fallback) const {
    const Value* value = find(index, name);
    return value ? value->truthy() : fallback;
}

Result<Value> applyFilter(std::string_view name, const Value& input, const CallArgs& args) {
    // Every filter walks its input and arguments at least once.
    if (!spend(args.work, stepsOf(input) + args.steps())) return Value();
    if (const Filter filter = textFilter(name)) return filter(input, args);
    if (const Filter filter = listFilter(name)) return filter(input, args);
    if (const Filter filter = orderFilter(name)) return filter(input, args);
    const auto found = plainFilters().find(name);
    if (found != plainFilters().end()) return found->second(input, args);
    return fail(ErrorCode::TplUnsupported, format("the filter \"{}\" is not supported", name));
}

}  // namespace lacuna::jinja
