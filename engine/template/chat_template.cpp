#include "engine/template/chat_template.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "engine/base/string_format.h"
#include "engine/template/jinja_interpreter.h"
#include "engine/template/jinja_parser.h"
#include "engine/template/template_input.h"

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"system", "user", "assistant", "tool"};

struct BuiltinTemplate {
    std::string_view name;
    std::string_view text;
};

constexpr std::array<BuiltinTemplate, 5> kBuiltins = {{
    {"chatml",
     "{%- for message in messages -%}"
     "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
     "{%- endfor -%}"
     "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"},
    {"llama-3",
     "{{- bos_token }}"
     "{%- for message in messages -%}"
     "{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' }}"
     "{{- message.content | trim }}{{ '<|eot_id|>' }}"
     "{%- endfor -%}"
     "{%- if add_generation_prompt -%}"
     "{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"
     "{%- endif -%}"},
    {"command-r",
     "{%- for message in messages -%}"
     "{{ '<|START_OF_TURN_TOKEN|>' }}"
     "{{- {'system': '<|SYSTEM_TOKEN|>', 'assistant': '<|CHATBOT_TOKEN|>'}"
     ".get(message.role, '<|USER_TOKEN|>') }}"
     "{{- message.content | trim }}{{ '<|END_OF_TURN_TOKEN|>' }}"
     "{%- endfor -%}"
     "{%- if add_generation_prompt -%}"
     "{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}"
     "{%- endif -%}"},
    {"gemma",
     "{{- bos_token }}"
     "{%- set first = messages[0].role == 'system' -%}"
     "{%- for message in messages -%}"
     "{%- if not (first and loop.first) -%}"
     "{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\\n' }}"
     "{%- if first and loop.index0 == 1 -%}"
     "{{- messages[0].content | trim }}{{ '\\n\\n' }}"
     "{%- endif -%}"
     "{{- message.content | trim }}{{ '<end_of_turn>\\n' }}"
     "{%- endif -%}"
     "{%- endfor -%}"
     "{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}"},
    {"phi3",
     "{%- for message in messages -%}"
     "{{ '<|' + message.role + '|>\\n' + message.content + '<|end|>\\n' }}"
     "{%- endfor -%}"
     "{%- if add_generation_prompt -%}{{ '<|assistant|>\\n' }}{%- endif -%}"},
}};

Status checkMessages(std::span<const ChatMessage> messages) {
    if (messages.empty())
        return fail(ErrorCode::TplMessages, "there are no messages; at least one is needed");
    for (std::size_t i = 0; i < messages.size(); ++i)
        if (std::find(kRoles.begin(), kRoles.end(), messages[i].role) == kRoles.end())
            return fail(ErrorCode::TplMessages,
                        format("message {} has the role \"{}\"; expected system, user, assistant "
                               "or tool",
                               i, messages[i].role));
    return {};
}

/// Roles count as template text: they come from a closed list, and some templates build control
/// tokens from them.
jinja::Value messageList(std::span<const ChatMessage> messages) {
    jinja::List list;
    list.reserve(messages.size());
    for (const ChatMessage& message : messages) {
        MarkedText content(message.content, PromptSpan::Source::Message);
        jinja::Dict entries;
        entries.set("role", jinja::Value::text(message.role));
        entries.set("content", jinja::Value::text(std::move(content)));
        list.push_back(jinja::Value::dict(std::move(entries)));
    }
    return jinja::Value::list(std::move(list));
}

std::int64_t presentTime() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

/// Returns the variables that every rendering has besides its messages.
jinja::RunInput commonInput(const RenderOptions& options) {
    jinja::RunInput input;
    input.globals["add_generation_prompt"] = jinja::Value::boolean(options.addGenerationPrompt);
    input.globals["bos_token"] = jinja::Value::text(options.bosText);
    input.globals["eos_token"] = jinja::Value::text(options.eosText);
    if (!options.padText.empty()) input.globals["pad_token"] = jinja::Value::text(options.padText);
    if (!options.unknownText.empty())
        input.globals["unk_token"] = jinja::Value::text(options.unknownText);
    input.globals["tools"] = jinja::Value();
    input.globals["documents"] = jinja::Value();
    input.stop = options.stop;
    input.unixTime = options.unixTime ? *options.unixTime : presentTime();
    return input;
}

}  // namespace

struct ChatTemplate::Impl {
    [[nodiscard]] Result<std::vector<PromptSpan>> run(const jinja::RunInput& input) const {
        auto written = jinja::run(program, input);
        if (!written)
            return tl::unexpected<Error>(withPrefix(std::move(written).error(), "chat template"));
        return written->spans();
    }

    jinja::Block program;
    std::string description;
};

ChatTemplate::ChatTemplate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::compile(std::string_view jinja) {
    auto impl = std::make_unique<Impl>();
    LACUNA_TRY(const std::vector<jinja::Token> tokens, jinja::tokenize(jinja));
    LACUNA_TRY(impl->program, jinja::parseTemplate(tokens));
    impl->description = "the model's own template";
    return ChatTemplate(std::move(impl));
}

Result<ChatTemplate> ChatTemplate::builtin(std::string_view name) {
    if (name == "llama3") name = "llama-3";  // llama.cpp's spelling
    std::string known;
    for (const BuiltinTemplate& candidate : kBuiltins) {
        known += format("{}\"{}\"", known.empty() ? "" : ", ", candidate.name);
        if (candidate.name != name) continue;
        LACUNA_TRY(ChatTemplate made, compile(candidate.text));
        made.impl_->description = format("built-in {}", name);
        return made;
    }
    return fail(ErrorCode::InvalidArgument,
                format("there is no built-in chat template \"{}\"; known are {}", name, known));
}

Result<std::vector<PromptSpan>> ChatTemplate::render(std::span<const ChatMessage> messages,
                                                     const RenderOptions& options) const {
    LACUNA_TRY_STATUS(checkMessages(messages));
    jinja::RunInput input = commonInput(options);
    input.globals["messages"] = messageList(messages);
    return impl_->run(input);
}

Result<std::vector<PromptSpan>> ChatTemplate::render(const TemplateInput& input,
                                                     const RenderOptions& options) const {
    jinja::RunInput run = commonInput(options);
    LACUNA_TRY(run.globals["messages"], messagesValue(input.messages));
    for (const auto& [name, value] : input.variables.items()) {
        auto made = variableValue(value);
        if (!made) return tl::unexpected<Error>(withPrefix(std::move(made).error(), name));
        run.globals[name] = std::move(*made);
    }
    return impl_->run(run);
}

const std::string& ChatTemplate::description() const {
    return impl_->description;
}

Result<std::vector<TokenId>> encodePrompt(const Tokenizer& tokenizer,
                                          std::span<const PromptSpan> spans, StopRequested stop) {
    // Encode one text instead of one per span: merges may cross from template to message, as they
    // did in training. Only control tokens are restricted to template text.
    std::string text;
    std::vector<ByteRange> marked;
    for (const PromptSpan& span : spans) {
        const std::size_t begin = text.size();
        text += span.text;
        if (span.source != PromptSpan::Source::Template || span.text.empty()) continue;
        if (!marked.empty() && marked.back().end == begin)
            marked.back().end = text.size();
        else
            marked.push_back({begin, text.size()});
    }
    return tokenizer.encodeMarked(text, marked, std::move(stop));
}

std::string promptText(std::span<const PromptSpan> spans) {
    std::string text;
    for (const PromptSpan& span : spans) text += span.text;
    return text;
}

}  // namespace lacuna
