#pragma once
/// \file
/// How the parsers make the nodes of an expression. The depth of the finished tree is counted,
/// because chains such as a.b.c make deep trees without nesting. Pure functions.

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_token_cursor.h"

namespace lacuna::jinja {

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

/// The node with its depth. Errors: TplLimit over kMaxTreeDepth.
[[nodiscard]] inline Result<ExprPtr> finished(ExprPtr expr) {
    int below = 0;
    for (const ExprPtr& part : expr->parts)
        if (part) below = std::max(below, part->depth);
    for (const auto& [name, value] : expr->named) below = std::max(below, value->depth);
    if (expr->spread) below = std::max(below, expr->spread->depth);
    if (expr->namedSpread) below = std::max(below, expr->namedSpread->depth);
    expr->depth = below + 1;
    if (expr->depth <= kMaxTreeDepth) return expr;
    return fail(ErrorCode::TplLimit, format("{}: an expression of more than {} steps in a chain",
                                            describe(expr->place), kMaxTreeDepth));
}

}  // namespace lacuna::jinja
