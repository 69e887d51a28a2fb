#include "engine/template/jinja_layout.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/text/unicode.h"

namespace lacuna::jinja {
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

/// The magnitude of an integer in a base, without a prefix.
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

/// The magnitude of a float as C prints it.
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

/// `[[fill]align][sign][#][0][width][,][.precision][type]`
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
        if (!layout.precision) return wrongFormat("a precision without digits");
        if (*layout.precision > kMaxPrecision)
            return fail(ErrorCode::TplLimit, "formatting: a precision over 100");
    }
    if (at < spec.size()) layout.type = spec[at++];
    if (at < spec.size() || (layout.type != 0 && !isOneOf(layout.type, "sdboxXneEfFgG%")))
        return wrongFormat(format("the layout \"{}\" is not understood", spec));
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
        return fail(ErrorCode::TplLimit, "formatting: a width with too many digits");
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
    if (layout.align == '=') return wrongFormat("\"=\" aligns numbers only");
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
        if (based && !value.isWhole()) return wrongFormat("an integer's layout for a float");
        return laidOutNumber(value, layout);
    }
    if (!value.asText() && !plainBool)
        return wrongFormat(format("a layout for a {}", value.kindName()));
    if (layout.type != 0 && layout.type != 's')
        return wrongFormat("a number's layout for a string");
    LACUNA_TRY(MarkedText text, toText(value, work));
    Layout forText = layout;
    if (forText.align == '=' && forText.fill == "0") forText.align = '<';
    return laidOutText(std::move(text), forText);
}

}  // namespace lacuna::jinja
