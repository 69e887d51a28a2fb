#pragma once
/// \file
/// Messages to prompt text. A ChatTemplate is compiled once from the model's own Jinja text and is
/// immutable. What a template writes itself may become control tokens; what a message contains
/// never does: the prompt comes back as marked spans. Source: the chat_template convention of
/// Hugging Face tokenizers; a subset of Jinja 3.

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
    std::string bosText = {};  ///< what `bos_token` expands to
    std::string eosText = {};
    std::string padText = {};      ///< `pad_token`; undefined in the template when empty
    std::string unknownText = {};  ///< `unk_token`; undefined when empty
    /// Seconds since 1970 for templates that write the date (UTC); the present when not given.
    std::optional<std::int64_t> unixTime = std::nullopt;
    StopAsked stop = {};  ///< asked while the template runs; it then ends with Cancelled
};

struct TemplateInput;

class ChatTemplate {
  public:
    /// Compiles template text. Errors: TplSyntax, TplUnsupported (line, column, word), TplLimit.
    [[nodiscard]] static Result<ChatTemplate> compile(std::string_view jinja);
    /// A built-in by name: "chatml", "llama-3". Errors: InvalidArgument listing the names.
    [[nodiscard]] static Result<ChatTemplate> builtin(std::string_view name);
    ChatTemplate(ChatTemplate&&) noexcept;
    ChatTemplate& operator=(ChatTemplate&&) noexcept;
    ~ChatTemplate();

    /// Errors: TplRefused (raise_exception), TplRuntime, TplUnsupported, TplLimit, TplMessages (no
    /// messages, or a role that is none of the four).
    [[nodiscard]] Result<std::vector<PromptSpan>> render(std::span<const ChatMessage> messages,
                                                         const RenderOptions& options) const;
    /// The same for messages with more than a role and a content, and for other variables.
    [[nodiscard]] Result<std::vector<PromptSpan>> render(const TemplateInput& input,
                                                         const RenderOptions& options) const;
    /// "the model's own template" or "built-in chatml": shown on screen.
    [[nodiscard]] const std::string& description() const;

  private:
    struct Impl;
    explicit ChatTemplate(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Token ids of a rendered prompt: template spans may hold control tokens, message spans stay text.
[[nodiscard]] Result<std::vector<TokenId>> encodePrompt(const Tokenizer& tokenizer,
                                                        std::span<const PromptSpan> spans,
                                                        StopAsked stop = {});
/// All spans joined.
[[nodiscard]] std::string promptText(std::span<const PromptSpan> spans);

}  // namespace lacuna
