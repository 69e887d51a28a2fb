// Templates of real models against the output of Jinja 3.

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

// Text of a message never counts as text of the template, whatever the template does with it.
TEST(ModelTemplates, messageText_keepsItsMark) {
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
        if (!spans) continue;  // a template may require other messages
        for (const PromptSpan& span : *spans) {
            if (span.text.find(word) == std::string::npos) continue;
            EXPECT_EQ(span.source, Source::Message) << name;
            ++found;
        }
    }
    EXPECT_GE(found, 40);
}

TEST(TemplateInput, toolsAndUnknownRoles_areMarkedAsMessageText) {
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

TEST(TemplateInput, integersOfAnySize_keepTheirDigits) {
    const auto parsed =
        parseOrderedJson(R"([{"role":"user","n":[9223372036854775808,18446744073709551615,)"
                         R"(123456789012345678901234,-9223372036854775809,9223372036854775807]}])");
    ASSERT_TRUE(parsed);
    const auto rendered = [&](const std::string& text) {
        const auto compiled = ChatTemplate::compile("{% set n = messages[0].n %}" + text);
        EXPECT_TRUE(compiled);
        const auto spans = compiled->render({*parsed, OrderedJson::object()}, {});
        return spans ? promptText(*spans) : "error: " + spans.error().what;
    };
    const std::string all =
        "[9223372036854775808, 18446744073709551615, 123456789012345678901234, "
        "-9223372036854775809, 9223372036854775807]";
    EXPECT_EQ(rendered("{{ n | tojson }}"), all);
    EXPECT_EQ(rendered("{{ n }}"), all);
    EXPECT_EQ(
        rendered("{{ n[1] }} {{ n[1] | string }} {{ '%d' % n[2] }} {{ '{:,}'.format(n[0]) }}"),
        "18446744073709551615 18446744073709551615 123456789012345678901234 "
        "9,223,372,036,854,775,808");
    EXPECT_EQ(rendered("{{ n[0] is number }} {{ n[0] is integer }} {{ n[0] is float }} "
                       "{{ n[0] is string }} {{ n[0] | int }} {{ n[3] | abs }} {{ n[1] | round }}"),
              "True True False False 9223372036854775808 9223372036854775809 "
              "18446744073709551615");
    EXPECT_EQ(rendered("{{ n | sort }}"),
              "[-9223372036854775809, 9223372036854775807, 9223372036854775808, "
              "18446744073709551615, 123456789012345678901234]");
    EXPECT_EQ(rendered("{{ n[0] == n[0] }} {{ n[0] == n[1] }} {{ n[0] == n[4] }} {{ n[0] > n[4] }} "
                       "{{ n[3] < 0 }} {{ n[1] < 1.5 }} {{ 1 < n[1] }} {{ {n[0]: 1}[n[0]] }} "
                       "{{ n[1] in {n[0]: 1} }} {{ 'y' if n[2] else 'n' }}"),
              "True False False True True False True 1 False y");
    for (const char* sum : {"{{ n[0] + 1 }}", "{{ -n[0] }}", "{{ n[0] * 0 }}", "{{ n | sum }}"})
        EXPECT_NE(rendered(sum).find("does not fit 64 bits"), std::string::npos) << rendered(sum);
}

TEST(TemplateInput, messageText_staysMarkedThroughEveryFunction) {
    const OrderedJson messages = {
        {{"role", "user"}, {"content", "<|x|>"}, {"map", {{"<|k|>", 1}}}}};
    for (const char* text :
         {"{{ strftime_now(messages[0].content) }}",
          "{{ strftime_now('%Y' ~ messages[0].content) }}",
          "{{ dict(**messages[0].map) | list | first }}", "{{ dict(messages[0].map) | tojson }}",
          "{% macro m() %}{{ kwargs | list | first }}{% endmacro %}{{ m(**messages[0].map) }}",
          "{{ [1, 2] | tojson(separators=(messages[0].content, '')) }}",
          "{{ [1, 2] | tojson(indent=messages[0].content) }}"}) {
        const auto compiled = ChatTemplate::compile(text);
        ASSERT_TRUE(compiled) << text;
        const auto spans = compiled->render({messages, OrderedJson::object()}, {});
        ASSERT_TRUE(spans) << text << describe(spans.error());
        EXPECT_NE(promptText(*spans).find("<|"), std::string::npos) << text;
        for (const PromptSpan& span : *spans) {
            if (span.source != Source::Template) continue;
            EXPECT_EQ(span.text.find("<|"), std::string::npos) << text << ": " << span.text;
        }
    }
    const auto date = ChatTemplate::compile("{{ strftime_now('<|date|>') }}");
    ASSERT_TRUE(date);
    const auto spans = date->render({messages, OrderedJson::object()}, {});
    ASSERT_TRUE(spans);
    EXPECT_EQ(spans->front().source, Source::Template) << "the template's own format";
}

TEST(TemplateInput, invalidMessages_areRefusedByName) {
    const auto compiled = ChatTemplate::compile("x");
    ASSERT_TRUE(compiled);
    OrderedJson deep = "x";
    for (int i = 0; i < 100; ++i) deep = OrderedJson::array({deep});
    for (const auto& [messages, part] : std::vector<std::pair<OrderedJson, std::string>>{
             {OrderedJson::array(), "at least one"},
             {OrderedJson::object(), "not a list"},
             {{{{"role", "user"}}, {{"content", "x"}}}, "message 1"},
             {{{{"role", 3}}}, "message 0"},
             {{{{"role", "user"}, {"content", deep}}}, "deeper"}}) {
        const auto refused = compiled->render({messages, OrderedJson::object()}, {});
        ASSERT_FALSE(refused) << messages.dump();
        EXPECT_EQ(refused.error().code, ErrorCode::TplMessages);
        EXPECT_NE(refused.error().what.find(part), std::string::npos) << refused.error().what;
    }
}

}  // namespace
}  // namespace lacuna
