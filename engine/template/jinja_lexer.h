#pragma once
/// \file
/// Template text to tokens: plain text, tags and what stands inside them, with Jinja's white-space
/// control as chat templates expect it (trim_blocks and lstrip_blocks on).
/// Pure function; may be called from many threads. Source: Jinja 3.1, template designer
/// documentation.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::jinja {

/// A place in the template, from 1.
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

/// Errors: TplSyntax with line, column and what was found; TplLimit over 1 MiB.
[[nodiscard]] Result<std::vector<Token>> tokenize(std::string_view source);

/// "line 3, column 7"
[[nodiscard]] std::string describe(Place place);
/// Whether Python counts a character as white space.
[[nodiscard]] bool isSpace(char32_t codePoint);

}  // namespace lacuna::jinja
