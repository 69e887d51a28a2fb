#pragma once
/// \file
/// The tightest part of the expression grammar: a value with its sign, what follows it (attributes,
/// subscripts, calls), filters and tests. Source: the grammar of Jinja 3.1 (jinja2/parser.py).
/// Errors: as the functions of jinja_expression_parser.h.

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {

[[nodiscard]] Result<ExprPtr> parseOperand(TokenCursor& cursor);
/// `a | b(1)`: filters over Expr::Kind::Body.
[[nodiscard]] Result<ExprPtr> parseFilters(TokenCursor& cursor);

}  // namespace lacuna::jinja
