#include "engine/grammar/grammar_parser.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/text/unicode.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxGrammarBytes = std::size_t{1} << 20;
constexpr int kDeepestGroup = 200;
constexpr int kMaxRepeats = 100'000;
constexpr int kMaxStacked = 4;  // different repetitions of one item
constexpr std::size_t kMaxNodes = 400'000;

bool isNameChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

class Parser {
  public:
    Parser(std::string_view text, WorkBudget& work) : text_(text), work_(work) {}

    [[nodiscard]] Result<GrammarTree> parse() {
        if (text_.size() > kMaxGrammarBytes)
            return fail(ErrorCode::InvalidArgument,
                        format("the grammar has {} bytes; at most {} are read", text_.size(),
                               kMaxGrammarBytes));
        skip(Lines::Cross);
        while (!atEnd()) {
            LACUNA_TRY_STATUS(parseRule());
            skip(Lines::Cross);
        }
        return finished();
    }

  private:
    enum class Lines { Cross, Stay };

    [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : text_[at_]; }
    [[nodiscard]] bool take(char c) {
        if (peek() != c || atEnd()) return false;
        ++at_;
        return true;
    }

    void skip(Lines lines) {
        for (; !atEnd(); ++at_) {
            const char c = text_[at_];
            if (c == '#')
                while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
            else if ((c == '\n' || c == '\r') && lines == Lines::Stay)
                return;
            else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
                return;
        }
    }

    /// Returns the current line. Counts from the last result, because positions only increase.
    [[nodiscard]] std::ptrdiff_t line() const {
        line_ += std::ranges::count(text_.substr(lineAt_, at_ - lineAt_), '\n');
        lineAt_ = at_;
        return line_;
    }

    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view what) const {
        return fail(ErrorCode::InvalidArgument, format("grammar, line {}: {}", line(), what));
    }

    /// Called for each node; limits the size of the tree, as a text of a megabyte could expand to a
    /// gigabyte.
    [[nodiscard]] Status countNode() {
        if (++nodes_ > kMaxNodes)
            return wrong(format("the grammar has more than {} parts", kMaxNodes));
        work_.spend();
        return work_.status(ErrorCode::InvalidArgument, "the grammar takes too long to read");
    }

    [[nodiscard]] std::string_view name() {
        const std::size_t begin = at_;
        while (!atEnd() && isNameChar(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    std::size_t ruleOf(std::string_view wanted) {
        const auto [found, fresh] = rules_.try_emplace(std::string(wanted), tree_.rules.size());
        if (fresh) {
            tree_.rules.push_back({std::string(wanted), {}});
            lines_.emplace_back();
        }
        return found->second;
    }

    [[nodiscard]] Status parseRule() {
        const std::string_view called = name();
        if (called.empty()) return wrong("expected the name of a rule");
        skip(Lines::Stay);
        if (text_.substr(at_, 3) != "::=")
            return wrong(format("expected ::= after the name {}", called));
        at_ += 3;
        const std::size_t rule = ruleOf(called);
        if (lines_[rule].defined) return wrong(format("rule {} is defined twice", called));
        lines_[rule].defined = true;
        skip(Lines::Cross);
        LACUNA_TRY(tree_.rules[rule].body, parseChoice(0));
        skip(Lines::Stay);
        if (!atEnd() && peek() != '\n' && peek() != '\r')
            return wrong(format("'{}' is not allowed here", peek()));
        return {};
    }

    [[nodiscard]] Result<GrammarNode> parseChoice(int depth) {
        std::vector<GrammarNode> parts;
        do {
            skip(Lines::Cross);
            LACUNA_TRY(GrammarNode part, parseSequence(depth));
            parts.push_back(std::move(part));
            skip(depth > 0 ? Lines::Cross : Lines::Stay);
        } while (take('|'));
        return parts.size() == 1 ? std::move(parts.front()) : choiceNode(std::move(parts));
    }

    [[nodiscard]] Result<GrammarNode> parseSequence(int depth) {
        std::vector<GrammarNode> parts;
        while (true) {
            LACUNA_TRY_STATUS(countNode());
            LACUNA_TRY(std::optional<GrammarNode> item, parseItem(depth));
            if (!item) return sequenceNode(std::move(parts));
            LACUNA_TRY(GrammarNode repeated, parseRepeats(std::move(*item)));
            parts.push_back(std::move(repeated));
            skip(depth > 0 ? Lines::Cross : Lines::Stay);
        }
    }

    /// Returns the next item of a sequence; nullopt at its end.
    [[nodiscard]] Result<std::optional<GrammarNode>> parseItem(int depth) {
        if (take('"')) return parseLiteral();
        if (take('[')) return parseClass();
        if (take('(')) return parseGroup(depth);
        if (take('.')) return charsNode({{0, kLastChar}});
        if (peek() == '<' && !atEnd())
            return wrong("tokens in angle brackets are not supported; spell their text");
        if (!isNameChar(peek()) || atEnd()) return std::nullopt;
        const std::string_view called = name();
        const std::size_t rule = ruleOf(called);
        if (lines_[rule].usedAt == 0) lines_[rule].usedAt = line();
        return ruleNode(rule);
    }

    [[nodiscard]] Result<std::optional<GrammarNode>> parseGroup(int depth) {
        if (depth + 1 > kDeepestGroup)
            return wrong(format("groups are nested deeper than {}", kDeepestGroup));
        LACUNA_TRY(GrammarNode group, parseChoice(depth + 1));
        if (!take(')')) return wrong("a group is not closed with )");
        return group;
    }

    [[nodiscard]] Result<std::optional<GrammarNode>> parseLiteral() {
        std::string literal;
        while (!take('"')) {
            if (atEnd() || peek() == '\n') return wrong("a literal is not closed with \"");
            LACUNA_TRY(const std::uint32_t c, character());
            literal += utf8Encode(static_cast<char32_t>(c));
        }
        return literalNode(literal);
    }

    [[nodiscard]] Result<std::optional<GrammarNode>> parseClass() {
        const bool others = take('^');
        std::vector<CharRange> ranges;
        while (!take(']')) {
            if (atEnd() || peek() == '\n') return wrong("a class is not closed with ]");
            LACUNA_TRY(const std::uint32_t first, character());
            std::uint32_t last = first;
            if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
                ++at_;
                LACUNA_TRY(last, character());
            }
            if (last < first) return wrong("the end of a range in a class is before its start");
            ranges.push_back({first, last});
        }
        return charsNode(others ? otherChars(std::move(ranges)) : std::move(ranges));
    }

    [[nodiscard]] Result<std::uint32_t> character() {
        if (take('\\')) return escape();
        const Utf8Char c = utf8CharAt(text_, at_);
        if (c.form != Utf8Char::Form::Whole) return wrong("the bytes are not a UTF-8 character");
        at_ += c.bytes;
        return static_cast<std::uint32_t>(c.codePoint);
    }

    [[nodiscard]] Result<std::uint32_t> escape() {
        const char c = peek();
        if (atEnd()) return wrong("the text ends inside an escape");
        ++at_;
        switch (c) {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case '\\':
            case '"':
            case '[':
            case ']':
            case '-':
            case '^':
                return static_cast<std::uint32_t>(c);
            case 'x':
                return hexadecimal(2);
            case 'u':
                return hexadecimal(4);
            case 'U':
                return hexadecimal(8);
            default:
                return wrong(format("the escape \\{} is not known", c));
        }
    }

    [[nodiscard]] Result<std::uint32_t> hexadecimal(std::size_t digits) {
        std::uint32_t value = 0;
        const std::string_view part = text_.substr(at_, digits);
        const auto [end, error] =
            std::from_chars(part.data(), part.data() + part.size(), value, 16);
        if (error != std::errc() || end != part.data() + digits)
            return wrong(format("an escape needs {} hexadecimal digits", digits));
        if (value > kLastChar || (value >= 0xD800 && value <= 0xDFFF))
            return wrong("an escape is not a character");
        at_ += digits;
        return value;
    }

    [[nodiscard]] Result<GrammarNode> parseRepeats(GrammarNode item) {
        int stacked = 0;
        while (true) {
            const std::size_t begin = at_;
            std::pair<int, int> bounds;
            if (take('*'))
                bounds = {0, GrammarNode::kUnbounded};
            else if (take('+'))
                bounds = {1, GrammarNode::kUnbounded};
            else if (take('?'))
                bounds = {0, 1};
            else if (take('{')) {
                LACUNA_TRY(bounds, parseBounds());
            } else {
                return item;
            }
            if (repeatedAlike(item, bounds)) continue;
            if (++stacked > kMaxStacked) {
                at_ = begin;
                return wrong(format("more than {} consecutive repetitions", kMaxStacked));
            }
            item = repeatNode(std::move(item), bounds.first, bounds.second);
        }
    }

    /// Merges a repetition with that of `item` if they are equivalent: x** is x*, as are x+*, x?+
    /// and similar. Otherwise a line of stars would become an equally deep tree.
    [[nodiscard]] static bool repeatedAlike(GrammarNode& item, std::pair<int, int> bounds) {
        if (bounds == std::pair{1, 1}) return true;
        const auto plain = [](int least, int most) {
            return least <= 1 && (most == GrammarNode::kUnbounded || most == 1);
        };
        if (item.kind != GrammarNode::Kind::Repeat || !plain(item.least, item.most) ||
            !plain(bounds.first, bounds.second))
            return false;
        item.least = std::min(item.least, bounds.first);
        if (bounds.second == GrammarNode::kUnbounded) item.most = GrammarNode::kUnbounded;
        return true;
    }

    [[nodiscard]] std::optional<int> number() { return parseCount(text_, at_, kMaxRepeats); }

    [[nodiscard]] Result<std::pair<int, int>> parseBounds() {
        skip(Lines::Stay);
        const auto least = number();
        if (!least)
            return wrong(format("a repetition needs a count of 0 to {} after {{", kMaxRepeats));
        int most = *least;
        skip(Lines::Stay);
        if (take(',')) {
            skip(Lines::Stay);
            const auto given = number();
            most = given.value_or(GrammarNode::kUnbounded);
            skip(Lines::Stay);
        }
        if (!take('}')) return wrong("a repetition is not closed with }");
        if (most != GrammarNode::kUnbounded && most < *least)
            return wrong("the maximum of a repetition is below its minimum");
        return std::pair{*least, most};
    }

    [[nodiscard]] Result<GrammarTree> finished() {
        for (std::size_t rule = 0; rule < tree_.rules.size(); ++rule)
            if (!lines_[rule].defined)
                return fail(ErrorCode::InvalidArgument,
                            format("grammar, line {}: rule {} is used but not defined",
                                   lines_[rule].usedAt, tree_.rules[rule].name));
        const auto root = rules_.find("root");
        if (root == rules_.end())
            return fail(ErrorCode::InvalidArgument, "the grammar has no rule named root");
        tree_.root = root->second;
        return std::move(tree_);
    }

    struct RuleLines {
        bool defined = false;
        std::ptrdiff_t usedAt = 0;  ///< first line that refers to the rule
    };

    std::string_view text_;
    WorkBudget& work_;
    std::size_t at_ = 0;
    std::size_t nodes_ = 0;
    mutable std::size_t lineAt_ = 0;  // lines are counted up to here
    mutable std::ptrdiff_t line_ = 1;
    GrammarTree tree_;
    std::map<std::string, std::size_t, std::less<>> rules_;
    std::vector<RuleLines> lines_;
};

}  // namespace

Result<GrammarTree> parseGrammar(std::string_view text, WorkBudget& work) {
    return Parser(text, work).parse();
}

Result<GrammarTree> parseGrammar(std::string_view text) {
    WorkBudget work(kFormSteps);
    return parseGrammar(text, work);
}

}  // namespace lacuna
