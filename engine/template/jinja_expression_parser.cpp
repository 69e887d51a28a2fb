#include "engine/template/jinja_expression_parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/string_format.h"
#include "engine/template/jinja_expr_nodes.h"
#include "engine/template/jinja_operand_parser.h"

// Recursive descent, one function for each level of precedence, lowest first. Nesting is counted on
// the way down; the depth of the finished tree is counted too, because chains such as a.b.c make
// deep trees without nesting.

namespace lacuna::jinja {
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

    /// a OP b OP c of one operator, as one node.
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
