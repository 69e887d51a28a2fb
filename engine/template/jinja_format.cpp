#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/template/jinja_value.h"
#include "engine/text/unicode.h"

namespace lacuna::jinja {

// Layout of one value in a formatted text: sign, digits, width. Both of Python's notations (`%5.2f`
// and `{:>5.2f}`) are parsed into a Layout. Pure functions. Sources: "printf-style String
// Formatting" and "Format Specification Mini-Language" of the Python library reference.

inline constexpr std::int64_t kMaxPrecision = 100;

struct Layout {
    std::string fill = " ";
    char align = 0;  ///< '<', '>', '^', '='; 0: default of the value's kind
    char sign = '-';
    bool alternate = false;
    char grouping = 0;  ///< ',' or '_'; 0: none
    std::int64_t width = 0;
    std::optional<std::int64_t> precision;
    char type = 0;
};

/// Returns a TplRuntime error about formatting.
[[nodiscard]] tl::unexpected<Error> wrongFormat(std::string_view what);
/// Parses digits at `at` and advances it; nullopt if there are none. Errors: TplLimit.
[[nodiscard]] Result<std::optional<std::int64_t>> digitsAt(std::string_view text, std::size_t& at);
/// @pre value.isNumber(). Errors: TplLimit, TplRuntime.
[[nodiscard]] Result<MarkedText> laidOutNumber(const Value& value, const Layout& layout);
/// Errors: TplLimit, TplRuntime (an alignment that is valid for numbers only).
[[nodiscard]] Result<MarkedText> laidOutText(MarkedText text, const Layout& layout);
/// Formats by `[[fill]align][sign][#][0][width][,][.precision][type]`. Errors: TplRuntime,
/// TplLimit.
[[nodiscard]] Result<MarkedText> laidOut(const Value& value, std::string_view spec,
                                         WorkBudget* work);

namespace {

bool isOneOf(char type, std::string_view letters) {
    return type != 0 && letters.find(type) != std::string_view::npos;
}

std::string grouped(std::string digits, char separator, std::size_t size) {
    if (separator == 0) return digits;
    const std::size_t end =
        std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
    for (std::size_t at = end; at > size; at -= size) digits.insert(at - size, 1, separator);
    return digits;
}

/// Returns the magnitude of an integer in a base, without a prefix.
std::string wholeDigits(std::int64_t value, char type) {
    auto rest =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const std::uint64_t base = type == 'b'                  ? 2
                               : type == 'o'                ? 8
                               : type == 'x' || type == 'X' ? 16
                                                            : 10;
    const char* digits = type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string out;
    do {
        out.insert(out.begin(), digits[rest % base]);
        rest /= base;
    } while (rest > 0);
    return out;
}

/// Returns the magnitude of a float as printed by C.
std::string floatDigits(double value, char type, int precision, bool alternate) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return "inf";
    const std::string letters = (alternate ? "%#.*" : "%.*") + std::string(1, type);
    std::string out(512, '\0');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length =
        std::snprintf(out.data(), out.size(), letters.c_str(), precision, std::abs(value));
#pragma GCC diagnostic pop
    out.resize(std::min(out.size() - 1, static_cast<std::size_t>(std::max(0, length))));
    return out;
}

Result<std::string> magnitude(const Value& value, const Layout& layout) {
    const char type = layout.type;
    const bool floating = isOneOf(type, "eEfFgG%");
    if (value.isWhole() && !floating) {
        std::string digits = wholeDigits(value.toInteger(), type);
        digits = grouped(std::move(digits), layout.grouping, type == 0 || type == 'd' ? 3 : 4);
        if (layout.alternate && (type == 'x' || type == 'X' || type == 'o' || type == 'b'))
            digits.insert(0, {'0', type});
        return digits;
    }
    if (const std::string* big = value.asBigInteger(); big && (type == 0 || type == 'd'))
        return grouped(big->substr(big->front() == '-' ? 1 : 0), layout.grouping, 3);
    const double number = value.toDouble() * (type == '%' ? 100 : 1);
    if (type == 0 && !layout.precision) {
        LACUNA_TRY(const MarkedText text, toText(Value::number(std::abs(number)), nullptr));
        return grouped(text.bytes(), layout.grouping, 3);
    }
    const int precision = static_cast<int>(layout.precision.value_or(6));
    const char letter = type == '%' ? 'f' : type == 0 || type == 'n' ? 'g' : type;
    std::string digits = floatDigits(number, letter, precision, layout.alternate);
    if (type == 0 && digits.find_first_of(".en") == std::string::npos) digits += ".0";
    return grouped(std::move(digits), layout.grouping, 3) + (type == '%' ? "%" : "");
}

/// Parses `[[fill]align][sign][#][0][width][,][.precision][type]`.
Result<Layout> layoutOf(std::string_view spec) {
    Layout layout;
    std::size_t at = 0;
    const auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    const std::size_t first = spec.empty() ? 0 : utf8CharAt(spec, 0).bytes;
    if (spec.size() > first && first > 0 && isAlign(spec[first])) {
        layout.fill = spec.substr(0, first);
        layout.align = spec[first];
        at = first + 1;
    } else if (!spec.empty() && isAlign(spec[0])) {
        layout.align = spec[0];
        at = 1;
    }
    const auto peek = [&] { return at < spec.size() ? spec[at] : '\0'; };
    if (peek() == '+' || peek() == '-' || peek() == ' ') layout.sign = spec[at++];
    if (peek() == '#') layout.alternate = ++at > 0;
    if (peek() == '0') {
        ++at;
        if (layout.align == 0) {
            layout.align = '=';
            layout.fill = "0";
        }
    }
    LACUNA_TRY(const auto width, digitsAt(spec, at));
    layout.width = width.value_or(0);
    if (peek() == ',' || peek() == '_') layout.grouping = spec[at++];
    if (peek() == '.') {
        ++at;
        LACUNA_TRY(layout.precision, digitsAt(spec, at));
        if (!layout.precision) return wrongFormat("a precision has no digits");
        if (*layout.precision > kMaxPrecision)
            return fail(ErrorCode::TplLimit, "formatting: a precision is above 100");
    }
    if (at < spec.size()) layout.type = spec[at++];
    if (at < spec.size() || (layout.type != 0 && !isOneOf(layout.type, "sdboxXneEfFgG%")))
        return wrongFormat(format("the layout \"{}\" is not supported", spec));
    return layout;
}

}  // namespace

tl::unexpected<Error> wrongFormat(std::string_view what) {
    return fail(ErrorCode::TplRuntime, format("formatting: {}", what));
}

Result<std::optional<std::int64_t>> digitsAt(std::string_view text, std::size_t& at) {
    std::int64_t number = 0;
    const char* begin = text.data() + at;
    const auto parsed = std::from_chars(begin, text.data() + text.size(), number);
    if (parsed.ptr == begin || *begin == '-') return std::optional<std::int64_t>();
    if (parsed.ec != std::errc() || number > 0x7FFFFFFF)
        return fail(ErrorCode::TplLimit, "formatting: a width has too many digits");
    at += static_cast<std::size_t>(parsed.ptr - begin);
    return std::optional<std::int64_t>(number);
}

Result<MarkedText> laidOutNumber(const Value& value, const Layout& layout) {
    LACUNA_TRY(const std::string digits, magnitude(value, layout));
    const bool negative = std::signbit(value.toDouble());
    const std::string sign = negative             ? "-"
                             : layout.sign == '+' ? "+"
                             : layout.sign == ' ' ? " "
                                                  : "";
    const char align = layout.align == 0 ? '>' : layout.align;
    if (align == '=') {
        LACUNA_TRY(MarkedText out, padded(MarkedText(digits), layout.width - std::ssize(sign),
                                          Align::Right, layout.fill));
        MarkedText whole(sign);
        whole.append(out);
        return whole;
    }
    return padded(MarkedText(sign + digits), layout.width,
                  align == '<'   ? Align::Left
                  : align == '^' ? Align::Center
                                 : Align::Right,
                  layout.fill);
}

Result<MarkedText> laidOutText(MarkedText text, const Layout& layout) {
    if (layout.precision) {
        const std::vector<ByteRange> all = text.characters();
        if (std::ssize(all) > *layout.precision)
            text = text.slice(0, *layout.precision == 0
                                     ? 0
                                     : all[static_cast<std::size_t>(*layout.precision) - 1].end);
    }
    if (layout.align == '=') return wrongFormat("\"=\" aligns only numbers");
    return padded(text, layout.width,
                  layout.align == '>'   ? Align::Right
                  : layout.align == '^' ? Align::Center
                                        : Align::Left,
                  layout.fill);
}

Result<MarkedText> laidOut(const Value& value, std::string_view spec, WorkBudget* work) {
    if (spec.empty()) return toText(value, work);
    LACUNA_TRY(const Layout layout, layoutOf(spec));
    const bool plainBool = std::holds_alternative<bool>(value.held()) && layout.type == 0;
    if (value.isNumber() && layout.type != 's' && !plainBool) {
        const bool based = isOneOf(layout.type, "dboxX");
        const bool decimal = layout.type == 'd' && value.asBigInteger();
        if (based && !decimal && !value.isWhole())
            return wrongFormat("a float has the layout of an integer");
        return laidOutNumber(value, layout);
    }
    if (!value.asText() && !plainBool)
        return wrongFormat(format("a {} has no layout", value.kindName()));
    if (layout.type != 0 && layout.type != 's')
        return wrongFormat("a string has the layout of a number");
    LACUNA_TRY(MarkedText text, toText(value, work));
    Layout forText = layout;
    if (forText.align == '=' && forText.fill == "0") forText.align = '<';
    return laidOutText(std::move(text), forText);
}

// Python formatting: `pattern % args` and `pattern.format(args)`. Sources: "printf-style String
// Formatting" and "Format String Syntax" of the Python library reference.

namespace {

class PercentFormat {
  public:
    PercentFormat(const MarkedText& pattern, const Value& args, WorkBudget* work)
        : pattern_(pattern), args_(args), work_(work) {
        const bool tuple = args.asList() && args.listKind() != ListKind::Plain;
        if (tuple) values_ = *args.asList();
        if (!tuple) values_ = {args};
    }

    Result<Value> run() {
        const std::string& bytes = pattern_.bytes();
        for (at_ = 0; at_ < bytes.size() && spend(work_);) {
            const std::size_t sign = std::min(bytes.find('%', at_), bytes.size());
            out_.append(pattern_.slice(at_, sign));
            at_ = sign + 1;
            if (sign < bytes.size()) LACUNA_TRY_STATUS(directive());
            LACUNA_TRY_STATUS(checkTextSize(out_.size()));
        }
        if (next_ < values_.size() && !args_.asDict())
            return wrongFormat("not all arguments are used by the pattern");
        return Value::text(std::move(out_));
    }

  private:
    [[nodiscard]] char peek() const { return at_ < pattern_.size() ? pattern_.bytes()[at_] : '\0'; }

    Result<Value> nextValue() {
        if (next_ >= values_.size()) return wrongFormat("not enough arguments for the pattern");
        return values_[next_++];
    }

    Result<std::optional<std::int64_t>> number() {
        if (peek() != '*') return digitsAt(pattern_.bytes(), at_);
        ++at_;
        LACUNA_TRY(const Value value, nextValue());
        if (!value.isWhole() || value.toInteger() < 0)
            return wrongFormat("* needs an integer of at least 0");
        return std::optional<std::int64_t>(value.toInteger());
    }

    Result<std::optional<Value>> keyed() {
        if (peek() != '(') return std::optional<Value>();
        const std::size_t end = pattern_.bytes().find(')', at_);
        if (end != std::string::npos) spend(work_, stepsOfBytes(end - at_));
        if (end == std::string::npos || !args_.asDict())
            return wrongFormat("%(name) needs a dictionary");
        const Value* found = args_.asDict()->find(pattern_.bytes().substr(at_ + 1, end - at_ - 1));
        if (!found) return wrongFormat("%(name) names a key that does not exist");
        at_ = end + 1;
        return std::optional<Value>(*found);
    }

    void flags(Layout& layout) {
        for (;; ++at_) {
            const char c = peek();
            if (c == '-')
                layout.align = '<';
            else if (c == '0' && layout.align == 0) {
                layout.align = '=';
                layout.fill = "0";
            } else if (c == '+' || (c == ' ' && layout.sign != '+'))
                layout.sign = c;
            else if (c == '#')
                layout.alternate = true;
            else if (c != '0' && c != ' ')
                break;
        }
        if (layout.align == '<') layout.fill = " ";
    }

    Status directive() {
        Layout layout;
        LACUNA_TRY(std::optional<Value> value, keyed());
        flags(layout);
        LACUNA_TRY(const auto width, number());
        layout.width = width.value_or(0);
        if (peek() == '.') {
            ++at_;
            LACUNA_TRY(const auto precision, number());
            layout.precision = precision.value_or(0);
        }
        while (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
        layout.type = peek();
        ++at_;
        if (layout.type == '%') {
            out_.append("%");
            return {};
        }
        if (!value) {
            LACUNA_TRY(value, nextValue());
        }
        LACUNA_TRY(const MarkedText text, converted(*value, layout));
        out_.append(text);
        return {};
    }

    Result<MarkedText> converted(const Value& value, Layout layout) {
        const char type = layout.type;
        if (type == 's' || type == 'r' || type == 'a') {
            LACUNA_TRY(MarkedText text, type == 's' ? toText(value, work_) : toRepr(value, work_));
            if (layout.align == 0) layout.align = '>';
            if (layout.align == '=')
                layout = {.align = '>', .width = layout.width, .precision = layout.precision};
            return laidOutText(std::move(text), layout);
        }
        if (type == 'c' && value.asText()) return laidOutText(*value.asText(), layout);
        if (type == '\0' || std::string_view("diuoxXeEfFgG").find(type) == std::string_view::npos)
            return wrongFormat(format("\"%{}\" is not supported", type));
        if (!value.isNumber())
            return wrongFormat(
                format("\"%{}\" needs a number; found a {}", type, value.kindName()));
        if (layout.precision && *layout.precision > kMaxPrecision)
            return fail(ErrorCode::TplLimit, "formatting: a precision is above 100");
        const bool whole = std::string_view("diu").find(type) != std::string_view::npos;
        if (whole) layout.type = 'd';
        if (!whole && std::string_view("oxX").find(type) == std::string_view::npos)
            return laidOutNumber(value, layout);
        if (!whole && !value.isWhole()) return wrongFormat("a base needs an integer");
        if (value.asBigInteger()) return laidOutNumber(value, layout);
        return laidOutNumber(Value::integer(value.toInteger()), layout);
    }

    const MarkedText& pattern_;
    const Value& args_;
    WorkBudget* work_;
    List values_;
    std::size_t next_ = 0;
    std::size_t at_ = 0;
    MarkedText out_;
};

class BraceFormat {
  public:
    BraceFormat(const MarkedText& pattern, const CallArgs& args) : pattern_(pattern), args_(args) {}

    Result<Value> run() {
        const std::string& bytes = pattern_.bytes();
        for (std::size_t at = 0; at < bytes.size() && spend(args_.work);) {
            const std::size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
            out_.append(pattern_.slice(at, brace));
            if (brace == bytes.size()) break;
            if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
                out_.append(pattern_.slice(brace, brace + 1));
                at = brace + 2;
                continue;
            }
            const std::size_t end = bytes.find('}', brace);
            if (bytes[brace] == '}' || end == std::string::npos)
                return wrongFormat("the pattern has a single brace");
            LACUNA_TRY_STATUS(field(std::string_view(bytes).substr(brace + 1, end - brace - 1)));
            LACUNA_TRY_STATUS(checkTextSize(out_.size()));
            at = end + 1;
        }
        return Value::text(std::move(out_));
    }

  private:
    Status field(std::string_view text) {
        const std::string_view head = text.substr(0, text.find(':'));
        const std::string_view spec =
            head.size() < text.size() ? text.substr(head.size() + 1) : std::string_view();
        if (spec.find('{') != std::string_view::npos)
            return fail(ErrorCode::TplUnsupported, "a field inside a field is not supported");
        const std::string_view name = head.substr(0, head.find('!'));
        LACUNA_TRY(Value value, named(name));
        if (name.size() < head.size() && head.substr(name.size()) != "!s") {
            LACUNA_TRY(MarkedText shown, toRepr(value, args_.work));
            value = Value::text(std::move(shown));
        }
        LACUNA_TRY(const MarkedText written, laidOut(value, spec, args_.work));
        out_.append(written);
        return {};
    }

    /// Resolves a field name: `0`, `name` or empty, followed by `.attribute` or `[index]`.
    Result<Value> named(std::string_view name) {
        const std::string_view first = name.substr(0, name.find_first_of(".["));
        LACUNA_TRY(Value value, argument(first));
        for (std::string_view rest = name.substr(first.size()); !rest.empty();) {
            const bool bracket = rest[0] == '[';
            const std::size_t end = bracket ? rest.find(']') : rest.find_first_of(".[", 1);
            if (bracket && end == std::string_view::npos) return wrongFormat("[ without ]");
            const std::string_view key = rest.substr(1, std::min(end, rest.size()) - 1);
            const Value path = Value::text(std::string(key));
            LACUNA_TRY(value, bracket ? atPath(value, path, args_.work) : attributeOf(value, key));
            rest.remove_prefix(std::min(end + (bracket ? 1 : 0), rest.size()));
        }
        return value;
    }

    Result<Value> argument(std::string_view name) {
        std::size_t at = 0;
        LACUNA_TRY(const auto number, digitsAt(name, at));
        if (name.empty() || number) {
            const std::size_t place = number ? static_cast<std::size_t>(*number) : next_++;
            if (place >= args_.positional.size()) return wrongFormat("not enough arguments");
            return args_.positional[place];
        }
        const Value* value = args_.find(kNamedOnly, name);
        if (!value) return wrongFormat(format("there is no argument \"{}\"", name));
        return *value;
    }

    const MarkedText& pattern_;
    const CallArgs& args_;
    std::size_t next_ = 0;
    MarkedText out_;
};

}  // namespace

Result<Value> percentFormat(const MarkedText& pattern, const Value& args, WorkBudget* work) {
    return PercentFormat(pattern, args, work).run();
}

Result<Value> braceFormat(const MarkedText& pattern, const CallArgs& args) {
    return BraceFormat(pattern, args).run();
}

}  // namespace lacuna::jinja
