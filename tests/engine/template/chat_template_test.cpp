#include "engine/template/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "tests/engine/text/tokenizer_vectors.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using Source = PromptSpan::Source;

const fs::path kFolder = fs::path(LACUNA_GOLDEN_DIR) / "templates";

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

Result<std::string> rendered(std::string_view text, const std::vector<ChatMessage>& messages) {
    LACUNA_TRY(const ChatTemplate compiled, ChatTemplate::compile(text));
    LACUNA_TRY(const auto spans, compiled.render(messages, {.bosText = "<s>", .eosText = "</s>"}));
    return promptText(spans);
}

const std::vector<ChatMessage> kHello = {{"user", "hello"}};

/// Returns the error of compiling or rendering; nullopt if both succeed.
std::optional<Error> errorOf(std::string_view text) {
    auto result = rendered(text, kHello);
    if (result) return std::nullopt;
    return result.error();
}

void expectError(std::string_view text, ErrorCode code, std::string_view part) {
    const auto error = errorOf(text);
    ASSERT_TRUE(error) << text.substr(0, 80);
    EXPECT_EQ(errorName(error->code), errorName(code)) << describe(*error);
    EXPECT_NE(error->what.find(part), std::string::npos) << describe(*error);
}

TEST(ChatTemplate, jinjaCases_equalTheReference) {
    const auto text = readFile(kFolder / "cases.json", 16 << 20);
    ASSERT_TRUE(text);
    const auto document = parseJson(*text);
    ASSERT_TRUE(document) << describe(document.error());
    ASSERT_GT((*document)["cases"].size(), 300U);
    for (const Json& one : (*document)["cases"]) {
        std::vector<ChatMessage> messages;
        for (const Json& m : (*document)["conversations"][one["conversation"].get<std::string>()])
            messages.push_back({m["role"].get<std::string>(), m["content"].get<std::string>()});
        std::string source;
        if (one["template"].is_string()) {
            const auto file = readFile(kFolder / one["template"].get<std::string>(), 1 << 20);
            ASSERT_TRUE(file);
            source = *file;
        } else {
            source = one["text"].get<std::string>();
        }
        SCOPED_TRACE(dumpJson(one));
        const auto compiled = ChatTemplate::compile(source);
        if (!compiled && one.contains("fails")) continue;
        ASSERT_TRUE(compiled) << describe(compiled.error());
        const auto spans = compiled->render(
            messages, {.addGenerationPrompt = one["add_generation_prompt"].get<bool>(),
                       .bosText = "<s>",
                       .eosText = "</s>",
                       .unixTime = (*document)["unix_time"].get<std::int64_t>()});
        if (!one.contains("expected")) {
            EXPECT_FALSE(spans);
            continue;
        }
        ASSERT_TRUE(spans) << describe(spans.error());
        EXPECT_EQ(promptText(*spans), one["expected"].get<std::string>());
    }
}

TEST(ChatTemplate, builtinChatml_equalsTheTemplateOfTheModel) {
    const auto own = readFile(kFolder / "chatml-minimal.jinja", 1 << 20);
    ASSERT_TRUE(own);
    const auto ours = ChatTemplate::builtin("chatml");
    ASSERT_TRUE(ours) << describe(ours.error());
    EXPECT_EQ(ours->description(), "built-in chatml");
    const std::vector<ChatMessage> messages = {
        {"system", "s"}, {"user", " u "}, {"assistant", "a"}};
    const auto spans = ours->render(messages, {});
    const auto expected = rendered(*own, messages);
    ASSERT_TRUE(spans && expected);
    EXPECT_EQ(promptText(*spans), *expected);
}

TEST(ChatTemplate, builtinLlama3_writesHeaders) {
    const auto ours = ChatTemplate::builtin("llama-3");
    ASSERT_TRUE(ours);
    const auto spans = ours->render(kHello, {.bosText = "<b>"});
    ASSERT_TRUE(spans);
    EXPECT_EQ(promptText(*spans),
              "<b><|start_header_id|>user<|end_header_id|>\n\nhello<|eot_id|>"
              "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

// Texts from llama.cpp's own table of templates (tests/test-chat-template.cpp).
TEST(ChatTemplate, builtins_renderTurnsOfTheirFamily) {
    const std::vector<ChatMessage> messages = {
        {"system", "You are a test."}, {"user", "Hi there"}, {"assistant", "Yes"}, {"user", "Go"}};
    const auto text = [&](std::string_view name) {
        const auto made = ChatTemplate::builtin(name);
        if (!made) return std::string("none");
        const auto spans = made->render(messages, {.bosText = "<b>"});
        return spans ? promptText(*spans) : spans.error().what;
    };
    EXPECT_EQ(text("command-r"),
              "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>You are a test.<|END_OF_TURN_TOKEN|>"
              "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi there<|END_OF_TURN_TOKEN|>"
              "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Yes<|END_OF_TURN_TOKEN|>"
              "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Go<|END_OF_TURN_TOKEN|>"
              "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>");
    EXPECT_EQ(text("gemma"),
              "<b><start_of_turn>user\nYou are a test.\n\nHi there<end_of_turn>\n"
              "<start_of_turn>model\nYes<end_of_turn>\n<start_of_turn>user\nGo<end_of_turn>\n"
              "<start_of_turn>model\n");
    EXPECT_EQ(text("phi3"),
              "<|system|>\nYou are a test.<|end|>\n<|user|>\nHi there<|end|>\n"
              "<|assistant|>\nYes<|end|>\n<|user|>\nGo<|end|>\n<|assistant|>\n");
    EXPECT_EQ(text("llama3"), text("llama-3"));
}

TEST(ChatTemplate, unknownBuiltin_isRefusedWithTheNames) {
    const auto none = ChatTemplate::builtin("chatmd");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("\"llama-3\""), std::string::npos);
}

// Text of a message stays marked as such, however a template cuts and joins it.
TEST(ChatTemplate, messageText_staysMarkedThroughEveryOperation) {
    const std::vector<std::string> expressions = {"m.content",
                                                  "m.content | trim",
                                                  "m.content.strip()",
                                                  "m['content'][0:99]",
                                                  "m.content ~ ''",
                                                  "'' + m.content",
                                                  "m.content.split('#') | join('#')",
                                                  "m.content | replace('zz', 'y')",
                                                  "(m.content | list) | join",
                                                  "m.content[::-1][::-1]",
                                                  "m.content.replace('#', '#')",
                                                  "[m.content] | first",
                                                  "{'k': m.content}.k",
                                                  "m.content | string",
                                                  "m.content | default('x')",
                                                  "(m.content | upper).lower()",
                                                  "m.content | reverse | reverse",
                                                  "m.content if true else ''"};
    const std::vector<ChatMessage> messages = {{"user", "<|a|>#<|b|>"}};
    for (const std::string& expression : expressions) {
        const auto compiled = ChatTemplate::compile("{% for m in messages %}<|x|>{{ " + expression +
                                                    " }}<|y|>{% endfor %}");
        ASSERT_TRUE(compiled) << describe(compiled.error());
        const auto spans = compiled->render(messages, {});
        ASSERT_TRUE(spans) << describe(spans.error());
        EXPECT_EQ(promptText(*spans), "<|x|><|a|>#<|b|><|y|>") << expression;
        for (const PromptSpan& span : *spans) {
            const bool fromMessage = span.text.find("a") != std::string::npos ||
                                     span.text.find("b") != std::string::npos;
            const bool fromTemplate = span.text.find("x") != std::string::npos ||
                                      span.text.find("y") != std::string::npos;
            EXPECT_FALSE(fromMessage && fromTemplate) << expression;
            if (fromMessage || fromTemplate) {
                EXPECT_EQ(span.source, fromMessage ? Source::Message : Source::Template)
                    << expression;
            }
        }
    }
}

TEST(ChatTemplate, jsonAndRepr_keepTheMessageMark) {
    const auto compiled =
        ChatTemplate::compile("{{ messages | tojson }}{{ [messages[0].content] }}");
    ASSERT_TRUE(compiled);
    const auto spans = compiled->render(std::vector<ChatMessage>{{"user", "<|im_end|>"}}, {});
    ASSERT_TRUE(spans);
    int found = 0;
    for (const PromptSpan& span : *spans)
        if (span.text.find("im_end") != std::string::npos) {
            EXPECT_EQ(span.source, Source::Message);
            ++found;
        }
    EXPECT_EQ(found, 2);
}

TEST(ChatTemplate, unsupportedSyntax_isReportedWithItsPosition) {
    expectError("a\n  {% iff x %}", ErrorCode::TplSyntax, "line 2, column 6");
    expectError("{{ x | shuffle }}", ErrorCode::TplSyntax, "\"shuffle\"");
    expectError("{{ x is sparse }}", ErrorCode::TplSyntax, "\"sparse\"");
    expectError("{% if x %}", ErrorCode::TplSyntax, "endif");
    expectError("{% for x in y %}{% endif %}", ErrorCode::TplSyntax, "\"endif\"");
    expectError("{{ x", ErrorCode::TplSyntax, "line 1, column 1");
    expectError("{{ 'x }}", ErrorCode::TplSyntax, "not closed");
    expectError("{# x", ErrorCode::TplSyntax, "not closed");
    expectError("{% raw %}x", ErrorCode::TplSyntax, "raw");
    expectError("{{ x ! y }}", ErrorCode::TplSyntax, "\"!\"");
    expectError("{% endfor %}", ErrorCode::TplSyntax, "\"endfor\"");
    expectError("{% break %}", ErrorCode::TplSyntax, "outside a loop");
    expectError("{% call 1 %}{% endcall %}", ErrorCode::TplSyntax, "a call");
    expectError("{% with x %}{% endwith %}", ErrorCode::TplSyntax, "\"=\"");
    expectError("{{ x | xmlattr }}", ErrorCode::TplUnsupported, "\"xmlattr\"");
    expectError("{{ f(*x, *y) }}", ErrorCode::TplSyntax, "one list");
}

TEST(ChatTemplate, hostAccess_isUnsupported) {
    for (const char* text :
         {"{{ x.__class__ }}", "{{ ''.__class__.__mro__ }}", "{% import 'x' as y %}",
          "{% include 'x' %}", "{% extends 'x' %}", "{{ x | attr('y') }}", "{% do x() %}",
          "{{ cycler(1) }}", "{{ 'x'.encode() }}", "{% call f() %}{% endcall %}"})
        expectError(text, ErrorCode::TplUnsupported, "line 1");
    for (const char* text : {"{{ messages.append(1) }}", "{{ messages[0].pop('role') }}",
                             "{{ messages[0].update({}) }}", "{% do messages.clear() %}",
                             "{{ '{0.__class__}'.format('x').x.y }}"})
        expectError(text, ErrorCode::TplRuntime, "line 1");
}

TEST(ChatTemplate, deepNesting_isLimited) {
    constexpr std::size_t kMany = 10'000;
    for (const auto& [open, close] :
         std::vector<std::pair<const char*, const char*>>{{"(", ")"},
                                                          {"[", "]"},
                                                          {"{'a':", "}"},
                                                          {"not ", ""},
                                                          {"-", ""},
                                                          {"x if x else ", ""},
                                                          {"f(", ")"},
                                                          {"x[", "]"}})
        expectError("{{ " + repeated(open, kMany) + "1" + repeated(close, kMany) + " }}",
                    ErrorCode::TplLimit, "nested");
    expectError(repeated("{% if x %}", kMany), ErrorCode::TplLimit, "nested");
    expectError(repeated("{% for x in y %}", kMany), ErrorCode::TplLimit, "nested");
    expectError(repeated("{% macro m() %}", kMany), ErrorCode::TplLimit, "nested");
    expectError("{{ a" + repeated(".b", 100'000) + " }}", ErrorCode::TplLimit, "chain");
    expectError("{{ a" + repeated(" + 1", kMany) + " }}", ErrorCode::TplLimit, "chain");
    expectError("{{ a" + repeated(" | trim", kMany) + " }}", ErrorCode::TplLimit, "chain");
    EXPECT_FALSE(errorOf("{{ " + repeated("(", 100) + "1" + repeated(")", 100) + " }}"));
}

TEST(ChatTemplate, endlessLoops_areLimited) {
    const double begin = testing::threadSeconds();
    for (const char* text :
         {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
          "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
          "{% macro m() %}{% call m() %}{{ caller }}{% endcall %}{% endmacro %}{{ m() }}",
          "{{ '%99999999d' % 1 }}",
          "{{ '{:99999999}'.format(1) }}",
          "{{ 'a'.center(99999999) }}",
          "{{ '%.999f' % 1 }}",
          "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
          "{{ range(10**9) }}",
          "{% for i in range(10000) %}{% for j in range(10000) %}"
          "{% endfor %}{% endfor %}",
          "{{ 'a' * 10**9 }}",
          "{{ [1] * 10**9 }}",
          "{{ 'abc' | replace('', 'x' * 9000000) }}",
          "{% set n = namespace(x='aaaaaaaa') %}{% for i in range(100) %}"
          "{% set n.x = n.x ~ n.x %}{% endfor %}",
          "{% set n = namespace(x=[1]) %}{% for i in range(100) %}{% set n.x = n.x + n.x %}"
          "{% endfor %}",
          "{% set n = namespace(x=[]) %}{% for i in range(1000) %}{% set n.x = [n.x] %}{% endfor "
          "%}",
          "{% set n = namespace(x=[1]) %}{% set n.y = [1] %}{% for i in range(60) %}"
          "{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}",
          "{% set n = namespace(x='aaaa') %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}"
          "{% endfor %}{{ n.x }}",
          "{% for i in range(100000) %}{{ 'abcdefghijklmnopqrstuvwxyz' * 100 }}{% endfor %}",
          "{% set t = 'ab ' * 400000 %}{% for i in range(100000) %}{% if t[7] %}{% endif %}"
          "{% endfor %}",
          "{{ 99999999999999999999 }}"})
        expectError(text, ErrorCode::TplLimit, "line 1");
    EXPECT_LT(testing::threadSeconds() - begin, 10.0);
}

/// Returns how often a rendering polls for cancellation, which it does after a fixed number of
/// steps.
int askedQuestions(std::string_view text) {
    const auto compiled = ChatTemplate::compile(text);
    EXPECT_TRUE(compiled) << describe(compiled.error());
    int questions = 0;
    const auto spans = compiled->render(kHello, {.stop = [&] {
                                            ++questions;
                                            return false;
                                        }});
    EXPECT_TRUE(spans) << text << ": " << describe(spans.error());
    return questions;
}

// Operations that walk their input count their steps, so no filter bypasses the limits.
TEST(ChatTemplate, everyIteratingOperation_countsItsSteps) {
    const std::string numbers = "{% set x = range(20000) | list %}";
    const std::string words = numbers + "{% set w = x | map('string') | list %}";
    const std::string text = "{% set t = 'ab ' * 80000 %}";
    const std::string records = "{% set r = range(20000) | batch(1) | list %}";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {numbers, "x | sum"},
        {numbers, "x | max"},
        {numbers, "x | min"},
        {numbers, "x | sort | length"},
        {numbers, "x | unique | list | length"},
        {numbers, "x | reverse | list | length"},
        {numbers, "x | join | length"},
        {numbers, "x | select('odd') | list | length"},
        {numbers, "x | batch(2) | list | length"},
        {numbers, "x | slice(2) | list | length"},
        {numbers, "x[1:] | length"},
        {numbers, "(x + x) | length"},
        {numbers, "-1 in x"},
        {numbers, "x.count(-1)"},
        {numbers, "x is in [x]"},
        {records, "r | groupby(0) | length"},
        {records, "r | map(attribute=0) | list | length"},
        {records, "r | selectattr(0) | list | length"},
        {words, "w | sort | length"},
        {words, "w | max"},
        {text, "t is lower"},
        {text, "t is upper"},
        {text, "t.islower()"},
        {text, "t[7]"},
        {text, "t[1:9]"},
        {text, "'zz' in t"},
        {text, "t.find('zz')"},
        {text, "t.rfind('zz')"},
        {text, "t.count('ab')"},
        {text, "t | replace('ab', 'c') | length"},
        {text, "t | replace('', '') | length"},
        {text, "t.split('b') | length"},
        {text, "t | upper | length"},
        {text, "t | title | length"},
        {text, "t | trim | length"},
        {text, "t | wordcount"},
        {text, "t | tojson | length"},
        {text, "t | urlencode | length"},
        {text, "t | e | length"},
        {text, "t.isascii()"}};
    for (const auto& [given, expression] : cases) {
        const int without = askedQuestions(given);
        const std::string once = "{% set y = " + expression + " %}";
        EXPECT_GE(askedQuestions(given + repeated(once, 8)), without + 2) << expression;
    }
}

TEST(ChatTemplate, stopRequest_endsRendering) {
    const auto compiled = ChatTemplate::compile(
        "{% set x = range(100000) | list %}{% for i in x %}{% if x | sum %}{% endif %}{% endfor "
        "%}");
    ASSERT_TRUE(compiled);
    int questions = 0;
    const auto spans = compiled->render(kHello, {.stop = [&] { return ++questions > 20; }});
    ASSERT_FALSE(spans);
    EXPECT_EQ(spans.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(questions, 21);
}

// Texts for which a naive search would take time in the product of their lengths.
TEST(ChatTemplate, searchesInAdversarialTexts_areLinear) {
    const std::string bad = "{% set t = 'a' * 2000000 %}{% set p = 'a' * 1000000 ~ 'b' %}";
    const double begin = testing::threadSeconds();
    for (const char* expression :
         {"p in t", "t.find(p)", "t.rfind('b' ~ p)", "t.count(p)", "t.split(p) | length",
          "t.rsplit('b' ~ p) | length", "t.partition(p) | length", "t | replace(p, '') | length"})
        EXPECT_FALSE(errorOf(bad + "{{ " + expression + " }}")) << expression;
    EXPECT_LT(testing::threadSeconds() - begin, 10.0);
    EXPECT_EQ(*rendered("{{ 'ababab'.find('bab') }},{{ 'ababab'.rfind('bab') }},"
                        "{{ 'aabaabaab'.count('aab') }},{{ 'aaaa' | replace('aa', 'b') }},"
                        "{{ 'aXbXc'.rsplit('X', 1) }},{{ 'abab'.rpartition('b')[0] }},"
                        "{{ 'aaa'.rsplit('aa') }},{{ ''.find('') }},{{ 'ab'.rfind('') }}",
                        kHello),
              "1,3,3,bb,['aXb', 'c'],aba,['a', ''],0,2");
}

TEST(ChatTemplate, sharedTupleKeys_areRefused) {
    expectError(
        "{% set n = namespace(x=(1, 2)) %}{% for i in range(50) %}"
        "{% set n.x = (n.x, n.x) %}{% endfor %}{{ {n.x: 1} }}",
        ErrorCode::TplRuntime, "cannot be the key");
}

TEST(ChatTemplate, cyclicNamespaces_areFreed) {
    EXPECT_FALSE(
        errorOf("{% set n = namespace() %}{% set n.me = n %}{% for i in range(50000) %}"
                "{% set n.next = namespace(before=n.next) %}{% endfor %}"));
}

TEST(ChatTemplate, invalidValues_areRuntimeErrorsWithTheirPosition) {
    for (const char* text : {"{{ 1 / 0 }}",
                             "{{ 1 // 0 }}",
                             "{{ 1 % 0 }}",
                             "{{ nothing.at.all }}",
                             "{{ nothing + 1 }}",
                             "{{ none + 1 }}",
                             "{{ 'a' + 1 }}",
                             "{{ 'a' < 1 }}",
                             "{{ 9223372036854775807 + 1 }}",
                             "{{ -9223372036854775807 - 2 }}",
                             "{{ 2 ** 64 }}",
                             "{{ [1, 2][::0] }}",
                             "{{ range(1, 2, 0) }}",
                             "{{ strftime_now('%Q') }}",
                             "{{ strftime_now('%') }}",
                             "{% for x in 5 %}{% endfor %}",
                             "{% set a, b = [1] %}",
                             "{% set x.y = 1 %}",
                             "{{ 'a'.split('') }}",
                             "{{ 1 in 5 }}",
                             "{{ namespace() | tojson }}",
                             "{{ {[1]: 2} }}",
                             "{{ [1, 'a'] | sort }}",
                             "{% for x in [1] %}{{ loop([2]) }}{% endfor %}",
                             "{{ 1(2) }}"}) {
        expectError(text, ErrorCode::TplRuntime, "line 1");
    }
}

TEST(ChatTemplate, raiseException_isReportedWithItsMessage) {
    expectError("\n{{ raise_exception('only \"two\" turns') }}", ErrorCode::TplRefused,
                "only \"two\" turns");
    expectError("\n{{ raise_exception('x') }}", ErrorCode::TplRefused, "line 2");
}

TEST(ChatTemplate, messages_areValidated) {
    const auto compiled = ChatTemplate::builtin("chatml");
    ASSERT_TRUE(compiled);
    const auto none = compiled->render(std::span<const ChatMessage>(), {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::TplMessages);
    for (const char* role : {"", "root", "User", "<|im_start|>"}) {
        const std::vector<ChatMessage> messages = {{"user", "x"}, {role, "y"}};
        const auto refused = compiled->render(messages, {});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::TplMessages);
        EXPECT_NE(refused.error().what.find("message 1"), std::string::npos);
    }
}

TEST(ChatTemplate, tenThousandTurns_areRendered) {
    std::vector<ChatMessage> messages;
    for (int i = 0; i < 10'000; ++i)
        messages.push_back({i % 2 == 0 ? "user" : "assistant", format("turn {}", i)});
    for (const char* name :
         {"chatml-system.jinja", "llama3-headers.jinja", "qwen3-thinking.jinja"}) {
        const auto text = readFile(kFolder / name, 1 << 20);
        ASSERT_TRUE(text);
        const auto prompt = rendered(*text, messages);
        ASSERT_TRUE(prompt) << name << ": " << describe(prompt.error());
        EXPECT_NE(prompt->find("turn 9999"), std::string::npos);
    }
}

// Damaged templates are refused or render some text; they never crash or hang.
TEST(ChatTemplate, damagedTemplates_returnAValueOrAnError) {
    RandomStream random(2026, 2);
    const std::vector<std::string> words = {
        "{%", "%}",  "{{",    "}}",     "-",   "(",  ")",  "[", "]",   "|",  "'",    ".",
        "if", "for", "endif", "endfor", "set", "in", "is", "~", "not", "\n", "loop", "9"};
    int understood = 0;
    int refused = 0;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
        if (entry.path().extension() != ".jinja") continue;
        const auto text = readFile(entry.path(), 1 << 20);
        ASSERT_TRUE(text);
        for (int round = 0; round < 150; ++round) {
            std::string damaged = *text;
            for (std::uint64_t cuts = random.below(3) + 1; cuts > 0; --cuts) {
                const std::size_t at = random.below(damaged.size());
                if (random.below(2) == 0)
                    damaged.erase(at, random.below(8) + 1);
                else
                    damaged.insert(at, words[random.below(words.size())]);
            }
            (errorOf(damaged) ? refused : understood) += 1;
        }
    }
    EXPECT_GT(understood, 50);
    EXPECT_GT(refused, 200);
}

TEST(ChatTemplate, sizeLimits_areEnforced) {
    expectError(repeated("x", (1 << 20) + 1), ErrorCode::TplLimit, "1048576");
    EXPECT_FALSE(errorOf(""));
    EXPECT_FALSE(errorOf(repeated("x", 1 << 20)));
    const std::vector<ChatMessage> large = {{"user", repeated("y", (16 << 20) + 1)}};
    const auto refused = rendered("{{ messages[0].content }}", large);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::TplLimit);
}

TEST(ChatTemplate, invalidUtf8InAMessage_passesUnchanged) {
    const std::vector<ChatMessage> odd = {{"user", std::string("a\xFF\xC3\0b", 5)}};
    const auto prompt = rendered("{{ messages[0].content | trim }}|", odd);
    ASSERT_TRUE(prompt);
    EXPECT_EQ(*prompt, odd[0].content + "|");
}

}  // namespace
}  // namespace lacuna
