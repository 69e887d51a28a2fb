#pragma once
/// \file
/// Tool calls in an answer that is still being written: what may be sent of it now, as text, as the
/// beginning of a call or as more of its arguments. Owned by one answer.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/serve/generation_request.h"

namespace lacuna::app {

struct CallStreamPiece {
    enum class Kind { Text, Begin, Arguments } kind = Kind::Text;
    int call = 0;
    std::string text;  ///< the name where a call begins
};

class CallStream {
  public:
    explicit CallStream(CallForm form, std::vector<std::string> functions = {})
        : m_form(form), m_functions(std::move(functions)) {}
    [[nodiscard]] std::vector<CallStreamPiece> push(std::string_view text);
    /// What was held back, when the answer has ended.
    [[nodiscard]] std::vector<CallStreamPiece> finish();

  private:
    void pushForced(std::vector<CallStreamPiece>& out);
    void passArguments(std::vector<CallStreamPiece>& out);
    void pushTagged(std::vector<CallStreamPiece>& out, bool last);
    void pushWhole(std::vector<CallStreamPiece>& out, bool last);
    void sayCall(std::vector<CallStreamPiece>& out, const ToolCall& call);

    const CallForm m_form;
    const std::vector<std::string> m_functions;
    bool m_plain = false;  ///< the answer has turned out to be no call
    std::string m_held;
    int m_calls = 0;
    // of a forced call
    enum class Stage { Name, Arguments, Value, Done } m_stage = Stage::Name;
    int m_depth = 0;
    bool m_inString = false, m_escaped = false;
};

}  // namespace lacuna::app
