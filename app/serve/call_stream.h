#pragma once
/// \file
/// Extracts tool calls from an answer that is still being written: returns what may be sent as
/// text, as the start of a call or as further arguments. Text that may still become a call is held
/// back. Complete answers go through the same class, so both kinds of reply agree. Owned by one
/// answer.

#include <string>
#include <string_view>
#include <vector>

#include "app/serve/call_forms.h"
#include "app/serve/tool_choice.h"

namespace lacuna::app {

struct CallStreamPiece {
    enum class Kind { Text, Begin, Arguments } kind = Kind::Text;
    int call = 0;
    std::string text;  ///< for Begin, the function name
};

class CallStream {
  public:
    explicit CallStream(const RequestedCalls& asked)
        : m_form(asked.form), m_one(asked.one), m_forms(asked.functions) {}
    [[nodiscard]] std::vector<CallStreamPiece> push(std::string_view text);
    /// Returns the held-back text at the end of the answer.
    [[nodiscard]] std::vector<CallStreamPiece> finish();
    /// True if the answer can contain nothing more because its only call is complete.
    [[nodiscard]] bool complete() const {
        return m_one && m_calls > 0 && m_form == CallForm::Found;
    }
    /// True if the answer ended inside the arguments of a forced call.
    [[nodiscard]] bool cut() const {
        return m_form == CallForm::Forced && m_calls > 0 && m_stage != Stage::Done;
    }

  private:
    using Pieces = std::vector<CallStreamPiece>;

    void pushForced(Pieces& out);
    void passArguments(Pieces& out);
    void pushFound(Pieces& out, bool last);
    void addText(Pieces& out, std::string_view text);
    void addCall(Pieces& out, ToolCall call);

    CallForm m_form;
    bool m_one;
    CallForms m_forms;
    std::string m_held;
    int m_calls = 0;
    // state of CallForm::Found
    std::string m_space;          ///< trailing white space, which belongs to a call if one follows
    bool m_written = false;       ///< some text was passed on
    std::size_t m_undecided = 0;  ///< held bytes at which parsing is tried again
    // state of CallForm::Forced
    enum class Stage { Name, Arguments, Value, Done } m_stage = Stage::Name;
    int m_depth = 0;
    bool m_inString = false, m_escaped = false;
};

}  // namespace lacuna::app
