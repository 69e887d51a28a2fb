#include "engine/quality/grid_items.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"
#include "engine/quality/recall_cases.h"

namespace lacuna {
namespace {

std::vector<TokenId> tokensOf(std::span<const TokenId> tokens) {
    return {tokens.begin(), tokens.end()};
}

bool usable(const ShadowText& text, const ModelSpec& spec) {
    const std::size_t after =
        text.continuation.size() + static_cast<std::size_t>(std::max(text.answerTokens, 0));
    return !text.context.empty() && after >= 2 &&
           text.context.size() + after <= static_cast<std::size_t>(spec.context);
}

Result<std::string> stringMember(const Json& object, const char* name, const std::string& path) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string())
        return fail(ErrorCode::Config, format("{}.{} is not a text", path, name));
    return found->get<std::string>();
}

}  // namespace

Result<ShadowText> splitPrompt(const LoadedModel& model, std::span<const ChatMessage> messages) {
    LACUNA_TRY(const std::vector<TokenId> prompt, promptTokens(model, messages));
    LACUNA_TRY(const std::size_t before, tokensBeforeQuestion(model, messages, prompt));
    const std::span<const TokenId> all(prompt);
    return ShadowText{.context = tokensOf(all.first(before)),
                      .continuation = tokensOf(all.subspan(before)),
                      .answerTokens = 0};
}

Result<ConversationItems> conversationItems(const LoadedModel& model,
                                            std::span<const ChatMessage> messages,
                                            const ConversationItemOptions& options) {
    ConversationItems out;
    int answers = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const bool waits = i + 1 == messages.size() && messages[i].role == "user";
        if (messages[i].role != "assistant" && !waits) continue;
        ++answers;
        GridItem item;
        item.kind = waits ? "next answer" : format("answer {}", answers);
        item.headTokens = options.headTokens;
        const auto asked = messages.first(waits ? i + 1 : i);
        if (asked.empty())
            return fail(
                ErrorCode::InvalidArgument,
                "the conversation begins with an answer; it must begin with a message of the user");
        LACUNA_TRY(item.text, splitPrompt(model, asked));
        if (waits) {
            item.text.answerTokens = options.answerTokens;
        } else {
            LACUNA_TRY(const auto said, model.tokenizer.encode(messages[i].content,
                                                               {.special = SpecialText::Plain}));
            item.text.continuation.insert(item.text.continuation.end(), said.begin(), said.end());
        }
        if (usable(item.text, model.spec))
            out.items.push_back(std::move(item));
        else
            ++out.left;
    }
    if (out.items.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("none of {} answers can be measured: each needs text before the last "
                           "paragraph of the message it answers, and must fit the context of {}",
                           answers, model.spec.context));
    return out;
}

Result<std::vector<ChatMessage>> messagesFromJson(const Json& json) {
    const Json* list = &json;
    if (json.is_object() && json.contains("messages")) list = &json["messages"];
    if (!list->is_array() || list->empty())
        return fail(ErrorCode::Config, "messages is not a list of messages");
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string path = format("messages[{}]", i);
        const Json& one = (*list)[i];
        if (!one.is_object()) return fail(ErrorCode::Config, format("{} is not an object", path));
        LACUNA_TRY(auto role, stringMember(one, "role", path));
        LACUNA_TRY(auto content, stringMember(one, "content", path));
        messages.push_back({std::move(role), std::move(content)});
    }
    return messages;
}

}  // namespace lacuna
