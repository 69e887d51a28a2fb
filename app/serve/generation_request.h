#pragma once
/// \file
/// Parses a generation request in any of four formats: OpenAI chat completions, responses and
/// completions, and llama.cpp's native completion. Parts are read by sampling_request.h,
/// answer_form.h, tool_choice.h, chat_prompt.h and prompt_request.h; this file combines them.
/// Unsupported members are refused by name, unknown ones cause a warning. docs/server.md, "Request
/// members".

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/response_store.h"
#include "app/serve/served_model.h"
#include "app/serve/tool_choice.h"
#include "engine/generate/generation_options.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/template/thought_stream.h"

namespace lacuna::app {

enum class AnswerShape { Chat, Responses, Completion, Native };

struct RequestedAnswers {
    AnswerShape shape = AnswerShape::Chat;
    struct Prompt {
        std::vector<TokenId> tokens;
        std::string text;   ///< prompt text, for reply formats that repeat it
        int maxTokens = 0;  ///< limit of the answer; at most what fits the context
        std::optional<std::int64_t> question = std::nullopt;  ///< see Submit::question
    };
    std::vector<Prompt> prompts;  ///< at least one
    bool listed = false;          ///< the prompts came as a list
    int choices = 1;              ///< answers per prompt
    SamplingOptions sampling;
    int maxTokens = 0;
    AnswerRules rules;
    std::vector<std::string> stops;
    std::optional<std::uint64_t> seed;
    bool stream = false;
    bool includeUsage = false;
    bool keepsCache = true;   ///< cache_prompt
    std::optional<int> slot;  ///< id_slot
    std::string salt;         ///< cache_salt: only requests with the same salt share a cache
    std::optional<CacheSettings> cache;  ///< cache settings of this request; nullopt: the server's
    bool echo = false;
    bool returnTokens = false;
    bool showsProgress = false;    ///< return_progress: send events while the prompt is read
    bool timingsPerToken = false;  ///< add timings to each chunk of a stream
    bool verbose = false;          ///< add the native format to the answer
    ThoughtStream::Begins thoughts = ThoughtStream::Begins::InAnswer;
    ThoughtMarks thoughtMarks = {};
    RequestedCalls calls;
    OrderedJson repeated;  ///< members of the request that a response repeats
    OrderedJson items;     ///< for a stored response, the conversation before it; otherwise null
    std::vector<std::string> responseFields;  ///< fields of a native reply; empty: all
    std::vector<std::string> warnings;
};

/// Defaults for every request; members of the request override them.
struct RequestDefaults {
    EngineConfig config;
    MachineFacts machine;
    int slots = 1;
    std::optional<bool> reasoning;  ///< on or off; nullopt: on if the template supports it
    bool verbose = false;           ///< add the native format to every answer
    std::shared_ptr<ResponseStore> responses;  ///< stored responses that requests may continue
};

/// Parses, validates and tokenizes. Errors: 400 naming the member, or 404 for another model.
[[nodiscard]] ApiResult<RequestedAnswers> readGeneration(AnswerShape shape, const std::string& body,
                                                         const ServedModel& model,
                                                         const RequestDefaults& defaults,
                                                         const StopRequested& stop);

/// Parses a fill-in-the-middle request (/infill), answered in the native format. Error: 501 if the
/// model does not support it.
[[nodiscard]] ApiResult<RequestedAnswers> readInfill(const std::string& body,
                                                     const ServedModel& model,
                                                     const RequestDefaults& defaults,
                                                     const StopRequested& stop);

/// Reports 404 unless the member `model` is absent or names the served model.
void checkModel(JsonFields& fields, const ServedModel& model);

}  // namespace lacuna::app
