#pragma once
/// \file
/// Renders messages as prompt text. A ChatTemplate is compiled once from the model's Jinja text and
/// is immutable. Text of the template may become control tokens, text of messages never does; the
/// prompt is therefore returned as marked spans. Source: the chat_template convention of Hugging
/// Face tokenizers; a subset of Jinja 3.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/template/chat_message.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

struct RenderOptions {
    bool addGenerationPrompt = true;
    std::string bosText = {};  ///< expansion of `bos_token`
    std::string eosText = {};
    std::string padText = {};      ///< expansion of `pad_token`; if empty, it is undefined in the
                                   ///< template
    std::string unknownText = {};  ///< expansion of `unk_token`; if empty, it is undefined in the
                                   ///< template
    /// Seconds since 1970 (UTC) for templates that write the date; nullopt: the current time.
    std::optional<std::int64_t> unixTime = std::nullopt;
    StopRequested stop = {};  ///< polled while the template runs; if true, rendering fails with
                              ///< Cancelled
};

struct TemplateInput;

class ChatTemplate {
  public:
    /// Compiles template text. Errors: TplSyntax, TplUnsupported (line, column, word), TplLimit.
    [[nodiscard]] static Result<ChatTemplate> compile(std::string_view jinja);
    /// Returns a built-in template: "chatml", "llama-3". Errors: InvalidArgument listing the names.
    [[nodiscard]] static Result<ChatTemplate> builtin(std::string_view name);
    ChatTemplate(ChatTemplate&&) noexcept;
    ChatTemplate& operator=(ChatTemplate&&) noexcept;
    ~ChatTemplate();

    /// Errors: TplRefused (raise_exception), TplRuntime, TplUnsupported, TplLimit, TplMessages (no
    /// messages, or an unknown role).
    [[nodiscard]] Result<std::vector<PromptSpan>> render(std::span<const ChatMessage> messages,
                                                         const RenderOptions& options) const;
    /// Like the above, with additional members in messages and additional variables.
    [[nodiscard]] Result<std::vector<PromptSpan>> render(const TemplateInput& input,
                                                         const RenderOptions& options) const;
    /// Returns "the model's own template" or "built-in chatml", for display.
    [[nodiscard]] const std::string& description() const;

  private:
    struct Impl;
    explicit ChatTemplate(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Tokenizes a rendered prompt; only template spans may contain control tokens.
[[nodiscard]] Result<std::vector<TokenId>> encodePrompt(const Tokenizer& tokenizer,
                                                        std::span<const PromptSpan> spans,
                                                        StopRequested stop = {});
/// Concatenates all spans.
[[nodiscard]] std::string promptText(std::span<const PromptSpan> spans);

}  // namespace lacuna
