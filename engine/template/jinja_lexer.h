#pragma once
/// \file
/// Splits a template into tokens: plain text, tags and their contents, with Jinja's white-space
/// control as chat templates expect it (trim_blocks and lstrip_blocks on). Pure function; may be
/// called from many threads. Source: Jinja 3.1, template designer documentation.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::jinja {

/// A position in the template, counted from 1.
struct Place {
    int line = 1;
    int column = 1;
};

struct Token {
    enum class Kind {
        Data,        ///< text outside tags
        OutputOpen,  ///< {{
        OutputEnd,   ///< }}
        BlockOpen,   ///< {%
        BlockEnd,    ///< %}
        Name,
        Text,    ///< a string literal, unescaped
        Number,  ///< digits as written, without underscores
        Operator,
        End,
    };
    Kind kind = Kind::End;
    std::string text;
    Place place;
};

/// Errors: TplSyntax with line, column and the text found; TplLimit over 1 MiB.
[[nodiscard]] Result<std::vector<Token>> tokenize(std::string_view source);

/// Returns "line 3, column 7".
[[nodiscard]] std::string describe(Place place);
/// Returns whether Python counts a character as white space.
[[nodiscard]] bool isSpace(char32_t codePoint);

}  // namespace lacuna::jinja
