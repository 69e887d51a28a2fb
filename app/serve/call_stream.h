#pragma once
/// \file
/// Tool calls in an answer that is still being written: what may be sent of it now, as text, as the
/// beginning of a call or as more of its arguments. Text that may still turn out to be a call is
/// held back. Complete answers are read by the same class, so that both forms are equal.
/// Owned by one answer.

#include <string>
#include <string_view>
#include <vector>

#include "app/serve/call_forms.h"
#include "app/serve/tool_choice.h"

namespace lacuna::app {

struct CallStreamPiece {
    enum class Kind { Text, Begin, Arguments } kind = Kind::Text;
    int call = 0;
    std::string text;  ///< the name where a call begins
};

class CallStream {
  public:
    explicit CallStream(const AskedCalls& asked)
        : m_form(asked.form), m_one(asked.one), m_forms(asked.functions) {}
    [[nodiscard]] std::vector<CallStreamPiece> push(std::string_view text);
    /// The text that was held back, when the answer has ended.
    [[nodiscard]] std::vector<CallStreamPiece> finish();
    /// Whether nothing more can come of the answer: its only call is complete.
    [[nodiscard]] bool complete() const {
        return m_one && m_calls > 0 && m_form == CallForm::Found;
    }
    /// Whether the answer ended inside the arguments of a forced call.
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
    // where the model decides
    std::string m_space;  ///< white space at the end of the text, which belongs to a call after it
    bool m_written = false;       ///< some text was passed on
    std::size_t m_undecided = 0;  ///< bytes at which held text is read again
    // of a forced call
    enum class Stage { Name, Arguments, Value, Done } m_stage = Stage::Name;
    int m_depth = 0;
    bool m_inString = false, m_escaped = false;
};

}  // namespace lacuna::app
