#include <utf8proc.h>

#include <algorithm>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/text/unicode.h"

// Methods of Python strings on marked text.

namespace lacuna::jinja {
namespace {

using Method = Result<Value> (*)(const MarkedText& text, const CallArgs& args);

tl::unexpected<Error> missing() {
    return fail(ErrorCode::TplRuntime, "an argument is missing");
}

// --- searching ---

/// Part of a text selected by the arguments `start` and `end`, and its position.
struct Window {
    ByteRange bytes;
    std::int64_t start = 0;  ///< in characters
};

/// nullopt if `start` is after the end.
Result<std::optional<Window>> windowOf(const MarkedText& text, const CallArgs& args) {
    if (args.positional.size() < 2) return std::optional<Window>({{0, text.size()}, 0});
    const std::vector<ByteRange> characters = text.characters();
    const auto length = static_cast<std::int64_t>(characters.size());
    const auto clamped = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length);
    };
    LACUNA_TRY(const auto start, args.integer(1, "start"));
    LACUNA_TRY(const auto end, args.integer(2, "end"));
    const std::int64_t from = clamped(start.value_or(0));
    const std::int64_t to = clamped(end.value_or(length));
    if (start.value_or(0) > length || from > to) return std::optional<Window>();
    const auto byteAt = [&](std::int64_t at) {
        return at == length ? text.size() : characters[static_cast<std::size_t>(at)].begin;
    };
    return std::optional<Window>({{byteAt(from), byteAt(to)}, from});
}

std::int64_t charactersIn(std::string_view bytes) {
    return static_cast<std::int64_t>(MarkedText(std::string(bytes)).characterCount());
}

/// Returns the position of a text in another, in characters; -1 if it does not occur.
Result<std::int64_t> placeOf(const MarkedText& text, const CallArgs& args, StripSide from) {
    LACUNA_TRY(const auto wanted, args.text(0, "sub"));
    if (!wanted) return missing();
    LACUNA_TRY(const auto window, windowOf(text, args));
    if (!window) return -1;
    const auto [bytes, start] = *window;
    const std::string_view body =
        std::string_view(text.bytes()).substr(bytes.begin, bytes.end - bytes.begin);
    spend(args.work, body.size() / 4);
    const std::size_t at = from == StripSide::Left ? findFirst(body, wanted->bytes())
                                                   : findLast(body, wanted->bytes());
    if (at == std::string_view::npos) return -1;
    return start + charactersIn(body.substr(0, at));
}

template <StripSide side>
Result<Value> find(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const std::int64_t at, placeOf(text, args, side));
    return Value::integer(at);
}

template <StripSide side>
Result<Value> index(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const std::int64_t at, placeOf(text, args, side));
    if (at < 0) return fail(ErrorCode::TplRuntime, "substring not found");
    return Value::integer(at);
}

Result<Value> count(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto wanted, args.text(0, "sub"));
    if (!wanted) return missing();
    LACUNA_TRY(const auto window, windowOf(text, args));
    if (!window) return Value::integer(0);
    const std::string_view body =
        std::string_view(text.bytes())
            .substr(window->bytes.begin, window->bytes.end - window->bytes.begin);
    if (wanted->empty()) return Value::integer(charactersIn(body) + 1);
    const auto places = visibleIndices(body, wanted->bytes(), -1, args.work);
    return Value::integer(std::ssize(places));
}

/// startswith and endswith, with a text or a tuple of texts.
template <StripSide side>
Result<Value> hasEdge(const MarkedText& text, const CallArgs& args) {
    const Value* wanted = args.find(0, "prefix");
    if (!wanted) return missing();
    LACUNA_TRY(const auto window, windowOf(text, args));
    const List one = wanted->asList() ? List() : List{*wanted};
    for (const Value& candidate : wanted->asList() ? *wanted->asList() : one) {
        const MarkedText* edge = candidate.asText();
        if (!edge)
            return fail(ErrorCode::TplRuntime,
                        format("expected a string, found a {}", candidate.kindName()));
        if (!window || !spend(args.work, stepsOfBytes(edge->size()))) continue;
        const std::string_view body =
            std::string_view(text.bytes())
                .substr(window->bytes.begin, window->bytes.end - window->bytes.begin);
        if (side == StripSide::Left ? body.starts_with(edge->bytes())
                                    : body.ends_with(edge->bytes()))
            return Value::boolean(true);
    }
    return Value::boolean(false);
}

// --- splitting ---

template <StripSide side>
Result<Value> strip(const MarkedText& text, const CallArgs& args) {
    std::optional<MarkedText> characters;
    const Value* given = args.find(0, "chars");
    if (given && !given->isNone()) {
        LACUNA_TRY(characters, args.text(0, "chars"));
    }
    return Value::text(stripped(text, side, characters, args.work));
}

template <StripSide side>
Result<Value> split(const MarkedText& text, const CallArgs& args) {
    std::optional<MarkedText> separator;
    const Value* given = args.find(0, "sep");
    if (given && !given->isNone()) {
        LACUNA_TRY(separator, args.text(0, "sep"));
    }
    LACUNA_TRY(const auto limit, args.integer(1, "maxsplit"));
    return side == StripSide::Left ? splitFromLeft(text, separator, limit.value_or(-1), args.work)
                                   : splitFromRight(text, separator, limit.value_or(-1), args.work);
}

Result<Value> splitLines(const MarkedText& text, const CallArgs& args) {
    const bool keep = args.flag(0, "keepends", false);
    LACUNA_TRY(List lines, linesOf(text, keep ? LineEnds::Keep : LineEnds::Drop, args.work));
    return Value::list(std::move(lines));
}

template <StripSide side>
Result<Value> partition(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto separator, args.text(0, "sep"));
    if (!separator || separator->empty())
        return fail(ErrorCode::TplRuntime, "partition needs a separator");
    const std::string& bytes = text.bytes();
    spend(args.work, bytes.size() / 4);
    const std::size_t at = side == StripSide::Left ? findFirst(bytes, separator->bytes())
                                                   : findLast(bytes, separator->bytes());
    const Value whole = Value::text(text);
    const Value none = Value::text(std::string());
    if (at == std::string::npos)
        return Value::list(
            side == StripSide::Left ? List{whole, none, none} : List{none, none, whole},
            ListKind::Tuple);
    const std::size_t behind = at + separator->size();
    return Value::list({Value::text(text.slice(0, at)), Value::text(text.slice(at, behind)),
                        Value::text(text.slice(behind, text.size()))},
                       ListKind::Tuple);
}

template <StripSide side>
Result<Value> removeEdge(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto edge, args.text(0, side == StripSide::Left ? "prefix" : "suffix"));
    if (!edge) return missing();
    const std::size_t length = edge->size();
    if (side == StripSide::Left && text.bytes().starts_with(edge->bytes()))
        return Value::text(text.slice(length, text.size()));
    if (side == StripSide::Right && text.bytes().ends_with(edge->bytes()))
        return Value::text(text.slice(0, text.size() - length));
    return Value::text(text);
}

// --- changing ---

Result<Value> replace(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto from, args.text(0, "old"));
    LACUNA_TRY(const auto to, args.text(1, "new"));
    LACUNA_TRY(const auto limit, args.integer(2, "count"));
    if (!from || !to) return fail(ErrorCode::TplRuntime, "replace needs two texts");
    LACUNA_TRY(MarkedText out, replaced(text, *from, *to, limit.value_or(-1), args.work));
    return Value::text(std::move(out));
}

Result<Value> join(const MarkedText& text, const CallArgs& args) {
    if (args.positional.size() != 1) return missing();
    LACUNA_TRY(const Value::ListPtr items, elements(args.positional[0], args.work));
    for (const Value& item : *items)
        if (!item.asText())
            return fail(ErrorCode::TplRuntime,
                        format("join of strings found a {}", item.kindName()));
    LACUNA_TRY(MarkedText out, joinedText(*items, text, args.work));
    return Value::text(std::move(out));
}

template <LetterCase letterCase>
Result<Value> recased(const MarkedText& text, const CallArgs& args) {
    return Value::text(inCase(text, letterCase, args.work));
}

template <Align align>
Result<Value> pad(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto width, args.integer(0, "width"));
    LACUNA_TRY(const auto fill, args.text(1, "fillchar"));
    if (!width) return missing();
    if (fill && fill->characters().size() != 1)
        return fail(ErrorCode::TplRuntime, "the fill character is not one character");
    LACUNA_TRY(MarkedText out, padded(text, *width, align, fill ? fill->bytes() : " "));
    return Value::text(std::move(out));
}

Result<Value> zeroFill(const MarkedText& text, const CallArgs& args) {
    LACUNA_TRY(const auto width, args.integer(0, "width"));
    if (!width) return missing();
    const bool sign = text.bytes().starts_with('-') || text.bytes().starts_with('+');
    MarkedText out = text.slice(0, sign ? 1 : 0);
    LACUNA_TRY(const MarkedText digits, padded(text.slice(sign ? 1 : 0, text.size()),
                                               *width - (sign ? 1 : 0), Align::Right, "0"));
    out.append(digits);
    return Value::text(std::move(out));
}

// --- predicates ---

utf8proc_category_t categoryOf(char32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}
bool isLetter(char32_t c) {
    const auto category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}
bool isDigit(char32_t c) {
    return categoryOf(c) == UTF8PROC_CATEGORY_ND;
}
bool isAlphanumeric(char32_t c) {
    const auto category = categoryOf(c);
    return isLetter(c) || (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}
bool isAscii(char32_t c) {
    return c < 0x80;
}

template <bool (*fits)(char32_t), bool whenEmpty>
Result<Value> all(const MarkedText& text, const CallArgs& args) {
    for (const ByteRange c : text.characters()) {
        if (!spend(args.work)) break;
        const Utf8Char character = utf8CharAt(text.bytes(), c.begin);
        if (character.form != Utf8Char::Form::Whole || !fits(character.codePoint))
            return Value::boolean(false);
    }
    return Value::boolean(whenEmpty || !text.empty());
}

template <LetterCase letterCase>
Result<Value> isIn(const MarkedText& text, const CallArgs& args) {
    const bool cased = inCase(text, LetterCase::Upper, args.work).bytes() !=
                       inCase(text, LetterCase::Lower, args.work).bytes();
    return Value::boolean(cased && inCase(text, letterCase, args.work).bytes() == text.bytes());
}

const std::map<std::string_view, Method>& methods() {
    static const std::map<std::string_view, Method> table = {
        {"capitalize", recased<LetterCase::Capital>},
        {"casefold", recased<LetterCase::Lower>},
        {"center", pad<Align::Center>},
        {"count", count},
        {"endswith", hasEdge<StripSide::Right>},
        {"find", find<StripSide::Left>},
        {"format", [](const MarkedText& t, const CallArgs& a) { return braceFormat(t, a); }},
        {"index", index<StripSide::Left>},
        {"isalnum", all<isAlphanumeric, false>},
        {"isalpha", all<isLetter, false>},
        {"isascii", all<isAscii, true>},
        {"isdecimal", all<isDigit, false>},
        {"isdigit", all<isDigit, false>},
        {"islower", isIn<LetterCase::Lower>},
        {"isnumeric", all<isDigit, false>},
        {"isspace", all<isSpace, false>},
        {"istitle", isIn<LetterCase::Title>},
        {"isupper", isIn<LetterCase::Upper>},
        {"join", join},
        {"ljust", pad<Align::Left>},
        {"lower", recased<LetterCase::Lower>},
        {"lstrip", strip<StripSide::Left>},
        {"partition", partition<StripSide::Left>},
        {"removeprefix", removeEdge<StripSide::Left>},
        {"removesuffix", removeEdge<StripSide::Right>},
        {"replace", replace},
        {"rfind", find<StripSide::Right>},
        {"rindex", index<StripSide::Right>},
        {"rjust", pad<Align::Right>},
        {"rpartition", partition<StripSide::Right>},
        {"rsplit", split<StripSide::Right>},
        {"rstrip", strip<StripSide::Right>},
        {"split", split<StripSide::Left>},
        {"splitlines", splitLines},
        {"startswith", hasEdge<StripSide::Left>},
        {"strip", strip<StripSide::Both>},
        {"swapcase", recased<LetterCase::Swapped>},
        {"title", recased<LetterCase::Title>},
        {"upper", recased<LetterCase::Upper>},
        {"zfill", zeroFill},
    };
    return table;
}

}  // namespace

Result<Value> callTextMethod(const MarkedText& text, std::string_view name, const CallArgs& args) {
    const auto found = methods().find(name);
    if (found != methods().end()) return found->second(text, args);
    return fail(ErrorCode::TplUnsupported,
                format("the string method \"{}\" is not supported", name));
}

}  // namespace lacuna::jinja
