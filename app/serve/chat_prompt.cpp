#include "app/serve/chat_prompt.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/template/date_text.h"
#include "engine/template/thought_stream.h"

namespace lacuna::app {
namespace {

/// Announces the tools through the template, or by a message if the template does not support
/// tools.
void announceTools(OrderedJson& messages, const ChatTools& tools, bool forced) {
    std::string text =
        std::string(forced ? "You call functions. Answer"
                           : "You can call functions. To call one, answer") +
        " with one JSON object of the form {\"name\": ..., \"arguments\": {...}} and nothing else. "
        "The functions:";
    for (const OrderedJson& tool : tools.asGiven) text += "\n" + dumpJson(tool["function"]);
    if (!messages.empty() && messages.front()["role"] == "system") {
        OrderedJson& content = messages.front()["content"];
        content = content.get<std::string>() + "\n\n" + text;
    } else {
        messages.insert(messages.begin(), OrderedJson{{"role", "system"}, {"content", text}});
    }
}

/// Prepends the system message to the first user message, for templates without a system role
/// (Gemma, older Mistral). Returns false if either message is missing.
bool tellFirstUser(OrderedJson& messages) {
    if (messages.empty() || messages.front()["role"] != "system") return false;
    const auto user = std::ranges::find_if(
        messages, [](const OrderedJson& message) { return message["role"] == "user"; });
    if (user == messages.end()) return false;
    OrderedJson& content = (*user)["content"];
    content = messages.front()["content"].get<std::string>() + "\n\n" + content.get<std::string>();
    messages.erase(messages.begin());
    return true;
}

/// Returns whether the prompt ends where the assistant's turn begins. A trailing assistant message
/// is always continued; `continue_final_message` confirms it.
bool readGenerationPrompt(JsonFields& fields, const ChatHistory& history) {
    const auto begins = fields.boolean("add_generation_prompt");
    const bool goesOn = fields.boolean("continue_final_message").value_or(false);
    if (goesOn && begins.value_or(false))
        fields.refuse("continue_final_message",
                      "continue_final_message and add_generation_prompt cannot be used together",
                      "EXCL-PROMPT");
    else if (goesOn && history.prefill.empty())
        fields.refuse("continue_final_message",
                      "continue_final_message needs an assistant message as the last one");
    return begins.value_or(true) || !history.prefill.empty();
}

/// Adds variables that some templates use for dates and functions: Llama 3 and FireFunction.
void addUsualVariables(OrderedJson& variables, const std::string& text, const ChatTools* tools) {
    const auto knows = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    const auto date = [](std::string_view pattern) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return dateText(pattern, std::chrono::duration_cast<std::chrono::seconds>(now).count())
            .value_or("");
    };
    if (knows("date_string")) variables["date_string"] = date("%d %b %Y");
    if (!knows("datetime")) return;
    variables["datetime"] = date("%b %d %Y %H:%M:%S GMT");
    if (knows("functions")) variables["functions"] = tools ? dumpJson(tools->asGiven, 2) : "";
}

/// Empty if the member is not a string.
std::string textOf(const OrderedJson& message, const char* name) {
    const auto member = message.find(name);
    return member != message.end() && member->is_string() ? member->get<std::string>()
                                                          : std::string();
}

/// Templates with channels call the reasoning `thinking` and refuse it next to the text of a call.
void nameThoughts(OrderedJson& messages) {
    for (OrderedJson& message : messages) {
        const bool callsWithText =
            message.contains("tool_calls") && !textOf(message, "content").empty();
        std::string thoughts = textOf(message, "reasoning_content");
        if (!thoughts.empty() && !callsWithText) message["thinking"] = std::move(thoughts);
    }
}

}  // namespace

ApiResult<RenderedChat> renderChat(JsonFields& fields, const ServedModel& model,
                                   const RenderRequest& request, const StopRequested& stop) {
    RenderedChat result;
    auto history = readMessages(fields);
    if (!history) return tl::unexpected<ApiError>(history.error());
    const bool generationPrompt = readGenerationPrompt(fields, *history);
    auto tools = readTools(fields);
    if (!tools) return tl::unexpected<ApiError>(tools.error());
    result.tools = std::move(*tools);
    TemplateInput input{.messages = std::move(history->messages)};
    const std::string& text = model.templateText();
    const auto knows = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    if (writesChannels(text)) nameThoughts(input.messages);
    const OrderedJson* choice = fields.find("tool_choice");
    const bool usesTools =
        !result.tools.functions.empty() && !(choice != nullptr && *choice == "none");
    addUsualVariables(input.variables, text, usesTools ? &result.tools : nullptr);
    if (usesTools && knows("tools"))
        input.variables["tools"] = result.tools.asGiven;
    else if (usesTools && !input.variables.contains("functions"))
        announceTools(input.messages, result.tools, choice != nullptr && *choice != "auto");
    if (knows("enable_thinking"))
        input.variables["enable_thinking"] = request.reasoning.value_or(!request.formed);
    if (const auto effort = fields.text("reasoning_effort", 64)) {
        if (knows("reasoning_effort"))
            input.variables["reasoning_effort"] = *effort;
        else if (knows("enable_thinking"))
            input.variables["enable_thinking"] = *effort != "none";
        else if (*effort != "none")
            fields.refuse(
                "reasoning_effort",
                "reasoning_effort is not supported: this model's template does not have it",
                "UNSUPPORTED");
    }
    if (const OrderedJson* more = fields.find("chat_template_kwargs")) {
        if (!more->is_object())
            fields.refuse("chat_template_kwargs", "chat_template_kwargs has to be an object",
                          "TYPE");
        constexpr std::string_view kOurs[] = {"messages",  "tools",     "add_generation_prompt",
                                              "bos_token", "eos_token", "pad_token",
                                              "unk_token"};
        if (more->is_object())
            for (const auto& [name, value] : more->items()) {
                if (std::ranges::find(kOurs, name) != std::end(kOurs))
                    fields.refuse("chat_template_kwargs",
                                  format("chat_template_kwargs may not set {}", name));
                input.variables[name] = value;
            }
    }
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    auto spans = model.chatText(input, history->prefill, generationPrompt, stop);
    if (!spans && spans.error().code == ErrorCode::TplRefused && tellFirstUser(input.messages))
        if (auto told = model.chatText(input, history->prefill, generationPrompt, stop))
            spans = std::move(told);
    if (!spans) {
        ApiError wrong = apiErrorOf(spans.error());
        if (wrong.status == 500) wrong.status = 400;
        wrong.param = "messages";
        return tl::unexpected<ApiError>(std::move(wrong));
    }
    result.spans = std::move(*spans);
    for (const OrderedJson& message : input.messages)
        result.messages.push_back({textOf(message, "role"), textOf(message, "content")});
    // A template without a reasoning switch has opened a reasoning block; close it.
    if (request.reasoning == false && generationPrompt && history->prefill.empty() &&
        endsInThought(promptText(result.spans)))
        result.spans.push_back({"\n</think>\n\n", PromptSpan::Source::Template});
    // An answer without reasoning or calls, or with a fixed form, begins in the final channel.
    const bool onlyText = request.formed || (request.reasoning == false && !usesTools);
    if (onlyText && generationPrompt && history->prefill.empty() && writesChannels(text))
        if (const auto header = finalHeader(promptText(result.spans)); !header.empty())
            result.spans.push_back({std::string(header), PromptSpan::Source::Template});
    return result;
}

}  // namespace lacuna::app
