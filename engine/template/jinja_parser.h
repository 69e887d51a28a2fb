#pragma once
/// \file
/// Parses tokens into a tree. Unsupported constructs are rejected with position and word, so that a
/// template is either fully understood or not used. Pure function; may be called from many threads.
/// Source: the grammar of Jinja 3.1 (jinja2/parser.py), a subset.

#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"

namespace lacuna::jinja {

/// Errors: TplSyntax, TplUnsupported (line, column, word), TplLimit (nesting over 128).
[[nodiscard]] Result<Block> parseTemplate(std::span<const Token> tokens);

}  // namespace lacuna::jinja
