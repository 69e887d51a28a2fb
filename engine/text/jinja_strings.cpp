#include <utf8proc.h>

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/text/jinja_calls.h"
#include "engine/text/unicode.h"

// The methods of a Python string, on marked text.

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxParts = 1'000'000;

char32_t codePointOf(std::string_view character) {
    return utf8CharAt(character, 0).codePoint;
}

std::string changed(std::string_view character, bool toUpper) {
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form != Utf8Char::Form::Whole) return std::string(character);
    const auto code = static_cast<utf8proc_int32_t>(c.codePoint);
    const utf8proc_int32_t other = toUpper ? utf8proc_toupper(code) : utf8proc_tolower(code);
    if (toUpper && c.codePoint == 0xDF) return "SS";  // the one common letter that becomes two
    return utf8Encode(static_cast<char32_t>(other));
}

bool isLetter(std::string_view character) {
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form != Utf8Char::Form::Whole) return false;
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c.codePoint));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool mayStrip(std::string_view character, const std::optional<MarkedText>& characters) {
    if (!characters) {
        const Utf8Char c = utf8CharAt(character, 0);
        return c.form == Utf8Char::Form::Whole && isSpace(c.codePoint);
    }
    return characters->bytes().find(character) != std::string::npos;
}

/// Split at white space, or at a separator; `limit` < 0: everywhere.
Result<Value> split(const MarkedText& text, const std::optional<MarkedText>& separator,
                    std::int64_t limit) {
    List parts;
    const std::string& bytes = text.bytes();
    if (separator) {
        if (separator->empty()) return fail(ErrorCode::TplRuntime, "split by an empty separator");
        std::size_t begin = 0;
        while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
            const std::size_t end = bytes.find(separator->bytes(), begin);
            if (end == std::string::npos) break;
            parts.push_back(Value::text(text.slice(begin, end)));
            begin = end + separator->size();
            if (parts.size() > kMaxParts) return fail(ErrorCode::TplLimit, "too many parts");
        }
        parts.push_back(Value::text(text.slice(begin, bytes.size())));
        return Value::list(std::move(parts));
    }
    const MarkedText body = stripped(text, StripSide::Left, std::nullopt);
    std::size_t begin = 0;
    bool inWord = false;
    for (const ByteRange c : body.characters()) {
        const bool space =
            mayStrip(std::string_view(body.bytes()).substr(c.begin, c.end - c.begin), std::nullopt);
        if (!space && !inWord) {
            if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
                parts.push_back(Value::text(
                    stripped(body.slice(c.begin, body.size()), StripSide::Right, std::nullopt)));
                return Value::list(std::move(parts));
            }
            begin = c.begin;
        }
        if (space && inWord) parts.push_back(Value::text(body.slice(begin, c.begin)));
        if (parts.size() > kMaxParts) return fail(ErrorCode::TplLimit, "too many parts");
        inWord = !space;
    }
    if (inWord) parts.push_back(Value::text(body.slice(begin, body.size())));
    return Value::list(std::move(parts));
}

Result<Value> splitFromRight(const MarkedText& text, const std::optional<MarkedText>& separator,
                             std::int64_t limit) {
    if (limit < 0) return split(text, separator, limit);
    if (!separator || separator->empty())
        return fail(ErrorCode::TplUnsupported, "rsplit with a limit needs a separator");
    List parts;
    std::size_t end = text.size();
    while (static_cast<std::int64_t>(parts.size()) < limit && end >= separator->size()) {
        const std::size_t at = text.bytes().rfind(separator->bytes(), end - separator->size());
        if (at == std::string::npos) break;
        parts.push_back(Value::text(text.slice(at + separator->size(), end)));
        end = at;
    }
    parts.push_back(Value::text(text.slice(0, end)));
    std::reverse(parts.begin(), parts.end());
    return Value::list(std::move(parts));
}

Value splitLines(const MarkedText& text) {
    List lines;
    const std::string& bytes = text.bytes();
    for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
        lines.push_back(Value::text(text.slice(begin, end)));
        const bool pair = bytes.compare(end, 2, "\r\n") == 0;
        begin = end + (pair ? 2 : 1);
    }
    return Value::list(std::move(lines));
}

/// startswith and endswith: a text, or a list of them.
Result<Value> hasEdge(const MarkedText& text, const CallArgs& args, StripSide side) {
    const auto fits = [&](const Value& candidate) -> Result<bool> {
        const MarkedText* edge = candidate.asText();
        if (!edge)
            return fail(ErrorCode::TplRuntime,
                        format("expected a string, found a {}", candidate.kindName()));
        return side == StripSide::Left ? text.bytes().starts_with(edge->bytes())
                                       : text.bytes().ends_with(edge->bytes());
    };
    const Value* wanted = args.find(0, "prefix");
    if (!wanted) return fail(ErrorCode::TplRuntime, "an argument is missing");
    const List* list = wanted->asList();
    const List one = list ? List() : List{*wanted};
    for (const Value& candidate : list ? *list : one) {
        LACUNA_TRY(const bool yes, fits(candidate));
        if (yes) return Value::boolean(true);
    }
    return Value::boolean(false);
}

/// find, rfind, count: places are counted in characters.
Result<Value> search(const MarkedText& text, std::string_view name, const CallArgs& args) {
    LACUNA_TRY(const auto wanted, args.text(0, "sub"));
    if (!wanted || args.positional.size() > 1)
        return fail(ErrorCode::TplUnsupported, format("{} with these arguments", name));
    const std::string& bytes = text.bytes();
    if (name == "count") {
        if (wanted->empty()) return fail(ErrorCode::TplUnsupported, "count of an empty text");
        std::int64_t count = 0;
        for (std::size_t at = bytes.find(wanted->bytes()); at != std::string::npos;
             at = bytes.find(wanted->bytes(), at + wanted->size()))
            ++count;
        return Value::integer(count);
    }
    const std::size_t at =
        name == "find" ? bytes.find(wanted->bytes()) : bytes.rfind(wanted->bytes());
    if (at == std::string::npos) return Value::integer(-1);
    return Value::integer(static_cast<std::int64_t>(text.slice(0, at).characters().size()));
}

Value allCharacters(const MarkedText& text, bool (*fits)(char32_t)) {
    for (const ByteRange c : text.characters())
        if (!fits(codePointOf(std::string_view(text.bytes()).substr(c.begin, c.end - c.begin))))
            return Value::boolean(false);
    return Value::boolean(!text.empty());
}

bool isDigitChar(char32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}
bool isSpaceChar(char32_t c) {
    return isSpace(c);
}

Result<Value> stripMethod(const MarkedText& text, StripSide side, const CallArgs& args) {
    std::optional<MarkedText> characters;
    const Value* given = args.find(0, "chars");
    if (given && !given->isNone()) {
        LACUNA_TRY(characters, args.text(0, "chars"));
    }
    return Value::text(stripped(text, side, characters));
}

Result<Value> splitMethod(const MarkedText& text, std::string_view name, const CallArgs& args) {
    std::optional<MarkedText> separator;
    const Value* given = args.find(0, "sep");
    if (given && !given->isNone()) {
        LACUNA_TRY(separator, args.text(0, "sep"));
    }
    LACUNA_TRY(const auto limit, args.integer(1, "maxsplit"));
    return name == "split" ? split(text, separator, limit.value_or(-1))
                           : splitFromRight(text, separator, limit.value_or(-1));
}

Result<Value> replaceMethod(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto from, args.text(0, "old"));
    LACUNA_TRY(const auto to, args.text(1, "new"));
    LACUNA_TRY(const auto limit, args.integer(2, "count"));
    if (!from || !to) return fail(ErrorCode::TplRuntime, "replace needs two texts");
    LACUNA_TRY(MarkedText out, replaced(text, *from, *to, limit.value_or(-1)));
    return Value::text(std::move(out));
}

Result<Value> removeEdge(const MarkedText& text, StripSide side, const CallArgs& args) {
    LACUNA_TRY(const auto edge, args.text(0, side == StripSide::Left ? "prefix" : "suffix"));
    if (!edge) return fail(ErrorCode::TplRuntime, "an argument is missing");
    const std::size_t length = edge->size();
    if (side == StripSide::Left && text.bytes().starts_with(edge->bytes()))
        return Value::text(text.slice(length, text.size()));
    if (side == StripSide::Right && text.bytes().ends_with(edge->bytes()))
        return Value::text(text.slice(0, text.size() - length));
    return Value::text(text);
}

Result<Value> callTextMethod(const MarkedText& text, std::string_view name, const CallArgs& args) {
    if (name == "strip") return stripMethod(text, StripSide::Both, args);
    if (name == "lstrip") return stripMethod(text, StripSide::Left, args);
    if (name == "rstrip") return stripMethod(text, StripSide::Right, args);
    if (name == "startswith") return hasEdge(text, args, StripSide::Left);
    if (name == "endswith") return hasEdge(text, args, StripSide::Right);
    if (name == "split" || name == "rsplit") return splitMethod(text, name, args);
    if (name == "replace") return replaceMethod(text, args);
    if (name == "find" || name == "rfind" || name == "count") return search(text, name, args);
    if (name == "removeprefix") return removeEdge(text, StripSide::Left, args);
    if (name == "removesuffix") return removeEdge(text, StripSide::Right, args);
    if (name == "join" && args.positional.size() == 1) {
        LACUNA_TRY(const Value::ListPtr items, elements(args.positional[0]));
        LACUNA_TRY(MarkedText out, joinedText(*items, text));
        return Value::text(std::move(out));
    }
    if (args.empty()) {
        if (name == "upper") return Value::text(inCase(text, LetterCase::Upper));
        if (name == "lower") return Value::text(inCase(text, LetterCase::Lower));
        if (name == "title") return Value::text(inCase(text, LetterCase::Title));
        if (name == "capitalize") return Value::text(inCase(text, LetterCase::Capital));
        if (name == "splitlines") return splitLines(text);
        if (name == "isdigit") return allCharacters(text, isDigitChar);
        if (name == "isspace") return allCharacters(text, isSpaceChar);
    }
    return fail(ErrorCode::TplUnsupported,
                format("the string method \"{}\" with these arguments is not built here", name));
}

Result<Value> callDictMethod(const Dict& dict, std::string_view name, const CallArgs& args) {
    List out;
    if (name == "get" && !args.positional.empty()) {
        const MarkedText* key = args.positional[0].asText();
        if (const Value* found = key ? findKey(dict, key->bytes()) : nullptr) return *found;
        const Value* fallback = args.find(1, "default");
        return fallback ? *fallback : Value();
    }
    if (args.empty() && (name == "items" || name == "keys" || name == "values")) {
        for (const DictEntry& entry : dict) {
            if (name == "keys")
                out.push_back(Value::text(entry.key));
            else if (name == "values")
                out.push_back(entry.value);
            else
                out.push_back(Value::list({Value::text(entry.key), entry.value}));
        }
        return Value::list(std::move(out));
    }
    return fail(
        ErrorCode::TplUnsupported,
        format("the dictionary method \"{}\" with these arguments is not built here", name));
}

}  // namespace

MarkedText stripped(const MarkedText& text, StripSide side,
                    const std::optional<MarkedText>& characters) {
    const std::vector<ByteRange> all = text.characters();
    std::size_t begin = 0;
    std::size_t end = all.size();
    const auto strip = [&](std::size_t i) {
        return mayStrip(
            std::string_view(text.bytes()).substr(all[i].begin, all[i].end - all[i].begin),
            characters);
    };
    if (side != StripSide::Right)
        while (begin < end && strip(begin)) ++begin;
    if (side != StripSide::Left)
        while (end > begin && strip(end - 1)) --end;
    if (begin == end) return {};
    return text.slice(all[begin].begin, all[end - 1].end);
}

Result<MarkedText> replaced(const MarkedText& text, const MarkedText& from, const MarkedText& to,
                            std::int64_t limit) {
    MarkedText out;
    if (from.empty()) {  // before every character and at the end
        const std::vector<ByteRange> all = text.characters();
        std::int64_t done = 0;
        const auto insert = [&] {
            if (limit < 0 || done++ < limit) out.append(to);
            return checkTextSize(out.size());
        };
        for (const ByteRange c : all) {
            LACUNA_TRY_STATUS(insert());
            out.append(text.slice(c.begin, c.end));
        }
        LACUNA_TRY_STATUS(insert());
        return out;
    }
    std::size_t begin = 0;
    for (std::int64_t done = 0; limit < 0 || done < limit; ++done) {
        const std::size_t at = text.bytes().find(from.bytes(), begin);
        if (at == std::string::npos) break;
        out.append(text.slice(begin, at));
        out.append(to);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
        begin = at + from.size();
    }
    out.append(text.slice(begin, text.size()));
    LACUNA_TRY_STATUS(checkTextSize(out.size()));
    return out;
}

MarkedText inCase(const MarkedText& text, LetterCase letterCase) {
    bool wordStart = true;  // carried from one stretch to the next
    return text.mapped([&](std::string_view part) {
        std::string out;
        for (std::size_t at = 0; at < part.size();) {
            const Utf8Char c = utf8CharAt(part, at);
            const std::size_t length = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
            const std::string_view character = part.substr(at, length);
            const bool upper =
                letterCase == LetterCase::Upper || (letterCase != LetterCase::Lower && wordStart);
            out += changed(character, upper);
            wordStart = letterCase == LetterCase::Title && !isLetter(character);
            at += length;
        }
        return out;
    });
}

Result<MarkedText> joinedText(const List& items, const MarkedText& separator) {
    MarkedText out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out.append(separator);
        LACUNA_TRY(const MarkedText part, toText(items[i]));
        out.append(part);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    return out;
}

Result<Value> callMethod(const Value& object, std::string_view name, const CallArgs& args) {
    if (const MarkedText* text = object.asText()) return callTextMethod(*text, name, args);
    if (const Dict* dict = object.asDict()) return callDictMethod(*dict, name, args);
    if (object.isUndefined())
        return fail(ErrorCode::TplRuntime, format("\"{}\" is undefined, so it has no method \"{}\"",
                                                  std::get<Undefined>(object.held()).name, name));
    return fail(ErrorCode::TplUnsupported,
                format("the method \"{}\" of a {} is not built here", name, object.kindName()));
}

}  // namespace lacuna::jinja
