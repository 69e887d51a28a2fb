#include "engine/template/template_input.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/big_integer.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

using jinja::Value;
using Source = PromptSpan::Source;

constexpr int kMaxDepth = 48;  // below the limit of the template language itself
constexpr auto kRoles = std::to_array<std::string_view>(
    {"system", "user", "assistant", "tool", "developer", "function", "ipython", "model", "context",
     "tool_calls", "tool_results", "tool_response", "tool_responses", "available_tools",
     "observation", "documents", "control"});

Result<Value> converted(const OrderedJson& json, int depth);

Value marked(const std::string& text) {
    return Value::text(MarkedText(text, Source::Message));
}

Value number(const OrderedJson& json) {
    if (json.is_number_float()) return Value::number(json.get<double>());
    const bool small = json.is_number_integer() && !json.is_number_unsigned();
    constexpr auto kMaxValue = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (small || (json.is_number_unsigned() && json.get<std::uint64_t>() <= kMaxValue))
        return Value::integer(json.get<std::int64_t>());
    return Value::bigInteger(dumpJson(json));
}

Result<Value> listValue(const OrderedJson& json, int depth) {
    jinja::List items;
    items.reserve(json.size());
    for (const OrderedJson& item : json) {
        LACUNA_TRY(Value value, converted(item, depth + 1));
        items.push_back(std::move(value));
    }
    return Value::list(std::move(items));
}

Result<Value> dictValue(const OrderedJson& json, int depth) {
    jinja::Dict entries;
    for (const auto& [key, item] : json.items()) {
        LACUNA_TRY(Value value, converted(item, depth + 1));
        LACUNA_TRY_STATUS(entries.set(marked(key), std::move(value)));
    }
    return Value::dict(std::move(entries));
}

Result<Value> converted(const OrderedJson& json, int depth) {
    if (depth > kMaxDepth)
        return fail(ErrorCode::TplMessages, format("values are nested deeper than {}", kMaxDepth));
    if (json.is_null()) return Value();
    if (json.is_boolean()) return Value::boolean(json.get<bool>());
    if (isJsonNumber(json)) return number(json);
    if (json.is_string()) return marked(json.get_ref<const std::string&>());
    return json.is_array() ? listValue(json, depth) : dictValue(json, depth);
}

Result<Value> messageValue(const OrderedJson& message, std::size_t index) {
    const auto role = message.is_object() ? message.find("role") : message.end();
    if (!message.is_object() || role == message.end() || !role->is_string())
        return fail(ErrorCode::TplMessages,
                    format("message {} is not an object with a role that is a string", index));
    jinja::Dict entries;
    for (const auto& [key, item] : message.items()) {
        auto value = converted(item, 1);
        if (!value)
            return tl::unexpected<Error>(
                withPrefix(std::move(value).error(), format("message {}", index)));
        if (key == "role" &&
            std::find(kRoles.begin(), kRoles.end(), role->get<std::string>()) != kRoles.end())
            value = Value::text(role->get<std::string>());
        LACUNA_TRY_STATUS(entries.set(marked(key), std::move(*value)));
    }
    return Value::dict(std::move(entries));
}

}  // namespace

Result<Value> messagesValue(const OrderedJson& messages) {
    if (!messages.is_array() || messages.empty())
        return fail(ErrorCode::TplMessages,
                    "the messages are not a list with at least one message");
    jinja::List list;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        LACUNA_TRY(Value message, messageValue(messages[i], i));
        list.push_back(std::move(message));
    }
    return Value::list(std::move(list));
}

Result<Value> variableValue(const OrderedJson& value) {
    return converted(value, 0);
}

}  // namespace lacuna
