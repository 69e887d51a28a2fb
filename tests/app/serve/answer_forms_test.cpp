// API features of other servers beyond the plain answer: responses with their events, separate
// reasoning, tool calls without markers, progress and timings in streams, cache settings of one
// request, embeddings.

#include <gtest/gtest.h>

#include <QByteArray>
#include <cmath>
#include <cstring>
#include <fstream>

#include "app/serve/call_stream.h"
#include "app/serve/response_store.h"
#include "app/serve/text_embedder.h"
#include "engine/template/thought_stream.h"
#include "tests/app/serve/exposition_text.h"
#include "tests/app/serve/pilot_server.h"

namespace lacuna::app {
namespace {

using test::pilot;
using test::question;
using test::Server;
using test::WireAnswer;
using test::with;

OrderedJson weather() {
    return {{"type", "object"},
            {"properties", {{"place", {{"enum", {"Oslo", "Rome"}}}}}},
            {"required", {"place"}}};
}

class ApiFormatTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        ServeOptions options = pilot(2);
        options.embeddings = Pooling::Mean;
        s_server = std::make_unique<Server>(std::move(options));
    }
    static void TearDownTestSuite() { s_server.reset(); }
    void SetUp() override { ASSERT_NE(s_server->port, 0) << "the pilot was not loaded"; }
    static Server& server() { return *s_server; }

  private:
    inline static std::unique_ptr<Server> s_server;
};

/// Data of the named events of a stream.
std::vector<OrderedJson> namedEvents(const Server& server, const OrderedJson& asked) {
    const WireAnswer answer = server.post("/v1/responses", with(asked, {{"stream", true}}));
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<OrderedJson> events;
    std::size_t at = 0;
    while (at < answer.body.size()) {
        const std::size_t end = answer.body.find("\n\n", at);
        const std::string event = answer.body.substr(at, end - at);
        at = end + 2;
        if (event.starts_with(": ")) continue;
        const std::size_t line = event.find("\ndata: ");
        EXPECT_EQ(event.rfind("event: ", 0), 0U) << event;
        events.push_back(OrderedJson::parse(event.substr(line + 7)));
        EXPECT_EQ(events.back()["type"], event.substr(7, line - 7));
        EXPECT_EQ(events.back()["sequence_number"], events.size() - 1);
    }
    return events;
}

TEST_F(ApiFormatTest, response_hasTheSameItemsInJsonAndEvents) {
    const OrderedJson asked{{"input", "Tell me about the sea."},
                            {"instructions", "Be short."},
                            {"max_output_tokens", 3},
                            {"metadata", {{"a", "b"}}}};
    const OrderedJson whole = server().json("/v1/responses", asked);
    EXPECT_EQ(whole["object"], "response");
    EXPECT_EQ(whole["id"].get<std::string>().rfind("resp_", 0), 0U);
    EXPECT_EQ(whole["instructions"], "Be short.");
    EXPECT_EQ(whole["metadata"]["a"], "b");
    EXPECT_EQ(whole["store"], true);
    ASSERT_EQ(whole["output"].size(), 1U);
    const OrderedJson& message = whole["output"][0];
    EXPECT_EQ(message["id"].get<std::string>().rfind("msg_", 0), 0U);
    const std::string text = message["content"][0]["text"];
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(whole["usage"]["output_tokens"], 3);
    EXPECT_EQ(whole["status"], "incomplete");
    EXPECT_EQ(whole["incomplete_details"]["reason"], "max_output_tokens");

    const auto events = namedEvents(server(), asked);
    std::vector<std::string> types;
    std::string deltas;
    for (const OrderedJson& event : events) {
        if (types.empty() || types.back() != event["type"]) types.push_back(event["type"]);
        if (event["type"] == "response.output_text.delta")
            deltas += event["delta"].get<std::string>();
    }
    EXPECT_EQ(types, (std::vector<std::string>{
                         "response.created", "response.in_progress", "response.output_item.added",
                         "response.content_part.added", "response.output_text.delta",
                         "response.output_text.done", "response.content_part.done",
                         "response.output_item.done", "response.incomplete"}));
    EXPECT_EQ(deltas, text);
    EXPECT_EQ(events.back()["response"]["output"][0]["content"], message["content"]);
    EXPECT_EQ(events.front()["response"]["status"], "in_progress");
}

TEST_F(ApiFormatTest, toolCallsOfAResponse_areItems_theirOutputsAreAccepted) {
    const OrderedJson tools = OrderedJson::array(
        {{{"type", "function"}, {"name", "weather"}, {"parameters", weather()}}});
    const OrderedJson asked{{"input", "What is the weather in Rome?"},
                            {"tools", tools},
                            {"tool_choice", {{"type", "function"}, {"name", "weather"}}},
                            {"max_output_tokens", 80}};
    const OrderedJson whole = server().json("/v1/responses", asked);
    ASSERT_EQ(whole["output"].size(), 1U) << whole.dump();
    const OrderedJson& call = whole["output"][0];
    EXPECT_EQ(call["type"], "function_call");
    EXPECT_EQ(call["name"], "weather");
    EXPECT_EQ(whole["status"], "completed");
    const OrderedJson arguments = OrderedJson::parse(call["arguments"].get<std::string>());
    EXPECT_TRUE(arguments["place"] == "Oslo" || arguments["place"] == "Rome");
    std::string streamed;
    for (const OrderedJson& event : namedEvents(server(), asked))
        if (event["type"] == "response.function_call_arguments.delta")
            streamed += event["delta"].get<std::string>();
    EXPECT_EQ(OrderedJson::parse(streamed), arguments);

    const OrderedJson history = OrderedJson::array(
        {{{"role", "user"}, {"content", {{{"type", "input_text"}, {"text", "Rome?"}}}}},
         call,
         {{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "rain"}}});
    EXPECT_EQ(server().json("/v1/responses", {{"input", history}})["output"][0]["type"], "message");
}

TEST_F(ApiFormatTest, response_isContinuedByItsId) {
    const auto counted = [](const OrderedJson& asked) {
        return server().json("/v1/responses/input_tokens", asked)["input_tokens"].get<int>();
    };
    const OrderedJson first = server().json("/v1/responses", {{"input", "Remember the word sea."},
                                                              {"instructions", "Be short."},
                                                              {"max_output_tokens", 4}});
    const std::string id = first["id"];
    const OrderedJson next{
        {"input", "Which word?"}, {"previous_response_id", id}, {"max_output_tokens", 4}};
    const OrderedJson second = server().json("/v1/responses", next);
    EXPECT_EQ(second["previous_response_id"], id);
    // The same conversation sent in full, without the first request's instructions.
    OrderedJson items =
        OrderedJson::array({{{"role", "user"}, {"content", "Remember the word sea."}}});
    items.push_back(first["output"][0]);
    items.push_back({{"role", "user"}, {"content", "Which word?"}});
    EXPECT_EQ(second["usage"]["input_tokens"], counted({{"input", items}}));
    EXPECT_EQ(second["usage"]["input_tokens"], counted(next));
    // Also works from a streamed response, and from a later one than the first.
    const OrderedJson streamed = namedEvents(server(), next).back()["response"];
    for (const OrderedJson& before : {second, streamed}) {
        const OrderedJson third = server().json(
            "/v1/responses", {{"input", "Sure?"}, {"previous_response_id", before["id"]}});
        EXPECT_GT(third["usage"]["input_tokens"], second["usage"]["input_tokens"]);
    }

    // Items of an answer referenced by id, as sent by clients that rely on stored responses.
    items[1] = {{"type", "item_reference"}, {"id", first["output"][0]["id"]}};
    EXPECT_EQ(second["usage"]["input_tokens"], counted({{"input", items}}));

    EXPECT_EQ(OrderedJson::parse(server().get("/v1/responses/" + id).body), first);
    const auto asked = [&](const char* method) {
        return test::ask(server().port,
                         server().request(std::string(method) + " /v1/responses/" + id));
    };
    EXPECT_EQ(server().get("/v1/responses/" + id + "?stream=true").status, 400);
    EXPECT_EQ(OrderedJson::parse(asked("DELETE").body)["deleted"], true);
    for (const char* method : {"DELETE", "GET"}) EXPECT_EQ(asked(method).status, 404) << method;
    const WireAnswer unknown = server().post("/v1/responses", {{"input", items}});
    EXPECT_EQ(unknown.status, 400);
    EXPECT_EQ(OrderedJson::parse(unknown.body)["error"]["code"], "item_not_found");
    const WireAnswer gone = server().post("/v1/responses", next);
    EXPECT_EQ(gone.status, 400);
    EXPECT_EQ(OrderedJson::parse(gone.body)["error"]["code"], "previous_response_not_found");
    const OrderedJson unkept = server().json(
        "/v1/responses", {{"input", "a"}, {"store", false}, {"max_output_tokens", 1}});
    EXPECT_EQ(unkept["store"], false);
    EXPECT_EQ(server().get("/v1/responses/" + unkept["id"].get<std::string>()).status, 404);
}

TEST(ResponseStore, storeOverItsLimits_evictsTheLeastRecentlyUsed) {
    const OrderedJson items = OrderedJson::array({{{"role", "user"}}});
    const OrderedJson response{{"output", {{{"type", "message"}}}}};
    ResponseStore few({.responses = 2, .bytes = 1000});
    few.keep("a", items, response);
    few.keep("b", items, response);
    EXPECT_EQ(few.response("a"), response);
    few.keep("c", items, response);
    EXPECT_FALSE(few.response("b")) << "a was asked for after it";
    EXPECT_TRUE(few.response("a") && few.response("c"));
    EXPECT_EQ(few.conversation("c")->size(), 2U);
    few.keep("c", OrderedJson::array(), response);
    EXPECT_EQ(few.size(), 2U);
    EXPECT_EQ(few.conversation("c")->size(), 1U);
    EXPECT_TRUE(few.remove("a") && few.remove("c"));
    EXPECT_FALSE(few.remove("a"));
    EXPECT_EQ(few.bytes(), 0U);
    const OrderedJson large = OrderedJson::array({std::string(600, 'x')});
    few.keep("d", large, response);
    few.keep("e", large, response);
    EXPECT_TRUE(!few.response("d") && few.response("e"));
    EXPECT_LE(few.bytes(), 1000U);
    few.keep("f", OrderedJson::array({std::string(2000, 'x')}), response);
    EXPECT_TRUE(!few.response("f") && few.response("e")) << "too large by itself";
}

TEST_F(ApiFormatTest, unsupportedResponseMember_isRejectedByName) {
    const std::vector<std::pair<OrderedJson, std::string>> rows{
        {{{"previous_response_id", "resp_1"}}, "previous_response_id"},
        {{{"background", true}}, "background"},
        {{{"truncation", "auto"}}, "truncation"},
        {{{"tools", {{{"type", "web_search"}}}}}, "tools[0].type"},
        {{{"input", {{{"type", "item_reference"}, {"id", "a"}}}}}, "input[0].id"},
        {{{"input", {{{"type", "function_call_output"}, {"call_id", "x"}, {"output", "y"}}}}},
         "input[0].tool_call_id"},
        {{{"text", {{"format", {{"type", "json_schema"}, {"name", "a"}}}}}}, "response_format"},
        {{{"n", 2}}, "n"},
        {{{"temperature", 3}}, "temperature"},
        {{{"include", {"file_search_call.results"}}}, "include"},
    };
    for (const auto& [more, param] : rows) {
        const WireAnswer answer = server().post("/v1/responses", with({{"input", "a"}}, more));
        EXPECT_EQ(answer.status, 400) << more.dump() << answer.body;
        EXPECT_EQ(OrderedJson::parse(answer.body)["error"]["param"], param) << answer.body;
    }
    EXPECT_EQ(server().post("/v1/responses", OrderedJson::object()).status, 400);
    const OrderedJson formed = server().json(
        "/v1/responses",
        {{"input", "a"},
         {"text",
          {{"format", {{"type", "json_schema"}, {"name", "n"}, {"schema", {{"const", "foo"}}}}}}}});
    EXPECT_EQ(formed["output"][0]["content"][0]["text"], "\"foo\"");
}

// --- reasoning ---

ThoughtStream::Piece told(ThoughtStream::Begins begins, std::string_view text, std::size_t step) {
    ThoughtStream stream(begins);
    ThoughtStream::Piece all;
    const auto add = [&](const ThoughtStream::Piece& piece) {
        all.thought += piece.thought;
        all.text += piece.text;
    };
    for (std::size_t at = 0; at < text.size(); at += step) add(stream.push(text.substr(at, step)));
    add(stream.finish());
    return all;
}

TEST(ThoughtStream, splitText_givesTheSameReasoningAndAnswer) {
    using Begins = ThoughtStream::Begins;
    struct Row {
        Begins begins;
        std::string_view text, thought, answer;
    };
    for (const Row& row :
         {Row{Begins::Open, "<think>\nhm, so\n</think>\n\nYes.", "hm, so", "Yes."},
          Row{Begins::InThought, "hm\n\nso </think> Yes.\n", "hm\n\nso", "Yes.\n"},
          Row{Begins::InThought, "never ends </thi", "never ends </thi", ""},
          Row{Begins::Open, " Yes. <think>no</think>", "", " Yes. <think>no</think>"},
          Row{Begins::Open, "<th", "", "<th"}, Row{Begins::Open, "<think></think>", "", ""},
          Row{Begins::InAnswer, "a</think>b", "", "a</think>b"}})
        for (const std::size_t step : {1U, 2U, 3U, 7U, 100U}) {
            const auto piece = told(row.begins, row.text, step);
            EXPECT_EQ(piece.thought, row.thought) << row.text << " in " << step;
            EXPECT_EQ(piece.text, row.answer) << row.text << " in " << step;
        }
    EXPECT_TRUE(endsInThought("<|im_start|>assistant\n<think>\n"));
    EXPECT_FALSE(endsInThought("<think>\n\n</think>\n\n"));
}

TEST(ThoughtStream, channels_areReasoningTextAndCalls) {
    const std::string analysis = "<|channel|>analysis<|message|>hm<|end|>";
    const std::string call = "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\":1}}</tool_call>";
    struct Row {
        std::string text, thought, answer;
    };
    for (const Row& row :
         {Row{analysis + "<|start|>assistant<|channel|>final<|message|>Yes.\n<|return|>", "hm",
              "Yes.\n"},
          Row{"<|channel|>final<|message|>2 < 3 <|x|>", "", "2 < 3 <|x|>"},
          Row{analysis + "<|start|>assistant<|channel|>commentary to=functions.now "
                         "<|constrain|>json<|message|>{\"a\":1}<|call|>",
              "hm", call},
          Row{" to=functions.now<|channel|>commentary json<|message|>{\"a\":1}", "", call},
          Row{analysis + "<|start|>assistant<|channel|>analysis<|message|>so<|end|>"
                         "<|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
                         "<|start|>assistant<|channel|>final<|message|>Yes.",
              "hm\n\nso", "I look.\n\nYes."},
          Row{"<|channel|>analysis to=python<|message|>1+1", "1+1", ""},
          Row{"Plain <b>", "", "Plain <b>"}, Row{"<|channel|>ana", "", ""},
          Row{"tomorrow", "", "tomorrow"}, Row{"", "", ""}})
        for (const std::size_t step : {1U, 2U, 3U, 7U, 1000U}) {
            const auto piece = told(ThoughtStream::Begins::Channels, row.text, step);
            EXPECT_EQ(piece.thought, row.thought) << row.text << " in " << step;
            EXPECT_EQ(piece.text, row.answer) << row.text << " in " << step;
        }
    EXPECT_EQ(finalHeader("<|end|><|start|>assistant"), "<|channel|>final<|message|>");
    EXPECT_EQ(finalHeader("<|im_start|>assistant\n"), "");
}

constexpr const char* kThinker =
    "{%- for m in messages -%}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and not enable_thinking -%}"
    "{{ '<think>\\n\\n</think>\\n\\n' }}"
    "{%- else -%}{{ '<think>\\n' }}{%- endif -%}{%- endif -%}";

TEST(ReasoningOutput, reasoning_isSeparateFromTheAnswer) {
    ServeOptions options = pilot(1);
    options.chatTemplate.text = kThinker;
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const OrderedJson asked =
        with(question("Why?"),
             {{"grammar", "root ::= \"let me see\\n</think>\\n\\nYes.\""}, {"max_tokens", 60}});
    const OrderedJson message = server.json("/v1/chat/completions", asked)["choices"][0]["message"];
    EXPECT_EQ(message["reasoning_content"], "let me see");
    EXPECT_EQ(message["content"], "Yes.");
    std::string thought, text;
    for (const std::string& event :
         server.events("/v1/chat/completions", with(asked, {{"stream", true}}))) {
        if (event == "[DONE]") continue;
        const OrderedJson delta = OrderedJson::parse(event)["choices"][0]["delta"];
        if (delta.contains("reasoning_content"))
            thought += delta["reasoning_content"].get<std::string>();
        if (delta.contains("content") && delta["content"].is_string())
            text += delta["content"].get<std::string>();
    }
    EXPECT_EQ(thought, "let me see");
    EXPECT_EQ(text, "Yes.");
    EXPECT_EQ(server.json(
                  "/v1/chat/completions",
                  with(asked, {{"reasoning_format", "none"}}))["choices"][0]["message"]["content"],
              "let me see\n</think>\n\nYes.");
    const OrderedJson response = server.json(
        "/v1/responses", {{"input", "Why?"}, {"grammar", asked["grammar"]}, {"max_tokens", 60}});
    ASSERT_EQ(response["output"].size(), 2U) << response.dump();
    EXPECT_EQ(response["output"][0]["type"], "reasoning");
    EXPECT_EQ(response["output"][0]["content"][0]["text"], "let me see");
    EXPECT_EQ(response["output"][1]["content"][0]["text"], "Yes.");
    // The response format applies from the first token on, so the template disables reasoning.
    const OrderedJson formed = server.json(
        "/v1/chat/completions", with(question("Why?"), {{"json_schema", {{"const", "foo"}}}}));
    EXPECT_EQ(formed["choices"][0]["message"]["content"], "\"foo\"");
    EXPECT_FALSE(formed["choices"][0]["message"].contains("reasoning_content"));
}

std::string promptUnder(std::optional<bool> reasoning, const char* text) {
    ServeOptions options = pilot(1);
    options.chatTemplate.text = text;
    options.reasoning = reasoning;
    const Server server(std::move(options));
    EXPECT_NE(server.port, 0);
    return server.json("/apply-template", question("Why?"))["prompt"];
}

TEST(ReasoningOutput, reasoningSwitch_isPassedToTheTemplate) {
    EXPECT_TRUE(promptUnder(std::nullopt, kThinker).ends_with("<think>\n"));
    EXPECT_TRUE(promptUnder(true, kThinker).ends_with("<think>\n"));
    EXPECT_TRUE(promptUnder(false, kThinker).ends_with("<think>\n\n</think>\n\n"));
    constexpr const char* kAlways = "{{ messages[0].content }}{{ '<think>\\n' }}";
    EXPECT_EQ(promptUnder(false, kAlways), "Why?<think>\n\n</think>\n\n");
    EXPECT_EQ(promptUnder(true, kAlways), "Why?<think>\n");
}

// --- tool calls without markers ---

TEST(CallStream, answerThatNamesAFunction_isACall) {
    struct Row {
        std::string_view text;
        std::size_t calls;
    };
    for (const auto& [text, calls] :
         {Row{R"({"name": "weather", "parameters": {"place": "Oslo"}})", 1},
          Row{R"( {"name": "weather", "arguments": {"place": "Oslo"}})", 1},
          Row{R"({"name": "other", "parameters": {}})", 0}, Row{"It rains.", 0},
          Row{R"({"name": )", 0}, Row{"", 0}}) {
        CallStream stream(RequestedCalls{
            .form = CallForm::Found, .functions = {{.name = "weather", .parameters = weather()}}});
        std::string said, arguments;
        std::size_t begun = 0;
        const auto take = [&](const std::vector<CallStreamPiece>& pieces) {
            for (const CallStreamPiece& piece : pieces) {
                if (piece.kind == CallStreamPiece::Kind::Text) said += piece.text;
                if (piece.kind == CallStreamPiece::Kind::Begin) ++begun;
                if (piece.kind == CallStreamPiece::Kind::Arguments) arguments += piece.text;
            }
        };
        for (const char c : text) take(stream.push(std::string_view(&c, 1)));
        take(stream.finish());
        EXPECT_EQ(begun, calls) << text;
        EXPECT_EQ(said, calls == 0 ? text : std::string_view()) << text;
        if (calls == 1) {
            EXPECT_EQ(OrderedJson::parse(arguments)["place"], "Oslo");
        }
    }
}

// The forms of GLM-4.5, MiniMax-M2, ERNIE 4.5, Hunyuan, Llama 4 and Gemma 4.
TEST(CallStream, formsOfFamilies_areCalls) {
    for (const std::string_view text :
         {"<tool_call>weather\n<arg_key>place</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
          "<minimax:tool_call>\n<invoke name=\"weather\">\n<parameter name=\"place\">Oslo"
          "</parameter>\n</invoke>\n</minimax:tool_call>",
          "\n\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"place\": \"Oslo\"}}\n"
          "</tool_call>\n",
          "<tool_calls>[{\"name\": \"weather\", \"arguments\": {\"place\": "
          "\"Oslo\"}}]</tool_calls>",
          "{\"name\": \"weather\", \"parameters\": {\"place\": \"Oslo\"}}",
          "[weather(place=\"Oslo\")]", "<|python_start|>[weather(place='Oslo')]<|python_end|>",
          "<|tool_call_start|>[weather(place=\"Oslo\")]<|tool_call_end|>",
          "<|tool_call>call:weather{place:<|\"|>Oslo<|\"|>}<tool_call|>"}) {
        CallStream stream(RequestedCalls{
            .form = CallForm::Found, .functions = {{.name = "weather", .parameters = weather()}}});
        std::string said, arguments;
        const auto take = [&](const std::vector<CallStreamPiece>& pieces) {
            for (const CallStreamPiece& piece : pieces) {
                if (piece.kind == CallStreamPiece::Kind::Text) said += piece.text;
                if (piece.kind == CallStreamPiece::Kind::Arguments) arguments += piece.text;
            }
        };
        for (const char c : text) take(stream.push(std::string_view(&c, 1)));
        take(stream.finish());
        EXPECT_EQ(said, "") << text;
        EXPECT_EQ(arguments, "{\"place\":\"Oslo\"}") << text;
    }
}

TEST(CallForms, callsOfPython_areReadAsJson) {
    const CallForms forms({{.name = "weather", .parameters = weather()}});
    const auto read = [&](const std::string& list) {
        std::string all;
        const auto reading = forms.read(list, {}, true);
        if (reading.kind == CallReading::Kind::Calls)
            for (const ToolCall& call : reading.calls) all += call.arguments;
        return all;
    };
    EXPECT_EQ(
        read(R"j([weather(place='it\'s "x", [y)', days=[1, -2.5], more={'a': None}, z=True)])j"),
        R"j({"place":"it's \"x\", [y)","days":[1,-2.5],"more":{"a":null},"z":true})j");
    EXPECT_EQ(read("[weather(place=\"Oslo\"), weather(place=\"Rome\")]"),
              R"({"place":"Oslo"}{"place":"Rome"})");
    EXPECT_EQ(read("[ weather() ]"), "{}");
    for (const char* other :
         {"[weather]", "[weather(Oslo)]", "[weather(place=Oslo)]", "[weather(place=\"Oslo\"]",
          "[other(place=1)]", "[weather(place=\"Oslo\")] is an example", "[1, 2]"})
        EXPECT_EQ(read(other), "") << other;
}

TEST(CallForms, bareKeys_areReadAsJson) {
    const CallForms forms({{.name = "weather", .parameters = weather()}});
    const auto read = [&](const std::string& arguments) {
        const auto reading =
            forms.read("<|tool_call>call:weather" + arguments + "<tool_call|>", {}, true);
        return reading.calls.empty() ? "none" : reading.calls.front().arguments;
    };
    EXPECT_EQ(read("{days:[1,2],place:<|\"|>a \"b\", {c}<|\"|>,more:{x:true,y:[<|\"|>z<|\"|>]}}"),
              R"({"days":[1,2],"place":"a \"b\", {c}","more":{"x":true,"y":["z"]}})");
    EXPECT_EQ(read("{}"), "{}");
    for (const char* wrong : {"{place:Oslo}", "{place}", "{]", "[1]", "{place:<|\"|>Oslo}"})
        EXPECT_EQ(read(wrong), "none") << wrong;
}

TEST(ThoughtStream, otherMarks_areRecognised) {
    EXPECT_FALSE(thoughtMarksIn("{{ messages }}"));
    const auto marks = thoughtMarksIn("<|channel>thought\n<channel|>");
    ASSERT_TRUE(marks);
    ThoughtStream stream(ThoughtStream::Begins::Open, *marks);
    const auto piece = stream.push("<|channel>thought\nhm\n<channel|>Yes.");
    EXPECT_EQ(piece.thought, "hm");
    EXPECT_EQ(piece.text, "Yes.");
}

TEST_F(ApiFormatTest, autoToolChoice_worksWithoutTemplateSupport) {
    const OrderedJson tools = OrderedJson::array(
        {{{"type", "function"}, {"function", {{"name", "weather"}, {"parameters", weather()}}}}});
    const OrderedJson said =
        server().json("/v1/chat/completions", with(question("Hello."), {{"tools", tools}}));
    EXPECT_FALSE(said["choices"][0]["message"].contains("tool_calls"));
    const OrderedJson forced{{"tools", tools},
                             {"max_tokens", 60},
                             {"grammar",
                              "root ::= \"{\\\"name\\\": \\\"weather\\\", \\\"parameters\\\": "
                              "{\\\"place\\\": \\\"Oslo\\\"}}\""}};
    const OrderedJson called =
        server().json("/v1/chat/completions", with(question("Weather?"), forced));
    EXPECT_EQ(called["choices"][0]["finish_reason"], "tool_calls") << called.dump();
    EXPECT_EQ(called["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "weather");
}

TEST(ToolCalls, noParallelCalls_endsTheAnswerAfterTheFirstCall) {
    ServeOptions options = pilot(1);
    options.chatTemplate.text =
        "{% if tools %}Calls stand in <tool_call></tool_call>. {% endif %}"
        "{{ messages[0].content }}";
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const std::string call =
        R"("<tool_call>{\"name\": \"weather\", \"arguments\": {\"place\": \"Oslo\"}}</tool_call>")";
    const OrderedJson asked = with(
        question("Weather?"),
        {{"tools",
          OrderedJson::array({{{"type", "function"},
                               {"function", {{"name", "weather"}, {"parameters", weather()}}}}})},
         {"max_tokens", 200},
         {"grammar", "root ::= " + call + " " + call}});
    const auto calls = [&](const OrderedJson& more) {
        const OrderedJson answer = server.json("/v1/chat/completions", with(asked, more));
        EXPECT_EQ(answer["choices"][0]["finish_reason"], "tool_calls") << answer.dump();
        return answer["choices"][0]["message"]["tool_calls"];
    };
    EXPECT_EQ(calls(OrderedJson::object()).size(), 2U);
    const OrderedJson one = calls({{"parallel_tool_calls", false}});
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(OrderedJson::parse(one[0]["function"]["arguments"].get<std::string>())["place"],
              "Oslo");
    int begun = 0;
    for (const std::string& event :
         server.events("/v1/chat/completions",
                       with(asked, {{"parallel_tool_calls", false}, {"stream", true}}))) {
        if (event == "[DONE]") continue;
        const OrderedJson delta = OrderedJson::parse(event)["choices"][0]["delta"];
        if (delta.contains("tool_calls") && delta["tool_calls"][0].contains("id")) ++begun;
    }
    EXPECT_EQ(begun, 1);
}

// --- fields read by llama.cpp's clients ---

TEST_F(ApiFormatTest, promptsAndTemplates_areAcceptedAsByLlamaCppServer) {
    const OrderedJson plain = server().json("/completion", {{"prompt", "Once"}, {"n_predict", 3}});
    const OrderedJson wrapped =
        server().json("/completion", {{"prompt", {{"prompt_string", "Once"}}}, {"n_predict", 3}});
    EXPECT_EQ(wrapped["content"], plain["content"]);
    const WireAnswer picture = server().post(
        "/completion", {{"prompt", {{"prompt_string", "a"}, {"multimodal_data", {"aGk="}}}}});
    EXPECT_EQ(picture.status, 400);
    EXPECT_EQ(OrderedJson::parse(picture.body)["error"]["param"], "prompt.multimodal_data");
    const OrderedJson biased = server().json(
        "/completion", {{"prompt", "A"}, {"n_predict", 2}, {"logit_bias", {{" zebra", 100}}}});
    EXPECT_NE(biased["content"],
              server().json("/completion", {{"prompt", "A"}, {"n_predict", 2}})["content"]);
    const auto prompt = [&](bool generation) {
        return server()
            .json("/apply-template",
                  with(question("Hi"), {{"add_generation_prompt", generation}}))["prompt"]
            .get<std::string>();
    };
    EXPECT_TRUE(prompt(true).starts_with(prompt(false)));
    EXPECT_GT(prompt(true).size(), prompt(false).size());
    for (const char* path : {"/rerank", "/lora-adapters"})
        EXPECT_EQ(server().post(path, OrderedJson::object()).status, 501) << path;
}

TEST(ChatTemplates, datesAndFunctions_areAvailable) {
    ServeOptions options = pilot(1);
    options.chatTemplate.text =
        "{{ date_string }}|{{ datetime }}|{{ functions }}|{{ messages[0].content }}";
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const std::string prompt = server.json(
        "/apply-template",
        with(question("Hi"),
             {{"tools", OrderedJson::array({{{"type", "function"},
                                             {"function", {{"name", "weather"}}}}})}}))["prompt"];
    EXPECT_NE(prompt.find("20"), std::string::npos);
    EXPECT_NE(prompt.find(" GMT|["), std::string::npos) << prompt;
    EXPECT_NE(prompt.find("\"weather\""), std::string::npos);
    EXPECT_TRUE(prompt.ends_with("|Hi"));
}

TEST_F(ApiFormatTest, streams_reportProgressAndTimingsOnRequest) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "This is a test. ";
    OrderedJson asked = with(question(text), {{"stream", true},
                                              {"return_progress", true},
                                              {"timings_per_token", true},
                                              {"cache_prompt", false}});
    std::int64_t last = -1, total = 0;
    int told = 0, timed = 0;
    for (const std::string& event : server().events("/v1/chat/completions", asked)) {
        if (event == "[DONE]") continue;
        const OrderedJson chunk = OrderedJson::parse(event);
        if (chunk.contains("timings")) ++timed;
        if (!chunk.contains("prompt_progress")) continue;
        const OrderedJson& progress = chunk["prompt_progress"];
        if (told++ == 0) {
            EXPECT_EQ(progress["processed"], progress["cache"]);
            EXPECT_EQ(chunk["timings"]["prompt_ms"], 0.0);
        }
        EXPECT_EQ(chunk["timings"]["predicted_n"], 0);
        EXPECT_EQ(chunk["timings"]["prompt_n"],
                  progress["processed"].get<int>() - progress["cache"].get<int>());
        EXPECT_GT(progress["processed"].get<std::int64_t>(), last);
        last = progress["processed"];
        total = progress["total"];
    }
    EXPECT_GT(told, 2);
    EXPECT_EQ(last, total);
    EXPECT_GT(timed, 5);
    const auto native = server().events(
        "/completion",
        {{"prompt", text}, {"stream", true}, {"n_predict", 2}, {"return_progress", true}});
    EXPECT_TRUE(OrderedJson::parse(native.front()).contains("prompt_progress"));
}

TEST(AnswerLength, answer_endsAtTheContextLimit) {
    ServeOptions options = pilot(1);
    options.config.context = 32;
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const OrderedJson reply =
        server.json("/completion", {{"prompt", "Once"}, {"n_predict", -1}, {"ignore_eos", true}});
    EXPECT_EQ(reply["tokens_evaluated"].get<int>() + reply["tokens_predicted"].get<int>(), 32);
    EXPECT_EQ(reply["truncated"], true);
    EXPECT_EQ(reply["stop_type"], "limit");
    const WireAnswer more = server.post("/completion", {{"prompt", std::string(200, 'x')}});
    EXPECT_EQ(more.status, 400);
    EXPECT_NE(more.body.find("exceeds the available context size"), std::string::npos);
}

// --- cache settings of one request ---

TEST_F(ApiFormatTest, cacheSettingsOfARequest_applyToItOnly) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "The ship went out to sea again. ";
    const OrderedJson asked =
        with({{"prompt", text}, {"n_predict", 4}, {"cache_salt", "own"}}, OrderedJson::object());
    const auto slotOf = [&](const OrderedJson& more) {
        return server().json("/completion", with(asked, more))["id_slot"].get<int>();
    };
    const auto bytesOf = [&](int slot) {
        const std::string metrics = server().get("/metrics").body;
        const std::string name = "lacuna_cache_live_bytes{slot=\"" + std::to_string(slot) + "\"}";
        const std::size_t at = metrics.find(name);
        EXPECT_NE(at, std::string::npos) << metrics.substr(0, 200);
        return at == std::string::npos ? 0 : std::stol(metrics.substr(at + name.size()));
    };
    const int plain = slotOf(OrderedJson::object());
    const auto all = bytesOf(plain);
    const OrderedJson evicting{{"cache",
                                {{"method", "l2"},
                                 {"budget", 48},
                                 {"keep_recent", 16},
                                 {"compaction_floor", 0},
                                 {"loss_limit", "off"}}}};
    const int evicted = slotOf(evicting);
    EXPECT_GT(all, 0);
    EXPECT_LT(bytesOf(evicted), all / 2) << "the cache was compacted";
    const OrderedJson back = server().json("/completion", asked);
    EXPECT_GE(bytesOf(back["id_slot"]), all) << "what was asked for one answer is over";

    const auto refused = [&](const OrderedJson& cache, const char* param) {
        const WireAnswer answer =
            server().post("/v1/chat/completions", with(question("a"), {{"cache", cache}}));
        EXPECT_EQ(answer.status, 400) << answer.body;
        EXPECT_EQ(OrderedJson::parse(answer.body)["error"]["param"], param) << answer.body;
    };
    refused({{"am_ratio", 0}}, "cache.am_ratio");
    refused({{"cache_limit", 10}}, "cache.cache_limit");
    refused({{"nothing", 1}}, "cache.nothing");
    refused("am", "cache");
}

// --- embeddings ---

double lengthOf(const OrderedJson& vector) {
    double squares = 0;
    for (const OrderedJson& x : vector) squares += x.get<double>() * x.get<double>();
    return std::sqrt(squares);
}

TEST_F(ApiFormatTest, embeddings_areNumbersOrBase64ForTextsAndTokens) {
    const OrderedJson tokens =
        server().json("/tokenize", {{"content", "The sea"}, {"add_special", true}})["tokens"];
    const OrderedJson reply =
        server().json("/v1/embeddings", {{"input", {"The sea", tokens, "A house"}}});
    EXPECT_EQ(reply["object"], "list");
    ASSERT_EQ(reply["data"].size(), 3U);
    const OrderedJson& first = reply["data"][0]["embedding"];
    EXPECT_NEAR(lengthOf(first), 1, 1e-5);
    EXPECT_EQ(first, reply["data"][1]["embedding"]);
    EXPECT_NE(first, reply["data"][2]["embedding"]);
    EXPECT_EQ(reply["usage"]["prompt_tokens"], reply["usage"]["total_tokens"]);
    EXPECT_GT(reply["usage"]["prompt_tokens"].get<std::size_t>(), 2 * tokens.size());
    const OrderedJson encoded =
        server().json("/v1/embeddings", {{"input", "The sea"}, {"encoding_format", "base64"}});
    const QByteArray bytes = QByteArray::fromBase64(
        QByteArray::fromStdString(encoded["data"][0]["embedding"].get<std::string>()));
    ASSERT_EQ(bytes.size(), static_cast<qsizetype>(first.size() * sizeof(float)));
    for (std::size_t i = 0; i < first.size(); ++i) {
        float x = 0;
        std::memcpy(&x, bytes.constData() + i * sizeof x, sizeof x);
        EXPECT_FLOAT_EQ(x, first[i].get<float>());
    }
    const OrderedJson native = server().json("/embedding", {{"content", "The sea"}});
    EXPECT_EQ(native[0]["embedding"][0], first);
    const OrderedJson objects = server().json(
        "/v1/embeddings",
        {{"input",
          {{{"prompt_string", "The sea"}},
           {{"content",
             {{{"type", "text"}, {"text", "The "}}, {{"type", "text"}, {"text", "sea"}}}}}}}});
    ASSERT_EQ(objects["data"].size(), 2U);
    for (const OrderedJson& one : objects["data"]) EXPECT_EQ(one["embedding"], first);
    const std::vector<std::pair<OrderedJson, std::string>> refused{
        {{{"input", OrderedJson::array()}}, "input"},
        {{{"input", {1, -1}}}, "input"},
        {{{"input", "a"}, {"dimensions", 3}}, "dimensions"},
        {{{"input", "a"}, {"encoding_format", "int8"}}, "encoding_format"},
        {{{"input", {{"content", {{{"type", "image_url"}}}}}}}, "input.content"},
        {{{"input", {{"prompt_string", "a"}, {"multimodal_data", {"b"}}}}},
         "input.multimodal_data"},
        {{{"input", {{"text", "a"}}}}, "input.content"},
        {OrderedJson::object(), "input"},
    };
    for (const auto& [body, param] : refused) {
        const WireAnswer answer = server().post("/v1/embeddings", body);
        EXPECT_EQ(answer.status, 400) << body.dump();
        EXPECT_EQ(OrderedJson::parse(answer.body)["error"]["param"], param) << answer.body;
    }
    EXPECT_EQ(server().post("/v1/embeddings", {{"input", std::string(100'000, 'x')}}).status, 400);
    const auto counted = test::readExposition(server().get("/metrics").body);
    EXPECT_GE(counted.of("lacuna_embedded_texts_total"), 7);
    EXPECT_GE(counted.of("llamacpp:prompt_tokens_total"), 7 * tokens.size());
}

/// One vector per token, and the pooling modes, compared with a NumPy forward pass.
TEST(TextEmbedder, pooledStates_equalTheReference) {
    std::ifstream file(LACUNA_GOLDEN_DIR "/stories260K/golden_embeddings.json");
    const OrderedJson golden = OrderedJson::parse(file);
    const auto loaded = loadToRun(LACUNA_GOLDEN_DIR "/stories260K/stories260Ktok512.gguf", {});
    ASSERT_TRUE(loaded);
    const auto embedder = TextEmbedder::create(*loaded, Precision::Exact, 1);
    ASSERT_TRUE(embedder);
    const auto tokens = golden["tokens"].get<std::vector<TokenId>>();
    for (const auto& [name, pooling] :
         {std::pair{"mean", Pooling::Mean}, std::pair{"cls", Pooling::First},
          std::pair{"last", Pooling::Last}}) {
        auto vectors = (*embedder)->embed(tokens, pooling, [] { return false; });
        ASSERT_TRUE(vectors);
        ASSERT_EQ(vectors->size(), 1U);
        std::vector<float>& vector = vectors->front();
        normalise(vector);
        ASSERT_EQ(vector.size(), golden[name].size());
        for (std::size_t i = 0; i < vector.size(); ++i)
            EXPECT_NEAR(vector[i], golden[name][i].get<double>(), 2e-4) << name << " " << i;
    }
    const auto all = (*embedder)->embed(tokens, Pooling::None, [] { return false; });
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), tokens.size());
    const auto stopped = (*embedder)->embed(tokens, Pooling::Mean, [] { return true; });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
}

TEST(Embeddings, noPooling_givesOneVectorPerToken) {
    ServeOptions options = pilot(1);
    options.embeddings = Pooling::None;
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const OrderedJson tokens =
        server.json("/tokenize", {{"content", "The sea"}, {"add_special", true}})["tokens"];
    const OrderedJson native = server.json("/embeddings", {{"input", "The sea"}});
    EXPECT_EQ(native[0]["embedding"].size(), tokens.size());
    EXPECT_GT(std::abs(lengthOf(native[0]["embedding"][0]) - 1), 1e-3) << "as they are";
    EXPECT_EQ(server.post("/v1/embeddings", {{"input", "The sea"}}).status, 400);
}

}  // namespace
}  // namespace lacuna::app
