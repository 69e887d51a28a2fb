#pragma once
/// \file
/// What a request asks the model to write, read from the four forms in which clients ask: chat
/// completions, responses and completions of OpenAI, and the native completion of llama.cpp's
/// server. How answers are drawn, their form, their calls and their prompts are read by
/// sampling_request.h, answer_form.h, tool_choice.h, chat_prompt.h and prompt_request.h; here is
/// the whole. What is not supported is refused by its name, and a member that nobody knows is
/// answered with a warning.
/// docs/server.md, "What a request may ask".

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"
#include "app/serve/served_model.h"
#include "app/serve/thought_stream.h"
#include "app/serve/tool_choice.h"
#include "engine/generate/generation_options.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

enum class AnswerShape { Chat, Responses, Completion, Native };

struct AskedAnswers {
    AnswerShape shape = AnswerShape::Chat;
    struct Prompt {
        std::vector<TokenId> tokens;
        std::string text;   ///< for forms that repeat it
        int maxTokens = 0;  ///< of its answer: no more than the context has room for
        std::optional<std::int64_t> question = std::nullopt;  ///< as Submit::question
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
    std::optional<CacheSettings> cache;  ///< none: those of the server
    bool echo = false;
    bool returnTokens = false;
    bool showsProgress = false;    ///< return_progress: events while the prompt is read
    bool timingsPerToken = false;  ///< with each piece of a stream
    bool verbose = false;          ///< the native form stands in the answer as well
    ThoughtStream::Begins thoughts = ThoughtStream::Begins::InAnswer;
    AskedCalls calls;
    OrderedJson repeated;  ///< what a response repeats of its request
    OrderedJson items;     ///< of a response that is kept: the conversation before it; else null
    std::vector<std::string> responseFields;  ///< of the native form; empty: all
    std::vector<std::string> warnings;
};

/// Everybody who asks is answered under these, as far as the request says nothing else.
struct RequestDefaults {
    EngineConfig config;
    MachineFacts machine;
    int slots = 1;
    std::optional<bool> reasoning;             ///< on, off, or on where the template knows of it
    bool verbose = false;                      ///< the native form stands in every answer
    std::shared_ptr<ResponseStore> responses;  ///< from which requests may go on
};

/// Reads, checks and encodes. 400 naming the member, or 404 for another model.
[[nodiscard]] ApiResult<AskedAnswers> readGeneration(AnswerShape shape, const std::string& body,
                                                     const ServedModel& model,
                                                     const RequestDefaults& defaults,
                                                     const StopAsked& stop);

/// A gap to be filled (/infill), answered in the native form. 501 for a model that knows none.
[[nodiscard]] ApiResult<AskedAnswers> readInfill(const std::string& body, const ServedModel& model,
                                                 const RequestDefaults& defaults,
                                                 const StopAsked& stop);

/// 404 unless the member `model` is absent or names the one that is served.
void checkModel(JsonFields& fields, const ServedModel& model);

}  // namespace lacuna::app
