#include <utf8proc.h>

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/text/jinja_calls.h"
#include "engine/text/unicode.h"

// What can be done to marked text; methods and filters share it.

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxParts = 1'000'000;

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

std::string_view part(const MarkedText& text, ByteRange range) {
    return std::string_view(text.bytes()).substr(range.begin, range.end - range.begin);
}

/// Whether Python's splitlines cuts here.
bool endsLine(std::string_view character) {
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form != Utf8Char::Form::Whole) return false;
    const char32_t code = c.codePoint;
    return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

/// Byte ranges of the words between white space.
std::vector<ByteRange> wordsOf(const MarkedText& text) {
    std::vector<ByteRange> words;
    bool inWord = false;
    for (const ByteRange c : text.characters()) {
        const bool space = mayStrip(part(text, c), std::nullopt);
        if (!space && !inWord) words.push_back(c);
        if (!space) words.back().end = c.end;
        inWord = !space;
    }
    return words;
}

/// Byte ranges between separators; at most `limit` cuts, from the left or the right.
std::vector<ByteRange> piecesOf(const std::string& bytes, const std::string& separator,
                                std::int64_t limit, StripSide from) {
    std::vector<std::size_t> cuts;
    if (from == StripSide::Left) {
        for (std::size_t at = bytes.find(separator);
             at != std::string::npos && (limit < 0 || std::ssize(cuts) < limit);
             at = bytes.find(separator, at + separator.size()))
            cuts.push_back(at);
    } else {
        std::size_t end = bytes.size();
        while ((limit < 0 || std::ssize(cuts) < limit) && end >= separator.size()) {
            const std::size_t at = bytes.rfind(separator, end - separator.size());
            if (at == std::string::npos) break;
            cuts.push_back(at);
            end = at;
        }
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

Result<Value> splitFromLeft(const MarkedText& text, const std::optional<MarkedText>& separator,
                            std::int64_t limit) {
    if (separator && separator->empty())
        return fail(ErrorCode::TplRuntime, "split by an empty separator");
    if (separator)
        return listOf(text, piecesOf(text.bytes(), separator->bytes(), limit, StripSide::Left));
    std::vector<ByteRange> words = wordsOf(text);
    if (limit >= 0 && std::ssize(words) > limit) {  // the rest keeps the white space at its end
        words.resize(static_cast<std::size_t>(limit) + 1);
        words.back().end = text.size();
    }
    return listOf(text, words);
}

Result<Value> splitFromRight(const MarkedText& text, const std::optional<MarkedText>& separator,
                             std::int64_t limit) {
    if (separator && separator->empty())
        return fail(ErrorCode::TplRuntime, "split by an empty separator");
    if (separator)
        return listOf(text, piecesOf(text.bytes(), separator->bytes(), limit, StripSide::Right));
    std::vector<ByteRange> words = wordsOf(text);
    if (limit >= 0 && std::ssize(words) > limit) {
        const std::ptrdiff_t joined = std::ssize(words) - limit;
        const std::size_t end = words[static_cast<std::size_t>(joined) - 1].end;
        words.erase(words.begin(), words.begin() + joined - 1);
        words.front() = {0, end};
    }
    return listOf(text, words);
}

Result<List> linesOf(const MarkedText& text, LineEnds ends) {
    List lines;
    std::size_t begin = 0;
    const std::vector<ByteRange> all = text.characters();
    for (std::size_t i = 0; i < all.size(); ++i) {
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
    if (align == Align::Center) left = all / 2 + (all & width & 1);  // as Python's str.center
    MarkedText out;
    for (std::int64_t i = 0; i < left; ++i) out.append(fill);
    out.append(text);
    for (std::int64_t i = left; i < all; ++i) out.append(fill);
    return out;
}

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

}  // namespace lacuna::jinja
