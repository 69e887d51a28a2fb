#include "engine/grammar/schema_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/grammar/json_pieces.h"
#include "engine/text/unicode.h"

namespace lacuna {
namespace {

constexpr int kDeepestPatternGroup = 100;
constexpr int kMaxPatternRepeats = 10'000;
constexpr std::uint32_t kLastAscii = 0x7F;
constexpr std::size_t kMaxPatternLength = std::size_t{16} << 10;
constexpr std::size_t kShownPattern = 80;
constexpr std::uint64_t kStepsOfASequence = 64;
constexpr std::uint64_t kStepsOfAnItem = 1024;  // a class of characters is a score of nodes

using Ranges = std::vector<CharRange>;

const Ranges kDigit{{'0', '9'}};
const Ranges kWord{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
const Ranges kSpace{{'\t', '\r'}, {' ', ' '}};
const Ranges kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};

Ranges asciiWithout(Ranges ranges) {
    ranges.push_back({kLastAscii, kLastChar});
    return otherChars(std::move(ranges));
}

/// What a letter after a backslash stands for as a class.
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
            return wrong(ErrorCode::Unsupported, "| beside an anchor; put the choices in a group");
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
            return wrong(ErrorCode::InvalidArgument, "nothing stands before the repetition");
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
            return wrong(ErrorCode::InvalidArgument, "bytes that are no character");
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
                    return wrong(ErrorCode::InvalidArgument, "a range of a class is turned round");
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
        static_cast<void>(take("?"));  // which match is found first makes no difference here
        if (peek() == '+' || peek() == '*' || peek() == '{')
            return wrong(ErrorCode::Unsupported, "a repetition of a repetition");
        return repeatNode(std::move(item), least, most);
    }

    [[nodiscard]] std::optional<int> number() { return takeCount(text_, at_, kMaxPatternRepeats); }

    [[nodiscard]] Result<std::pair<int, int>> parseBounds() {
        const auto least = number();
        if (!least)
            return wrong(ErrorCode::InvalidArgument,
                         format("a repetition needs a count of 0 to {}", kMaxPatternRepeats));
        int most = *least;
        if (take(",")) most = number().value_or(GrammarNode::kUnbounded);
        if (!take("}")) return wrong(ErrorCode::InvalidArgument, "a repetition is not closed");
        if (most != GrammarNode::kUnbounded && most < *least)
            return wrong(ErrorCode::InvalidArgument, "a repetition is turned round");
        return std::pair{*least, most};
    }

    std::string_view all_;
    std::string_view text_;  ///< without an anchor at the end
    WorkBudget& work_;
    std::size_t at_ = 0;
};

}  // namespace

Result<GrammarNode> patternNode(std::string_view pattern, WorkBudget& work) {
    return PatternParser(pattern, work).parse();
}

namespace {

constexpr std::int64_t kMaxLength = 100'000;

// February ends with the 28th, so that every date exists; seconds end with 59.
#define LACUNA_DATE                                                                         \
    "[0-9]{4}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|(04|06|09|11)-(0[1-9]|[12][" \
    "0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
#define LACUNA_TIME                                                                                \
    "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]" \
    ")"

/// Formats as patterns (RFC 3339, RFC 4122).
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFormats{
    {{"date", "^" LACUNA_DATE "$"},
     {"time", "^" LACUNA_TIME "$"},
     {"date-time", "^" LACUNA_DATE "T" LACUNA_TIME "$"},
     {"uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"}}};

#undef LACUNA_DATE
#undef LACUNA_TIME

Result<std::string> patternOf(const SchemaPlace& place) {
    if (const OrderedJson* pattern = place.find("pattern")) {
        if (place.has("format")) return place.unsupported("a pattern beside a format");
        if (!pattern->is_string()) return place.wrong("pattern is no text");
        return pattern->get<std::string>();
    }
    const OrderedJson* wanted = place.find("format");
    for (const auto& [name, pattern] : kFormats)
        if (*wanted == OrderedJson(std::string(name))) return std::string(pattern);
    return place.unsupported(format("format {}", wanted->dump()));
}

}  // namespace

Result<GrammarNode> stringOf(const SchemaPlace& place, const GrammarNode& character,
                             WorkBudget& work) {
    const bool measured = place.has("minLength") || place.has("maxLength");
    if (place.has("pattern") || place.has("format")) {
        if (measured) return place.unsupported("a length beside a pattern or format");
        LACUNA_TRY(const std::string pattern, patternOf(place));
        auto node = patternNode(pattern, work);
        if (!node)
            return tl::unexpected<Error>(
                withPrefix(std::move(node).error(), "JSON schema at " + place.path));
        return quotedNode(std::move(*node));
    }
    LACUNA_TRY(const std::int64_t least, place.count("minLength", 0, kMaxLength));
    LACUNA_TRY(const std::int64_t most, place.count("maxLength", kMaxLength, kMaxLength));
    if (most < least) return place.wrong("maxLength is below minLength");
    return quotedNode(
        repeatNode(character, static_cast<int>(least),
                   place.has("maxLength") ? static_cast<int>(most) : GrammarNode::kUnbounded));
}

namespace {

constexpr int kMinDecimals = 2;
constexpr int kMaxDecimals = 6;

struct Bound {
    double value = 0;
    bool exclusive = false;
};

/// The tighter of two keywords that bound the same side.
Result<std::optional<Bound>> boundOf(const SchemaPlace& place, std::string_view inclusive,
                                     std::string_view exclusive, bool lower) {
    std::optional<Bound> bound;
    for (const std::string_view keyword : {inclusive, exclusive}) {
        const OrderedJson* given = place.find(keyword);
        if (given == nullptr) continue;
        if (!given->is_number())
            return place.wrong(format("{} is {}; expected a number", keyword, given->dump()));
        const Bound one{given->get<double>(), keyword == exclusive};
        const bool tighter =
            !bound || (lower ? one.value >= bound->value : one.value <= bound->value);
        if (tighter) bound = one;
    }
    return bound;
}

int decimalsOf(double value) {
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
        const double scaled = value * std::pow(10.0, decimals);
        if (std::abs(scaled - std::round(scaled)) <= 1e-9 * std::max(1.0, std::abs(scaled)))
            return decimals;
    }
    return kMaxDecimals + 1;
}

/// Bounds in units of the last decimal place.
struct Span {
    std::int64_t least = -kMaxWhole;
    std::int64_t most = kMaxWhole;
};

Result<Span> spanOf(const SchemaPlace& place, int decimals) {
    LACUNA_TRY(const auto lower, boundOf(place, "minimum", "exclusiveMinimum", true));
    LACUNA_TRY(const auto upper, boundOf(place, "maximum", "exclusiveMaximum", false));
    const double scale = std::pow(10.0, decimals);
    // A bound that is a number of this many decimals is hit exactly; others lie between two.
    const auto units = [&](double value, bool up) {
        const double scaled = value * scale;
        const double near = std::round(scaled);
        const bool exact = std::abs(scaled - near) <= 1e-9 * std::max(1.0, std::abs(scaled));
        const double chosen = exact ? near : up ? std::ceil(scaled) : std::floor(scaled);
        constexpr auto kLimit = static_cast<double>(kMaxWhole);
        return std::pair{static_cast<std::int64_t>(std::clamp(chosen, -kLimit - 1, kLimit + 1)),
                         exact};
    };
    Span span;
    if (lower) {
        const auto [value, exact] = units(lower->value, true);
        span.least = std::max(span.least, value + (lower->exclusive && exact ? 1 : 0));
    }
    if (upper) {
        const auto [value, exact] = units(upper->value, false);
        span.most = std::min(span.most, value - (upper->exclusive && exact ? 1 : 0));
    }
    if (span.least > span.most) return place.wrong("no number lies between its bounds");
    return span;
}

}  // namespace

Result<GrammarNode> integerOf(const SchemaPlace& place) {
    LACUNA_TRY(const Span span, spanOf(place, 0));
    return wholeNode(span.least, span.most);
}

Result<GrammarNode> numberOf(const SchemaPlace& place) {
    LACUNA_TRY(const auto lower, boundOf(place, "minimum", "exclusiveMinimum", true));
    LACUNA_TRY(const auto upper, boundOf(place, "maximum", "exclusiveMaximum", false));
    if (!lower && !upper) return anyNumberNode();
    int decimals = kMinDecimals;
    for (const auto& bound : {lower, upper})
        if (bound) decimals = std::max(decimals, decimalsOf(bound->value));
    if (decimals > kMaxDecimals)
        return place.unsupported(format("a bound with more than {} decimals", kMaxDecimals));
    LACUNA_TRY(const Span span, spanOf(place, decimals));
    std::vector<GrammarNode> choices{fixedPointNode(span.least, span.most, decimals)};
    if (const auto whole = spanOf(place, 0))
        choices.push_back(wholeNode(whole->least, whole->most));
    return choiceNode(std::move(choices));
}

}  // namespace lacuna
