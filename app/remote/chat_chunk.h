#pragma once
/// \file
/// OpenAI's chat completions as values: what is asked, and what a chunk of the answer says. Pure
/// functions. Source: OpenAI API reference, "Chat completions" and "Streaming";
/// `reasoning_content` and `reasoning` are what vLLM, SGLang, llama-server and Ollama add.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/remote/engine_figures.h"
#include "engine/base/result.h"
#include "engine/session/command.h"

namespace lacuna::app {

struct ChatUsage {
    std::int64_t promptTokens = 0, answerTokens = 0;
    std::optional<std::int64_t> cachedTokens;  ///< of the prompt
};

/// One event of a stream, or an answer in one piece.
struct ChatChunk {
    std::string text;
    std::string thought;
    std::string finish;  ///< finish_reason; empty: none yet
    std::optional<ChatUsage> usage;
    std::string error;  ///< what the engine says went wrong; empty: nothing
};

/// Errors: Json (not an object of this form).
[[nodiscard]] Result<ChatChunk> readChatChunk(std::string_view json);
/// Of a finish_reason; one that nobody knows is an end like "stop".
[[nodiscard]] FinishReason finishFrom(std::string_view reason);

/// The request for a streamed answer. What OpenAI does not know (top_k, min_p, penalties of
/// repetition) is asked of engines that are known to take it. Earlier answers go without their
/// thoughts.
[[nodiscard]] std::string chatRequest(const Submit& submit, std::string_view model,
                                      EngineFamily family);
/// Keys of the settings that go along with a request; all others are the local engine's.
[[nodiscard]] bool goesAlong(std::string_view key, EngineFamily family);

/// Puts thoughts before the answer the way local models write them, between <think> and </think>.
class ThoughtJoiner {
  public:
    [[nodiscard]] std::string join(const ChatChunk& chunk);
    /// What closes a thought that never ended.
    [[nodiscard]] std::string end();

  private:
    bool m_thinking = false;
};

}  // namespace lacuna::app
