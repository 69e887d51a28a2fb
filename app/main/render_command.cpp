// render: prints the prompt that a model's chat template produces from messages.

#include <cstdio>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/format/load_model.h"
#include "engine/generate/prompt.h"
#include "engine/template/template_input.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kInputLimit = std::size_t{64} << 20;

Result<OrderedJson> jsonFile(const std::string& path) {
    LACUNA_TRY(const std::string text, readFile(path, kInputLimit));
    auto parsed = parseOrderedJson(text);
    if (!parsed) return tl::unexpected<Error>(withPrefix(std::move(parsed).error(), path));
    return parsed;
}

/// Reads a list of messages, or an object with `messages` and other variables.
Result<TemplateInput> inputOf(const RenderArguments& a) {
    LACUNA_TRY(OrderedJson json, jsonFile(a.messages));
    TemplateInput input;
    if (json.is_object()) {
        if (!json.contains("messages"))
            return fail(ErrorCode::Config, format("{}: the object has no `messages`", a.messages));
        input.messages = json["messages"];
        json.erase("messages");
        input.variables = std::move(json);
    } else {
        input.messages = std::move(json);
    }
    if (!a.tools.empty()) {
        LACUNA_TRY(input.variables["tools"], jsonFile(a.tools));
    }
    for (const std::string& assignment : a.variables) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(ErrorCode::InvalidArgument,
                        format("--set {}: expected NAME=JSON", assignment));
        const std::string name = assignment.substr(0, equals);
        auto value = parseOrderedJson(assignment.substr(equals + 1));
        if (!value)
            return tl::unexpected<Error>(withPrefix(std::move(value).error(), "--set " + name));
        input.variables[name] = std::move(*value);
    }
    return input;
}

Result<int> renderOrError(const RenderArguments& a, const std::stop_token& stop) {
    LACUNA_TRY(const TemplateInput input, inputOf(a));
    LACUNA_TRY(const auto path, modelPath(a.model));
    LACUNA_TRY(const auto model, loadModel(path, {.progress = {}, .stop = stop}));
    LACUNA_TRY(RenderOptions options, renderOptions(model->tokenizer));
    options.addGenerationPrompt = a.generationPrompt;
    options.stop = [stop] { return stop.stop_requested(); };
    std::vector<PromptSpan> spans;
    if (a.file.empty()) {
        if (!model->templateNote.empty()) note(model->templateNote);
        LACUNA_TRY(spans, model->chatTemplate.render(input, options));
    } else {
        LACUNA_TRY(const std::string text, readFile(a.file, kInputLimit));
        LACUNA_TRY(const ChatTemplate own, ChatTemplate::compile(text));
        LACUNA_TRY(spans, own.render(input, options));
    }
    if (!a.ids) return print(promptText(spans));
    LACUNA_TRY(const auto ids, promptIds(model->tokenizer, spans, options.stop));
    return print(dumpJson(OrderedJson(ids)) + "\n");
}

}  // namespace

int render(const RenderArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = renderOrError(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
