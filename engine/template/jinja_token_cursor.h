#pragma once
/// \file
/// Shared by the two parsers: position in the token list, error messages for it, nesting count.
/// Owned by one thread.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/template/jinja_lexer.h"

namespace lacuna::jinja {

class TokenCursor {
  public:
    static constexpr int kMaxNesting = 128;

    /// @pre the last token is End
    explicit TokenCursor(std::span<const Token> tokens) : tokens_(tokens) {}

    /// Returns the token at the cursor or further ahead; End beyond the end.
    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    const Token& next() {
        const Token& token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    [[nodiscard]] bool isOperator(std::string_view op) const {
        return peek().kind == Token::Kind::Operator && peek().text == op;
    }
    [[nodiscard]] bool isName(std::string_view name, std::size_t ahead = 0) const {
        return peek(ahead).kind == Token::Kind::Name && peek(ahead).text == name;
    }
    bool skipOperator(std::string_view op) {
        if (!isOperator(op)) return false;
        next();
        return true;
    }
    bool skipName(std::string_view name) {
        if (!isName(name)) return false;
        next();
        return true;
    }
    [[nodiscard]] static std::string shown(const Token& token) {
        switch (token.kind) {
            case Token::Kind::End:
                return "the end of the template";
            case Token::Kind::Data:
                return "text";
            case Token::Kind::OutputOpen:
            case Token::Kind::OutputEnd:
            case Token::Kind::BlockOpen:
            case Token::Kind::BlockEnd:
            case Token::Kind::Name:
            case Token::Kind::Text:
            case Token::Kind::Number:
            case Token::Kind::Operator:
                return format("\"{}\"", token.text);
        }
        return {};
    }
    /// Returns a syntax error that names the current token.
    [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const {
        return fail(ErrorCode::TplSyntax, format("{}: found {}; expected {}",
                                                 describe(peek().place), shown(peek()), what));
    }
    [[nodiscard]] static tl::unexpected<Error> unsupported(Place place, std::string_view what) {
        return fail(ErrorCode::TplUnsupported,
                    format("{}: {} is not supported", describe(place), what));
    }
    [[nodiscard]] Status needOperator(std::string_view op) {
        if (skipOperator(op)) return {};
        return expected(format("\"{}\"", op));
    }
    [[nodiscard]] Status needBlockEnd() {
        if (peek().kind != Token::Kind::BlockEnd) return expected("\"%}\"");
        next();
        return {};
    }
    [[nodiscard]] Result<std::string> needName(std::string_view what) {
        if (peek().kind != Token::Kind::Name) return expected(what);
        return next().text;
    }

    /// Returns whether the name occurs in the tokens from `begin` up to the cursor.
    [[nodiscard]] bool usedSince(std::size_t begin, std::string_view name) const {
        const auto passed = tokens_.subspan(begin, at_ - begin);
        return std::any_of(passed.begin(), passed.end(), [&](const Token& token) {
            return token.kind == Token::Kind::Name && token.text == name;
        });
    }
    [[nodiscard]] std::size_t place() const { return at_; }

    /// In a branch that may never be reached, an unknown filter or test is accepted; evaluating it
    /// is an error.
    void enterBranch() { ++branches_; }
    void leaveBranch() { --branches_; }
    [[nodiscard]] bool inBranch() const { return branches_ > 0; }

    void enter() { ++nesting_; }
    void leave() { --nesting_; }
    /// Errors: TplLimit over kMaxNesting.
    [[nodiscard]] Status checkNesting() const {
        if (nesting_ <= kMaxNesting) return {};
        return fail(ErrorCode::TplLimit,
                    format("{}: it is nested deeper than {}", describe(peek().place), kMaxNesting));
    }

  private:
    std::span<const Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    int branches_ = 0;
};

/// RAII guard for one nesting level.
class Nesting {
  public:
    explicit Nesting(TokenCursor& cursor) : cursor_(cursor) { cursor_.enter(); }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { cursor_.leave(); }

  private:
    TokenCursor& cursor_;
};

/// RAII guard for a branch.
class Branching {
  public:
    explicit Branching(TokenCursor& cursor) : cursor_(cursor) { cursor_.enterBranch(); }
    Branching(const Branching&) = delete;
    Branching& operator=(const Branching&) = delete;
    ~Branching() { cursor_.leaveBranch(); }

  private:
    TokenCursor& cursor_;
};

}  // namespace lacuna::jinja
