#pragma once
/// \file
/// The forms in which models write tool calls into their answers, whatever their template asks for:
/// JSON between marks, bare or in a code fence, XML with one element per parameter, a name before
/// its arguments. Text in, calls out; a call is one only where it names a function that was offered
/// and its arguments can be read. Pure functions of a table. docs/server.md, "What a request may
/// ask".

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

/// What stands before a place in an answer.
struct CallContext {
    bool lineStart = true;    ///< nothing but blanks since the last line end
    bool answerStart = true;  ///< nothing but white space at all
};

struct CallReading {
    enum class Kind {
        Text,       ///< `end` bytes are no call
        Undecided,  ///< more text is needed
        Calls,      ///< `end` bytes are `calls`
    } kind = Kind::Text;
    std::size_t end = 0;
    std::vector<ToolCall> calls = {};
};

class CallForms {
  public:
    explicit CallForms(std::vector<ToolFunction> functions) : m_functions(std::move(functions)) {}

    /// Where in `text` a call may begin, or its size; moves `context` there.
    [[nodiscard]] std::size_t candidate(std::string_view text, CallContext& context) const;
    /// What begins at a candidate. `last`: the answer has ended with `text`; never Undecided then.
    [[nodiscard]] CallReading read(std::string_view text, CallContext context, bool last) const;

  private:
    std::vector<ToolFunction> m_functions;
};

}  // namespace lacuna::app
