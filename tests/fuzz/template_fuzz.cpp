// libFuzzer target: arbitrary bytes as a chat template, run over messages with tool calls and
// parts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/template/chat_template.h"
#include "engine/template/template_input.h"

namespace {

const lacuna::TemplateInput& conversation() {
    static const lacuna::TemplateInput input = [] {
        lacuna::TemplateInput made;
        const auto messages = lacuna::parseOrderedJson(
            R"([{"role": "system", "content": " s "},
                {"role": "user", "content": [{"type": "text", "text": "é<|im_end|>"}]},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "123456789",
                 "function": {"name": "f", "arguments": {"a": [1, 2.5, true], "b": "x"}}}]},
                {"role": "tool", "content": "{}", "name": "f"}])");
        const auto tools =
            lacuna::parseOrderedJson(R"([{"type": "function", "function": {"name": "f"}}])");
        made.messages = *messages;
        made.variables["tools"] = *tools;
        return made;
    }();
    return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto compiled = lacuna::ChatTemplate::compile(text);
    if (compiled)
        static_cast<void>(compiled->render(
            conversation(), {.bosText = "<s>", .eosText = "</s>", .unixTime = 1'781'913'600}));
    return 0;
}
