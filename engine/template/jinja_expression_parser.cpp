#include "engine/template/jinja_expression_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_names.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {

// Constructors of expression nodes. The depth of the finished tree is checked, because chains such
// as a.b.c make deep trees without nesting. Pure functions.

inline constexpr int kMaxTreeDepth = 256;

[[nodiscard]] inline ExprPtr made(Expr::Kind kind, Place place) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->place = place;
    return expr;
}
[[nodiscard]] inline ExprPtr madeAt(const TokenCursor& cursor, Expr::Kind kind) {
    return made(kind, cursor.peek().place);
}

/// Sets the depth of a node. Errors: TplLimit over kMaxTreeDepth.
[[nodiscard]] inline Result<ExprPtr> finished(ExprPtr expr) {
    int below = 0;
    for (const ExprPtr& part : expr->parts)
        if (part) below = std::max(below, part->depth);
    for (const auto& [name, value] : expr->named) below = std::max(below, value->depth);
    if (expr->spread) below = std::max(below, expr->spread->depth);
    if (expr->namedSpread) below = std::max(below, expr->namedSpread->depth);
    expr->depth = below + 1;
    if (expr->depth <= kMaxTreeDepth) return expr;
    return fail(ErrorCode::TplLimit, format("{}: an expression has more than {} chained steps",
                                            describe(expr->place), kMaxTreeDepth));
}

namespace {

using Kind = Expr::Kind;

class OperandParser {
  public:
    explicit OperandParser(TokenCursor& cursor) : cursor_(cursor) {}

    Result<ExprPtr> filterChain() {
        ExprPtr value = madeAt(cursor_, Kind::Body);
        do {
            LACUNA_TRY(value, filterNamed(std::move(value)));
        } while (cursor_.skipOperator("|"));
        return value;
    }

    Result<ExprPtr> unaryLevel() {
        LACUNA_TRY(ExprPtr value, signedValue());
        return filtersAndTests(std::move(value));
    }

  private:
    /// Parses a value with its sign; filters bind looser than the sign.
    Result<ExprPtr> signedValue() {
        if (!cursor_.isOperator("-") && !cursor_.isOperator("+")) {
            LACUNA_TRY(ExprPtr value, primary());
            return postfix(std::move(value));
        }
        const Nesting nesting(cursor_);
        LACUNA_TRY_STATUS(cursor_.checkNesting());
        ExprPtr sign = madeAt(cursor_, cursor_.isOperator("-") ? Kind::Negate : Kind::Plus);
        cursor_.next();
        LACUNA_TRY(ExprPtr value, signedValue());
        sign->parts.push_back(std::move(value));
        return finished(std::move(sign));
    }

    Result<ExprPtr> primary() {
        const Token token = cursor_.peek();
        switch (token.kind) {
            case Token::Kind::Name:
                cursor_.next();
                return nameOrConstant(token);
            case Token::Kind::Text: {
                ExprPtr text = madeAt(cursor_, Kind::Constant);
                std::string joinedText;
                while (cursor_.peek().kind == Token::Kind::Text) joinedText += cursor_.next().text;
                text->constant = std::move(joinedText);
                return text;
            }
            case Token::Kind::Number:
                cursor_.next();
                return number(token);
            case Token::Kind::Operator:
                if (token.text == "(") return bracketed();
                if (token.text == "[") return list();
                if (token.text == "{") return dictionary();
                break;
            case Token::Kind::Data:
            case Token::Kind::OutputOpen:
            case Token::Kind::OutputEnd:
            case Token::Kind::BlockOpen:
            case Token::Kind::BlockEnd:
            case Token::Kind::End:
                break;
        }
        return cursor_.expected("a value");
    }

    static Result<ExprPtr> nameOrConstant(const Token& token) {
        ExprPtr expr = made(Kind::Constant, token.place);
        if (token.text == "true" || token.text == "True")
            expr->constant = true;
        else if (token.text == "false" || token.text == "False")
            expr->constant = false;
        else if (token.text == "none" || token.text == "None")
            expr->constant = NoneConstant{};
        else {
            expr->kind = Kind::Name;
            expr->name = token.text;
        }
        return expr;
    }

    static Result<ExprPtr> number(const Token& token) {
        ExprPtr expr = made(Kind::Constant, token.place);
        const char* begin = token.text.data();
        const char* end = begin + token.text.size();
        if (token.text.find_first_of(".eE") != std::string::npos) {
            double value = 0;
            std::from_chars(begin, end, value);
            expr->constant = value;
            return expr;
        }
        std::int64_t value = 0;
        if (std::from_chars(begin, end, value).ec != std::errc())
            return fail(ErrorCode::TplLimit, format("{}: the number {} needs more than 64 bits",
                                                    describe(token.place), token.text));
        expr->constant = value;
        return expr;
    }

    Result<ExprPtr> bracketed() {
        const Place place = cursor_.next().place;
        if (cursor_.skipOperator(")")) return made(Kind::Tuple, place);
        LACUNA_TRY(ExprPtr value, parseTupleOrExpression(cursor_));
        LACUNA_TRY_STATUS(cursor_.needOperator(")"));
        return value;
    }

    Result<ExprPtr> list() {
        ExprPtr all = madeAt(cursor_, Kind::List);
        cursor_.next();
        while (!cursor_.skipOperator("]")) {
            if (!all->parts.empty()) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            if (cursor_.skipOperator("]")) break;
            LACUNA_TRY(ExprPtr element, parseExpression(cursor_));
            all->parts.push_back(std::move(element));
        }
        return finished(std::move(all));
    }

    Result<ExprPtr> dictionary() {
        ExprPtr all = madeAt(cursor_, Kind::Dict);
        cursor_.next();
        while (!cursor_.skipOperator("}")) {
            if (!all->parts.empty()) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            if (cursor_.skipOperator("}")) break;
            LACUNA_TRY(ExprPtr key, parseExpression(cursor_));
            LACUNA_TRY_STATUS(cursor_.needOperator(":"));
            LACUNA_TRY(ExprPtr value, parseExpression(cursor_));
            all->parts.push_back(std::move(key));
            all->parts.push_back(std::move(value));
        }
        return finished(std::move(all));
    }

    Result<ExprPtr> postfix(ExprPtr value) {
        for (;;) {
            if (cursor_.isOperator(".")) {
                LACUNA_TRY(value, attribute(std::move(value)));
            } else if (cursor_.isOperator("[")) {
                LACUNA_TRY(value, subscript(std::move(value)));
            } else if (cursor_.isOperator("(")) {
                LACUNA_TRY(value, call(std::move(value)));
            } else {
                return value;
            }
        }
    }

    Result<ExprPtr> attribute(ExprPtr object) {
        ExprPtr node = madeAt(cursor_, Kind::Attribute);
        cursor_.next();
        if (cursor_.peek().kind == Token::Kind::Number) {  // a.0 is a[0]
            node->kind = Kind::Subscript;
            const Token digits = cursor_.next();
            LACUNA_TRY(ExprPtr index, number(digits));
            node->parts.push_back(std::move(object));
            node->parts.push_back(std::move(index));
            return finished(std::move(node));
        }
        const Place place = cursor_.peek().place;
        LACUNA_TRY(node->name, cursor_.needName("an attribute"));
        if (node->name.starts_with("__"))
            return TokenCursor::unsupported(place, format("the attribute \"{}\"", node->name));
        node->parts.push_back(std::move(object));
        return finished(std::move(node));
    }

    Result<ExprPtr> subscript(ExprPtr object) {
        ExprPtr node = madeAt(cursor_, Kind::Subscript);
        cursor_.next();
        node->parts.push_back(std::move(object));
        for (int colons = 0;;) {
            ExprPtr part;
            if (!cursor_.isOperator(":") && !cursor_.isOperator("]")) {
                LACUNA_TRY(part, parseExpression(cursor_));
            }
            node->parts.push_back(std::move(part));
            if (cursor_.skipOperator("]")) break;
            if (!cursor_.isOperator(":") || ++colons > 2) return cursor_.expected("\"]\"");
            node->kind = Kind::Slice;
            cursor_.next();
        }
        if (node->kind == Kind::Slice)
            node->parts.resize(4);
        else if (!node->parts[1])
            return cursor_.expected("an index");
        return finished(std::move(node));
    }

    Status arguments(Expr& node) {
        LACUNA_TRY_STATUS(cursor_.needOperator("("));
        for (bool first = true; !cursor_.skipOperator(")"); first = false) {
            if (!first) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            if (!first && cursor_.skipOperator(")")) break;
            LACUNA_TRY_STATUS(oneArgument(node));
        }
        return {};
    }

    Status oneArgument(Expr& node) {
        const bool twoStars = cursor_.isOperator("**");
        if (twoStars || cursor_.isOperator("*")) {
            ExprPtr& spread = twoStars ? node.namedSpread : node.spread;
            if (spread) return cursor_.expected("one list of arguments");
            cursor_.next();
            LACUNA_TRY(spread, parseExpression(cursor_));
            return {};
        }
        const bool isNamed = cursor_.peek().kind == Token::Kind::Name &&
                             cursor_.peek(1).kind == Token::Kind::Operator &&
                             cursor_.peek(1).text == "=";
        std::string name;
        if (isNamed) {
            name = cursor_.next().text;
            cursor_.next();
        }
        LACUNA_TRY(ExprPtr value, parseExpression(cursor_));
        if (isNamed)
            node.named.emplace_back(std::move(name), std::move(value));
        else if (!node.named.empty() || node.namedSpread)
            return cursor_.expected("a named argument");
        else
            node.parts.push_back(std::move(value));
        return {};
    }

    Result<ExprPtr> call(ExprPtr callee) {
        ExprPtr node = madeAt(cursor_, Kind::Call);
        node->parts.push_back(std::move(callee));
        LACUNA_TRY_STATUS(arguments(*node));
        return finished(std::move(node));
    }

    Result<ExprPtr> filtersAndTests(ExprPtr value) {
        for (;;) {
            if (cursor_.skipOperator("|")) {
                LACUNA_TRY(value, filterNamed(std::move(value)));
            } else if (cursor_.isName("is")) {
                LACUNA_TRY(value, test(std::move(value)));
            } else if (cursor_.isOperator("(")) {
                LACUNA_TRY(value, call(std::move(value)));
            } else {
                return value;
            }
        }
    }

    /// As in Jinja, a branch may use unknown names as long as it is not executed.
    Status checkKnown(Known known, Place place, std::string_view what,
                      std::string_view name) const {
        if (known == Known::Built || cursor_.inBranch()) return {};
        if (known == Known::NotBuilt)
            return TokenCursor::unsupported(place, format("the {} \"{}\"", what, name));
        return fail(ErrorCode::TplSyntax,
                    format("{}: the {} \"{}\" is unknown", describe(place), what, name));
    }

    /// Parses the name of a filter and its arguments.
    Result<ExprPtr> filterNamed(ExprPtr input) {
        ExprPtr node = madeAt(cursor_, Kind::Filter);
        LACUNA_TRY(node->name, cursor_.needName("the name of a filter"));
        LACUNA_TRY_STATUS(checkKnown(knownFilter(node->name), node->place, "filter", node->name));
        node->parts.push_back(std::move(input));
        if (cursor_.isOperator("(")) LACUNA_TRY_STATUS(arguments(*node));
        return finished(std::move(node));
    }

    /// Returns whether an argument without brackets follows the name of a test.
    bool startsTestArgument() const {
        const Token& token = cursor_.peek();
        if (token.kind == Token::Kind::Text || token.kind == Token::Kind::Number) return true;
        if (token.kind == Token::Kind::Operator) return token.text == "[" || token.text == "{";
        constexpr std::array<std::string_view, 5> kNone = {"else", "or", "and", "is", "if"};
        return token.kind == Token::Kind::Name && token.text != "in" && token.text != "not" &&
               std::find(kNone.begin(), kNone.end(), token.text) == kNone.end();
    }

    Result<ExprPtr> test(ExprPtr input) {
        cursor_.next();
        const bool negated = cursor_.skipName("not");
        ExprPtr node = madeAt(cursor_, Kind::Test);
        LACUNA_TRY(node->name, cursor_.needName("the name of a test"));
        LACUNA_TRY_STATUS(checkKnown(knownTest(node->name), node->place, "test", node->name));
        node->parts.push_back(std::move(input));
        if (cursor_.isOperator("(")) {
            LACUNA_TRY_STATUS(arguments(*node));
        } else if (startsTestArgument()) {
            LACUNA_TRY(ExprPtr bare, primary());
            LACUNA_TRY(ExprPtr argument, postfix(std::move(bare)));
            node->parts.push_back(std::move(argument));
        }
        LACUNA_TRY(ExprPtr tested, finished(std::move(node)));
        if (!negated) return tested;
        ExprPtr negation = made(Kind::Not, tested->place);
        negation->parts.push_back(std::move(tested));
        return finished(std::move(negation));
    }

    TokenCursor& cursor_;
};

}  // namespace

Result<ExprPtr> parseOperand(TokenCursor& cursor) {
    return OperandParser(cursor).unaryLevel();
}
Result<ExprPtr> parseFilters(TokenCursor& cursor) {
    return OperandParser(cursor).filterChain();
}

// Recursive descent, one function per precedence level, lowest first. Nesting is checked on the way
// down; the depth of the finished tree is checked too, because chains such as a.b.c make deep trees
// without nesting.

namespace {

using Kind = Expr::Kind;

class ExpressionParser {
  public:
    explicit ExpressionParser(TokenCursor& cursor) : cursor_(cursor) {}

    Result<ExprPtr> tupleOrExpression() {
        LACUNA_TRY(ExprPtr first, expression());
        if (!cursor_.isOperator(",")) return first;
        ExprPtr tuple = made(Kind::Tuple, first->place);
        tuple->parts.push_back(std::move(first));
        while (cursor_.skipOperator(",")) {
            if (endsTuple()) break;
            LACUNA_TRY(ExprPtr element, expression());
            tuple->parts.push_back(std::move(element));
        }
        return finished(std::move(tuple));
    }

    bool endsTuple() const {
        const Token::Kind kind = cursor_.peek().kind;
        return kind == Token::Kind::BlockEnd || kind == Token::Kind::OutputEnd ||
               cursor_.isOperator(")") || cursor_.isOperator("=") || cursor_.isName("recursive");
    }

    Result<ExprPtr> expression() {
        const Nesting nesting(cursor_);
        LACUNA_TRY_STATUS(cursor_.checkNesting());
        LACUNA_TRY(ExprPtr value, orLevel());
        while (cursor_.isName("if")) {
            ExprPtr choice = madeAt(cursor_, Kind::Conditional);
            cursor_.next();
            LACUNA_TRY(ExprPtr condition, orLevel());
            ExprPtr otherwise;
            if (cursor_.skipName("else")) {
                LACUNA_TRY(otherwise, expression());
            }
            choice->parts.push_back(std::move(value));
            choice->parts.push_back(std::move(condition));
            choice->parts.push_back(std::move(otherwise));
            LACUNA_TRY(value, finished(std::move(choice)));
        }
        return value;
    }

    Result<ExprPtr> tupleWithoutIf() {
        LACUNA_TRY(ExprPtr first, orLevel());
        if (!cursor_.isOperator(",")) return first;
        ExprPtr tuple = made(Kind::Tuple, first->place);
        tuple->parts.push_back(std::move(first));
        while (cursor_.skipOperator(",") && !endsTuple()) {
            LACUNA_TRY(ExprPtr element, orLevel());
            tuple->parts.push_back(std::move(element));
        }
        return finished(std::move(tuple));
    }

    using Level = Result<ExprPtr> (ExpressionParser::*)();

    /// Parses a OP b OP c with the same operator as one node.
    Result<ExprPtr> joined(Level below, Kind kind, bool (ExpressionParser::*skip)()) {
        LACUNA_TRY(ExprPtr first, (this->*below)());
        ExprPtr all;
        while ((this->*skip)()) {
            if (!all) {
                all = made(kind, first->place);
                all->parts.push_back(std::move(first));
            }
            LACUNA_TRY(ExprPtr part, (this->*below)());
            all->parts.push_back(std::move(part));
        }
        if (!all) return first;
        return finished(std::move(all));
    }
    bool skipOr() { return cursor_.skipName("or"); }
    bool skipAnd() { return cursor_.skipName("and"); }
    bool skipTilde() { return cursor_.skipOperator("~"); }

    Result<ExprPtr> orLevel() {
        return joined(&ExpressionParser::andLevel, Kind::Or, &ExpressionParser::skipOr);
    }
    Result<ExprPtr> andLevel() {
        return joined(&ExpressionParser::notLevel, Kind::And, &ExpressionParser::skipAnd);
    }

  private:
    Result<ExprPtr> notLevel() {
        if (!cursor_.isName("not")) return compareLevel();
        const Nesting nesting(cursor_);
        LACUNA_TRY_STATUS(cursor_.checkNesting());
        ExprPtr negation = madeAt(cursor_, Kind::Not);
        cursor_.next();
        LACUNA_TRY(ExprPtr part, notLevel());
        negation->parts.push_back(std::move(part));
        return finished(std::move(negation));
    }

    std::optional<CompareOp> skipCompare() {
        struct Spelling {
            std::string_view text;
            CompareOp op;
        };
        constexpr std::array<Spelling, 6> kSpellings = {{{"==", CompareOp::Equal},
                                                         {"!=", CompareOp::NotEqual},
                                                         {"<=", CompareOp::LessEqual},
                                                         {">=", CompareOp::GreaterEqual},
                                                         {"<", CompareOp::Less},
                                                         {">", CompareOp::Greater}}};
        for (const Spelling& spelling : kSpellings)
            if (cursor_.skipOperator(spelling.text)) return spelling.op;
        if (cursor_.skipName("in")) return CompareOp::In;
        if (cursor_.isName("not") && cursor_.isName("in", 1)) {
            cursor_.next();
            cursor_.next();
            return CompareOp::NotIn;
        }
        return std::nullopt;
    }

    Result<ExprPtr> compareLevel() {
        LACUNA_TRY(ExprPtr first, addLevel());
        ExprPtr chain;
        while (const auto op = skipCompare()) {
            if (!chain) {
                chain = made(Kind::Compare, first->place);
                chain->parts.push_back(std::move(first));
            }
            chain->compares.push_back(*op);
            LACUNA_TRY(ExprPtr part, addLevel());
            chain->parts.push_back(std::move(part));
        }
        if (!chain) return first;
        return finished(std::move(chain));
    }

    Result<ExprPtr> binary(ExprPtr left, BinaryOp op, Level below) {
        ExprPtr node = madeAt(cursor_, Kind::Binary);
        cursor_.next();
        node->binary = op;
        LACUNA_TRY(ExprPtr right, (this->*below)());
        node->parts.push_back(std::move(left));
        node->parts.push_back(std::move(right));
        return finished(std::move(node));
    }

    Result<ExprPtr> addLevel() {
        LACUNA_TRY(ExprPtr left, concatLevel());
        while (cursor_.isOperator("+") || cursor_.isOperator("-")) {
            const BinaryOp op = cursor_.isOperator("+") ? BinaryOp::Add : BinaryOp::Subtract;
            LACUNA_TRY(left, binary(std::move(left), op, &ExpressionParser::concatLevel));
        }
        return left;
    }
    Result<ExprPtr> concatLevel() {
        return joined(&ExpressionParser::multiplyLevel, Kind::Concat, &ExpressionParser::skipTilde);
    }
    Result<ExprPtr> multiplyLevel() {
        LACUNA_TRY(ExprPtr left, powerLevel());
        for (;;) {
            BinaryOp op = BinaryOp::Multiply;
            if (cursor_.isOperator("*"))
                op = BinaryOp::Multiply;
            else if (cursor_.isOperator("/"))
                op = BinaryOp::Divide;
            else if (cursor_.isOperator("//"))
                op = BinaryOp::FloorDivide;
            else if (cursor_.isOperator("%"))
                op = BinaryOp::Modulo;
            else
                return left;
            LACUNA_TRY(left, binary(std::move(left), op, &ExpressionParser::powerLevel));
        }
    }
    Result<ExprPtr> powerLevel() {
        LACUNA_TRY(ExprPtr left, operand());
        while (cursor_.isOperator("**")) {
            LACUNA_TRY(left, binary(std::move(left), BinaryOp::Power, &ExpressionParser::operand));
        }
        return left;
    }

    Result<ExprPtr> operand() { return parseOperand(cursor_); }

    TokenCursor& cursor_;
};

}  // namespace

Result<ExprPtr> parseExpression(TokenCursor& cursor) {
    return ExpressionParser(cursor).expression();
}
Result<ExprPtr> parseTupleOrExpression(TokenCursor& cursor) {
    return ExpressionParser(cursor).tupleOrExpression();
}
Result<ExprPtr> parseWithoutInlineIf(TokenCursor& cursor) {
    return ExpressionParser(cursor).tupleWithoutIf();
}

}  // namespace lacuna::jinja
