#include <utf8proc.h>

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/text/unicode.h"

// Operations on marked text, shared by methods and filters.

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxParts = 1'000'000;

std::string changed(std::string_view character, bool toUpper) {
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form != Utf8Char::Form::Whole) return std::string(character);
    const auto code = static_cast<utf8proc_int32_t>(c.codePoint);
    const utf8proc_int32_t other = toUpper ? utf8proc_toupper(code) : utf8proc_tolower(code);
    if (toUpper && c.codePoint == 0xDF)
        return "SS";  // the only common letter whose upper case has two characters
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

std::string_view part(const MarkedText& text, ByteRange range) {
    return std::string_view(text.bytes()).substr(range.begin, range.end - range.begin);
}

/// Returns whether Python's splitlines splits here.
bool endsLine(std::string_view character) {
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form != Utf8Char::Form::Whole) return false;
    const char32_t code = c.codePoint;
    return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

/// Returns the byte ranges of words separated by white space.
std::vector<ByteRange> wordsOf(const MarkedText& text, WorkBudget* work) {
    std::vector<ByteRange> words;
    bool inWord = false;
    for (const ByteRange c : text.characters()) {
        if (!spend(work)) break;
        const bool space = mayStrip(part(text, c), std::nullopt);
        if (!space && !inWord) words.push_back(c);
        if (!space) words.back().end = c.end;
        inWord = !space;
    }
    return words;
}

/// Returns for each prefix length of a part the length of its longest border (Knuth, Morris and
/// Pratt 1977).
std::vector<std::size_t> bordersOf(std::string_view part) {
    std::vector<std::size_t> borders(part.size(), 0);
    for (std::size_t i = 1, held = 0; i < part.size(); ++i) {
        while (held > 0 && part[i] != part[held]) held = borders[held - 1];
        if (part[i] == part[held]) ++held;
        borders[i] = held;
    }
    return borders;
}

/// Returns the byte ranges between separators; at most `limit` splits, from the left or the right.
std::vector<ByteRange> piecesOf(const std::string& bytes, const std::string& separator,
                                std::int64_t limit, StripSide from, WorkBudget* work) {
    std::vector<std::size_t> cuts;
    if (from == StripSide::Left) {
        cuts = visibleIndices(bytes, separator, limit, work);
    } else {
        const std::string reversed(bytes.rbegin(), bytes.rend());
        cuts = visibleIndices(reversed, std::string(separator.rbegin(), separator.rend()), limit,
                              work);
        for (std::size_t& cut : cuts) cut = bytes.size() - cut - separator.size();
        std::reverse(cuts.begin(), cuts.end());
    }
    std::vector<ByteRange> pieces;
    std::size_t begin = 0;
    for (const std::size_t cut : cuts) {
        pieces.push_back({begin, cut});
        begin = cut + separator.size();
    }
    pieces.push_back({begin, bytes.size()});
    return pieces;
}

Result<Value> listOf(const MarkedText& text, const std::vector<ByteRange>& ranges) {
    if (ranges.size() > kMaxParts) return fail(ErrorCode::TplLimit, "too many parts");
    List parts;
    parts.reserve(ranges.size());
    for (const ByteRange range : ranges)
        parts.push_back(Value::text(text.slice(range.begin, range.end)));
    return Value::list(std::move(parts));
}

}  // namespace

std::vector<std::size_t> visibleIndices(std::string_view text, std::string_view part,
                                        std::int64_t limit, WorkBudget* work) {
    std::vector<std::size_t> places;
    if (part.size() > text.size()) return places;
    const std::vector<std::size_t> borders = bordersOf(part);
    std::size_t held = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (limit >= 0 && std::ssize(places) >= limit) break;
        if (held == 0) {  // fast path: most of a text does not match the first byte
            const std::size_t next = text.find(part.front(), i);
            if (next == std::string_view::npos) break;
            if (!spend(work, 1 + (next - i) / 16)) break;
            i = next;
        } else if (!spend(work)) {
            break;
        }
        while (held > 0 && text[i] != part[held]) held = borders[held - 1];
        if (text[i] == part[held]) ++held;
        if (held < part.size()) continue;
        places.push_back(i + 1 - part.size());
        held = 0;
    }
    return places;
}

std::size_t findFirst(std::string_view text, std::string_view part, std::size_t from) {
    if (from > text.size()) return std::string_view::npos;
    if (part.empty()) return from;
    const auto places = visibleIndices(text.substr(from), part, 1, nullptr);
    return places.empty() ? std::string_view::npos : from + places.front();
}

std::size_t findLast(std::string_view text, std::string_view part) {
    if (part.empty()) return text.size();
    const std::string reversed(text.rbegin(), text.rend());
    const auto places =
        visibleIndices(reversed, std::string(part.rbegin(), part.rend()), 1, nullptr);
    return places.empty() ? std::string_view::npos : text.size() - places.front() - part.size();
}

Result<Value> splitFromLeft(const MarkedText& text, const std::optional<MarkedText>& separator,
                            std::int64_t limit, WorkBudget* work) {
    if (separator && separator->empty())
        return fail(ErrorCode::TplRuntime, "the separator of a split is empty");
    if (separator)
        return listOf(text,
                      piecesOf(text.bytes(), separator->bytes(), limit, StripSide::Left, work));
    std::vector<ByteRange> words = wordsOf(text, work);
    if (limit >= 0 && std::ssize(words) > limit) {  // the remainder keeps its trailing white space
        words.resize(static_cast<std::size_t>(limit) + 1);
        words.back().end = text.size();
    }
    return listOf(text, words);
}

Result<Value> splitFromRight(const MarkedText& text, const std::optional<MarkedText>& separator,
                             std::int64_t limit, WorkBudget* work) {
    if (separator && separator->empty())
        return fail(ErrorCode::TplRuntime, "the separator of a split is empty");
    if (separator)
        return listOf(text,
                      piecesOf(text.bytes(), separator->bytes(), limit, StripSide::Right, work));
    std::vector<ByteRange> words = wordsOf(text, work);
    if (limit >= 0 && std::ssize(words) > limit) {
        const std::ptrdiff_t joined = std::ssize(words) - limit;
        const std::size_t end = words[static_cast<std::size_t>(joined) - 1].end;
        words.erase(words.begin(), words.begin() + joined - 1);
        words.front() = {0, end};
    }
    return listOf(text, words);
}

Result<List> linesOf(const MarkedText& text, LineEnds ends, WorkBudget* work) {
    List lines;
    std::size_t begin = 0;
    const std::vector<ByteRange> all = text.characters();
    for (std::size_t i = 0; i < all.size() && spend(work); ++i) {
        if (!endsLine(part(text, all[i]))) continue;
        const std::size_t stop = all[i].begin;
        if (text.bytes().compare(stop, 2, "\r\n") == 0) ++i;
        lines.push_back(Value::text(text.slice(begin, ends == LineEnds::Keep ? all[i].end : stop)));
        begin = all[i].end;
        if (lines.size() > kMaxParts) return fail(ErrorCode::TplLimit, "too many lines");
    }
    if (begin < text.size()) lines.push_back(Value::text(text.slice(begin, text.size())));
    return lines;
}

Result<MarkedText> padded(const MarkedText& text, std::int64_t width, Align align,
                          std::string_view fill) {
    const auto length = static_cast<std::int64_t>(text.characters().size());
    if (width <= length) return text;
    const std::int64_t all = width - length;
    LACUNA_TRY_STATUS(checkTextSize(static_cast<std::size_t>(width)));
    std::int64_t left = align == Align::Right ? all : 0;
    if (align == Align::Center) left = all / 2 + (all & width & 1);  // like Python's str.center
    MarkedText out;
    for (std::int64_t i = 0; i < left; ++i) out.append(fill);
    out.append(text);
    for (std::int64_t i = left; i < all; ++i) out.append(fill);
    return out;
}

MarkedText stripped(const MarkedText& text, StripSide side,
                    const std::optional<MarkedText>& characters, WorkBudget* work) {
    const std::vector<ByteRange> all = text.characters();
    std::size_t begin = 0;
    std::size_t end = all.size();
    const auto strip = [&](std::size_t i) {
        if (!spend(work, characters ? stepsOfBytes(characters->size()) : 1)) return false;
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
                            std::int64_t limit, WorkBudget* work) {
    MarkedText out;
    if (from.empty()) {  // an empty `from` matches before every character and at the end
        const std::vector<ByteRange> all = text.characters();
        std::int64_t done = 0;
        const auto insert = [&] {
            if (limit < 0 || done++ < limit) out.append(to);
            return checkTextSize(out.size());
        };
        for (const ByteRange c : all) {
            if (!spend(work, stepsOfBytes(to.size()))) break;
            LACUNA_TRY_STATUS(insert());
            out.append(text.slice(c.begin, c.end));
        }
        LACUNA_TRY_STATUS(insert());
        return out;
    }
    std::size_t begin = 0;
    for (const std::size_t at : visibleIndices(text.bytes(), from.bytes(), limit, work)) {
        if (!spend(work, stepsOfBytes(to.size()))) break;
        out.append(text.slice(begin, at));
        out.append(to);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
        begin = at + from.size();
    }
    out.append(text.slice(begin, text.size()));
    LACUNA_TRY_STATUS(checkTextSize(out.size()));
    return out;
}

MarkedText inCase(const MarkedText& text, LetterCase letterCase, WorkBudget* work) {
    bool wordStart = true;  // carried over from one run to the next
    return text.mapped([&](std::string_view part) {
        std::string out;
        for (std::size_t at = 0; at < part.size() && spend(work);) {
            const Utf8Char c = utf8CharAt(part, at);
            const std::size_t length = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
            const std::string_view character = part.substr(at, length);
            bool upper =
                letterCase == LetterCase::Upper || (letterCase != LetterCase::Lower && wordStart);
            if (letterCase == LetterCase::Swapped) upper = changed(character, false) == character;
            out += changed(character, upper);
            wordStart = letterCase == LetterCase::Title && !isLetter(character);
            at += length;
        }
        return out;
    });
}

MarkedText escapedForHtml(const MarkedText& text) {
    return text.mapped([](std::string_view part) {
        constexpr std::string_view kLetters = "&<>'\"";
        constexpr std::string_view kNames[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
        std::string out;
        for (const char c : part) {
            const std::size_t which = kLetters.find(c);
            if (which == std::string_view::npos)
                out += c;
            else
                out += kNames[which];
        }
        return out;
    });
}

Value textLike(const Value& like, MarkedText text) {
    return like.isMarkup() ? Value::markup(std::move(text)) : Value::text(std::move(text));
}

Result<MarkedText> joinedText(const List& items, const MarkedText& separator, WorkBudget* work) {
    MarkedText out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!spend(work, stepsOfBytes(separator.size()))) break;
        if (i > 0) out.append(separator);
        LACUNA_TRY(const MarkedText part, toText(items[i], work));
        out.append(part);
        LACUNA_TRY_STATUS(checkTextSize(out.size()));
    }
    return out;
}

}  // namespace lacuna::jinja
