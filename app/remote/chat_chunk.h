#pragma once
/// \file
/// OpenAI chat completions as values: the request and the chunks of the streamed answer. Pure
/// functions. Source: OpenAI API reference, "Chat completions" and "Streaming"; `reasoning_content`
/// and `reasoning` are extensions of vLLM, SGLang, llama-server and Ollama.

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
    std::optional<std::int64_t> cachedTokens;  ///< prompt tokens served from the cache
};

/// One event of a stream, or a complete answer that was not streamed.
struct ChatChunk {
    std::string text;
    std::string thought;
    std::string finish;  ///< finish_reason; empty until the answer has ended
    std::optional<ChatUsage> usage;
    std::string error;  ///< error message of the engine; empty if there is none
};

/// Parses one chunk. Errors: Json (not an object of this form).
[[nodiscard]] Result<ChatChunk> readChatChunk(std::string_view json);
/// Maps a finish_reason; unknown reasons are treated as "stop".
[[nodiscard]] FinishReason finishFrom(std::string_view reason);

/// Returns the JSON body of a streaming request. Fields outside the OpenAI API (top_k, min_p,
/// repetition penalties) are sent only to families that support them. Earlier answers are sent
/// without their thoughts.
[[nodiscard]] std::string chatRequest(const Submit& submit, std::string_view model,
                                      EngineFamily family);
/// Returns true if the setting `key` is sent with a request. All other settings apply only to the
/// local engine.
[[nodiscard]] bool isForwarded(std::string_view key, EngineFamily family);

/// Merges reasoning text and answer text into one stream: thoughts come first, between <think> and
/// </think>, as local models write them.
class ThoughtJoiner {
  public:
    [[nodiscard]] std::string join(const ChatChunk& chunk);
    /// Returns the closing tag if a thought is still open.
    [[nodiscard]] std::string end();

  private:
    bool m_thinking = false;
};

}  // namespace lacuna::app
