#pragma once
/// \file
/// Formats in which models write tool calls, whatever their template asks for: JSON between marks,
/// bare or in a code fence, XML with one element per parameter, a name followed by arguments, a
/// list of calls in the syntax of Python. Text is a call only if it names an offered function and
/// its arguments parse. Pure functions over a table. docs/server.md, "Request members".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/chat_messages.h"

namespace lacuna::app {

/// A call as the model wrote it.
struct ToolCall {
    std::string name;
    std::string arguments;  ///< JSON text
};

/// Context before a position in an answer.
struct CallContext {
    bool lineStart = true;    ///< only blanks since the last line end
    bool answerStart = true;  ///< only white space so far
};

struct CallReading {
    enum class Kind {
        Text,       ///< the first `end` bytes are no call
        Undecided,  ///< more text is needed
        Calls,      ///< the first `end` bytes are `calls`
    } kind = Kind::Text;
    std::size_t end = 0;
    std::vector<ToolCall> calls = {};
};

class CallForms {
  public:
    explicit CallForms(std::vector<ToolFunction> functions) : m_functions(std::move(functions)) {}

    /// Returns the first position in `text` where a call may begin, or its size if there is none;
    /// advances `context` to it.
    [[nodiscard]] std::size_t candidate(std::string_view text, CallContext& context) const;
    /// Parses the text at a candidate. `last`: the answer ends with `text`; the result is then
    /// never Undecided.
    [[nodiscard]] CallReading read(std::string_view text, CallContext context, bool last) const;

  private:
    std::vector<ToolFunction> m_functions;
};

}  // namespace lacuna::app
