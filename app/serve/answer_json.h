#pragma once
/// \file
/// Answers and their pieces in the three forms that clients read: chat completions and completions
/// of OpenAI's description, and llama.cpp's native completion. Pure functions of what is known of
/// an answer. docs/server.md, "Answers".

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

/// What all pieces of one reply repeat.
struct ReplyStamp {
    std::string id;
    std::int64_t created = 0;  ///< seconds since 1970
    std::string model;
    std::string fingerprint;
};

/// One of the answers that a request asked for, as far as it has come.
struct ChoiceSoFar {
    int index = 0;
    std::size_t prompt = 0;  ///< of the request's
    int slot = -1;           ///< -1: it waits
    std::uint64_t seed = 0;
    std::int64_t promptTokens = 0, reusedTokens = 0;
    std::string text;
    std::string thoughts;  ///< told apart from the text
    std::int64_t thoughtTokens = 0;
    std::vector<TokenId> tokens;
    std::vector<TokenText> drawn;  ///< with chances, where they are asked for
    std::vector<ToolCall> calls;
    std::vector<std::string> callIds;
    bool callCut = false;  ///< the last call is incomplete
    std::optional<TurnFinished> ended;
    std::chrono::steady_clock::time_point began = {}, spoke = {};  ///< its turn, its first token
};

/// A piece of the text that has just come.
struct ChoicePiece {
    std::string text;
    const TokenText* drawn = nullptr;  ///< null: no token of its own
    bool thought = false;              ///< else of the answer
};

/// "stop", "length", "tool_calls", or "cancelled"; a call that was cut off is no "tool_calls".
[[nodiscard]] std::string finishName(const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson usageJson(const std::vector<ChoiceSoFar>& choices);
[[nodiscard]] OrderedJson timingsJson(const ChoiceSoFar& choice);
/// The same while the answer is being written, by the clock of the server.
[[nodiscard]] OrderedJson timingsSoFar(const ChoiceSoFar& choice);
/// The same while the prompt is being read, after so many tokens that no cache had.
[[nodiscard]] OrderedJson timingsOfReading(const ChoiceSoFar& choice, std::int64_t read);
/// How much of a prompt was read: {"total", "cache", "processed", "time_ms"}.
[[nodiscard]] OrderedJson progressJson(const ChoiceSoFar& choice, const PrefillProgress& progress);
/// What is reported of the probabilities of a token; an empty list where nothing is.
[[nodiscard]] OrderedJson tokenChances(const TokenText& drawn, const ServedModel& model);
[[nodiscard]] OrderedJson generationSettingsJson(const AskedAnswers& asked, std::uint64_t seed);

/// The same answer in the native form, as `__verbose`, where that is asked for: with the prompt as
/// the template wrote it.
void addVerbose(OrderedJson& reply, const ReplyStamp& stamp, const AskedAnswers& asked,
                const ChoiceSoFar& choice, const ServedModel& model);

// --- whole replies ---
[[nodiscard]] OrderedJson chatReply(const ReplyStamp& stamp, const AskedAnswers& asked,
                                    const std::vector<ChoiceSoFar>& choices,
                                    const ServedModel& model);
[[nodiscard]] OrderedJson completionReply(const ReplyStamp& stamp, const AskedAnswers& asked,
                                          const std::vector<ChoiceSoFar>& choices,
                                          const ServedModel& model);
[[nodiscard]] OrderedJson nativeReply(const ReplyStamp& stamp, const AskedAnswers& asked,
                                      const std::vector<ChoiceSoFar>& choices,
                                      const ServedModel& model);

// --- pieces of a stream; each is one event's data ---
[[nodiscard]] OrderedJson chatChunk(const ReplyStamp& stamp, int index, OrderedJson delta);
/// The same with what the token's probabilities were.
[[nodiscard]] OrderedJson chatPiece(const ReplyStamp& stamp, int index, const ChoicePiece& piece,
                                    const ServedModel& model);
[[nodiscard]] OrderedJson chatEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson completionPiece(const ReplyStamp& stamp, const ChoiceSoFar& choice,
                                          const ChoicePiece& piece, const ServedModel& model);
[[nodiscard]] OrderedJson completionEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice);
[[nodiscard]] OrderedJson nativePiece(const AskedAnswers& asked, const ChoiceSoFar& choice,
                                      const ChoicePiece& piece, const ServedModel& model);
/// An event of a chat, a text or a native completion that tells how much of the prompt was read.
[[nodiscard]] OrderedJson progressPiece(const ReplyStamp& stamp, const AskedAnswers& asked,
                                        const ChoiceSoFar& choice, OrderedJson progress);
[[nodiscard]] OrderedJson nativeEnd(const ReplyStamp& stamp, const AskedAnswers& asked,
                                    const ChoiceSoFar& choice, const ServedModel& model);
/// The last one with include_usage: no choices, and what was used.
[[nodiscard]] OrderedJson usageChunk(const ReplyStamp& stamp, const AskedAnswers& asked,
                                     const std::vector<ChoiceSoFar>& choices);
/// A call in a stream: with its name where it begins, else more of its arguments.
[[nodiscard]] OrderedJson callDelta(int call, const std::string& id, const std::string& name,
                                    const std::string& arguments);

}  // namespace lacuna::app
