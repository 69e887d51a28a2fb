// The API over real sockets with the test model: replies, their form, and requests that are refused
// by name.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QEventLoop>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "app/serve/api_routes.h"
#include "app/serve/api_server.h"
#include "app/serve/http_server.h"
#include "app/serve/serve_program.h"
#include "engine/base/json.h"
#include "engine/session/read_facts.h"
#include "engine/settings/setting_value.h"
#include "tests/app/core_application.h"
#include "tests/app/serve/exposition_text.h"
#include "tests/app/serve/pilot_server.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::app {
namespace {

using test::pilot;
using test::question;
using test::Server;
using test::WireAnswer;
using test::WireClient;
using test::with;
using namespace std::chrono_literals;

class ApiServerTest : public testing::Test {
  protected:
    static void SetUpTestSuite() { s_server = std::make_unique<Server>(pilot(2)); }
    static void TearDownTestSuite() { s_server.reset(); }
    void SetUp() override { ASSERT_NE(s_server->port, 0) << "the pilot was not loaded"; }
    static Server& server() { return *s_server; }

  private:
    inline static std::unique_ptr<Server> s_server;
};

TEST_F(ApiServerTest, readOnlyEndpoints_describeTheServedModel) {
    EXPECT_EQ(OrderedJson::parse(server().get("/health").body)["status"], "ok");
    EXPECT_EQ(server().get("/v1/health").status, 200);
    const OrderedJson models = OrderedJson::parse(server().get("/v1/models").body);
    EXPECT_EQ(models["object"], "list");
    ASSERT_EQ(models["data"].size(), 1U);
    EXPECT_EQ(models["data"][0]["id"], "pilot");
    EXPECT_GT(models["data"][0]["meta"]["n_ctx"].get<int>(), 0);
    EXPECT_EQ(OrderedJson::parse(server().get("/v1/models/pilot").body)["id"], "pilot");
    EXPECT_EQ(server().get("/v1/models/Pilot").status, 404);
    EXPECT_EQ(server().get("/v1/models/..%2Fpilot").status, 404);
    const OrderedJson props = OrderedJson::parse(server().get("/props").body);
    EXPECT_EQ(props["total_slots"], 2);
    EXPECT_FALSE(props["chat_template"].get<std::string>().empty());
    EXPECT_EQ(OrderedJson::parse(server().get("/slots").body).size(), 2U);
}

TEST_F(ApiServerTest, pathsAndMethods_areCheckedBeforeTheBody) {
    EXPECT_EQ(server().get("/").status, 404);
    EXPECT_EQ(server().get("/v1/../health").status, 404);
    EXPECT_EQ(server().get("//health").status, 404);
    EXPECT_EQ(server().get("/%2e%2e/health").status, 404);
    EXPECT_EQ(server().get("/%00").status, 400);
    const WireAnswer wrong = server().get("/v1/chat/completions");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.field("Allow"), "POST");
    for (const char* method : {"TRACE", "PUT", "BREW"})
        EXPECT_EQ(
            test::ask(server().port, server().request(std::string(method) + " /health")).status,
            405)
            << method;
    const std::string body = question("hi").dump();
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
        std::string request = server().request("POST /v1/chat/completions", body);
        const std::string json = "Content-Type: application/json\r\n";
        request.replace(request.find(json), json.size(),
                        *type == '\0' ? "" : "Content-Type: " + std::string(type) + "\r\n");
        EXPECT_EQ(test::ask(server().port, request).status, 415) << type;
    }
    const auto bare = [&](const std::string& fields) {
        return test::ask(server().port,
                         server().request("POST /v1/chat/completions", {},
                                          "Content-Type: application/json\r\n" + fields));
    };
    EXPECT_EQ(bare("").status, 411) << "nobody says how long the body is";
    EXPECT_EQ(bare("Content-Length: 0\r\n").status, 400) << "an empty body is no JSON";
    EXPECT_EQ(server().post("/v1/embeddings", {{"input", "a"}}).status, 501);
    EXPECT_EQ(server().post("/slots/0?action=save", {{"filename", "a"}}).status, 501)
        << "no folder was given";
}

TEST_F(ApiServerTest, everyRouteOfTheTable_isAnswered) {
    ASSERT_FALSE(routes().empty());
    for (const Route& route : routes()) {
        std::string path = route.path;
        if (const std::size_t hole = path.find("{}"); hole != std::string::npos)
            path.replace(hole, 2, "0");
        const std::string line = route.method + (" " + path);
        const std::string body = route.body == Route::Body::None ? "" : "{}";
        const int status = test::ask(server().port, server().request(line, body)).status;
        EXPECT_TRUE(status >= 200 && status < 600) << line << " is answered with " << status;
        EXPECT_NE(status, 405) << line;
    }
}

TEST_F(ApiServerTest, tokenize_andDetokenize_roundTrip) {
    const std::string text = "What is the capital of France? Łódź 🤗";
    const OrderedJson tokens = server().json("/tokenize", {{"content", text}})["tokens"];
    EXPECT_GT(tokens.size(), 5U);
    EXPECT_EQ(server().json("/detokenize", {{"tokens", tokens}})["content"], text);
    const OrderedJson pieces =
        server().json("/tokenize", {{"content", text}, {"with_pieces", true}})["tokens"];
    ASSERT_EQ(pieces.size(), tokens.size());
    EXPECT_EQ(pieces[0]["id"], tokens[0]);
    EXPECT_EQ(server().post("/detokenize", {{"tokens", {-1}}}).status, 400);
    EXPECT_EQ(server().post("/tokenize", {{"content", 1}}).status, 400);
    const OrderedJson prompt = server().json("/apply-template", question("Hello?"));
    EXPECT_NE(prompt["prompt"].get<std::string>().find("Hello?"), std::string::npos);
}

TEST_F(ApiServerTest, chatCompletion_hasTheOpenAiMembers) {
    const OrderedJson reply = server().json(
        "/v1/chat/completions", with(question("Tell me about the sea."), {{"cache_salt", "chat"}}));
    EXPECT_EQ(reply["object"], "chat.completion");
    EXPECT_EQ(reply["id"].get<std::string>().rfind("chatcmpl-", 0), 0U);
    EXPECT_EQ(reply["model"], "pilot");
    EXPECT_EQ(reply["system_fingerprint"].get<std::string>().front(), 'b');
    const OrderedJson& choice = reply["choices"][0];
    EXPECT_EQ(choice["message"]["role"], "assistant");
    EXPECT_FALSE(choice["message"]["content"].get<std::string>().empty());
    EXPECT_TRUE(choice["finish_reason"] == "length" || choice["finish_reason"] == "stop");
    const OrderedJson& usage = reply["usage"];
    EXPECT_GT(usage["prompt_tokens"].get<int>(), 3);
    EXPECT_LE(usage["completion_tokens"].get<int>(), 12);
    EXPECT_EQ(usage["total_tokens"].get<int>(),
              usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
    EXPECT_EQ(usage["prompt_tokens_details"]["cached_tokens"], 0);

    const OrderedJson again = server().json(
        "/v1/chat/completions", with(question("Tell me about the sea."), {{"cache_salt", "chat"}}));
    EXPECT_EQ(again["usage"]["prompt_tokens_details"]["cached_tokens"].get<int>(),
              usage["prompt_tokens"].get<int>() - 1);
    EXPECT_EQ(again["choices"][0]["message"]["content"], choice["message"]["content"]);
    for (const OrderedJson& more : {OrderedJson{{"cache_salt", "other"}},
                                    OrderedJson{{"cache_salt", "chat"}, {"cache_prompt", false}}})
        EXPECT_EQ(server().json("/v1/chat/completions",
                                with(question("Tell me about the sea."),
                                     more))["usage"]["prompt_tokens_details"]["cached_tokens"],
                  0)
            << more.dump();
}

TEST_F(ApiServerTest, chatStream_equalsTheUnstreamedAnswer) {
    const OrderedJson asked = with(question("Count to five."), {{"max_tokens", 10}});
    const OrderedJson whole = server().json("/v1/chat/completions", asked);
    const auto events = server().events(
        "/v1/chat/completions",
        with(asked, {{"stream", true}, {"stream_options", {{"include_usage", true}}}}));
    ASSERT_GE(events.size(), 4U);
    EXPECT_EQ(events.back(), "[DONE]");
    std::string text;
    std::string finish;
    std::string id;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
        const OrderedJson chunk = OrderedJson::parse(events[i]);
        EXPECT_EQ(chunk["object"], "chat.completion.chunk");
        if (i == 0) id = chunk["id"];
        EXPECT_EQ(chunk["id"], id);
        if (i + 2 == events.size()) {
            EXPECT_TRUE(chunk["choices"].empty());
            EXPECT_EQ(chunk["usage"]["completion_tokens"], whole["usage"]["completion_tokens"]);
            continue;
        }
        const OrderedJson& choice = chunk["choices"][0];
        if (i == 0) {
            EXPECT_EQ(choice["delta"]["role"], "assistant");
        }
        if (choice["delta"].contains("content") && choice["delta"]["content"].is_string())
            text += choice["delta"]["content"].get<std::string>();
        if (choice["finish_reason"].is_string()) finish = choice["finish_reason"];
    }
    EXPECT_EQ(text, whole["choices"][0]["message"]["content"]);
    EXPECT_EQ(finish, whole["choices"][0]["finish_reason"]);
}

TEST_F(ApiServerTest, completions_acceptTextsTokensAndLists) {
    const OrderedJson plain = server().json("/v1/completions", {{"prompt", "Once upon a time"}});
    EXPECT_EQ(plain["object"], "text_completion");
    const std::string text = plain["choices"][0]["text"];
    const OrderedJson tokens = server().json(
        "/tokenize", {{"content", "Once upon a time"}, {"add_special", true}})["tokens"];
    EXPECT_EQ(server().json("/v1/completions", {{"prompt", tokens}})["choices"][0]["text"], text);
    const OrderedJson list =
        server().json("/v1/completions",
                      {{"prompt", OrderedJson::array({"Once upon a time", tokens})}, {"n", 2}});
    ASSERT_EQ(list["choices"].size(), 4U);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(list["choices"][i]["index"], i);
        EXPECT_EQ(list["choices"][i]["text"], text) << "all greedy";
    }
    EXPECT_EQ(list["usage"]["prompt_tokens"], 2 * static_cast<int>(tokens.size()));
    EXPECT_EQ(server().json("/v1/completions",
                            {{"prompt", "Once upon a time"}, {"echo", true}})["choices"][0]["text"],
              "Once upon a time" + text);
    const OrderedJson probable =
        server().json("/v1/completions", {{"prompt", "Once upon a time"}, {"logprobs", 3}});
    const OrderedJson& logprobs = probable["choices"][0]["logprobs"];
    EXPECT_EQ(logprobs["tokens"].size(), logprobs["token_logprobs"].size());
    EXPECT_EQ(logprobs["top_logprobs"][0].size(), 3U);
}

TEST_F(ApiServerTest, nativeCompletion_hasTheLlamaCppMembers) {
    const OrderedJson asked{{"prompt", "Once upon a time"},
                            {"n_predict", 6},
                            {"n_probs", 2},
                            {"return_tokens", true},
                            {"seed", 7}};
    const OrderedJson reply = server().json("/completion", asked);
    EXPECT_EQ(reply["stop"], true);
    EXPECT_EQ(reply["stop_type"], "limit");
    EXPECT_EQ(reply["tokens"].size(), 6U);
    EXPECT_EQ(reply["timings"]["predicted_n"], 6);
    EXPECT_EQ(reply["generation_settings"]["seed"], 7);
    ASSERT_EQ(reply["completion_probabilities"].size(), 6U);
    EXPECT_EQ(reply["completion_probabilities"][0]["top_logprobs"].size(), 2U);
    std::string text;
    const auto events = server().events("/completion", with(asked, {{"stream", true}}));
    for (const std::string& event : events) {
        const OrderedJson piece = OrderedJson::parse(event);
        text += piece["content"].get<std::string>();
        if (!piece["stop"].get<bool>()) {
            EXPECT_EQ(piece["tokens"].size(), 1U);
        }
    }
    EXPECT_EQ(text, reply["content"]);
    const OrderedJson few = server().json(
        "/completion", with(asked, {{"response_fields", {"content", "generation_settings/seed"}}}));
    EXPECT_EQ(few.size(), 2U);
    EXPECT_EQ(few["generation_settings/seed"], 7);
}

TEST_F(ApiServerTest, nativeCompletion_endedByAStopString_reportsIt) {
    const OrderedJson plain =
        server().json("/completion", {{"prompt", "Once upon a time"}, {"n_predict", 12}});
    EXPECT_EQ(plain["stopping_word"], "");
    const std::string text = plain["content"].get<std::string>();
    const std::string stop = text.substr(text.size() / 2, 2);
    const OrderedJson asked{
        {"prompt", "Once upon a time"}, {"n_predict", 12}, {"stop", {"never said", stop}}};
    const OrderedJson whole = server().json("/completion", asked);
    EXPECT_EQ(whole["stop_type"], "word");
    EXPECT_EQ(whole["stopping_word"], stop);
    const auto events = server().events("/completion", with(asked, {{"stream", true}}));
    EXPECT_EQ(OrderedJson::parse(events.back())["stopping_word"], stop);
}

TEST_F(ApiServerTest, nativeCompletion_postSamplingProbabilities_coverTheCandidates) {
    const OrderedJson asked{{"prompt", "Once upon a time"},
                            {"n_predict", 6},
                            {"n_probs", 20},
                            {"temperature", 0.9},
                            {"top_k", 5},
                            {"top_p", 1},
                            {"min_p", 0},
                            {"seed", 7},
                            {"post_sampling_probs", true}};
    const OrderedJson reply = server().json("/completion", asked);
    EXPECT_EQ(reply["generation_settings"]["post_sampling_probs"], true);
    ASSERT_EQ(reply["completion_probabilities"].size(), 6U);
    for (const OrderedJson& token : reply["completion_probabilities"]) {
        EXPECT_FALSE(token.contains("logprob"));
        ASSERT_EQ(token["top_probs"].size(), 5U) << "what top_k leaves";
        double sum = 0;
        bool drawn = false;
        for (const OrderedJson& one : token["top_probs"]) {
            sum += one["prob"].get<double>();
            drawn = drawn || (one["id"] == token["id"] && one["prob"] == token["prob"]);
        }
        EXPECT_NEAR(sum, 1.0, 1e-9);
        EXPECT_TRUE(drawn);
    }
    const OrderedJson greedy = server().json("/completion", with(asked, {{"temperature", 0}}));
    for (const OrderedJson& token : greedy["completion_probabilities"]) {
        EXPECT_EQ(token["prob"], 1.0);
        EXPECT_EQ(token["top_probs"].size(), 1U);
    }
    const auto events = server().events("/completion", with(asked, {{"stream", true}}));
    EXPECT_TRUE(OrderedJson::parse(events.front())["completion_probabilities"][0].contains("prob"));
    const WireAnswer elsewhere =
        server().post("/v1/completions", {{"prompt", "Once"}, {"post_sampling_probs", true}});
    EXPECT_EQ(elsewhere.status, 400);
    EXPECT_EQ(OrderedJson::parse(elsewhere.body)["error"]["param"], "post_sampling_probs");
}

TEST_F(ApiServerTest, samplingOfARequest_appliesToItOnly) {
    const auto text = [&](const OrderedJson& more) {
        return server()
            .json("/v1/completions",
                  with({{"prompt", "The weather today is"}}, more))["choices"][0]["text"]
            .get<std::string>();
    };
    const std::string greedy = text(OrderedJson::object());
    const OrderedJson hot{{"temperature", 2}, {"top_k", 0}, {"top_p", 1}, {"min_p", 0}};
    EXPECT_EQ(text(with(hot, {{"seed", 1}})), text(with(hot, {{"seed", 1}})));
    EXPECT_NE(text(with(hot, {{"seed", 1}})), text(with(hot, {{"seed", 2}})));
    EXPECT_EQ(text(OrderedJson::object()), greedy);
    const OrderedJson one = server().json("/tokenize", {{"content", " zebra"}})["tokens"];
    OrderedJson bias = OrderedJson::object();
    bias[std::to_string(one[0].get<int>())] = 100;
    const OrderedJson biased =
        server().json("/v1/completions",
                      {{"prompt", "A"}, {"max_tokens", 2}, {"logit_bias", bias}, {"logprobs", 0}});
    EXPECT_NEAR(biased["choices"][0]["logprobs"]["token_logprobs"][0].get<double>(), 0, 1e-3);
    const OrderedJson stopped = server().json(
        "/v1/completions", {{"prompt", "The weather today is"}, {"stop", greedy.substr(3, 2)}});
    EXPECT_EQ(stopped["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(stopped["choices"][0]["text"], greedy.substr(0, greedy.find(greedy.substr(3, 2))));
}

TEST_F(ApiServerTest, schemaAndGrammar_constrainTheAnswer) {
    const OrderedJson schema{
        {"type", "object"},
        {"properties", {{"n", {{"type", "integer"}, {"minimum", 3}, {"maximum", 9}}}}},
        {"required", {"n"}}};
    const OrderedJson reply = server().json(
        "/v1/chat/completions",
        with(question("A number?"),
             {{"max_tokens", 60},
              {"response_format",
               {{"type", "json_schema"}, {"json_schema", {{"name", "x"}, {"schema", schema}}}}}}));
    const OrderedJson value = OrderedJson::parse(
        reply["choices"][0]["message"]["content"].get<std::string>(), nullptr, false);
    ASSERT_TRUE(value.is_object()) << reply.dump();
    EXPECT_GE(value["n"].get<int>(), 3);
    EXPECT_EQ(server().json("/completion",
                            {{"prompt", "x"}, {"grammar", "root ::= \"ab\"{3}"}})["content"],
              "ababab");
}

OrderedJson tools() {
    OrderedJson result = OrderedJson::array();
    for (const char* name : {"weather", "time"})
        result.push_back({{"type", "function"},
                          {"function",
                           {{"name", name},
                            {"parameters",
                             {{"type", "object"},
                              {"properties", {{"place", {{"enum", {"Oslo", "Rome"}}}}}},
                              {"required", {"place"}}}}}}});
    return result;
}

TEST_F(ApiServerTest, forcedCalls_areCallsInJsonAndStream) {
    const OrderedJson asked =
        with(question("What is the weather in Rome?"),
             {{"tools", tools()},
              {"tool_choice", {{"type", "function"}, {"function", {{"name", "time"}}}}},
              {"max_tokens", 80}});
    const OrderedJson reply = server().json("/v1/chat/completions", asked);
    const OrderedJson& choice = reply["choices"][0];
    EXPECT_EQ(choice["finish_reason"], "tool_calls") << reply.dump();
    ASSERT_EQ(choice["message"]["tool_calls"].size(), 1U);
    const OrderedJson& function = choice["message"]["tool_calls"][0]["function"];
    EXPECT_EQ(function["name"], "time");
    EXPECT_TRUE(choice["message"]["content"].is_null());
    const OrderedJson arguments = OrderedJson::parse(function["arguments"].get<std::string>());
    EXPECT_TRUE(arguments["place"] == "Oslo" || arguments["place"] == "Rome");

    std::string name;
    std::string pieces;
    std::string finish;
    for (const std::string& event :
         server().events("/v1/chat/completions", with(asked, {{"stream", true}}))) {
        if (event == "[DONE]") continue;
        const OrderedJson chunk = OrderedJson::parse(event)["choices"][0];
        if (chunk["finish_reason"].is_string()) finish = chunk["finish_reason"];
        if (!chunk["delta"].contains("tool_calls")) continue;
        const OrderedJson& call = chunk["delta"]["tool_calls"][0];
        if (call["function"].contains("name")) name = call["function"]["name"];
        pieces += call["function"]["arguments"].get<std::string>();
    }
    EXPECT_EQ(name, "time");
    EXPECT_EQ(OrderedJson::parse(pieces), arguments);
    EXPECT_EQ(finish, "tool_calls");

    const OrderedJson any =
        server().json("/v1/chat/completions", with(asked, {{"tool_choice", "required"}}));
    EXPECT_EQ(any["choices"][0]["finish_reason"], "tool_calls");
    const OrderedJson none =
        server().json("/v1/chat/completions", with(asked, {{"tool_choice", "none"}}));
    EXPECT_FALSE(none["choices"][0]["message"].contains("tool_calls"));
}

struct RefusedRow {
    const char* what;
    OrderedJson more;
    int status;
    const char* param;
};

TEST_F(ApiServerTest, unsupportedMembers_areRejectedByName) {
    const OrderedJson aCall{
        {"id", "a"}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", "{}"}}}};
    OrderedJson brokenCall = aCall;
    brokenCall["function"]["arguments"] = "{";
    const auto messages = [](std::initializer_list<OrderedJson> all) {
        return OrderedJson{{"messages", OrderedJson(std::vector<OrderedJson>(all))}};
    };
    const OrderedJson user{{"role", "user"}, {"content", "a"}};
    OrderedJson manyBiases = OrderedJson::array();
    for (int i = 0; i < 100'000; ++i) manyBiases.push_back({i % 100, 1});
    const std::vector<RefusedRow> rows{
        {"P03 temperature", {{"temperature", -1}}, 400, "temperature"},
        {"P03 temperature", {{"temperature", 3}}, 400, "temperature"},
        {"P03 text", {{"temperature", "1"}}, 400, "temperature"},
        {"P03 bool", {{"temperature", true}}, 400, "temperature"},
        {"P03 top_p", {{"top_p", 0}}, 400, "top_p"},
        {"P03 top_p", {{"top_p", 1.1}}, 400, "top_p"},
        {"P03 top_k", {{"top_k", -2}}, 400, "top_k"},
        {"P03 min_p", {{"min_p", 2}}, 400, "min_p"},
        {"P03 penalty", {{"presence_penalty", 10}}, 400, "presence_penalty"},
        {"P03 penalty", {{"frequency_penalty", -10}}, 400, "frequency_penalty"},
        {"P04 none", {{"max_tokens", 0}}, 400, "max_tokens"},
        {"P04 negative", {{"max_tokens", -1}}, 400, "max_tokens"},
        {"P04 2^63", {{"max_tokens", 9223372036854775808ULL}}, 400, "max_tokens"},
        {"P04 n", {{"n", 0}}, 400, "n"},
        {"P04 n", {{"n", 1000000000}}, 400, "n"},
        {"P04 best_of", {{"best_of", 2}}, 400, "best_of"},
        {"P04 logprobs", {{"logprobs", true}, {"top_logprobs", 1000000}}, 400, "top_logprobs"},
        {"P05 id", {{"logit_bias", {{"-1", 1}}}}, 400, "logit_bias"},
        {"P05 vocabulary", {{"logit_bias", {{"100000000", 1}}}}, 400, "logit_bias"},
        {"P05 word", {{"logit_bias", {{"x", 1}}}}, 400, "logit_bias"},
        {"P05 value", {{"logit_bias", {{"1", 101}}}}, 400, "logit_bias"},
        {"P05 many", {{"logit_bias", manyBiases}}, 400, "logit_bias"},
        {"P06 many", {{"stop", std::vector<std::string>(1000, "a")}}, 400, "stop"},
        {"P06 empty", {{"stop", {""}}}, 400, "stop"},
        {"P06 number", {{"stop", 1}}, 400, "stop"},
        {"P07 no list", {{"messages", OrderedJson::object()}}, 400, "messages"},
        {"P07 none", {{"messages", OrderedJson::array()}}, 400, "messages"},
        {"P07 null", {{"messages", nullptr}}, 400, "messages"},
        {"P07 image",
         messages({{{"role", "user"},
                    {"content", {{{"type", "image_url"}, {"image_url", {{"url", "a"}}}}}}}}),
         400, "messages[0].content[0]"},
        {"P07 role", messages({{{"role", "king"}, {"content", "a"}}}), 400, "messages[0].role"},
        {"P07 content", messages({{{"role", "user"}, {"content", 1}}}), 400, "messages[0].content"},
        {"P07 call nobody made",
         messages({user, {{"role", "tool"}, {"tool_call_id", "b"}, {"content", "1"}}}), 400,
         "messages[1].tool_call_id"},
        {"P07 broken arguments",
         messages({user, {{"role", "assistant"}, {"tool_calls", {brokenCall}}}}), 400,
         "messages[1].tool_calls[0].function.arguments"},
        {"P07 two answers",
         messages({user,
                   {{"role", "assistant"}, {"content", "a"}},
                   {{"role", "assistant"}, {"content", "b"}}}),
         400, "messages"},
        {"P08 type", {{"response_format", {{"type", "sound"}}}}, 400, "response_format"},
        {"P08 schema",
         {{"response_format", {{"type", "json_object"}, {"schema", {{"type", "hiccup"}}}}}},
         400,
         "response_format"},
        {"P08 unsupported",
         {{"json_schema", {{"patternProperties", {{"a", OrderedJson::object()}}}}}},
         400,
         "json_schema"},
        {"P08 grammar", {{"grammar", "root ::= *"}}, 400, "grammar"},
        {"P08 deep grammar",
         {{"grammar", "root ::= " + std::string(60'000, '(') + "\"a\"" + std::string(60'000, ')')}},
         400,
         "grammar"},
        {"P08 pattern",
         {{"json_schema", {{"type", "string"}, {"pattern", "*"}}}},
         400,
         "json_schema"},
        {"P08 cycle", {{"json_schema", {{"$ref", "#"}}}}, 400, "json_schema"},
        {"P08 reference", {{"json_schema", {{"$ref", "#/$defs/a"}}}}, 400, "json_schema"},
        {"P09 audio", {{"audio", {{"voice", "a"}}}}, 400, "audio"},
        {"P09 mirostat", {{"mirostat", 2}}, 400, "mirostat"},
        {"P10 2^64", {{"seed", 18446744073709551616.0}}, 400, "seed"},
        {"P10 negative", {{"seed", -1}}, 400, "seed"},
        {"P10 word", {{"seed", "x"}}, 400, "seed"},
        {"P11 unknown", {{"model", "other"}}, 404, "model"},
        {"P11 path", {{"model", "../x"}}, 404, "model"},
        {"P11 other case", {{"model", "Pilot"}}, 404, "model"},
        {"P11 long", {{"model", std::string(1 << 20, 'a')}}, 404, "model"},
        {"P13 n_keep", {{"n_keep", -1}}, 400, "n_keep"},
        {"P13 n_discard", {{"n_discard", -5}}, 400, "n_discard"},
        {"tool_choice without tools", {{"tool_choice", "required"}}, 400, "tool_choice"},
        {"unknown function",
         {{"tools", tools()},
          {"tool_choice", {{"type", "function"}, {"function", {{"name", "fly"}}}}}},
         400,
         "tool_choice"},
        {"two forms",
         {{"grammar", "root ::= \"a\""}, {"json_schema", {{"type", "null"}}}},
         400,
         "json_schema"},
        {"usage without a stream",
         {{"stream_options", {{"include_usage", true}}}},
         400,
         "stream_options"},
    };
    for (const RefusedRow& row : rows) {
        const WireAnswer answer =
            server().post("/v1/chat/completions", with(question("a"), row.more));
        EXPECT_EQ(answer.status, row.status) << row.what << " " << answer.body;
        const OrderedJson body = OrderedJson::parse(answer.body, nullptr, false);
        ASSERT_TRUE(body.contains("error")) << row.what;
        EXPECT_EQ(body["error"]["param"], row.param) << row.what << " " << answer.body;
        EXPECT_TRUE(body["error"]["code"].is_string()) << row.what;
    }
}

TEST_F(ApiServerTest, malformedBodies_areRejectedWithTheByteOffset) {
    std::string deep;
    for (int i = 0; i < 129; ++i) deep += "[";
    std::string manyMembers = "{\"logit_bias\":{\"-1\":1";
    for (int i = 0; i < 500'000; ++i) manyMembers += ",\"" + std::to_string(i) + "\":1";
    manyMembers += "}}";  // P05
    for (const std::string& body :
         {std::string("[]"), std::string("\"x\""), std::string("{\"a\":"), std::string("{} x"),
          "{\"a\":" + deep + std::string(129, ']') + "}", manyMembers,
          std::string("{\"a\":1,\"a\":2}"), std::string("\xEF\xBB\xBF{}"),
          std::string("{\"temperature\":NaN}"), std::string("{\"temperature\":1e999}"),
          std::string("{\"a\":\"\xFF\"}")}) {
        const WireAnswer answer =
            test::ask(server().port, server().request("POST /v1/chat/completions", body));
        EXPECT_EQ(answer.status, 400) << body.substr(0, 40);
        EXPECT_TRUE(OrderedJson::parse(answer.body, nullptr, false).contains("error"));
    }
}

TEST_F(ApiServerTest, invalidNumbers_areRejectedInEveryMember) {  // P02
    for (const char* member : {"temperature", "top_p", "min_p", "top_k", "presence_penalty",
                               "frequency_penalty", "max_tokens", "n", "seed", "logprobs"})
        for (const char* value : {"NaN", "Infinity", "-Infinity", "1e999", "\"NaN\""}) {
            const std::string body =
                std::string("{\"prompt\":\"a\",\"") + member + "\":" + value + "}";
            const WireAnswer answer =
                test::ask(server().port, server().request("POST /v1/completions", body));
            EXPECT_EQ(answer.status, 400) << body;
            EXPECT_TRUE(OrderedJson::parse(answer.body, nullptr, false).contains("error")) << body;
        }
}

TEST_F(ApiServerTest, preflightOfAnUnlistedOrigin_isRejectedWithoutCorsFields) {  // H06
    const WireAnswer answer = test::ask(
        server().port, server().request("OPTIONS /v1/chat/completions", "",
                                        "Origin: https://evil.example\r\n"
                                        "Access-Control-Request-Method: POST\r\n"
                                        "Access-Control-Request-Private-Network: true\r\n"));
    EXPECT_EQ(answer.status, 403);
    for (const char* field :
         {"Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers", "Access-Control-Allow-Private-Network"})
        EXPECT_EQ(answer.field(field), "") << field;
}

TEST(ApiServer, preflightOfAListedOrigin_allowsItsHeaderFields) {
    const Server server(pilot(1), {.origins = {"https://chat.example"}, .keys = {digestOf("one")}});
    const WireAnswer answer =
        test::ask(server.port, server.request("OPTIONS /v1/chat/completions", "",
                                              "Origin: https://chat.example\r\n"
                                              "Access-Control-Request-Method: POST\r\n"
                                              "Access-Control-Request-Headers: authorization, "
                                              "content-type, x-stainless-lang\r\n"));
    EXPECT_EQ(answer.status, 204) << "no key is asked for before the request itself";
    EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), "https://chat.example");
    EXPECT_EQ(answer.field("Access-Control-Allow-Methods"), "POST");
    EXPECT_EQ(answer.field("Access-Control-Allow-Headers"),
              "authorization, content-type, x-stainless-lang");
    EXPECT_EQ(answer.field("Access-Control-Allow-Credentials"), "");
}

TEST_F(ApiServerTest, nullMembers_areAbsent_unknownMembersGiveWarnings) {
    const OrderedJson reply =
        server().json("/v1/chat/completions", with(question("a"), {{"temperature", nullptr},
                                                                   {"stop", nullptr},
                                                                   {"tools", nullptr},
                                                                   {"n", nullptr},
                                                                   {"response_format", nullptr},
                                                                   {"audio", nullptr},
                                                                   {"frobnicate", 3}}));
    ASSERT_EQ(reply["warnings"].size(), 1U) << reply.dump();
    EXPECT_NE(reply["warnings"][0].get<std::string>().find("frobnicate"), std::string::npos);
}

TEST_F(ApiServerTest, promptOverTheContext_isRejectedWithBothCounts) {
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += " word";
    const WireAnswer answer = server().post("/v1/completions", {{"prompt", text}});
    EXPECT_EQ(answer.status, 400);
    const OrderedJson error = OrderedJson::parse(answer.body)["error"];
    EXPECT_EQ(error["type"], "exceed_context_size_error");
    EXPECT_GT(error["n_prompt_tokens"].get<int>(), error["n_ctx"].get<int>());
}

OrderedJson longAnswer() {
    return {{"prompt", "Once upon a time"},
            {"n_predict", 1500},
            {"ignore_eos", true},
            {"stream", true}};
}

TEST_F(ApiServerTest, disconnectedClient_releasesItsSlot) {
    {
        WireClient client(server().port);
        client.send(server().request("POST /completion", longAnswer().dump()));
        EXPECT_EQ(client.answer(true).status, 200);
        EXPECT_TRUE(client.chunk());
        EXPECT_TRUE(server().waitForRunning(1));
    }
    EXPECT_TRUE(server().waitForRunning(0));
}

TEST_F(ApiServerTest, metrics_areValidPrometheusAndIncrease) {
    const auto scrape = [] {
        const WireAnswer answer = server().get("/metrics");
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.field("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
        EXPECT_FALSE(answer.field("Process-Start-Time-Unix").empty());
        const test::Exposition text = test::readExposition(answer.body);
        EXPECT_EQ(text.problems, std::vector<std::string>{});
        return text;
    };
    const OrderedJson asked{{"prompt", "Prometheus scrapes what a server counts."}, {"id_slot", 0}};
    std::vector<test::Exposition> texts{scrape()};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(server().json("/completion", asked)["timings"]["predicted_n"], 12);
        texts.push_back(scrape());
        const auto& before = texts[texts.size() - 2];
        const auto& now = texts.back();
        const auto rose = [&](const std::string& name) { return now.of(name) - before.of(name); };
        EXPECT_EQ(rose("vllm:generation_tokens_total{model_name=\"pilot\"}"), 12);
        EXPECT_EQ(rose("llamacpp:tokens_predicted_total"), 12);
        EXPECT_EQ(
            rose("vllm:request_success_total{model_name=\"pilot\",finished_reason=\"length\"}"), 1);
        EXPECT_EQ(rose("vllm:time_to_first_token_seconds_count{model_name=\"pilot\"}"), 1);
        EXPECT_GE(rose("llamacpp:n_decode_total"), 12);
        for (const auto& [series, value] : before.values) {
            const std::string family = series.substr(0, series.find('{'));
            const auto type = before.types.find(family);
            if (type != before.types.end() && type->second == "counter") {
                EXPECT_GE(now.of(series), value) << series;
            }
        }
    }
    const auto reused = [&](int text) {
        return texts[static_cast<std::size_t>(text)].of(
            "vllm:prefix_cache_hits_total{model_name=\"pilot\"}");
    };
    EXPECT_GT(reused(2), reused(1)) << "the same prompt again is found in the cache";
    const auto& last = texts.back();
    EXPECT_GT(last.of("vllm:kv_cache_usage_perc{model_name=\"pilot\"}"), 0);
    EXPECT_LE(last.of("vllm:kv_cache_usage_perc{model_name=\"pilot\"}"), 1);
    EXPECT_GE(last.of("lacuna_cache_allocated_bytes{slot=\"0\"}"),
              last.of("lacuna_cache_live_bytes{slot=\"0\"}"));
    EXPECT_GT(last.of("lacuna_cache_live_bytes{slot=\"0\"}"), 0);
    EXPECT_EQ(last.of("vllm:num_requests_running{model_name=\"pilot\"}"), 0);
}

TEST(ApiServer, metrics_followTheAccessSetting) {
    const auto status = [](MetricsAccess access) {
        ServeOptions options = pilot(1);
        options.metrics = access;
        const Server server(std::move(options), {.keys = {digestOf("one")}});
        EXPECT_EQ(server.get("/v1/models").status, 401);
        return server.get("/metrics").status;
    };
    EXPECT_EQ(status(MetricsAccess::WithKey), 401);
    EXPECT_EQ(status(MetricsAccess::Open), 200);
    ServeOptions options = pilot(1);
    options.metrics = MetricsAccess::Off;
    const Server server(std::move(options));
    const WireAnswer off = server.get("/metrics");
    EXPECT_EQ(off.status, 501);
    EXPECT_NE(off.body.find("--metrics on"), std::string::npos);
}

TEST_F(ApiServerTest, cancel_endsARunningRequest) {
    WireClient client(server().port);
    client.send(server().request(
        "POST /v1/completions",
        with(longAnswer(), {{"n_predict", nullptr}, {"max_tokens", 1500}}).dump()));
    EXPECT_EQ(client.answer(true).status, 200);
    std::string id;
    while (id.empty()) {
        const auto chunk = client.chunk();
        ASSERT_TRUE(chunk);
        if (chunk->rfind("data: {", 0) == 0) id = OrderedJson::parse(chunk->substr(6))["id"];
    }
    const WireAnswer cancelled =
        test::ask(server().port, server().request("POST /v1/requests/" + id + "/cancel"));
    EXPECT_EQ(OrderedJson::parse(cancelled.body)["cancelled"], true) << cancelled.body;
    std::string last;
    while (const auto chunk = client.chunk()) {
        last = *chunk;
        if (chunk->find("\"cancelled\"") != std::string::npos) break;
    }
    EXPECT_NE(last.find("\"finish_reason\":\"cancelled\""), std::string::npos) << last;
    EXPECT_TRUE(server().waitForRunning(0));
    const WireAnswer again =
        test::ask(server().port, server().request("POST /v1/requests/" + id + "/cancel"));
    EXPECT_EQ(again.status, 200) << "idempotent";
    EXPECT_EQ(OrderedJson::parse(again.body)["cancelled"], false);
}

TEST(ApiServer, requestsOverTheQueueLimit_getStatus429) {
    Server server(pilot(1));
    ASSERT_NE(server.port, 0);
    std::vector<std::unique_ptr<WireClient>> clients;
    for (int i = 0; i < 33; ++i) {
        clients.push_back(std::make_unique<WireClient>(server.port));
        clients.back()->send(server.request("POST /completion", longAnswer().dump()));
        if (i == 0) {
            ASSERT_TRUE(server.waitForRunning(1));
        }
    }
    WireAnswer refused;
    for (int i = 0; i < 100 && refused.status != 429; ++i) {
        std::this_thread::sleep_for(10ms);
        WireClient one(server.port);
        one.send(server.request("POST /completion",
                                with(longAnswer(), {{"stream", false}, {"n_predict", 1}}).dump()));
        pollfd waiting{.fd = one.descriptor(), .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, 50) > 0) refused = one.answer();
    }
    EXPECT_EQ(refused.status, 429);
    EXPECT_FALSE(refused.field("Retry-After").empty());
    EXPECT_EQ(server.get("/health").status, 200);
    clients.clear();
    EXPECT_TRUE(server.waitForRunning(0)) << "all places are free again";
}

TEST(ApiServer, cacheSettings_areChangedAtomically) {
    Server server(pilot(2), {.keys = {digestOf("secret")}});
    ASSERT_NE(server.port, 0);
    const std::string key = "Authorization: Bearer secret\r\n";
    const std::string path = "/admin/api/compression/config";
    const auto send = [&](const std::string& method, const std::string& body) {
        return test::ask(server.port, server.request(method + " " + path, body, key));
    };
    const auto get = [&](const std::string& from) {
        const WireAnswer answer = test::ask(server.port, server.request("GET " + from, "", key));
        EXPECT_EQ(answer.status, 200) << from << " " << answer.body;
        return OrderedJson::parse(answer.body, nullptr, false);
    };
    const auto status = [&] { return get("/admin/api/compression/status"); };
    EXPECT_EQ(status()["enabled"], false);
    const OrderedJson first = status();
    for (const char* field : {"enabled",
                              "mode",
                              "am_ratio",
                              "n_components",
                              "avg_bits",
                              "turbo_bits",
                              "kv_bits_k",
                              "kv_bits_v",
                              "budget",
                              "keep_recent",
                              "policy",
                              "layers_total",
                              "layers_compressed",
                              "bytes_before",
                              "bytes_after",
                              "compression_ratio",
                              "success_count",
                              "failure_count",
                              "cache_hits",
                              "cache_misses",
                              "avg_compression_latency_ms",
                              "avg_decompression_latency_ms",
                              "p95_compression_latency_ms",
                              "p95_decompression_latency_ms",
                              "last_error",
                              "bundle",
                              "effective_since"})
        EXPECT_TRUE(first.contains(field)) << field << " is always there";

    for (const char* ratio : {"4", "1", "8", "2.5"}) {  // AD-1
        const WireAnswer answer = send("POST", "{\"am_ratio\":" + std::string(ratio) + "}");
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(OrderedJson::parse(answer.body)["am_ratio"], std::stod(ratio));
    }
    EXPECT_EQ(status()["mode"], "am") << "a ratio brings its method";
    EXPECT_EQ(status()["settings"]["am_ratio"]["requested"], 2.5);
    EXPECT_EQ(status()["settings"]["am_ratio"]["effective"], 2.5);

    struct Row {
        const char* body;
        const char* param;
        const char* code;
    };
    const OrderedJson before = status();
    for (const Row& row : {
             Row{R"({"am_ratio":0})", "am_ratio", "AM-RANGE"},  // AD-2
             Row{R"({"am_ratio":-1})", "am_ratio", "AM-RANGE"},
             Row{R"({"am_ratio":0.99})", "am_ratio", "AM-RANGE"},
             Row{R"({"am_ratio":50.01})", "am_ratio", "AM-RANGE"},
             Row{R"({"am_ratio":1e400})", nullptr, nullptr},
             Row{R"({"am_ratio":NaN})", nullptr, "JSON"},  // AD-3
             Row{R"({"am_ratio":Infinity})", nullptr, "JSON"},
             Row{R"({"am_ratio":"4"})", "am_ratio", "NUMBER"},  // AD-4
             Row{R"({"am_ratio":null})", "am_ratio", "NUMBER"},
             Row{R"({"am_ratio":true})", "am_ratio", "NUMBER"},
             Row{R"({"am_ratio":[]})", "am_ratio", "NUMBER"},
             Row{R"({"am_ratio":{}})", "am_ratio", "NUMBER"},
             Row{R"([])", nullptr, "JSON"},                      // AD-5
             Row{R"({"am_rate":4})", "am_rate", "KEY-UNKNOWN"},  // AD-6
             Row{R"({"temperature":0.5})", "temperature", "KEY-UNKNOWN"},
             Row{R"({"am_ratio":4,"turbo_bits":9})", "turbo_bits", "KV-TYPE"},  // AD-7
             Row{R"({"am_ratio":4,"keep_recent":-1})", "keep_recent", nullptr},
             Row{R"({"turbo_bits":4,"kv_bits":8})", "kv_bits", "EX-TWICE"},  // AD-8
             Row{R"({"kv_rotation":"calibrated","kv_type":"t4"})", "kv_rotation",
                 "ROTATION"},                                              // AD-9
             Row{R"({"n_components":0})", "n_components", "KEY-UNKNOWN"},  // AD-10
             Row{R"({"am_ratio":4,"am_ratio":2})", nullptr, "JSON"},       // AD-12
         }) {
        const WireAnswer answer = send("POST", row.body);
        EXPECT_EQ(answer.status, 400) << row.body << " " << answer.body;
        const OrderedJson error = OrderedJson::parse(answer.body, nullptr, false)["error"];
        if (row.param != nullptr) {
            EXPECT_EQ(error["param"], row.param) << answer.body;
        }
        if (row.code != nullptr) {
            EXPECT_EQ(error["code"], row.code) << answer.body;
        }
    }
    EXPECT_EQ(status(), before) << "nothing has changed";
    const OrderedJson range = OrderedJson::parse(send("POST", R"({"am_ratio":51})").body)["error"];
    EXPECT_EQ(range["allowed"], "1 to 50");
    EXPECT_EQ(range["nearest"], "50");
    EXPECT_NE(range["message"].get<std::string>().find("1 to 50"), std::string::npos);
    const WireAnswer restart = send("POST", R"({"context":512})");
    EXPECT_EQ(restart.status, 409) << restart.body;

    EXPECT_EQ(send("POST", "{}").status, 200) << "unchanged";
    EXPECT_EQ(status()["am_ratio"], 2.5);
    EXPECT_EQ(send("PUT", R"({"budget":128})").status, 200);
    EXPECT_EQ(status()["mode"], "l2") << "am_ratio is as at the start, a budget brings l2";
    EXPECT_EQ(get(path)["budget"]["effective"], 128);
    EXPECT_EQ(get(path)["budget"]["when"], "live");

    // AD-11
    const std::string body = R"({"am_ratio":4})";
    EXPECT_EQ(test::ask(server.port, server.request("POST " + path, body)).status, 401);
    EXPECT_EQ(test::ask(server.port,
                        server.request("POST " + path, body, "Authorization: Bearer other\r\n"))
                  .status,
              401);
    EXPECT_EQ(test::ask(server.port, server.request("POST " + path, body,
                                                    key + "Origin: https://evil.example\r\n"))
                  .status,
              403);
    EXPECT_EQ(test::ask(server.port, server.request("DELETE " + path, "", key)).status, 405);
}

TEST(ApiServer, concurrentCacheSettingChanges_stayConsistent) {
    Server server(pilot(2));
    ASSERT_NE(server.port, 0);
    ASSERT_EQ(
        server.post("/admin/api/compression/config", {{"budget", 100}, {"keep_recent", 20}}).status,
        200);
    WireClient busy(server.port);
    busy.send(server.request("POST /completion", longAnswer().dump()));
    ASSERT_TRUE(server.waitForRunning(1));
    std::atomic<int> wrong = 0, changed = 0;
    std::vector<std::thread> clients;
    for (int client = 0; client < 8; ++client)
        clients.emplace_back([&, client] {
            for (int i = 0; i < 12; ++i) {
                const int budget = 100 + 10 * client + i;
                // Both settings change together: a state with only one of them would be a partial
                // update.
                const WireAnswer answer =
                    server.post("/admin/api/compression/config",
                                {{"budget", budget}, {"keep_recent", budget - 80}});
                if (answer.status != 200) ++wrong;
                ++changed;
                const OrderedJson now =
                    OrderedJson::parse(server.get("/admin/api/compression/status").body);
                for (const char* side : {"requested", "effective"}) {
                    const OrderedJson& of = now["settings"];
                    const OrderedJson& total = of["budget"][side];
                    if (total.is_number() &&
                        total.get<int>() - of["keep_recent"][side].get<int>() != 80)
                        ++wrong;
                }
            }
        });
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(changed, 96);
    const OrderedJson end = OrderedJson::parse(server.get("/admin/api/compression/status").body);
    EXPECT_EQ(end["pending"], false);
    busy.close();
    EXPECT_TRUE(server.waitForRunning(0));
}

TEST(ApiServer, budgetSetDuringATurn_compactsBetweenTwoTokens) {
    Server server(pilot(1));
    ASSERT_NE(server.port, 0);
    WireClient writing(server.port);
    writing.send(server.request("POST /completion", longAnswer().dump()));
    EXPECT_EQ(writing.answer(true).status, 200);
    ASSERT_TRUE(writing.chunk()) << "its first words: the answer has begun";
    const WireAnswer answer =
        server.post("/admin/api/compression/config", {{"budget", 32},
                                                      {"keep_recent", 8},
                                                      {"compaction_floor", 0},
                                                      {"loss_limit", "off"},
                                                      {"layer_caches", "uniform"}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    const OrderedJson changed = OrderedJson::parse(answer.body);
    EXPECT_EQ(changed["settings"]["layer_caches"]["when"], "new_cache");
    ASSERT_EQ(changed["older_settings"].size(), 1U) << "its cache was built before";
    EXPECT_EQ(changed["older_settings"][0]["settings"]["layer_caches"], "auto");
    OrderedJson status;
    for (int i = 0; i < 300; ++i) {
        status = OrderedJson::parse(server.get("/admin/api/compression/status").body);
        if (status["success_count"].get<int>() > 0) break;
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_GT(status["success_count"].get<int>(), 0);
    EXPECT_GT(status["compression_ratio"].get<double>(), 1.0);
    EXPECT_LT(status["bytes_after"], status["bytes_before"]);
    const WireAnswer kept = test::ask(server.port, server.request("DELETE /admin/api/cache"));
    EXPECT_EQ(kept.status, 200);
    const OrderedJson inUse = OrderedJson::parse(kept.body);
    EXPECT_EQ(inUse["in_use"].size(), 1U) << "the cache of an answer stays";
    writing.close();
    ASSERT_TRUE(server.waitForRunning(0));
}

TEST(ApiServer, caches_areListedAndCleared) {
    Server server(pilot(2));
    ASSERT_NE(server.port, 0);
    const OrderedJson asked{{"prompt", "What is the capital of France?"}, {"id_slot", 1}};
    EXPECT_EQ(server.json("/completion", asked)["timings"]["cache_n"], 0);
    EXPECT_GT(server.json("/completion", asked)["timings"]["cache_n"].get<int>(), 0);
    const auto status = [&] {
        return OrderedJson::parse(server.get("/admin/api/cache/status").body, nullptr, false);
    };
    const OrderedJson before = status();
    EXPECT_EQ(before["model"], "pilot");
    EXPECT_EQ(before["entries"], 1);
    EXPECT_GT(before["live_bytes"].get<int>(), 0);
    EXPECT_EQ(before["limit_bytes"], nullptr);
    EXPECT_GT(before["lookups"]["1m"]["hit_rate"].get<double>(), 0);
    EXPECT_EQ(before["lookups"]["1m"], before["lookups"]["lifetime"]);
    EXPECT_FALSE(before["slots"][0].contains("live_bytes")) << "absent, not zero";
    const auto clear = [&](const std::string& query) {
        return test::ask(server.port, server.request("DELETE /admin/api/cache" + query));
    };
    EXPECT_EQ(clear("?tier=ssd").status, 501);
    EXPECT_EQ(clear("?tier=tape").status, 400);
    EXPECT_EQ(clear("?model=other").status, 404);
    EXPECT_EQ(status()["entries"], 1);
    const OrderedJson cleared = OrderedJson::parse(clear("?tier=ram&model=pilot").body);
    EXPECT_EQ(cleared["cleared"], 1);
    EXPECT_EQ(cleared["live_bytes"], before["live_bytes"]);
    EXPECT_EQ(status()["entries"], 0);
    EXPECT_EQ(server.json("/completion", asked)["timings"]["cache_n"], 0);
}

TEST(ApiServer, savedCaches_areRestoredIntoAnotherSlot) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("lacuna-slots-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    {
        ServeOptions options = pilot(2);
        options.slotFolder = folder;
        Server server(options, {.keys = {digestOf("secret")}});
        ASSERT_NE(server.port, 0);
        const auto post = [&](const std::string& path, const OrderedJson& body) {
            return test::ask(server.port, server.request("POST " + path, body.dump(),
                                                         "Authorization: Bearer secret\r\n"));
        };
        EXPECT_EQ(server.get("/slots").status, 401);
        EXPECT_EQ(server.get("/health").status, 200) << "needs no key";
        const OrderedJson asked{{"prompt", "What is the capital of France?"}, {"id_slot", 1}};
        const OrderedJson first = OrderedJson::parse(post("/completion", asked).body);
        EXPECT_EQ(first["timings"]["cache_n"], 0);
        const OrderedJson saved =
            OrderedJson::parse(post("/slots/1?action=save", {{"filename", "one.bin"}}).body);
        EXPECT_GT(saved["n_saved"].get<int>(), 5) << saved.dump();
        const OrderedJson restored =
            OrderedJson::parse(post("/slots/0?action=restore", {{"filename", "one.bin"}}).body);
        EXPECT_EQ(restored["n_restored"], saved["n_saved"]);
        const OrderedJson second =
            OrderedJson::parse(post("/completion", with(asked, {{"id_slot", 0}})).body);
        EXPECT_EQ(second["timings"]["prompt_n"], 1);
        EXPECT_EQ(second["content"], first["content"]);
        EXPECT_EQ(post("/slots/0?action=erase", OrderedJson::object()).status, 200);
        EXPECT_EQ(
            OrderedJson::parse(
                post("/completion", with(asked, {{"id_slot", 0}})).body)["timings"]["cache_n"],
            0);
        for (const char* name : {"../x", "a/b", ".hidden", "", "a\\b"})
            EXPECT_EQ(post("/slots/1?action=save", {{"filename", name}}).status, 400) << name;
        EXPECT_EQ(post("/slots/1?action=restore", {{"filename", "none"}}).status, 404);
        EXPECT_EQ(post("/slots/7?action=erase", OrderedJson::object()).status, 404);
        EXPECT_EQ(restored["n_shortest"], 0) << "any start of it can be used";
        EXPECT_EQ(restored["checkpoints"], OrderedJson::array());
        // A path that is not a regular file is refused without revealing the folder.
        ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
        std::filesystem::create_directories(folder / "below");
        static_cast<void>(post("/completion", asked));
        for (const char* name : {"pipe", "below"})
            for (const char* action : {"save", "restore"}) {
                const WireAnswer refused =
                    post(std::string("/slots/1?action=") + action, {{"filename", name}});
                EXPECT_EQ(refused.status, 400) << name << " " << action;
                EXPECT_NE(refused.body.find(std::string(name) + " is not a regular file"),
                          std::string::npos)
                    << refused.body;
                EXPECT_EQ(refused.body.find(folder.string()), std::string::npos) << refused.body;
            }
        std::ofstream(folder / "torn") << "LACUNAPC";
        const WireAnswer torn = post("/slots/1?action=restore", {{"filename", "torn"}});
        EXPECT_EQ(torn.status, 400);
        EXPECT_EQ(torn.body.find(folder.string()), std::string::npos) << torn.body;
        EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
    }
    std::filesystem::remove_all(folder);
}

TEST(ApiServer, restoredSlidingWindowSlot_isReusedForADifferentEnding) {
    const test::TemporaryFolder folder;
    OrderedJson prompt = OrderedJson::array();
    for (int i = 0; i < 400; ++i) prompt.push_back(10 + i * 7 % 400);
    const auto ending = [&](std::vector<int> more) {
        OrderedJson tokens = prompt;
        for (const int token : more) tokens.push_back(token);
        return OrderedJson{
            {"prompt", tokens}, {"n_predict", 24}, {"ignore_eos", true}, {"id_slot", 0}};
    };
    for (const char* model : {"gemma2/model.gguf", "gemma3", "mistral"}) {
        SCOPED_TRACE(model);
        ServeOptions options = pilot(1);
        options.model = std::string(LACUNA_GOLDEN_DIR "/models/") + model;
        options.slotFolder = folder.path();
        OrderedJson inMemory;
        {
            Server server(options);
            ASSERT_NE(server.port, 0);
            static_cast<void>(server.json("/completion", ending({})));
            const OrderedJson saved =
                server.json("/slots/0?action=save", {{"filename", "one.bin"}});
            EXPECT_EQ(saved["n_saved"], 423);
            inMemory = server.json("/completion", ending({11, 12, 13}));
        }
        EXPECT_EQ(inMemory["timings"]["cache_n"], 399);
        Server server(options);
        ASSERT_NE(server.port, 0);
        const OrderedJson restored =
            server.json("/slots/0?action=restore", {{"filename", "one.bin"}});
        EXPECT_EQ(restored["n_restored"], 423);
        EXPECT_EQ(restored["n_shortest"], 423);
        EXPECT_EQ(restored["checkpoints"], OrderedJson::array({399}));
        const OrderedJson other = server.json("/completion", ending({11, 12, 13}));
        EXPECT_EQ(other["timings"]["cache_n"], inMemory["timings"]["cache_n"]);
        EXPECT_EQ(other["content"], inMemory["content"]);
    }
}

TEST(ServeCommand, publicAddressWithoutAKey_isRejectedBeforeTheModelLoads) {
    ServeProgram program;
    program.serve.model = "/nowhere";
    for (const std::vector<std::string>& hosts :
         std::vector<std::vector<std::string>>{{"0.0.0.0"}, {"::"}, {"127.0.0.1", "192.0.2.1"}}) {
        program.hosts = hosts;
        const Status refused = runServe(0, nullptr, program, {});
        ASSERT_FALSE(refused) << hosts.back();
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(refused.error().what.find("--api-key"), std::string::npos);
    }
}

TEST(CallStream, taggedCalls_areRemovedFromTheText) {
    const std::string whole =
        "Let me look. <tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": "
        "\"</x>\"}}\n</tool_call>"
        "<tool_call>no json</tool_call> done";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        CallStream stream(RequestedCalls{.form = CallForm::Found,
                                         .functions = {{.name = "f", .parameters = {}}}});
        std::string text;
        std::string name;
        std::string arguments;
        const auto take = [&](const std::vector<CallStreamPiece>& pieces) {
            for (const CallStreamPiece& piece : pieces)
                (piece.kind == CallStreamPiece::Kind::Text    ? text
                 : piece.kind == CallStreamPiece::Kind::Begin ? name
                                                              : arguments) += piece.text;
        };
        take(stream.push(whole.substr(0, cut)));
        take(stream.push(whole.substr(cut)));
        take(stream.finish());
        EXPECT_EQ(text, "Let me look. <tool_call>no json</tool_call> done") << cut;
        EXPECT_EQ(name, "f");
        EXPECT_EQ(OrderedJson::parse(arguments), OrderedJson({{"a", "</x>"}}));
    }
}

TEST(ChatMessages, schemaReferences_areRelocatedWithTheSchema) {
    const ToolFunction function{
        .name = "f",
        .parameters = OrderedJson::parse(
            R"({"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"null"}}})")};
    const OrderedJson one = callSchema({function});
    EXPECT_EQ(one["properties"]["arguments"]["properties"]["a"]["$ref"],
              "#/properties/arguments/$defs/x");
    const OrderedJson two =
        callSchema({function, {.name = "g", .parameters = {{"type", "object"}}}});
    EXPECT_EQ(two["anyOf"][0]["properties"]["arguments"]["properties"]["a"]["$ref"],
              "#/anyOf/0/properties/arguments/$defs/x");
}

}  // namespace
}  // namespace lacuna::app
