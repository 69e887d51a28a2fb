#include <utf8proc.h>

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/template/jinja_value.h"
#include "engine/text/unicode.h"

// Conversion of values to text: plain, as Python's repr, and as JSON.

namespace lacuna::jinja {
namespace {

constexpr int kMaxPrintDepth = 64;

std::string floatText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::string text = format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

bool isPrintable(char32_t c) {
    if (c < 0x7F) return c >= 0x20;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_ZS:
            return false;
        default:  // the other thirty categories are printable
            return true;
    }
}

/// Returns \x, \u or \U, the shortest that fits.
std::string numericEscape(char32_t c) {
    const auto code = static_cast<std::uint32_t>(c);
    if (code < 0x100) return format("\\x{:02x}", code);
    return code < 0x10000 ? format("\\u{:04x}", code) : format("\\U{:08x}", code);
}

std::string escapedForRepr(std::string_view text, char quote) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        const bool whole = c.form == Utf8Char::Form::Whole;
        const std::size_t length = whole ? c.bytes : 1;
        const char first = text[at];
        if (first == quote || first == '\\')
            out.append({'\\', first});
        else if (first == '\n')
            out += "\\n";
        else if (first == '\r')
            out += "\\r";
        else if (first == '\t')
            out += "\\t";
        else if (whole && !isPrintable(c.codePoint))
            out += numericEscape(c.codePoint);
        else
            out += text.substr(at, length);
        at += length;
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

std::string asciiEscape(char32_t c) {
    const auto code = static_cast<std::uint32_t>(c);
    if (code < 0x10000) return format("\\u{:04x}", code);
    const std::uint32_t rest = code - 0x10000;
    return format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

std::string escapedForJson(std::string_view text, bool ascii) {
    constexpr std::string_view kLetters = "\"\\\n\r\t\b\f";
    constexpr std::string_view kEscapes = "\"\\nrtbf";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        const bool whole = c.form == Utf8Char::Form::Whole;
        const std::size_t length = whole ? c.bytes : 1;
        if (const auto which = kLetters.find(text[at]); which != std::string_view::npos)
            out.append({'\\', kEscapes[which]});
        else if (whole && (c.codePoint < 0x20 || (ascii && c.codePoint > 0x7E)))
            out += c.codePoint == 0x7F ? std::string(1, '\x7F') : asciiEscape(c.codePoint);
        else
            out += text.substr(at, length);
        at += length;
    }
    return out;
}

tl::unexpected<Error> tooDeep() {
    return fail(ErrorCode::TplLimit, format("a value is nested deeper than {}", kMaxPrintDepth));
}

Result<MarkedText> repr(const Value& value, int depth, WorkBudget* work);

Result<MarkedText> reprOfList(const Value& value, int depth, WorkBudget* work) {
    const List& list = *value.asList();
    const bool tuple = value.listKind() == ListKind::Tuple || value.listKind() == ListKind::Group;
    MarkedText out(std::string(tuple ? "(" : "["));
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) out.append(", ");
        LACUNA_TRY(const MarkedText element, repr(list[i], depth + 1, work));
        if (!spend(work, stepsOfBytes(element.size()))) return out;
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    if (tuple && list.size() == 1) out.append(",");
    out.append(tuple ? ")" : "]");
    return out;
}

Result<MarkedText> reprOfDict(const Dict& dict, int depth, WorkBudget* work) {
    MarkedText out(std::string("{"));
    for (const DictEntry& entry : dict.entries()) {
        if (out.size() > 1) out.append(", ");
        LACUNA_TRY(const MarkedText key, repr(entry.key, depth + 1, work));
        out.append(key);
        out.append(": ");
        LACUNA_TRY(const MarkedText element, repr(entry.value, depth + 1, work));
        if (!spend(work, stepsOfBytes(key.size() + element.size()))) return out;
        out.append(element);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    out.append("}");
    return out;
}

Result<MarkedText> repr(const Value& value, int depth, WorkBudget* work) {
    if (depth > kMaxPrintDepth) return tooDeep();
    if (const MarkedText* text = value.asText()) {
        spend(work, text->size());
        return quoted(*text);
    }
    if (value.asList()) return reprOfList(value, depth, work);
    if (const Dict* dict = value.asDict()) return reprOfDict(*dict, depth, work);
    if (value.isNone()) return MarkedText(std::string("None"));
    if (value.isUndefined()) return MarkedText(std::string("Undefined"));
    if (const bool* b = std::get_if<bool>(&value.held()))
        return MarkedText(std::string(*b ? "True" : "False"));
    if (const std::int64_t* i = value.asInteger()) return MarkedText(format("{}", *i));
    if (const std::string* digits = value.asBigInteger()) {
        spend(work, stepsOfBytes(digits->size()));
        return MarkedText(*digits);
    }
    if (const double* d = std::get_if<double>(&value.held())) return MarkedText(floatText(*d));
    return fail(ErrorCode::TplRuntime, format("a {} cannot be written", value.kindName()));
}

class JsonWriter {
  public:
    JsonWriter(const JsonStyle& style, WorkBudget* work) : style_(style), work_(work) {
        if (style.separators)
            std::tie(comma_, colon_) = *style.separators;
        else if (style.indent)
            comma_ = MarkedText(std::string(","));
    }

    Result<MarkedText> value(const Value& value, int depth) {
        if (depth > kMaxPrintDepth) return tooDeep();
        if (const MarkedText* text = value.asText()) return string(*text);
        if (const List* items = value.asList(); items && value.listKind() != ListKind::Stream)
            return list(*items, depth);
        if (const Dict* entries = value.asDict()) return dict(*entries, depth);
        return plain(value);
    }

  private:
    [[nodiscard]] MarkedText string(const MarkedText& text) const {
        spend(work_, text.size());
        MarkedText out(std::string("\""));
        out.append(
            text.mapped([&](std::string_view part) { return escapedForJson(part, style_.ascii); }));
        out.append("\"");
        return out;
    }

    static Result<MarkedText> plain(const Value& value) {
        if (value.isNone()) return MarkedText(std::string("null"));
        if (const bool* b = std::get_if<bool>(&value.held()))
            return MarkedText(std::string(*b ? "true" : "false"));
        const double* d = std::get_if<double>(&value.held());
        if (d && std::isnan(*d)) return MarkedText(std::string("NaN"));
        if (d && std::isinf(*d)) return MarkedText(std::string(*d < 0 ? "-Infinity" : "Infinity"));
        if (value.isNumber()) return repr(value, 0, nullptr);
        return fail(ErrorCode::TplRuntime,
                    format("a {} cannot be written as JSON", value.kindName()));
    }

    [[nodiscard]] Result<MarkedText> key(const Value& key) const {
        if (const MarkedText* text = key.asText()) return string(*text);
        LACUNA_TRY(const MarkedText text, plain(key));
        return string(text);
    }

    void breakLine(MarkedText& out, int depth) const {
        if (!style_.indent) return;
        out.append("\n");
        for (int i = 0; i < depth; ++i) out.append(*style_.indent);
    }

    Result<MarkedText> list(const List& items, int depth) {
        if (items.empty()) return MarkedText(std::string("[]"));
        MarkedText out(std::string("["));
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) out.append(comma_);
            breakLine(out, depth + 1);
            LACUNA_TRY(const MarkedText element, value(items[i], depth + 1));
            if (!spend(work_, stepsOfBytes(element.size()))) return out;
            out.append(element);
            LACUNA_TRY_STATUS(checkTextSize(out.size()));
        }
        breakLine(out, depth);
        out.append("]");
        return out;
    }

    static Status sortByName(std::vector<DictEntry>& entries) {
        for (const DictEntry& entry : entries)
            if (!entry.key.asText())
                return fail(
                    ErrorCode::TplRuntime,
                    format("only string keys can be sorted; one is a {}", entry.key.kindName()));
        std::sort(entries.begin(), entries.end(), [](const DictEntry& a, const DictEntry& b) {
            return a.key.asText()->bytes() < b.key.asText()->bytes();
        });
        return {};
    }

    Result<MarkedText> dict(const Dict& dict, int depth) {
        if (dict.empty()) return MarkedText(std::string("{}"));
        std::vector<DictEntry> entries = dict.entries();
        if (style_.sorted) {
            LACUNA_TRY_STATUS(sortByName(entries));
        }
        MarkedText out(std::string("{"));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i > 0) out.append(comma_);
            breakLine(out, depth + 1);
            LACUNA_TRY(const MarkedText name, key(entries[i].key));
            out.append(name);
            out.append(colon_);
            LACUNA_TRY(const MarkedText element, value(entries[i].value, depth + 1));
            if (!spend(work_, stepsOfBytes(name.size() + element.size()))) return out;
            out.append(element);
            LACUNA_TRY_STATUS(checkTextSize(out.size()));
        }
        breakLine(out, depth);
        out.append("}");
        return out;
    }

    const JsonStyle& style_;
    WorkBudget* work_;
    MarkedText comma_ = MarkedText(std::string(", "));
    MarkedText colon_ = MarkedText(std::string(": "));
};

}  // namespace

Result<MarkedText> toText(const Value& value, WorkBudget* work) {
    if (const MarkedText* text = value.asText()) {
        spend(work, stepsOfBytes(text->size()));
        return *text;
    }
    if (value.isUndefined()) return MarkedText();
    return repr(value, 0, work);
}

Result<MarkedText> toRepr(const Value& value, WorkBudget* work) {
    return repr(value, 0, work);
}

Result<MarkedText> toJson(const Value& value, const JsonStyle& style, WorkBudget* work) {
    return JsonWriter(style, work).value(value, 0);
}

}  // namespace lacuna::jinja
