#pragma once
/// \file
/// A conversation to the token ids of its prompt. What a message contains never becomes a control
/// token, whatever it spells. Pure function.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/template/chat_template.h"

namespace lacuna {

/// Renders `messages` with the model's template and a generation prompt at the end, and encodes it.
/// A last message of the assistant is the beginning of the answer, which is gone on with. Errors:
/// InvalidArgument (no message), Tpl*, TokTooLong, Cancelled once `stop` says so.
[[nodiscard]] Result<std::vector<TokenId>> promptTokens(const LoadedModel& model,
                                                        std::span<const ChatMessage> messages,
                                                        StopAsked stop = {});
/// The same for a prompt that must fit `context` tokens: a text that cannot is refused before it is
/// encoded, which takes seconds for many MiB; one that may has yet to be counted. Errors: as there,
/// and ContextFull with both figures.
[[nodiscard]] Result<std::vector<TokenId>> promptTokensWithin(const LoadedModel& model,
                                                              std::span<const ChatMessage> messages,
                                                              int context, StopAsked stop = {});

/// The text of that prompt, with who wrote what. Errors: InvalidArgument (no message), Tpl*,
/// Cancelled.
[[nodiscard]] Result<std::vector<PromptSpan>> renderedPrompt(const LoadedModel& model,
                                                             std::span<const ChatMessage> messages,
                                                             const StopAsked& stop = {});

/// What a template is told of a tokenizer: how its begin, end, padding and unknown tokens are
/// spelled. Errors: as Tokenizer::pieceBytes.
[[nodiscard]] Result<RenderOptions> renderOptions(const Tokenizer& tokenizer);
/// Token ids of a rendered prompt, with the leading token that some files ask for and whose
/// template does not write it. Errors: TokTooLong, Cancelled.
[[nodiscard]] Result<std::vector<TokenId>> promptIds(const Tokenizer& tokenizer,
                                                     std::span<const PromptSpan> spans,
                                                     StopAsked stop = {});
/// Of a prompt of `tokens` tokens, rendered as `spans` from `messages`: how many stand in front of
/// the newest user message and the template text around it; where a tool's result follows that
/// message directly, in front of the one before it, which waits for that result. Nothing where that
/// cannot be told.
[[nodiscard]] std::optional<std::int64_t> questionStart(const Tokenizer& tokenizer,
                                                        std::span<const PromptSpan> spans,
                                                        std::span<const ChatMessage> messages,
                                                        std::int64_t tokens);
/// The same of the prompt that promptTokens makes of `messages`.
[[nodiscard]] std::optional<std::int64_t> questionStart(const LoadedModel& model,
                                                        std::span<const ChatMessage> messages,
                                                        std::int64_t tokens,
                                                        const StopAsked& stop = {});

}  // namespace lacuna
