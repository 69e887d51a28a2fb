// Checks that an answer is the same in one piece and as a stream. Grammars make the test model
// write answers of common models, including tool calls in all their forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "app/serve/call_stream.h"
#include "tests/app/serve/pilot_server.h"

namespace lacuna::app {
namespace {

using test::pilot;
using test::question;
using test::Server;
using test::with;

/// The parts of an answer that clients read.
struct Answer {
    std::string text, thoughts, finish;
    std::vector<std::pair<std::string, std::string>> calls;
    std::size_t logprobs = 0;
    friend bool operator==(const Answer&, const Answer&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
        out << '"' << answer.text << "\" (" << answer.thoughts << ") " << answer.finish << ' '
            << answer.logprobs;
        for (const auto& [name, arguments] : answer.calls) out << ' ' << name << arguments;
        return out;
    }
};
using Answers = std::map<int, Answer>;

std::string textOf(const OrderedJson& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t logprobsOf(const OrderedJson& choice, const char* list) {
    const auto found = choice.find("logprobs");
    return found != choice.end() && found->is_object() ? (*found)[list].size() : 0;
}

void addCalls(Answer& answer, const OrderedJson& message) {
    if (!message.contains("tool_calls")) return;
    for (const OrderedJson& call : message["tool_calls"]) {
        const auto index = call.value("index", answer.calls.size());
        answer.calls.resize(std::max(answer.calls.size(), index + 1));
        answer.calls[index].first += textOf(call["function"], "name");
        answer.calls[index].second += textOf(call["function"], "arguments");
    }
}

Answers chatOf(const OrderedJson& reply) {
    Answers all;
    for (const OrderedJson& choice : reply["choices"]) {
        Answer& answer = all[choice["index"]];
        const OrderedJson& message =
            choice.contains("message") ? choice["message"] : choice["delta"];
        answer.text += textOf(message, "content");
        answer.thoughts += textOf(message, "reasoning_content");
        answer.finish += textOf(choice, "finish_reason");
        answer.logprobs += logprobsOf(choice, "content");
        addCalls(answer, message);
    }
    return all;
}

Answers completionOf(const OrderedJson& reply) {
    Answers all;
    for (const OrderedJson& choice : reply["choices"]) {
        Answer& answer = all[choice["index"]];
        answer.text += textOf(choice, "text");
        answer.finish += textOf(choice, "finish_reason");
        answer.logprobs += logprobsOf(choice, "tokens");
    }
    return all;
}

Answers nativeOf(const OrderedJson& reply) {
    Answer answer{.text = textOf(reply, "content"), .thoughts = {}, .finish = {}, .calls = {}};
    if (reply.value("stop", false)) answer.finish = textOf(reply, "stop_type");
    if (reply.contains("completion_probabilities"))
        answer.logprobs = reply["completion_probabilities"].size();
    return {{reply.value("index", 0), answer}};
}

/// The items of a response without their ids.
OrderedJson itemsOf(const OrderedJson& response) {
    OrderedJson items = response["output"];
    for (OrderedJson& item : items) {
        item.erase("id");
        item.erase("call_id");
    }
    return {{"status", response["status"]}, {"output", items}};
}

class StreamingParityTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        ServeOptions options = pilot(2);
        options.chatTemplate.text =
            "{% if tools %}Calls: <tool_call></tool_call> {% endif %}{{ messages[-1].content }}"
            "{% if false %}</think>{% endif %}";
        s_server = std::make_unique<Server>(std::move(options));
    }
    static void TearDownTestSuite() { s_server.reset(); }
    void SetUp() override { ASSERT_NE(s_server->port, 0) << "the test model was not loaded"; }

    static Answers complete(const std::string& path, const OrderedJson& asked,
                            Answers (*read)(const OrderedJson&)) {
        return read(s_server->json(path, asked));
    }
    static Answers streamed(const std::string& path, const OrderedJson& asked,
                            Answers (*read)(const OrderedJson&)) {
        Answers all;
        for (const std::string& event : s_server->events(path, with(asked, {{"stream", true}}))) {
            if (event == "[DONE]") continue;
            for (const auto& [index, part] : read(OrderedJson::parse(event))) {
                Answer& answer = all[index];
                answer.text += part.text;
                answer.thoughts += part.thoughts;
                answer.finish += part.finish;
                answer.logprobs += part.logprobs;
                answer.calls.resize(std::max(answer.calls.size(), part.calls.size()));
                for (std::size_t i = 0; i < part.calls.size(); ++i) {
                    answer.calls[i].first += part.calls[i].first;
                    answer.calls[i].second += part.calls[i].second;
                }
            }
        }
        return all;
    }
    static void expectSame(const std::string& path, const OrderedJson& asked,
                           Answers (*read)(const OrderedJson&)) {
        EXPECT_EQ(streamed(path, asked, read), complete(path, asked, read)) << path << asked.dump();
    }
    static void expectSameResponse(const OrderedJson& asked) {
        const OrderedJson complete = s_server->json("/v1/responses", asked);
        const std::string body =
            s_server->post("/v1/responses", with(asked, {{"stream", true}})).body;
        const std::size_t last = body.rfind("\ndata: ");
        ASSERT_NE(last, std::string::npos) << body;
        const OrderedJson event = OrderedJson::parse(body.substr(last + 7));
        EXPECT_EQ(itemsOf(event["response"]), itemsOf(complete)) << asked.dump();
    }

    inline static std::unique_ptr<Server> s_server;
};

/// A grammar that accepts exactly one text.
std::string grammarOf(const std::string& text) {
    return "root ::= " + OrderedJson(text).dump();
}

OrderedJson functions() {
    const auto function = [](const char* name, OrderedJson parameters) {
        return OrderedJson{{"type", "function"},
                           {"function", {{"name", name}, {"parameters", std::move(parameters)}}}};
    };
    return OrderedJson::array(
        {function("weather", {{"type", "object"},
                              {"properties",
                               {{"city", {{"type", "string"}}}, {"days", {{"type", "integer"}}}}},
                              {"required", {"city"}}}),
         function("now", {{"type", "object"}, {"properties", OrderedJson::object()}})});
}

OrderedJson flatFunctions() {
    OrderedJson flat = OrderedJson::array();
    for (OrderedJson tool : functions()) {
        OrderedJson one = tool["function"];
        one["type"] = "function";
        flat.push_back(std::move(one));
    }
    return flat;
}

struct Output {
    std::string text;
    std::vector<std::string> arguments = {};  ///< arguments of the expected calls of weather
    std::string content = {};                 ///< remaining text if calls are found
};

const std::vector<Output>& outputs() {
    static const std::string oslo = R"({"city":"Oslo"})";
    static const std::vector<Output> all{
        {"It rains."},
        {"  It rains. \n"},
        {"\n"},
        // JSON between markers, bare and fenced.
        {"<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>",
         {oslo}},
        {"Let me "
         "look.\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>\n"
         "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}</tool_call>\n",
         {oslo, R"({"city":"Rome"})"},
         "Let me look."},
        {"<tool_call>[{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}},{\"name\":"
         "\"weather\","
         "\"arguments\":{\"city\":\"Rome\"}}]</tool_call>",
         {oslo, R"({"city":"Rome"})"}},
        {"<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"a</tool_call>b\"}}</"
         "tool_call>",
         {R"({"city":"a</tool_call>b"})"}},
        {"{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}", {oslo}},
        {"{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>", {oslo}},
        {"{\"name\":\"weather\",\"parameters\":{\"city\":\"Oslo\"}}\n{\"name\":\"weather\","
         "\"params\":{\"city\":\"Rome\"}}",
         {oslo, R"({"city":"Rome"})"}},
        {"[{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}]", {oslo}},
        {"```json\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n```", {oslo}},
        {"```\n[{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}]\n```\n", {oslo}},
        {"```tool_call\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n```", {oslo}},
        {"```xml\n<tools>\n{\"name\": \"weather\", \"arguments\": {\"city\": "
         "\"Oslo\"}}\n</tools>\n```",
         {oslo}},
        {"Sure:\n```json\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n```",
         {oslo},
         "Sure:"},
        {"<tools>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tools>", {oslo}},
        // Arguments in other members and types.
        {"{\"name\":\"weather\",\"arguments\":\"{\\\"city\\\": \\\"Oslo\\\"}\"}", {oslo}},
        {"{\"name\":\"weather\",\"city\":\"Oslo\"}", {oslo}},
        {"{\"city\":\"Oslo\",\"name\":\"weather\"}", {oslo}},
        {"{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":{\"city\":"
         "\"Oslo\"}}}",
         {oslo}},
        {"{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\",\"days\":123456789012345678901}}",
         {R"({"city":"Oslo","days":123456789012345678901})"}},
        // Forms of other templates.
        {"[TOOL_CALLS][{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}]", {oslo}},
        {"[TOOL_CALLS]weather[ARGS]{\"city\": \"Oslo\"}[TOOL_CALLS]weather[CALL_ID]abc123[ARGS]"
         "{\"city\":\"Rome\"}",
         {oslo, R"({"city":"Rome"})"}},
        {"<|tool_call|>[{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}]", {oslo}},
        {"<|tool_call|>[{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}]<|/tool_call|>",
         {oslo}},
        {"functools[{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}]", {oslo}},
        {"<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</"
         "parameter>\n<parameter=days>\n3\n"
         "</parameter>\n</function>\n</tool_call>",
         {R"({"city":"Oslo","days":3})"}},
        {"<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
         {oslo}},
        {"<function=weather>{\"city\": \"Oslo\"}</function>", {oslo}},
        {">>>weather\n{\"city\": \"Oslo\"}", {oslo}},
        {"weather\n{\"city\": \"Oslo\"}", {oslo}},
        {"<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
         {oslo}},
        {"<tool_calls>\n{\"name\": \"weather\", \"arguments\": {\"city\": "
         "\"Oslo\"}}\n</tool_calls>",
         {oslo}},
        {"<minimax:tool_call>\n<invoke name=\"weather\">\n<parameter "
         "name=\"city\">Oslo</parameter>\n"
         "</invoke>\n</minimax:tool_call>",
         {oslo}},
        {"<seed:tool_call>\n<function=weather>\n<parameter=city>Oslo</parameter>\n</function>\n"
         "</seed:tool_call>",
         {oslo}},
        {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n"
         "{\"city\": "
         "\"Oslo\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n"
         "```json\n{\"city\":\"Rome\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
         {oslo, R"({"city":"Rome"})"}},
        {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{\"city\": \"Oslo\"}"
         "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
         {oslo}},
        {"<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0"
         "<|tool_call_argument_begin|>{\"city\": "
         "\"Oslo\"}<|tool_call_end|><|tool_calls_section_end|>",
         {oslo}},
        {"<|python_tag|>{\"name\": \"weather\", \"parameters\": {\"city\": \"Oslo\"}}", {oslo}},
        // Text that is not a valid call stays part of the answer.
        {"{\"name\":\"weather\",\"arguments\":[\"Oslo\"]}"},
        {"<tool_call>{\"name\":\"weather\",\"arguments\":7}</tool_call>"},
        {"<tool_call>{\"name\":\"weather\",\"arguments\":null}</tool_call> "},
        {"{\"name\":\"weather\",\"arguments\":\"Oslo\"}"},
        {"{\"name\":\"weather\"}"},
        {"{\"name\":\"weather\",\"colour\":\"red\"}"},
        {"{\"name\":\"other\",\"arguments\":{}}"},
        {"<tool_call>\n{\"name\": \"other\", \"arguments\": {}}\n</tool_call>\n"},
        {"<tool_call>no json</tool_call> and more"},
        {"<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":"},
        {"{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}} is how it is called."},
        {"```json\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}\n```\nThis calls it."},
        {"```json\n{\"city\": \"Oslo\"}\n```"},
        {"```python\nd = {\n  \"name\": 1\n}\n```\n"},
        {"```cpp\nint f()\n{\n  return a[1] < 2;\n}\n```"},
        {"{\"name\":\"weather\",\"description\":\"w\",\"parameters\":{\"type\":\"object\"}}"},
        {"weather is fine today"},
        {"weather"},
        {"[1, 2]\n[a](b) <b>x</b> f(x) >>> 2 <tool"},
        {"<function=other>{}</function>"},
        {"<tool_call>weather\n</tool_call>"},
    };
    return all;
}

/// The answer that a stream parser builds from a text in pieces.
Answer readInPieces(const std::string& text, std::size_t size) {
    RequestedCalls asked{.form = CallForm::Found, .functions = {}};
    for (const OrderedJson& tool : functions())
        asked.functions.push_back(
            {.name = tool["function"]["name"], .parameters = tool["function"]["parameters"]});
    CallStream stream(asked);
    Answer answer;
    const auto take = [&](const std::vector<CallStreamPiece>& pieces) {
        for (const CallStreamPiece& piece : pieces) {
            if (piece.kind == CallStreamPiece::Kind::Text) answer.text += piece.text;
            if (piece.kind == CallStreamPiece::Kind::Begin)
                answer.calls.emplace_back(piece.text, "");
            if (piece.kind == CallStreamPiece::Kind::Arguments)
                answer.calls.back().second += piece.text;
        }
    };
    for (std::size_t at = 0; at < text.size(); at += size) take(stream.push(text.substr(at, size)));
    take(stream.finish());
    return answer;
}

TEST(CallStream, splitModelOutput_givesTheSameCallsAndText) {
    for (const Output& output : outputs()) {
        Answer expected{.text = output.arguments.empty() ? output.text : output.content,
                        .thoughts = {},
                        .finish = {},
                        .calls = {}};
        for (const std::string& one : output.arguments) expected.calls.emplace_back("weather", one);
        for (const std::size_t size :
             {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, output.text.size()})
            EXPECT_EQ(readInPieces(output.text, size), expected) << output.text << " by " << size;
    }
    EXPECT_EQ(readInPieces("<tool_call>{\"name\":\"now\"}</tool_call>", 5).calls.size(), 1U);
    EXPECT_EQ(readInPieces("<tool_call>now\n</tool_call>", 4).calls.size(), 1U);
    EXPECT_EQ(readInPieces("{\"name\":\"now\",\"arguments\":null}", 4).calls.size(), 1U);
}

TEST(CallStream, longHeldText_isParsedQuicklyAndReleased) {
    // Looks like a call until its last byte.
    std::string text = "{\"name\": [";
    for (int i = 0; i < 20'000; ++i) text += "\"abcdefgh\", ";
    text += "1]} and more";
    const Answer answer = readInPieces(text, 3);
    EXPECT_TRUE(answer.text == text);
    EXPECT_TRUE(answer.calls.empty());
    const std::string call =
        R"({"name":"weather","arguments":{"city":")" + std::string(9'000, 'x') + "\"}}";
    EXPECT_EQ(
        readInPieces("<tool_call>" + call + "</tool_call>\n" + call + "\n" + call, 3).calls.size(),
        3U);
}

TEST(CallStream, textThatCannotBeACall_isStreamedImmediately) {
    RequestedCalls asked{.form = CallForm::Found,
                         .functions = {{.name = "weather", .parameters = {}}}};
    for (const auto& [text, sent] : {std::pair{"It rains", "It rains"},
                                     {"{\"rows\": [1,", "{\"rows\": [1,"},
                                     {"```python\nx =", "```python\nx ="},
                                     {"a < b", "a < b"},
                                     {"whether it", "whether it"},
                                     {"a <tool", "a"},
                                     {"```js", ""},
                                     {"{\"name\": \"wea", ""}}) {
        CallStream stream(asked);
        std::string out;
        for (const char c : std::string_view(text))
            for (const CallStreamPiece& piece : stream.push(std::string_view(&c, 1)))
                out += piece.text;
        EXPECT_EQ(out, sent);
    }
}

TEST_F(StreamingParityTest, answers_areEqualInJsonAndStream) {
    const OrderedJson tools{{"tools", functions()}};
    for (const Output& output : outputs()) {
        const OrderedJson forced{{"max_tokens", 400}, {"grammar", grammarOf(output.text)}};
        const OrderedJson chat = with(question("Weather?"), forced);
        const OrderedJson called = with(chat, tools);
        const Answers answers = complete("/v1/chat/completions", called, chatOf);
        std::vector<std::pair<std::string, std::string>> calls;
        for (const std::string& one : output.arguments) calls.emplace_back("weather", one);
        EXPECT_EQ(answers.at(0).calls, calls) << output.text;
        EXPECT_EQ(answers.at(0).finish, calls.empty() ? "stop" : "tool_calls") << output.text;
        EXPECT_EQ(answers.at(0).text, calls.empty() ? output.text : output.content);
        EXPECT_EQ(streamed("/v1/chat/completions", called, chatOf), answers) << output.text;
        // Without tools, text is not searched for calls.
        EXPECT_EQ(complete("/v1/chat/completions", chat, chatOf).at(0).text, output.text);
        expectSameResponse({{"input", "Weather?"},
                            {"tools", flatFunctions()},
                            {"max_output_tokens", 400},
                            {"grammar", grammarOf(output.text)}});
    }
}

TEST_F(StreamingParityTest, otherEndpointsAndMembers_areEqualInJsonAndStream) {
    const OrderedJson call = {
        {"max_tokens", 400},
        {"grammar",
         grammarOf("A\n<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}"
                   "</tool_call>\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>")},
        {"tools", functions()}};
    const OrderedJson thought = {{"max_tokens", 400},
                                 {"grammar", grammarOf("<think>\nHm.\n</think>\n\nYes. ")}};
    const OrderedJson schema = {{"max_tokens", 40},
                                {"response_format",
                                 {{"type", "json_schema"},
                                  {"json_schema",
                                   {{"schema",
                                     {{"type", "object"},
                                      {"properties", {{"a", {{"enum", {1, 2}}}}}},
                                      {"required", {"a"}}}}}}}}};
    const OrderedJson forced = {
        {"max_tokens", 400}, {"tools", functions()}, {"tool_choice", "required"}};
    for (const OrderedJson& base :
         {call, thought, schema, forced, with(forced, {{"max_tokens", 14}})})
        for (const OrderedJson& more :
             {OrderedJson::object(), OrderedJson{{"n", 2}}, OrderedJson{{"logprobs", true}},
              OrderedJson{{"parallel_tool_calls", false}}, OrderedJson{{"stop", "Oslo"}}})
            expectSame("/v1/chat/completions", with(with(question("Weather?"), base), more),
                       chatOf);
    for (OrderedJson base : {call, thought, forced, with(forced, {{"max_tokens", 14}})}) {
        if (base.contains("tools")) base["tools"] = flatFunctions();
        base["max_output_tokens"] = base["max_tokens"];
        base.erase("max_tokens");
        expectSameResponse(with({{"input", "Weather?"}}, base));
        expectSameResponse(
            with({{"input", "Weather?"}, {"include", {"message.output_text.logprobs"}}}, base));
    }
    const OrderedJson text = {{"prompt", "Once"}, {"max_tokens", 6}};
    for (const OrderedJson& more : {OrderedJson::object(), OrderedJson{{"n", 2}},
                                    OrderedJson{{"logprobs", 1}}, OrderedJson{{"stop", "e"}}})
        expectSame("/v1/completions", with(text, more), completionOf);
    expectSame("/completion", {{"prompt", "Once"}, {"n_predict", 6}, {"n_probs", 1}}, nativeOf);
}

TEST_F(StreamingParityTest, forcedCallCutByTheLimit_finishesWithLength) {
    const OrderedJson asked =
        with(question("Weather?"),
             {{"max_tokens", 14}, {"tools", functions()}, {"tool_choice", "required"}});
    const Answers cut = complete("/v1/chat/completions", asked, chatOf);
    EXPECT_EQ(cut.at(0).finish, "length") << cut.at(0);
}

TEST_F(StreamingParityTest, toolsWithoutParameters_areCalledWithAnEmptyObject) {
    for (const OrderedJson& parameters :
         {OrderedJson(nullptr), OrderedJson::object(), OrderedJson{{"type", "object"}},
          OrderedJson{{"type", "object"}, {"properties", OrderedJson::object()}},
          OrderedJson{{"properties", nullptr}},
          OrderedJson{{"type", "object"}, {"required", OrderedJson::array()}}}) {
        for (const OrderedJson& choice :
             {OrderedJson("required"),
              OrderedJson{{"type", "function"}, {"function", {{"name", "files"}}}}}) {
            const OrderedJson tool{{"type", "function"},
                                   {"function", {{"name", "files"}, {"parameters", parameters}}}};
            const Answers answers = complete(
                "/v1/chat/completions",
                with(question("List the files in /tmp/abc"), {{"max_tokens", 60},
                                                              {"tools", OrderedJson::array({tool})},
                                                              {"tool_choice", choice}}),
                chatOf);
            ASSERT_EQ(answers.at(0).calls.size(), 1U) << parameters << answers.at(0);
            EXPECT_EQ(answers.at(0).calls[0].second, "{}") << parameters;
        }
    }
}

TEST(CallSchema, emptyParameters_areClosedByDefault) {
    const auto closed = [](const char* parameters) {
        const OrderedJson schema =
            callSchema({{.name = "f", .parameters = OrderedJson::parse(parameters)}});
        return schema["properties"]["arguments"].value("additionalProperties", OrderedJson()) ==
               OrderedJson(false);
    };
    EXPECT_TRUE(closed(R"({"type":"object"})"));
    EXPECT_TRUE(closed(R"({"type":"object","properties":{},"$defs":{}})"));
    for (const char* open : {R"({"additionalProperties":true})", R"({"additionalProperties":{}})",
                             R"({"properties":{"a":{}}})", R"({"required":["a"]})",
                             R"({"$ref":"#/$defs/a"})", R"({"anyOf":[]})"})
        EXPECT_FALSE(closed(open)) << open;
}

TEST_F(StreamingParityTest, forcedFunction_overridesTheResponseFormat) {
    for (const OrderedJson& form :
         {OrderedJson{{"response_format", {{"type", "json_object"}}}},
          OrderedJson{
              {"response_format",
               {{"type", "json_schema"}, {"json_schema", {{"schema", {{"type", "null"}}}}}}}},
          OrderedJson{{"json_schema", {{"type", "null"}}}}}) {
        const OrderedJson asked =
            with(with(question("Weather?"), form),
                 {{"max_tokens", 60},
                  {"tools", OrderedJson::array({functions()[1]})},
                  {"tool_choice", {{"type", "function"}, {"function", {{"name", "now"}}}}}});
        const Answers answers = complete("/v1/chat/completions", asked, chatOf);
        EXPECT_EQ(answers.at(0).finish, "tool_calls") << answers.at(0);
        expectSame("/v1/chat/completions", asked, chatOf);
    }
}

TEST_F(StreamingParityTest, integersBeyond63Bits_areAcceptedInHistoriesAndTools) {
    const OrderedJson history = OrderedJson::parse(
        R"([{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c",)"
        R"("type":"function","function":{"name":"t","arguments":"{\"id\": 12345678901234567890}"}}]},)"
        R"({"role":"tool","tool_call_id":"c","content":"1"}])");
    const auto status = [](const OrderedJson& body) {
        return s_server->post("/v1/chat/completions", body).status;
    };
    EXPECT_EQ(status({{"max_tokens", 2}, {"messages", history}}), 200);
    const std::string body =
        R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":120,"tool_choice":"required",)"
        R"("tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object",)"
        R"("properties":{"id":{"type":"integer","minimum":123456789012345678901234,)"
        R"("maximum":123456789012345678901234}},"required":["id"]}}}]})";
    const auto answer =
        test::ask(s_server->port, s_server->request("POST /v1/chat/completions", body));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find(R"({\"id\":123456789012345678901234})"), std::string::npos)
        << answer.body;
}

}  // namespace
}  // namespace lacuna::app
