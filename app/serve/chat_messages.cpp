#include "app/serve/chat_messages.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxMessages = 10'000;
constexpr std::size_t kMaxTools = 128;
constexpr std::size_t kMaxName = 64;

tl::unexpected<ApiError> wrong(std::string param, std::string message,
                               std::string code = "MESSAGES") {
    return tl::unexpected<ApiError>(ApiError{.status = 400,
                                             .message = std::move(message),
                                             .param = std::move(param),
                                             .code = std::move(code)});
}

bool isFunctionName(const std::string& name) {
    return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
}

/// Returns the text of a content: a string or text parts joined by `between`.
ApiResult<std::string> textOf(const OrderedJson& content, const std::string& path,
                              std::string_view between) {
    if (content.is_string()) return content.get<std::string>();
    if (!content.is_array())
        return wrong(path, format("{} has to be a string or a list of parts", path), "TYPE");
    std::string text;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::string place = format("{}[{}]", path, i);
        const OrderedJson& part = content[i];
        if (!part.is_object() || !part.contains("type") || !part["type"].is_string())
            return wrong(place, format("{} has to be a part with a type", place), "TYPE");
        const auto type = part["type"].get<std::string>();
        if (type != "text" && type != "input_text" && type != "output_text")
            return wrong(place,
                         format("{} is of type {}; this model reads only text", place,
                                type.substr(0, kMaxName)),
                         "UNSUPPORTED");
        if (!part.contains("text") || !part["text"].is_string())
            return wrong(place + ".text", format("{}.text has to be a string", place), "TYPE");
        if (i > 0) text += between;
        text += part["text"].get<std::string>();
    }
    return text;
}

/// Reads a call of the history; its arguments become an object, as templates expect.
ApiResult<OrderedJson> readCall(const OrderedJson& call, const std::string& place,
                                std::set<std::string>& ids) {
    if (!call.is_object()) return wrong(place, format("{} has to be an object", place), "TYPE");
    const auto function = call.find("function");
    if (function == call.end() || !function->is_object() || !function->contains("name") ||
        !(*function)["name"].is_string())
        return wrong(place + ".function", format("{}.function needs a name", place));
    const auto name = (*function)["name"].get<std::string>();
    if (!isFunctionName(name))
        return wrong(place + ".function.name",
                     format("{}.function.name is not a valid function name", place));
    OrderedJson arguments = OrderedJson::object();
    if (const auto given = function->find("arguments");
        given != function->end() && !given->is_null()) {
        if (given->is_string()) {
            const auto text = given->get<std::string>();
            auto parsed = parseOrderedJson(text.empty() ? "{}" : text);
            if (!parsed || !parsed->is_object())
                return wrong(
                    place + ".function.arguments",
                    format("{}.function.arguments is not the text of a JSON object", place));
            arguments = std::move(*parsed);
        } else if (given->is_object()) {
            arguments = *given;
        } else {
            return wrong(place + ".function.arguments",
                         format("{}.function.arguments has to be a string", place), "TYPE");
        }
    }
    OrderedJson result{{"type", "function"},
                       {"function", {{"name", name}, {"arguments", std::move(arguments)}}}};
    if (const auto id = call.find("id"); id != call.end() && !id->is_null()) {
        if (!id->is_string())
            return wrong(place + ".id", format("{}.id has to be a string", place));
        ids.insert(id->get<std::string>());
        result["id"] = *id;
    }
    return result;
}

struct MessageReader {
    std::set<std::string> callIds;
    bool called = false;  ///< an earlier message contains a call

    [[nodiscard]] ApiResult<OrderedJson> read(const OrderedJson& given, const std::string& place);

  private:
    [[nodiscard]] ApiResult<OrderedJson> readCalls(const OrderedJson& calls,
                                                   const std::string& place);
    [[nodiscard]] std::optional<ApiError> judgeToolAnswer(const OrderedJson& given,
                                                          const std::string& place) const;
};

ApiResult<OrderedJson> MessageReader::readCalls(const OrderedJson& calls,
                                                const std::string& place) {
    if (!calls.is_array()) return wrong(place, format("{} has to be a list", place), "TYPE");
    OrderedJson result = OrderedJson::array();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        auto call = readCall(calls[i], format("{}[{}]", place, i), callIds);
        if (!call) return call;
        result.push_back(std::move(*call));
    }
    called = called || !calls.empty();
    return result;
}

std::optional<ApiError> MessageReader::judgeToolAnswer(const OrderedJson& given,
                                                       const std::string& place) const {
    const auto id = given.find("tool_call_id");
    if (id != given.end() && !id->is_null()) {
        if (id->is_string() && callIds.contains(id->get<std::string>())) return std::nullopt;
        return wrong(place + ".tool_call_id",
                     format("{}.tool_call_id does not match any earlier call", place))
            .value();
    }
    if (called) return std::nullopt;
    return wrong(place, format("{} is the result of a call, but no call comes before it", place))
        .value();
}

ApiResult<OrderedJson> MessageReader::read(const OrderedJson& given, const std::string& place) {
    if (!given.is_object()) return wrong(place, format("{} has to be an object", place), "TYPE");
    const auto roleAt = given.find("role");
    if (roleAt == given.end() || !roleAt->is_string())
        return wrong(place + ".role", format("{}.role is missing", place));
    auto role = roleAt->get<std::string>();
    if (role == "developer") role = "system";
    if (role == "function") role = "tool";
    if (role != "system" && role != "user" && role != "assistant" && role != "tool")
        return wrong(place + ".role",
                     format("{}.role is '{}'; expected system, developer, user, assistant or tool",
                            place, role.substr(0, kMaxName)));
    OrderedJson message{{"role", role}};
    const auto content = given.find("content");
    const auto calls = given.find("tool_calls");
    const bool hasCalls =
        role == "assistant" && calls != given.end() && !calls->is_null() && !calls->empty();
    if (content != given.end() && !content->is_null()) {
        auto text = textOf(*content, place + ".content", "\n");
        if (!text) return tl::unexpected<ApiError>(text.error());
        message["content"] = std::move(*text);
    } else if (hasCalls) {
        message["content"] = "";
    } else {
        return wrong(place + ".content", format("{}.content is missing", place));
    }
    if (hasCalls) {
        auto read = readCalls(*calls, place + ".tool_calls");
        if (!read) return read;
        message["tool_calls"] = std::move(*read);
    }
    if (role == "tool") {
        if (auto why = judgeToolAnswer(given, place)) return tl::unexpected<ApiError>(*why);
        if (given.contains("tool_call_id")) message["tool_call_id"] = given["tool_call_id"];
    }
    for (const char* more : {"name", "reasoning_content"})
        if (const auto value = given.find(more); value != given.end() && value->is_string())
            message[more] = *value;
    for (const char* other : {"function_call", "audio"})
        if (const auto value = given.find(other); value != given.end() && !value->is_null())
            return wrong(place + "." + other, format("{}.{} is not supported here", place, other),
                         "UNSUPPORTED");
    return message;
}

bool isAssistant(const OrderedJson& message) {
    return message.is_object() && message.contains("role") && message["role"] == "assistant";
}

/// Adjusts `$ref` in a schema that was moved to a different path of a document.
void moveReferences(OrderedJson& schema, const std::string& place) {
    if (schema.is_array())
        for (OrderedJson& one : schema) moveReferences(one, place);
    if (!schema.is_object()) return;
    for (auto& [name, value] : schema.items()) {
        if (name == "$ref" && value.is_string() && value.get<std::string>().starts_with('#'))
            value = place + value.get<std::string>().substr(1);
        else
            moveReferences(value, place);
    }
}

/// A parameter schema without properties is closed unless it says otherwise, because a model would
/// invent some.
void closeEmptyParameters(OrderedJson& parameters) {
    if (const auto properties = parameters.find("properties");
        properties != parameters.end() && properties->is_null())
        parameters.erase("properties");
    for (const char* keyword :
         {"additionalProperties", "unevaluatedProperties", "patternProperties", "$ref",
          "$dynamicRef", "allOf", "anyOf", "oneOf", "const", "enum"})
        if (parameters.contains(keyword)) return;
    for (const char* keyword : {"properties", "required"})
        if (const auto given = parameters.find(keyword);
            given != parameters.end() && !given->empty())
            return;
    parameters["additionalProperties"] = false;
}

OrderedJson callSchemaAt(const ToolFunction& function, const std::string& place) {
    OrderedJson parameters = function.parameters;
    closeEmptyParameters(parameters);
    moveReferences(parameters, place + "/properties/arguments");
    return {{"type", "object"},
            {"properties",
             {{"name", {{"const", function.name}}}, {"arguments", std::move(parameters)}}},
            {"required", OrderedJson::array({"name", "arguments"})}};
}

}  // namespace

ApiResult<ChatHistory> readMessages(JsonFields& fields) {
    const OrderedJson* given = fields.find("messages");
    const std::string path = fields.place("messages");
    if (given == nullptr) return wrong(path, "messages is missing");
    if (!given->is_array()) return wrong(path, "messages has to be a list", "TYPE");
    if (given->empty()) return wrong(path, "messages is empty; at least one is needed");
    if (given->size() > kMaxMessages)
        return wrong(path, format("messages has {} entries; at most {} are allowed", given->size(),
                                  kMaxMessages));
    ChatHistory history;
    std::size_t count = given->size();
    const OrderedJson& last = given->back();
    if (isAssistant(last) && !(last.contains("tool_calls") && !last["tool_calls"].empty())) {
        if (count > 1 && isAssistant((*given)[count - 2]))
            return wrong(path,
                         "messages ends with two assistant messages; there is nothing to answer");
        if (count == 1) return wrong(path, "messages has nothing to answer");
        if (!last.contains("content") || last["content"].is_null())
            return wrong(format("{}[{}].content", path, count - 1),
                         "the last message has no content");
        auto text = textOf(last["content"], format("{}[{}].content", path, count - 1), "");
        if (!text) return tl::unexpected<ApiError>(text.error());
        history.prefill = std::move(*text);
        --count;
    }
    MessageReader reader;
    for (std::size_t i = 0; i < count; ++i) {
        auto message = reader.read((*given)[i], format("{}[{}]", path, i));
        if (!message) return tl::unexpected<ApiError>(message.error());
        history.messages.push_back(std::move(*message));
    }
    return history;
}

ApiResult<ChatTools> readTools(JsonFields& fields) {
    ChatTools tools;
    const OrderedJson* given = fields.find("tools");
    if (given == nullptr) return tools;
    if (!given->is_array()) return wrong("tools", "tools has to be a list", "TYPE");
    if (given->size() > kMaxTools)
        return wrong("tools", format("tools has {} entries; at most {} are allowed", given->size(),
                                     kMaxTools));
    for (std::size_t i = 0; i < given->size(); ++i) {
        const std::string place = format("tools[{}]", i);
        const OrderedJson& tool = (*given)[i];
        if (!tool.is_object() || !tool.contains("type") || tool["type"] != "function")
            return wrong(place + ".type", format("{}.type has to be function", place),
                         "UNSUPPORTED");
        const auto function = tool.find("function");
        if (function == tool.end() || !function->is_object() || !function->contains("name") ||
            !(*function)["name"].is_string() ||
            !isFunctionName((*function)["name"].get<std::string>()))
            return wrong(
                place + ".function.name",
                format("{}.function needs a name of at most {} letters, digits, _, - and .", place,
                       kMaxName));
        ToolFunction one{.name = (*function)["name"].get<std::string>(),
                         .parameters = {{"type", "object"}}};
        if (const auto parameters = function->find("parameters");
            parameters != function->end() && !parameters->is_null()) {
            if (!parameters->is_object())
                return wrong(place + ".function.parameters",
                             format("{}.function.parameters has to be a JSON schema", place),
                             "TYPE");
            if (!parameters->empty()) one.parameters = *parameters;
        }
        const bool twice = std::ranges::any_of(
            tools.functions, [&](const ToolFunction& other) { return other.name == one.name; });
        if (twice)
            return wrong(place + ".function.name", format("two tools are called {}", one.name));
        tools.functions.push_back(std::move(one));
        tools.asGiven.push_back(tool);
    }
    return tools;
}

OrderedJson callSchema(const std::vector<ToolFunction>& functions) {
    if (functions.size() == 1) return callSchemaAt(functions.front(), "#");
    OrderedJson choices = OrderedJson::array();
    for (std::size_t i = 0; i < functions.size(); ++i)
        choices.push_back(callSchemaAt(functions[i], format("#/anyOf/{}", i)));
    return {{"anyOf", std::move(choices)}};
}

}  // namespace lacuna::app
