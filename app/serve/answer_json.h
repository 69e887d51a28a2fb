#pragma once
/// \file
/// Answers and their stream chunks in the three formats that clients read: OpenAI chat completions,
/// OpenAI completions and llama.cpp's native completion. Pure functions of the answer's state.
/// docs/server.md, "Answers".

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/call_forms.h"
#include "app/serve/generation_request.h"
#include "app/serve/served_model.h"
#include "engine/base/json.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// Fields repeated in every chunk of one reply.
struct ReplyStamp {
    std::string id;
    std::int64_t created = 0;  ///< seconds since 1970
    std::string model;
    std::string fingerprint;
};

/// Progress of one of the answers that a request asked for.
struct ChoiceSoFar {
    int index = 0;
    std::size_t prompt = 0;  ///< index of the prompt in the request
    int slot = -1;           ///< -1 while it waits
    std::uint64_t seed = 0;
    std::int64_t promptTokens = 0, reusedTokens = 0;
    std::string text;
    std::string thoughts;  ///< reasoning text, separated from `text`
    std::int64_t thoughtTokens = 0;
    std::vector<TokenId> tokens;
    std::vector<TokenText> drawn;  ///< drawn tokens, with probabilities if requested
    std::vector<ToolCall> calls;
    std::vector<std::string> callIds;
    bool callCut = false;  ///< the last call is incomplete
    std::optional<TurnFinished> ended;
    std::chrono::steady_clock::time_point began = {}, spoke = {};  ///< start of the turn, time of
                                                                   ///< its first token
};

/// Newly written part of an answer.
struct ChoicePiece {
    std::string text;
    const TokenText* drawn = nullptr;  ///< null if the piece has no token of its own
    bool thought = false;              ///< reasoning text rather than answer text
};

/// Returns "stop", "length", "tool_calls" or "cancelled". An answer whose last call was cut off
/// does not get "tool_calls".
[[nodiscard]] std::string finishName(const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson usageJson(const std::vector<ChoiceSoFar>& choices);
[[nodiscard]] OrderedJson timingsJson(const ChoiceSoFar& choice);
/// Timings of an answer that is still being written, by the server's clock.
[[nodiscard]] OrderedJson timingsSoFar(const ChoiceSoFar& choice);
/// Timings of a prompt that is still being read; `read` counts the tokens that no cache held.
[[nodiscard]] OrderedJson timingsOfReading(const ChoiceSoFar& choice, std::int64_t read);
/// Progress of reading a prompt: {"total", "cache", "processed", "time_ms"}.
[[nodiscard]] OrderedJson progressJson(const ChoiceSoFar& choice, const PrefillProgress& progress);
/// Reported probabilities of a token; an empty list if there are none.
[[nodiscard]] OrderedJson logprobsList(const TokenText& drawn, const ServedModel& model);
[[nodiscard]] OrderedJson generationSettingsJson(const RequestedAnswers& asked, std::uint64_t seed);

/// Adds the answer in the native format as `__verbose` if requested, with the prompt as rendered by
/// the template.
void addVerbose(OrderedJson& reply, const ReplyStamp& stamp, const RequestedAnswers& asked,
                const ChoiceSoFar& choice, const ServedModel& model);

// --- complete replies ---
[[nodiscard]] OrderedJson chatReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                    const std::vector<ChoiceSoFar>& choices,
                                    const ServedModel& model);
[[nodiscard]] OrderedJson completionReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                          const std::vector<ChoiceSoFar>& choices,
                                          const ServedModel& model);
[[nodiscard]] OrderedJson nativeReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                      const std::vector<ChoiceSoFar>& choices,
                                      const ServedModel& model);

// --- stream chunks; each is the data of one event ---
[[nodiscard]] OrderedJson chatChunk(const ReplyStamp& stamp, int index, OrderedJson delta);
/// A chat chunk for a piece of text, with the probabilities of its token.
[[nodiscard]] OrderedJson chatPiece(const ReplyStamp& stamp, int index, const ChoicePiece& piece,
                                    const ServedModel& model);
[[nodiscard]] OrderedJson chatEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson completionPiece(const ReplyStamp& stamp, const ChoiceSoFar& choice,
                                          const ChoicePiece& piece, const ServedModel& model);
[[nodiscard]] OrderedJson completionEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson nativePiece(const RequestedAnswers& asked, const ChoiceSoFar& choice,
                                      const ChoicePiece& piece, const ServedModel& model);
/// Event of a chat, completion or native stream that reports how much of the prompt was read.
[[nodiscard]] OrderedJson progressPiece(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                        const ChoiceSoFar& choice, OrderedJson progress);
[[nodiscard]] OrderedJson nativeEnd(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                    const ChoiceSoFar& choice, const ServedModel& model);
/// Last chunk with include_usage: no choices, only the token counts.
[[nodiscard]] OrderedJson usageChunk(const ReplyStamp& stamp, const RequestedAnswers& asked,
                                     const std::vector<ChoiceSoFar>& choices);
/// Delta of a tool call: with `name` it starts the call, otherwise it appends arguments.
[[nodiscard]] OrderedJson callDelta(int call, const std::string& id, const std::string& name,
                                    const std::string& arguments);

}  // namespace lacuna::app
