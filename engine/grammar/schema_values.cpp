#include "engine/grammar/schema_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/big_integer.h"
#include "engine/base/string_format.h"
#include "engine/grammar/json_pieces.h"
#include "engine/grammar/number_ranges.h"
#include "engine/text/unicode.h"

namespace lacuna {
namespace {

constexpr int kDeepestPatternGroup = 100;
constexpr int kMaxPatternRepeats = 10'000;
constexpr std::uint32_t kLastAscii = 0x7F;
constexpr std::size_t kMaxPatternLength = std::size_t{16} << 10;
constexpr std::size_t kShownPattern = 80;
constexpr std::uint64_t kStepsOfASequence = 64;
constexpr std::uint64_t kStepsOfAnItem = 1024;  // a character class takes about twenty nodes

using Ranges = std::vector<CharRange>;

const Ranges kDigit{{'0', '9'}};
const Ranges kWord{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
const Ranges kSpace{{'\t', '\r'}, {' ', ' '}};
const Ranges kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};

Ranges asciiWithout(Ranges ranges) {
    ranges.push_back({kLastAscii, kLastChar});
    return otherChars(std::move(ranges));
}

/// Returns the class denoted by a letter after a backslash.
std::optional<Ranges> classOf(char letter) {
    switch (letter) {
        case 'd':
            return kDigit;
        case 'w':
            return kWord;
        case 's':
            return kSpace;
        case 'D':
            return asciiWithout(kDigit);
        case 'W':
            return asciiWithout(kWord);
        case 'S': {
            Ranges spaces = kSpace;
            spaces.push_back({0x1C, 0x1F});
            return asciiWithout(std::move(spaces));
        }
        default:
            return std::nullopt;
    }
}

class PatternParser {
  public:
    PatternParser(std::string_view pattern, WorkBudget& work)
        : all_(pattern), text_(pattern), work_(work) {}

    [[nodiscard]] Result<GrammarNode> parse() {
        if (text_.size() > kMaxPatternLength)
            return wrong(ErrorCode::InvalidArgument, format("it has {} bytes; at most {} are read",
                                                            text_.size(), kMaxPatternLength));
        const bool fromStart = text_.starts_with('^');
        if (fromStart) ++at_;
        const bool toEnd = endsWithAnchor();
        if (toEnd) text_.remove_suffix(1);
        LACUNA_TRY(GrammarNode body, parseChoice(0));
        if (at_ < text_.size()) return wrong(ErrorCode::InvalidArgument, "a ) without its (");
        if ((fromStart || toEnd) && body.kind == GrammarNode::Kind::Choice)
            return wrong(ErrorCode::Unsupported,
                         "| next to an anchor (put the choices in a group)");
        const GrammarNode any = repeatNode(jsonChars({{0, kLastChar}}), 0, GrammarNode::kUnbounded);
        std::vector<GrammarNode> parts;
        if (!fromStart) parts.push_back(any);
        parts.push_back(std::move(body));
        if (!toEnd) parts.push_back(any);
        return sequenceNode(std::move(parts));
    }

  private:
    [[nodiscard]] bool endsWithAnchor() const {
        if (!text_.ends_with('$') || text_.size() <= at_) return false;
        std::size_t slashes = 0;
        while (slashes + 1 < text_.size() && text_[text_.size() - 2 - slashes] == '\\') ++slashes;
        return slashes % 2 == 0;
    }

    [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : text_[at_]; }
    [[nodiscard]] bool take(std::string_view what) {
        if (!text_.substr(std::min(at_, text_.size())).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    [[nodiscard]] tl::unexpected<Error> wrong(ErrorCode code, std::string_view what) const {
        return fail(code, format("pattern '{}', byte {}: {}{}", all_.substr(0, kShownPattern), at_,
                                 what, code == ErrorCode::Unsupported ? " is not supported" : ""));
    }

    [[nodiscard]] Result<GrammarNode> parseChoice(int depth) {
        if (depth > kDeepestPatternGroup) return wrong(ErrorCode::Unsupported, "a group 100 deep");
        std::vector<GrammarNode> parts;
        do {
            LACUNA_TRY(GrammarNode part, parseSequence(depth));
            parts.push_back(std::move(part));
        } while (take("|"));
        return parts.size() == 1 ? std::move(parts.front()) : choiceNode(std::move(parts));
    }

    [[nodiscard]] Result<GrammarNode> parseSequence(int depth) {
        work_.spend(kStepsOfASequence);
        std::vector<GrammarNode> parts;
        while (!atEnd() && peek() != '|' && peek() != ')') {
            work_.spend(kStepsOfAnItem);
            LACUNA_TRY_STATUS(work_.status(ErrorCode::InvalidArgument,
                                           "the patterns of the schema are too large to follow"));
            LACUNA_TRY(GrammarNode item, parseItem(depth));
            LACUNA_TRY(GrammarNode repeated, parseRepeat(std::move(item)));
            parts.push_back(std::move(repeated));
        }
        return sequenceNode(std::move(parts));
    }

    [[nodiscard]] Result<GrammarNode> parseItem(int depth) {
        if (take("(")) return parseGroup(depth);
        if (take("[")) return parseClass();
        if (take(".")) return jsonChars(otherChars(kLineEnds));
        if (peek() == '^' || peek() == '$')
            return wrong(ErrorCode::Unsupported, "an anchor inside the pattern");
        if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{')
            return wrong(ErrorCode::InvalidArgument, "there is nothing before the repetition");
        if (take("\\")) {
            LACUNA_TRY(Ranges ranges, parseEscape());
            return jsonChars(std::move(ranges));
        }
        LACUNA_TRY(const std::uint32_t c, character());
        return jsonChars({{c, c}});
    }

    [[nodiscard]] Result<GrammarNode> parseGroup(int depth) {
        if (!take("?:") && peek() == '?')
            return wrong(ErrorCode::Unsupported, "a group that begins with (?");
        LACUNA_TRY(GrammarNode group, parseChoice(depth + 1));
        if (!take(")")) return wrong(ErrorCode::InvalidArgument, "a group is not closed");
        return group;
    }

    [[nodiscard]] Result<std::uint32_t> character() {
        const Utf8Char c = utf8CharAt(text_, at_);
        if (c.form != Utf8Char::Form::Whole)
            return wrong(ErrorCode::InvalidArgument, "the bytes are not a character");
        at_ += c.bytes;
        return static_cast<std::uint32_t>(c.codePoint);
    }

    [[nodiscard]] Result<Ranges> parseEscape() {
        if (atEnd()) return wrong(ErrorCode::InvalidArgument, "a backslash at the end");
        const char c = text_[at_++];
        if (auto ranges = classOf(c)) return std::move(*ranges);
        const auto single = [](char one) {
            return Ranges{{static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(one)}};
        };
        switch (c) {
            case 'n':
                return single('\n');
            case 'r':
                return single('\r');
            case 't':
                return single('\t');
            case 'f':
                return single('\f');
            case 'v':
                return single('\v');
            case 'x':
                return parseHexadecimal(2);
            case 'u':
                return parseHexadecimal(4);
            default:
                break;
        }
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || static_cast<std::uint8_t>(c) > kLastAscii;
        if (letter) {
            --at_;
            return wrong(ErrorCode::Unsupported, format("the escape \\{}", c));
        }
        return single(c);
    }

    [[nodiscard]] Result<Ranges> parseHexadecimal(std::size_t digits) {
        std::uint32_t value = 0;
        const std::string_view part = text_.substr(std::min(at_, text_.size()), digits);
        const auto [end, error] =
            std::from_chars(part.data(), part.data() + part.size(), value, 16);
        if (error != std::errc() || part.size() != digits || end != part.data() + digits)
            return wrong(ErrorCode::InvalidArgument,
                         format("an escape needs {} hexadecimal digits", digits));
        at_ += digits;
        return Ranges{{value, value}};
    }

    [[nodiscard]] Result<GrammarNode> parseClass() {
        const bool others = take("^");
        bool classInside = false;
        Ranges all;
        while (!take("]")) {
            if (atEnd()) return wrong(ErrorCode::InvalidArgument, "a class is not closed");
            const bool named = peek() == '\\' && at_ + 1 < text_.size() && classOf(text_[at_ + 1]);
            classInside = classInside || named;
            LACUNA_TRY(Ranges part, classItem());
            if (!named && peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
                ++at_;
                LACUNA_TRY(const Ranges last, classItem());
                if (last.size() != 1 || last.front().last < part.front().first)
                    return wrong(ErrorCode::InvalidArgument, "a range of a class is reversed");
                part.front().last = last.front().last;
            }
            all.insert(all.end(), part.begin(), part.end());
        }
        if (!others) return jsonChars(std::move(all));
        return jsonChars(classInside ? asciiWithout(std::move(all)) : otherChars(std::move(all)));
    }

    [[nodiscard]] Result<Ranges> classItem() {
        if (take("\\")) return parseEscape();
        LACUNA_TRY(const std::uint32_t c, character());
        return Ranges{{c, c}};
    }

    [[nodiscard]] Result<GrammarNode> parseRepeat(GrammarNode item) {
        int least = 1;
        int most = 1;
        if (take("*"))
            least = 0, most = GrammarNode::kUnbounded;
        else if (take("+"))
            most = GrammarNode::kUnbounded;
        else if (take("?"))
            least = 0;
        else if (take("{")) {
            LACUNA_TRY(std::tie(least, most), parseBounds());
        } else {
            return item;
        }
        static_cast<void>(take("?"));  // lazy matching makes no difference here
        if (peek() == '+' || peek() == '*' || peek() == '{')
            return wrong(ErrorCode::Unsupported, "a repetition of a repetition");
        return repeatNode(std::move(item), least, most);
    }

    [[nodiscard]] std::optional<int> number() { return parseCount(text_, at_, kMaxPatternRepeats); }

    [[nodiscard]] Result<std::pair<int, int>> parseBounds() {
        const auto least = number();
        if (!least)
            return wrong(ErrorCode::InvalidArgument,
                         format("a repetition needs a count of 0 to {}", kMaxPatternRepeats));
        int most = *least;
        if (take(",")) most = number().value_or(GrammarNode::kUnbounded);
        if (!take("}")) return wrong(ErrorCode::InvalidArgument, "a repetition is not closed");
        if (most != GrammarNode::kUnbounded && most < *least)
            return wrong(ErrorCode::InvalidArgument,
                         "the minimum of a repetition is above its maximum");
        return std::pair{*least, most};
    }

    std::string_view all_;
    std::string_view text_;  ///< without the final anchor
    WorkBudget& work_;
    std::size_t at_ = 0;
};

}  // namespace

Result<GrammarNode> patternNode(std::string_view pattern, WorkBudget& work) {
    return PatternParser(pattern, work).parse();
}

namespace {

constexpr std::int64_t kMaxLength = 100'000;

// February has 28 days, so that every date exists; seconds end with 59.
#define LACUNA_DATE                                                                         \
    "[0-9]{4}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|(04|06|09|11)-(0[1-9]|[12][" \
    "0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
#define LACUNA_TIME                                                                                \
    "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]" \
    ")"

struct Format {
    std::string_view name;
    std::string_view pattern;
    std::int64_t shortest, longest;  ///< lengths of its texts in characters
};

/// Formats as patterns (RFC 3339, RFC 4122).
constexpr std::array<Format, 4> kFormats{
    {{"date", "^" LACUNA_DATE "$", 10, 10},
     {"time", "^" LACUNA_TIME "$", 9, 21},
     {"date-time", "^" LACUNA_DATE "T" LACUNA_TIME "$", 20, 32},
     {"uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", 36, 36}}};

#undef LACUNA_DATE
#undef LACUNA_TIME

const Format* formatOf(const OrderedJson& format) {
    const auto found = std::ranges::find_if(kFormats, [&](const Format& one) {
        return format.is_string() && format.get_ref<const std::string&>() == one.name;
    });
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

bool isStringFormat(const OrderedJson& format) {
    return formatOf(format) != nullptr;
}

Result<GrammarNode> stringOf(const SchemaNode& place, const GrammarNode& character,
                             WorkBudget& work) {
    LACUNA_TRY(const std::int64_t least, place.count("minLength", 0, kMaxLength));
    LACUNA_TRY(const std::int64_t most, place.count("maxLength", kMaxLength, kMaxLength));
    if (most < least) return place.wrong("maxLength is below minLength");
    std::optional<std::string> pattern;
    if (const OrderedJson* given = place.find("pattern")) {
        if (!given->is_string()) return place.wrong("pattern is not a string");
        if (least > 0 || place.has("maxLength"))
            return place.unsupported("a length together with a pattern");
        pattern = given->get<std::string>();
    } else if (const OrderedJson* named = place.find("format")) {
        const Format* format = formatOf(*named);
        if (format != nullptr && least <= format->shortest && most >= format->longest)
            pattern = format->pattern;
    }
    if (pattern) {
        auto node = patternNode(*pattern, work);
        if (!node)
            return tl::unexpected<Error>(
                withPrefix(std::move(node).error(), "JSON schema at " + place.path));
        return quotedNode(std::move(*node));
    }
    return quotedNode(
        repeatNode(character, static_cast<int>(least),
                   place.has("maxLength") ? static_cast<int>(most) : GrammarNode::kUnbounded));
}

namespace {

/// Returns the tighter of two keywords that bound the same side.
Result<std::optional<NumberBound>> boundOf(const SchemaNode& place, std::string_view inclusive,
                                           std::string_view exclusive, bool lower) {
    std::optional<NumberBound> bound;
    for (const std::string_view keyword : {inclusive, exclusive}) {
        const OrderedJson* given = place.find(keyword);
        if (given == nullptr) continue;
        if (given->is_boolean() && keyword == exclusive) continue;  // a flag, handled below
        const auto at = isJsonNumber(*given) ? Decimal::parse(dumpJson(*given)) : std::nullopt;
        if (!at)
            return place.wrong(format("{} is {}; expected a number", keyword, dumpJson(*given)));
        NumberBound one{*at, keyword == exclusive};
        const int order = bound ? compare(one.at, bound->at) : 0;
        if (!bound || (lower ? order >= 0 : order <= 0)) bound = std::move(one);
    }
    // In drafts before 6 and OpenAPI 3.0, a flag makes the other keyword exclusive.
    if (const OrderedJson* flag = place.find(exclusive);
        flag != nullptr && *flag == OrderedJson(true) && bound)
        bound->exclusive = true;
    return bound;
}

Result<NumberRange> rangeOf(const SchemaNode& place) {
    NumberRange range;
    LACUNA_TRY(range.least, boundOf(place, "minimum", "exclusiveMinimum", true));
    LACUNA_TRY(range.most, boundOf(place, "maximum", "exclusiveMaximum", false));
    const bool tooLarge =
        (range.least && !range.least->at.negative && range.least->at.exponent > kMaxBoundDigits) ||
        (range.most && range.most->at.negative && range.most->at.exponent > kMaxBoundDigits);
    if (tooLarge)
        return place.unsupported(format("a bound of more than {} digits", kMaxBoundDigits));
    return range;
}

}  // namespace

Result<GrammarNode> integerOf(const SchemaNode& place) {
    LACUNA_TRY(const NumberRange range, rangeOf(place));
    if (!range.least && !range.most) return anyWholeNumberNode();
    if (auto node = integersNode(range)) return std::move(*node);
    return place.wrong("no number is between its bounds");
}

Result<GrammarNode> numberOf(const SchemaNode& place) {
    LACUNA_TRY(const NumberRange range, rangeOf(place));
    if (!range.least && !range.most) return anyNumberNode();
    if (auto node = numbersNode(range)) return std::move(*node);
    return place.wrong("no number is between its bounds");
}

}  // namespace lacuna
