#include "app/serve/tool_choice.h"

#include <utility>

namespace lacuna::app {
namespace {

struct Choice {
    enum class Mode { None, Auto, Required, Named } mode = Mode::Auto;
    std::string name = {};  ///< name of the function
};

std::optional<std::string> nameIn(const OrderedJson& choice) {
    if (!choice.is_object() || !choice.contains("function")) return std::nullopt;
    const OrderedJson& function = choice["function"];
    if (!function.is_object() || !function.contains("name") || !function["name"].is_string())
        return std::nullopt;
    return function["name"].get<std::string>();
}

Choice readChoice(JsonFields& fields) {
    using Mode = Choice::Mode;
    const OrderedJson* const choice = fields.find("tool_choice");
    if (choice == nullptr || *choice == "auto") return {};
    if (*choice == "none") return {Mode::None};
    if (*choice == "required") return {Mode::Required};
    if (choice->is_string())
        fields.refuse("tool_choice",
                      "tool_choice has to be none, auto, required or name a function");
    else if (auto name = nameIn(*choice))
        return {Mode::Named, std::move(*name)};
    else
        fields.refuse("tool_choice",
                      "tool_choice has to be none, auto, required or name a function", "TYPE");
    return {};
}

}  // namespace

RequestedCalls readToolChoice(JsonFields& fields, const ChatTools& tools) {
    using Mode = Choice::Mode;
    const Choice choice = readChoice(fields);
    RequestedCalls asked;
    asked.one = !fields.boolean("parallel_tool_calls").value_or(true);
    const bool forced = choice.mode == Mode::Required || choice.mode == Mode::Named;
    if (tools.functions.empty() && forced)
        fields.refuse("tool_choice", "tool_choice needs tools to choose from");
    if (fields.error() || tools.functions.empty() || choice.mode == Mode::None) return asked;
    asked.functions = tools.functions;
    if (!forced) {
        asked.form = CallForm::Found;
        return asked;
    }
    std::vector<ToolFunction> may = tools.functions;
    if (choice.mode == Mode::Named)
        std::erase_if(may, [&](const ToolFunction& one) { return one.name != choice.name; });
    if (may.empty()) {
        fields.refuse("tool_choice", "tool_choice names a function that is not in tools");
        return asked;
    }
    asked.form = CallForm::Forced;
    asked.schema = callSchema(may);
    return asked;
}

}  // namespace lacuna::app
