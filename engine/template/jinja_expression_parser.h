#pragma once
/// \file
/// Parses the tokens of one expression into a tree. Source: the grammar of Jinja 3.1
/// (jinja2/parser.py). All functions leave the cursor after the expression. Errors: TplSyntax,
/// TplUnsupported, TplLimit (nesting over 128, or a chain of more than 256 steps).

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {

[[nodiscard]] Result<ExprPtr> parseExpression(TokenCursor& cursor);
/// Parses an expression; `a, b` is a tuple.
[[nodiscard]] Result<ExprPtr> parseTupleOrExpression(TokenCursor& cursor);
/// Parses an expression without an inline if, as needed before the `if` of a loop.
[[nodiscard]] Result<ExprPtr> parseWithoutInlineIf(TokenCursor& cursor);

/// Parses the tightest level of the grammar: a value with its sign, postfix operators (attributes,
/// subscripts, calls), filters and tests.
[[nodiscard]] Result<ExprPtr> parseOperand(TokenCursor& cursor);
/// Parses `a | b(1)` as filters over Expr::Kind::Body.
[[nodiscard]] Result<ExprPtr> parseFilters(TokenCursor& cursor);

}  // namespace lacuna::jinja
