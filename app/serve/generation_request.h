#pragma once
/// \file
/// What a request asks the model to write, read from the three forms in which clients ask: chat
/// completions and completions of OpenAI, and the native completion of llama.cpp's server. Values
/// are judged by the rules of the settings table; what is not supported is refused by its name, and
/// a member that nobody knows is answered with a warning. Pure functions.
/// docs/server.md, "What a request may ask".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/chat_messages.h"
#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"
#include "engine/generate/generation_options.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

enum class AnswerShape { Chat, Completion, Native };

/// How tool calls are found in an answer.
enum class CallForm {
    None,
    Forced,  ///< the whole answer is one call: its grammar leaves nothing else
    Tagged,  ///< the model decides, and writes calls between <tool_call> and </tool_call>
};

struct AskedAnswers {
    AnswerShape shape = AnswerShape::Chat;
    struct Prompt {
        std::vector<TokenId> tokens;
        std::string text;  ///< for forms that repeat it
    };
    std::vector<Prompt> prompts;  ///< one at least
    bool listed = false;          ///< prompts came as a list of several
    int choices = 1;              ///< answers to each prompt
    SamplingOptions sampling;
    int maxTokens = 0;
    AnswerRules rules;
    std::vector<std::string> stops;
    std::optional<std::uint64_t> seed;
    bool stream = false;
    bool includeUsage = false;
    bool keepsCache = true;   ///< cache_prompt
    std::optional<int> slot;  ///< id_slot
    std::string salt;         ///< cache_salt: only requests with the same one share a cache
    bool echo = false;
    bool returnTokens = false;
    CallForm calls = CallForm::None;
    std::vector<std::string> responseFields;  ///< of the native form; empty: all
    std::vector<std::string> warnings;
};

/// Everybody who asks is answered under these, as far as the request says nothing else.
struct RequestDefaults {
    EngineConfig config;
    int slots = 1;
    std::optional<bool> reasoning;  ///< on, off, or as the template has it
};

/// Reads, checks and encodes. 400 naming the member, or 404 for another model.
[[nodiscard]] ApiResult<AskedAnswers> readGeneration(AnswerShape shape, const std::string& body,
                                                     const ServedModel& model,
                                                     const RequestDefaults& defaults,
                                                     const StopAsked& stop);

/// Messages of a request in the words of the model's template (also for /apply-template).
struct RenderedChat {
    std::vector<PromptSpan> spans;
    ChatTools tools;
};
[[nodiscard]] ApiResult<RenderedChat> renderChat(JsonFields& fields, const ServedModel& model,
                                                 std::optional<bool> reasoning, bool withTools,
                                                 const StopAsked& stop);

/// 404 unless the member `model` is absent or names the one that is served.
void checkModel(JsonFields& fields, const ServedModel& model);

}  // namespace lacuna::app
