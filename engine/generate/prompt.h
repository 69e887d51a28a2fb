#pragma once
/// \file
/// Converts a conversation to the token ids of its prompt. The content of a message never becomes a
/// control token, whatever its spelling. Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/template/chat_template.h"

namespace lacuna {

/// Renders `messages` with the model's template and a generation prompt at the end, and encodes the
/// result. If the last message is the assistant's, it is the beginning of the answer and is
/// continued. Errors: InvalidArgument (no message), Tpl*, TokTooLong, Cancelled (by `stop`).
[[nodiscard]] Result<std::vector<TokenId>> promptTokens(const LoadedModel& model,
                                                        std::span<const ChatMessage> messages,
                                                        StopRequested stop = {});
/// Like promptTokens(), for a prompt that must fit `context` tokens. A text that is certainly too
/// long is refused before encoding, which takes seconds for many MiB. Errors: as promptTokens, and
/// ContextFull with both figures.
[[nodiscard]] Result<std::vector<TokenId>> promptTokensWithin(const LoadedModel& model,
                                                              std::span<const ChatMessage> messages,
                                                              int context, StopRequested stop = {});

/// Returns the text of that prompt with the author of each span. Errors: InvalidArgument (no
/// message), Tpl*, Cancelled.
[[nodiscard]] Result<std::vector<PromptSpan>> renderedPrompt(const LoadedModel& model,
                                                             std::span<const ChatMessage> messages,
                                                             const StopRequested& stop = {});

/// Returns the tokenizer properties used by templates: the text of the begin, end, padding and
/// unknown tokens. Errors: as Tokenizer::pieceBytes.
[[nodiscard]] Result<RenderOptions> renderOptions(const Tokenizer& tokenizer);
/// Returns the token ids of a rendered prompt, adding the leading token that some models require
/// but whose template omits it. Errors: TokTooLong, Cancelled.
[[nodiscard]] Result<std::vector<TokenId>> promptIds(const Tokenizer& tokenizer,
                                                     std::span<const PromptSpan> spans,
                                                     StopRequested stop = {});
/// Returns the number of tokens before the newest user message and its template text, in a prompt
/// of `tokens` tokens rendered as `spans` from `messages`. If a tool result directly follows that
/// message, the user message before it counts, since it is waiting for that result. Returns nullopt
/// if it cannot be determined.
[[nodiscard]] std::optional<std::int64_t> questionStart(const Tokenizer& tokenizer,
                                                        std::span<const PromptSpan> spans,
                                                        std::span<const ChatMessage> messages,
                                                        std::int64_t tokens);
/// Like above, for the prompt that promptTokens() makes of `messages`.
[[nodiscard]] std::optional<std::int64_t> questionStart(const LoadedModel& model,
                                                        std::span<const ChatMessage> messages,
                                                        std::int64_t tokens,
                                                        const StopRequested& stop = {});

/// Returns the lengths of the prompt that promptTokens() makes of `messages` to which an edit of a
/// message or another answer in its place goes back: one token before its text, ascending. Errors:
/// as renderedPrompt and Tokenizer::pieceBytes.
[[nodiscard]] Result<std::vector<std::int64_t>> messageStarts(const LoadedModel& model,
                                                              std::span<const ChatMessage> messages,
                                                              std::span<const TokenId> prompt,
                                                              const StopRequested& stop = {});

}  // namespace lacuna
