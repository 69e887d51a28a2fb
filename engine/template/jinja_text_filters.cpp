#include <utf8proc.h>

#include <algorithm>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/text/unicode.h"

// Filters on texts. As in Jinja, other values are converted to text first.

namespace lacuna::jinja {
namespace {

template <LetterCase letterCase>
Result<Value> recased(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    return textLike(input, inCase(text, letterCase, args.work));
}

/// Upper-cases letters after white space, a hyphen or an opening bracket, and lower-cases the
/// others.
Result<Value> titled(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    MarkedText out;
    bool wordStart = true;
    for (std::size_t at = 0; at < text.size() && spend(args.work, 4);) {
        const Utf8Char character = utf8CharAt(text.bytes(), at);
        const bool whole = character.form == Utf8Char::Form::Whole;
        const MarkedText one = text.slice(at, at + (whole ? character.bytes : 1));
        at += one.size();
        const bool breaks =
            whole && (isSpace(character.codePoint) || one.bytes().find_first_of("-({[<") == 0);
        out.append(inCase(one, wordStart ? LetterCase::Upper : LetterCase::Lower, args.work));
        wordStart = breaks;
    }
    return Value::text(std::move(out));
}

Result<Value> centered(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    LACUNA_TRY(const auto width, args.integer(0, "width"));
    LACUNA_TRY(MarkedText out, padded(text, width.value_or(80), Align::Center));
    return Value::text(std::move(out));
}

Result<Value> safe(const Value& input, const CallArgs& args) {
    LACUNA_TRY(MarkedText text, toText(input, args.work));
    return Value::markup(std::move(text));
}

Result<Value> escaped(const Value& input, const CallArgs& args) {
    if (input.isMarkup()) return input;
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    spend(args.work, text.size());
    return Value::markup(escapedForHtml(text));
}

Result<Value> escapedAgain(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    spend(args.work, text.size());
    return Value::markup(escapedForHtml(text));
}

Result<Value> plainText(const Value& input, const CallArgs& args) {
    LACUNA_TRY(MarkedText text, toText(input, args.work));
    return textLike(input, std::move(text));
}

/// Evaluates `pattern | format(a, b)` and `pattern | format(name=a)`.
Result<Value> formatted(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText pattern, toText(input, args.work));
    if (!args.positional.empty() && !args.named.empty())
        return fail(ErrorCode::TplRuntime,
                    "the filter \"format\" takes either named or positional arguments");
    if (args.named.empty())
        return percentFormat(pattern, Value::list(args.positional, ListKind::Tuple), args.work);
    Dict named;
    for (const auto& [name, value] : args.named) named.set(name, value);
    return percentFormat(pattern, Value::dict(std::move(named)), args.work);
}

Result<MarkedText> indentOf(const CallArgs& args) {
    constexpr std::int64_t kMaxWidth = 256;
    const Value* given = args.find(0, "width");
    if (given && given->asText()) return *given->asText();
    LACUNA_TRY(const auto width, args.integer(0, "width"));
    if (width.value_or(0) > kMaxWidth)
        return fail(ErrorCode::TplRuntime,
                    format("an indent is {}; expected at most {}", *width, kMaxWidth));
    const std::int64_t spaces = std::max<std::int64_t>(0, width.value_or(4));
    return MarkedText(std::string(static_cast<std::size_t>(spaces), ' '));
}

Result<Value> indented(const Value& input, const CallArgs& args) {
    LACUNA_TRY(MarkedText text, toText(input, args.work));
    LACUNA_TRY(const MarkedText pad, indentOf(args));
    const bool blanks = args.flag(2, "blank", false);
    MarkedText out = args.flag(1, "first", false) ? pad : MarkedText();
    text.append("\n");  // makes an empty last line count
    LACUNA_TRY(const List lines, linesOf(text, LineEnds::Drop, args.work));
    bool first = true;
    for (const Value& line : lines) {
        if (!first) out.append("\n");
        if (!first && (blanks || !line.asText()->empty())) out.append(pad);
        out.append(*line.asText());
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
        first = false;
    }
    return Value::text(std::move(out));
}

Result<Value> replace(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    const Value* old = args.find(0, "old");
    const Value* other = args.find(1, "new");
    LACUNA_TRY(const auto limit, args.integer(2, "count"));
    if (!old || !other)
        return fail(ErrorCode::TplRuntime, "the filter \"replace\" needs two texts");
    LACUNA_TRY(const MarkedText from, toText(*old, args.work));
    LACUNA_TRY(const MarkedText to, toText(*other, args.work));
    LACUNA_TRY(MarkedText out, replaced(text, from, to, limit.value_or(-1), args.work));
    return Value::text(std::move(out));
}

Result<Value> trimmed(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    std::optional<MarkedText> characters;
    const Value* given = args.find(0, "chars");
    if (given && !given->isNone()) {
        LACUNA_TRY(characters, args.text(0, "chars"));
    }
    return textLike(input, stripped(text, StripSide::Both, characters, args.work));
}

Result<Value> truncated(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    LACUNA_TRY(const auto length, args.integer(0, "length"));
    LACUNA_TRY(const auto ending, args.text(2, "end"));
    LACUNA_TRY(const auto leeway, args.integer(3, "leeway"));
    const MarkedText end = ending.value_or(MarkedText(std::string("...")));
    const std::vector<ByteRange> characters = text.characters();
    const std::int64_t kept = length.value_or(255) - std::ssize(end.characters());
    if (kept < 0 || leeway.value_or(5) < 0)
        return fail(ErrorCode::TplRuntime, "truncate: the length is shorter than its ending");
    if (std::ssize(characters) <= length.value_or(255) + leeway.value_or(5))
        return Value::text(text);
    MarkedText out =
        text.slice(0, kept == 0 ? 0 : characters[static_cast<std::size_t>(kept) - 1].end);
    if (!args.flag(1, "killwords", false))
        out = out.slice(0, std::min(out.bytes().rfind(' '), out.size()));
    out.append(end);
    return Value::text(std::move(out));
}

enum class UrlPart { Path, Query };

std::string quotedForUrl(std::string_view text, UrlPart part) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("_.-~").find(c) != std::string_view::npos ||
                           (part == UrlPart::Path && c == '/');
        if (plain)
            out += c;
        else if (part == UrlPart::Query && c == ' ')
            out += '+';
        else
            out += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

Result<MarkedText> urlText(const Value& value, UrlPart part, WorkBudget* work) {
    LACUNA_TRY(const MarkedText text, toText(value, work));
    spend(work, text.size());
    return text.mapped([&](std::string_view piece) { return quotedForUrl(piece, part); });
}

/// Encodes a text, or pairs as a query string.
Result<Value> urlEncoded(const Value& input, const CallArgs& args) {
    if (!input.asList() && !input.asDict()) {
        LACUNA_TRY(MarkedText text, urlText(input, UrlPart::Path, args.work));
        return Value::text(std::move(text));
    }
    Value pairs = input;
    if (input.asDict()) {
        LACUNA_TRY(pairs,
                   callMethod(input, "items", {.positional = {}, .named = {}, .work = args.work}));
    }
    MarkedText out;
    for (const Value& pair : *pairs.asList()) {
        LACUNA_TRY(const Value::ListPtr parts, elements(pair, args.work));
        if (parts->size() != 2) return fail(ErrorCode::TplRuntime, "urlencode needs pairs");
        if (!out.empty()) out.append("&");
        LACUNA_TRY(const MarkedText key, urlText((*parts)[0], UrlPart::Query, args.work));
        LACUNA_TRY(const MarkedText value, urlText((*parts)[1], UrlPart::Query, args.work));
        out.append(key);
        out.append("=");
        out.append(value);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    return Value::text(std::move(out));
}

/// Counts runs of letters, digits and underscores.
Result<Value> wordCount(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const MarkedText text, toText(input, args.work));
    std::int64_t words = 0;
    bool inWord = false;
    for (std::size_t at = 0; at < text.size() && spend(args.work);) {
        const Utf8Char character = utf8CharAt(text.bytes(), at);
        at += character.form == Utf8Char::Form::Whole ? character.bytes : 1;
        const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(character.codePoint));
        const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
        const bool digit = category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
        const bool word = letter || digit || character.codePoint == U'_';
        words += word && !inWord ? 1 : 0;
        inWord = word;
    }
    return Value::integer(words);
}

}  // namespace

Filter textFilter(std::string_view name) {
    static const std::map<std::string_view, Filter> table = {
        {"capitalize", recased<LetterCase::Capital>},
        {"center", centered},
        {"e", escaped},
        {"escape", escaped},
        {"forceescape", escapedAgain},
        {"format", formatted},
        {"indent", indented},
        {"lower", recased<LetterCase::Lower>},
        {"replace", replace},
        {"safe", safe},
        {"string", plainText},
        {"title", titled},
        {"trim", trimmed},
        {"truncate", truncated},
        {"upper", recased<LetterCase::Upper>},
        {"urlencode", urlEncoded},
        {"wordcount", wordCount},
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace lacuna::jinja
