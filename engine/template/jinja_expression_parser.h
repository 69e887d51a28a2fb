#pragma once
/// \file
/// Tokens of one expression to a tree. Source: the grammar of Jinja 3.1 (jinja2/parser.py).
/// All functions leave the cursor after the expression. Errors: TplSyntax, TplUnsupported,
/// TplLimit (nesting over 128, or a chain of more than 256 steps).

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {

[[nodiscard]] Result<ExprPtr> parseExpression(TokenCursor& cursor);
/// `a, b` makes a tuple.
[[nodiscard]] Result<ExprPtr> parseTupleOrExpression(TokenCursor& cursor);
/// The same without an inline if: what stands before the `if` of a loop.
[[nodiscard]] Result<ExprPtr> parseWithoutInlineIf(TokenCursor& cursor);

/// The tightest part of the expression grammar: a value with its sign, what follows it (attributes,
/// subscripts, calls), filters and tests.
[[nodiscard]] Result<ExprPtr> parseOperand(TokenCursor& cursor);
/// `a | b(1)`: filters over Expr::Kind::Body.
[[nodiscard]] Result<ExprPtr> parseFilters(TokenCursor& cursor);

}  // namespace lacuna::jinja
