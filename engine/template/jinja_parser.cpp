#include "engine/template/jinja_parser.h"

#include <algorithm>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/template/jinja_expression_parser.h"
#include "engine/template/jinja_names.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {
namespace {

class Parser {
  public:
    explicit Parser(std::span<const Token> tokens) : cursor_(tokens) {}

    Result<Block> run() { return blockUntil({}); }

  private:
    bool atBlockEndName(std::span<const std::string_view> ends) const {
        if (cursor_.peek().kind != Token::Kind::BlockOpen) return false;
        return std::any_of(ends.begin(), ends.end(),
                           [&](std::string_view name) { return cursor_.isName(name, 1); });
    }

    /// Parses statements up to a tag named in `ends`, which is not consumed; up to the end of the
    /// template if it is empty.
    Result<Block> blockUntil(std::vector<std::string_view> ends) {
        const Nesting nesting(cursor_);
        LACUNA_TRY_STATUS(cursor_.checkNesting());
        Block block;
        while (!atBlockEndName(ends)) {
            if (cursor_.peek().kind == Token::Kind::End) {
                if (ends.empty()) return block;
                return cursor_.expected(format("a tag \"{}\"", ends.front()));
            }
            LACUNA_TRY(Statement statement, oneStatement());
            block.push_back(std::move(statement));
        }
        cursor_.next();  // skip the opening of the tag, not its name
        return block;
    }

    Result<Statement> oneStatement() {
        Statement statement;
        statement.place = cursor_.peek().place;
        if (cursor_.peek().kind == Token::Kind::Data) {
            statement.kind = Statement::Kind::Data;
            statement.text = cursor_.next().text;
            return statement;
        }
        if (cursor_.peek().kind == Token::Kind::OutputOpen) {
            cursor_.next();
            statement.kind = Statement::Kind::Output;
            LACUNA_TRY(statement.value, parseTupleOrExpression(cursor_));
            if (cursor_.peek().kind != Token::Kind::OutputEnd) return cursor_.expected("\"}}\"");
            cursor_.next();
            return statement;
        }
        if (cursor_.peek().kind != Token::Kind::BlockOpen) return cursor_.expected("text or a tag");
        cursor_.next();
        return tag(std::move(statement));
    }

    Result<Statement> tag(Statement statement) {
        const Token word = cursor_.peek();
        LACUNA_TRY(const std::string name, cursor_.needName("the name of a tag"));
        if (name == "if") return ifTag(std::move(statement));
        if (name == "for") return forTag(std::move(statement));
        if (name == "set") return setTag(std::move(statement));
        if (name == "macro") return macroTag(std::move(statement));
        if (name == "call") return callTag(std::move(statement));
        if (name == "with") return withTag(std::move(statement));
        if (name == "filter") return filterTag(std::move(statement));
        if (name == "do") return doTag(std::move(statement));
        if (name == "generation") {
            statement.kind = Statement::Kind::Group;
            return bodyThenEnd(std::move(statement), "endgeneration");
        }
        if (name == "break" || name == "continue") {
            if (loops_ == 0)
                return fail(ErrorCode::TplSyntax,
                            format("{}: \"{}\" is outside a loop", describe(word.place), name));
            statement.kind = name == "break" ? Statement::Kind::Break : Statement::Kind::Continue;
            LACUNA_TRY_STATUS(cursor_.needBlockEnd());
            return statement;
        }
        if (isJinjaTag(name))
            return TokenCursor::unsupported(word.place, format("the tag \"{}\"", name));
        return fail(ErrorCode::TplSyntax,
                    format("{}: the tag \"{}\" is unknown", describe(word.place), name));
    }

    Result<Statement> bodyThenEnd(Statement statement, std::string_view end) {
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        LACUNA_TRY(statement.body, blockUntil({end}));
        cursor_.next();
        if (end == "endmacro" && cursor_.peek().kind == Token::Kind::Name)
            cursor_.next();  // the repeated name
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    Result<Statement> ifTag(Statement statement) {
        statement.kind = Statement::Kind::If;
        const Branching branching(cursor_);
        LACUNA_TRY(ExprPtr condition, parseTupleOrExpression(cursor_));
        for (;;) {
            LACUNA_TRY_STATUS(cursor_.needBlockEnd());
            LACUNA_TRY(Block body,
                       blockUntil(condition ? std::vector<std::string_view>{"endif", "elif", "else"}
                                            : std::vector<std::string_view>{"endif"}));
            statement.branches.push_back({std::move(condition), std::move(body)});
            const std::string name = cursor_.next().text;
            if (name == "endif") break;
            condition = nullptr;
            if (name == "elif") {
                LACUNA_TRY(condition, parseTupleOrExpression(cursor_));
            }
        }
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    /// Parses one name, or a list in brackets.
    Result<Target> oneTarget() {
        Target target;
        if (cursor_.skipOperator("(")) {
            const Nesting nesting(cursor_);
            LACUNA_TRY_STATUS(cursor_.checkNesting());
            LACUNA_TRY(target, targetList());
            LACUNA_TRY_STATUS(cursor_.needOperator(")"));
            return target;
        }
        LACUNA_TRY(target.name, cursor_.needName("a variable"));
        return target;
    }

    /// Parses `a`, `a, b` or `a, (b, c)`.
    Result<Target> targetList() {
        LACUNA_TRY(Target first, oneTarget());
        if (!cursor_.isOperator(",")) return first;
        Target all;
        all.parts.push_back(std::move(first));
        while (cursor_.skipOperator(",") &&
               (cursor_.isOperator("(") || cursor_.peek().kind == Token::Kind::Name) &&
               !cursor_.isName("in")) {
            LACUNA_TRY(Target next, oneTarget());
            all.parts.push_back(std::move(next));
        }
        return all;
    }

    Result<Statement> forTag(Statement statement) {
        statement.kind = Statement::Kind::For;
        LACUNA_TRY(statement.target, targetList());
        if (!cursor_.skipName("in")) return cursor_.expected("\"in\"");
        LACUNA_TRY(statement.value, parseWithoutInlineIf(cursor_));
        if (cursor_.skipName("if")) {
            LACUNA_TRY(statement.condition, parseExpression(cursor_));
        }
        statement.recursive = cursor_.skipName("recursive");
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        ++loops_;
        auto body = blockUntil({"endfor", "else"});
        --loops_;
        LACUNA_TRY(statement.body, std::move(body));
        if (cursor_.next().text == "else") {
            LACUNA_TRY_STATUS(cursor_.needBlockEnd());
            LACUNA_TRY(statement.otherwise, blockUntil({"endfor"}));
            cursor_.next();
        }
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    Result<Statement> setTag(Statement statement) {
        statement.kind = Statement::Kind::Set;
        LACUNA_TRY(statement.target, targetList());
        if (statement.target.parts.empty() && cursor_.skipOperator(".")) {
            LACUNA_TRY(statement.attribute, cursor_.needName("an attribute"));
        }
        if (cursor_.skipOperator("=")) {
            LACUNA_TRY(statement.value, parseTupleOrExpression(cursor_));
            LACUNA_TRY_STATUS(cursor_.needBlockEnd());
            return statement;
        }
        if (!statement.target.parts.empty()) return cursor_.expected("\"=\"");
        statement.kind = Statement::Kind::SetBlock;
        if (cursor_.skipOperator("|")) {
            LACUNA_TRY(statement.value, parseFilters(cursor_));
        }
        if (cursor_.peek().kind != Token::Kind::BlockEnd) return cursor_.expected("\"=\"");
        return detachedBody(std::move(statement), "endset");
    }

    /// Parses `(a, b=1)` of a macro or a call block.
    Result<std::vector<Parameter>> parameterList() {
        std::vector<Parameter> parameters;
        LACUNA_TRY_STATUS(cursor_.needOperator("("));
        while (!cursor_.skipOperator(")")) {
            if (!parameters.empty()) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            Parameter parameter;
            LACUNA_TRY(parameter.name, cursor_.needName("a parameter"));
            if (cursor_.skipOperator("=")) {
                LACUNA_TRY(parameter.fallback, parseExpression(cursor_));
            }
            parameters.push_back(std::move(parameter));
        }
        return parameters;
    }

    /// Parses a body that is executed separately: break and continue cannot refer to an enclosing
    /// loop.
    Result<Statement> detachedBody(Statement statement, std::string_view end) {
        const int outer = loops_;
        loops_ = 0;
        const std::size_t begin = cursor_.place();
        auto done = bodyThenEnd(std::move(statement), end);
        loops_ = outer;
        if (!done) return done;
        done->usesMore = cursor_.usedSince(begin, "varargs");
        done->usesNamed = cursor_.usedSince(begin, "kwargs");
        done->usesCaller = cursor_.usedSince(begin, "caller");
        return done;
    }

    Result<Statement> macroTag(Statement statement) {
        statement.kind = Statement::Kind::Macro;
        LACUNA_TRY(statement.text, cursor_.needName("the macro's name"));
        LACUNA_TRY(statement.parameters, parameterList());
        return detachedBody(std::move(statement), "endmacro");
    }

    Result<Statement> callTag(Statement statement) {
        statement.kind = Statement::Kind::CallBlock;
        statement.text = "caller";
        if (cursor_.isOperator("(")) {
            LACUNA_TRY(statement.parameters, parameterList());
        }
        LACUNA_TRY(statement.value, parseExpression(cursor_));
        if (statement.value->kind != Expr::Kind::Call) return cursor_.expected("a call");
        return detachedBody(std::move(statement), "endcall");
    }

    Result<Statement> withTag(Statement statement) {
        statement.kind = Statement::Kind::With;
        while (cursor_.peek().kind != Token::Kind::BlockEnd) {
            if (!statement.assigned.empty()) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            LACUNA_TRY(Target target, oneTarget());
            LACUNA_TRY_STATUS(cursor_.needOperator("="));
            LACUNA_TRY(ExprPtr value, parseExpression(cursor_));
            statement.assigned.emplace_back(std::move(target), std::move(value));
        }
        return bodyThenEnd(std::move(statement), "endwith");
    }

    Result<Statement> filterTag(Statement statement) {
        statement.kind = Statement::Kind::Filtered;
        LACUNA_TRY(statement.value, parseFilters(cursor_));
        return detachedBody(std::move(statement), "endfilter");
    }

    Result<Statement> doTag(Statement statement) {
        statement.kind = Statement::Kind::Do;
        LACUNA_TRY(statement.value, parseTupleOrExpression(cursor_));
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    TokenCursor cursor_;
    int loops_ = 0;  // number of loops around the current position
};

}  // namespace

Result<Block> parseTemplate(std::span<const Token> tokens) {
    return Parser(tokens).run();
}

}  // namespace lacuna::jinja
