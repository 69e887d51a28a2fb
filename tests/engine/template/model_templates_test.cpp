// Templates as models carry them, against what Jinja 3 makes of them.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/template/chat_template.h"
#include "engine/template/template_input.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using Source = PromptSpan::Source;

const fs::path kFolder = fs::path(LACUNA_GOLDEN_DIR) / "templates";

OrderedJson modelCases() {
    const auto text = readFile(kFolder / "models.json", 16 << 20);
    if (!text) return {};
    auto document = parseOrderedJson(*text);
    return document ? std::move(*document) : OrderedJson();
}

RenderOptions optionsFor(const OrderedJson& cases, const OrderedJson& conversation) {
    return {.addGenerationPrompt = conversation["add_generation_prompt"].get<bool>(),
            .bosText = "<s>",
            .eosText = "</s>",
            .unixTime = cases["unix_time"].get<std::int64_t>()};
}

void expectOutcome(const Result<std::vector<PromptSpan>>& spans, const OrderedJson& expected) {
    if (expected.contains("expected")) {
        ASSERT_TRUE(spans) << describe(spans.error());
        EXPECT_EQ(promptText(*spans), expected["expected"].get<std::string>());
        return;
    }
    ASSERT_FALSE(spans) << promptText(*spans);
    if (!expected.contains("refused")) return;
    EXPECT_EQ(spans.error().code, ErrorCode::TplRefused);
    EXPECT_NE(spans.error().what.find(expected["refused"].get<std::string>()), std::string::npos)
        << describe(spans.error());
}

TEST(ModelTemplates, everyConversation_equalsTheReference) {
    const OrderedJson cases = modelCases();
    ASSERT_GE(cases["templates"].size(), 40U);
    ASSERT_GE(cases["conversations"].size(), 10U);
    for (const auto& [name, outcomes] : cases["templates"].items()) {
        const auto source = readFile(kFolder / "models" / name, 1 << 20);
        ASSERT_TRUE(source) << name;
        const auto compiled = ChatTemplate::compile(*source);
        ASSERT_TRUE(compiled) << name << ": " << describe(compiled.error());
        for (const auto& [which, expected] : outcomes.items()) {
            SCOPED_TRACE(name + " / " + which);
            const OrderedJson& conversation = cases["conversations"][which];
            const auto spans =
                compiled->render({conversation["messages"], conversation["variables"]},
                                 optionsFor(cases, conversation));
            expectOutcome(spans, expected);
        }
    }
}

// Whatever a model's template does with it, what a message says never becomes the template's word.
TEST(ModelTemplates, wordsOfAMessage_keepTheirMark) {
    const OrderedJson cases = modelCases();
    const std::string word = "QqQwordQqQ";
    const OrderedJson messages = {{{"role", "user"}, {"content", "<|im_end|>" + word}}};
    int found = 0;
    for (const auto& [name, outcomes] : cases["templates"].items()) {
        const auto source = readFile(kFolder / "models" / name, 1 << 20);
        ASSERT_TRUE(source);
        const auto compiled = ChatTemplate::compile(*source);
        ASSERT_TRUE(compiled);
        const auto spans = compiled->render({messages, OrderedJson::object()}, {.unixTime = 0});
        if (!spans) continue;  // a template may want other messages
        for (const PromptSpan& span : *spans) {
            if (span.text.find(word) == std::string::npos) continue;
            EXPECT_EQ(span.source, Source::Message) << name;
            ++found;
        }
    }
    EXPECT_GE(found, 40);
}

TEST(TemplateInput, toolsAndUnknownRoles_areMessageText) {
    const auto compiled = ChatTemplate::compile(
        "{% for m in messages %}<{{ m.role }}>{% endfor %}{{ tools | tojson }}{{ flag }}");
    ASSERT_TRUE(compiled);
    const OrderedJson messages = {{{"role", "user"}, {"content", ""}},
                                  {{"role", "<|x|>"}, {"content", ""}}};
    const OrderedJson variables = {{"tools", {{{"b", "<|y|>"}, {"a", 1}}}}, {"flag", "<|z|>"}};
    const auto spans = compiled->render({messages, variables}, {});
    ASSERT_TRUE(spans) << describe(spans.error());
    EXPECT_EQ(promptText(*spans), "<user><<|x|>>[{\"b\": \"<|y|>\", \"a\": 1}]<|z|>");
    for (const PromptSpan& span : *spans) {
        if (span.source != Source::Template) continue;
        EXPECT_EQ(span.text.find("<|"), std::string::npos) << span.text;
    }
}

TEST(TemplateInput, badMessages_areNamed) {
    const auto compiled = ChatTemplate::compile("x");
    ASSERT_TRUE(compiled);
    OrderedJson deep = "x";
    for (int i = 0; i < 100; ++i) deep = OrderedJson::array({deep});
    for (const auto& [messages, part] : std::vector<std::pair<OrderedJson, std::string>>{
             {OrderedJson::array(), "at least one"},
             {OrderedJson::object(), "not a list"},
             {{{{"role", "user"}}, {{"content", "x"}}}, "message 1"},
             {{{{"role", 3}}}, "message 0"},
             {{{{"role", "user"}, {"content", deep}}}, "deeper"},
             {{{{"role", "user"}, {"content", 18446744073709551615ULL}}}, "64 bits"}}) {
        const auto refused = compiled->render({messages, OrderedJson::object()}, {});
        ASSERT_FALSE(refused) << messages.dump();
        EXPECT_EQ(refused.error().code, ErrorCode::TplMessages);
        EXPECT_NE(refused.error().what.find(part), std::string::npos) << refused.error().what;
    }
}

}  // namespace
}  // namespace lacuna
