#include "engine/text/jinja_parser.h"

#include <algorithm>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/text/jinja_expression_parser.h"
#include "engine/text/jinja_names.h"
#include "engine/text/jinja_token_cursor.h"

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

    /// Statements up to a tag named in `ends`, which stays; with none: up to the end.
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
        cursor_.next();  // the opening of the tag; its name stays
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
            LACUNA_TRY(statement.value, parseExpression(cursor_));
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
        if (name == "generation") {
            statement.kind = Statement::Kind::Group;
            return bodyThenEnd(std::move(statement), "endgeneration");
        }
        if (name == "break" || name == "continue") {
            if (loops_ == 0)
                return fail(ErrorCode::TplSyntax, format("{}: \"{}\" stands outside of a loop",
                                                         describe(word.place), name));
            statement.kind = name == "break" ? Statement::Kind::Break : Statement::Kind::Continue;
            LACUNA_TRY_STATUS(cursor_.needBlockEnd());
            return statement;
        }
        if (isJinjaTag(name))
            return TokenCursor::unsupported(word.place, format("the tag \"{}\"", name));
        return fail(ErrorCode::TplSyntax,
                    format("{}: the tag \"{}\" is not known", describe(word.place), name));
    }

    Result<Statement> bodyThenEnd(Statement statement, std::string_view end) {
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        LACUNA_TRY(statement.body, blockUntil({end}));
        cursor_.next();
        if (end == "endmacro" && cursor_.peek().kind == Token::Kind::Name)
            cursor_.next();  // its name, repeated
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    Result<Statement> ifTag(Statement statement) {
        statement.kind = Statement::Kind::If;
        LACUNA_TRY(ExprPtr condition, parseExpression(cursor_));
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
                LACUNA_TRY(condition, parseExpression(cursor_));
            }
        }
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    Result<std::vector<std::string>> targets() {
        std::vector<std::string> names;
        const bool bracket = cursor_.skipOperator("(");
        do {
            LACUNA_TRY(std::string name, cursor_.needName("a variable"));
            names.push_back(std::move(name));
        } while (cursor_.skipOperator(",") && cursor_.peek().kind == Token::Kind::Name);
        if (bracket) LACUNA_TRY_STATUS(cursor_.needOperator(")"));
        return names;
    }

    Result<Statement> forTag(Statement statement) {
        statement.kind = Statement::Kind::For;
        LACUNA_TRY(statement.targets, targets());
        if (!cursor_.skipName("in")) return cursor_.expected("\"in\"");
        LACUNA_TRY(statement.value, parseWithoutInlineIf(cursor_));
        if (cursor_.skipName("if")) {
            LACUNA_TRY(statement.condition, parseExpression(cursor_));
        }
        if (cursor_.isName("recursive"))
            return TokenCursor::unsupported(cursor_.peek().place, "a recursive loop");
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
        LACUNA_TRY(statement.targets, targets());
        if (statement.targets.size() == 1 && cursor_.skipOperator(".")) {
            LACUNA_TRY(statement.attribute, cursor_.needName("an attribute"));
        }
        if (cursor_.peek().kind == Token::Kind::BlockEnd && statement.targets.size() == 1) {
            statement.kind = Statement::Kind::SetBlock;
            return bodyThenEnd(std::move(statement), "endset");
        }
        if (cursor_.isOperator("|"))
            return TokenCursor::unsupported(cursor_.peek().place, "a filter on a set block");
        LACUNA_TRY_STATUS(cursor_.needOperator("="));
        LACUNA_TRY(statement.value, parseTupleOrExpression(cursor_));
        LACUNA_TRY_STATUS(cursor_.needBlockEnd());
        return statement;
    }

    Result<Statement> macroTag(Statement statement) {
        statement.kind = Statement::Kind::Macro;
        LACUNA_TRY(statement.text, cursor_.needName("the macro's name"));
        LACUNA_TRY_STATUS(cursor_.needOperator("("));
        while (!cursor_.skipOperator(")")) {
            if (!statement.parameters.empty()) LACUNA_TRY_STATUS(cursor_.needOperator(","));
            Parameter parameter;
            LACUNA_TRY(parameter.name, cursor_.needName("a parameter"));
            if (cursor_.skipOperator("=")) {
                LACUNA_TRY(parameter.fallback, parseExpression(cursor_));
            }
            statement.parameters.push_back(std::move(parameter));
        }
        const int outer = loops_;
        loops_ = 0;  // a loop around the macro is none inside it
        auto done = bodyThenEnd(std::move(statement), "endmacro");
        loops_ = outer;
        return done;
    }

    TokenCursor cursor_;
    int loops_ = 0;  // around the place being read
};

}  // namespace

Result<Block> parseTemplate(std::span<const Token> tokens) {
    return Parser(tokens).run();
}

}  // namespace lacuna::jinja
