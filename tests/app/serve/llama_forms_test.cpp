// Requests and fields of llama.cpp's and vLLM's clients beyond the OpenAI API: the native form
// within a chat, sampler stages, tokens of a prompt, continued messages, names.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/serve/infill_request.h"
#include "engine/format/tokenizer_files.h"
#include "tests/app/serve/pilot_server.h"

namespace lacuna::app {
namespace {

using test::pilot;
using test::question;
using test::Server;
using test::WireAnswer;
using test::with;

class LlamaCompatibilityTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        ServeOptions options = pilot(2);
        options.alias = "pilot,small,pilot";
        s_server = std::make_unique<Server>(std::move(options));
    }
    static void TearDownTestSuite() { s_server.reset(); }
    void SetUp() override { ASSERT_NE(s_server->port, 0) << "the pilot was not loaded"; }
    static Server& server() { return *s_server; }
    static void expectRefused(const OrderedJson& asked, const char* path, const char* param) {
        const WireAnswer answer = server().post(path, asked);
        EXPECT_EQ(answer.status, 400) << asked.dump() << answer.body;
        EXPECT_EQ(OrderedJson::parse(answer.body)["error"]["param"], param) << answer.body;
    }

  private:
    inline static std::unique_ptr<Server> s_server;
};

TEST_F(LlamaCompatibilityTest, modelAliases_selectTheModel) {
    const OrderedJson models = OrderedJson::parse(server().get("/v1/models").body);
    EXPECT_EQ(models["data"][0]["id"], "pilot");
    EXPECT_EQ(models["data"][0]["aliases"], OrderedJson::array({"pilot", "small"}));
    EXPECT_EQ(OrderedJson::parse(server().get("/v1/models/small").body)["id"], "pilot");
    EXPECT_EQ(server().json("/v1/completions", {{"prompt", "a"}, {"model", "small"}})["model"],
              "pilot");
    EXPECT_EQ(server().post("/v1/completions", {{"prompt", "a"}, {"model", "large"}}).status, 404);
}

TEST_F(LlamaCompatibilityTest, verbose_addsTheNativeResponseWithThePrompt) {
    const OrderedJson asked = with(question("What is the best book?"), {{"max_tokens", 2}});
    const OrderedJson plain = server().json("/v1/chat/completions", asked);
    EXPECT_FALSE(plain.contains("__verbose"));
    const OrderedJson told =
        server().json("/v1/chat/completions", with(asked, {{"verbose", true}}));
    EXPECT_EQ(told["__verbose"]["content"], told["choices"][0]["message"]["content"]);
    EXPECT_NE(told["__verbose"]["prompt"].get<std::string>().find("best book"), std::string::npos);
    EXPECT_EQ(told["__verbose"]["generation_settings"]["n_predict"], 2);
    OrderedJson last;
    for (const std::string& event : server().events(
             "/v1/chat/completions", with(asked, {{"verbose", true}, {"stream", true}})))
        if (event != "[DONE]") last = OrderedJson::parse(event);
    EXPECT_EQ(last["__verbose"]["content"], told["__verbose"]["content"]);
}

TEST_F(LlamaCompatibilityTest, ignoreEos_isReportedAsLogitBias) {
    const auto biases = [&](bool ignore) {
        return server().json("/completion",
                             {{"prompt", "Once"},
                              {"n_predict", 2},
                              {"ignore_eos", ignore}})["generation_settings"]["logit_bias"];
    };
    EXPECT_EQ(biases(false), OrderedJson::array());
    const OrderedJson forbidden = biases(true);
    ASSERT_FALSE(forbidden.empty());
    for (const OrderedJson& one : forbidden) EXPECT_TRUE(one["bias"].is_null()) << one.dump();
}

TEST_F(LlamaCompatibilityTest, samplers_selectTheSamplingStages) {
    const auto settings = [&](const OrderedJson& more) {
        return server().json("/completion", with({{"prompt", "Once"},
                                                  {"n_predict", 1},
                                                  {"temperature", 0.7},
                                                  {"top_k", 5},
                                                  {"top_p", 0.5},
                                                  {"min_p", 0.1},
                                                  {"repeat_penalty", 1.1}},
                                                 more))["generation_settings"];
    };
    const OrderedJson whole = settings({{"samplers",
                                         {"penalties", "dry", "top_n_sigma", "top_k", "typ_p",
                                          "top_p", "min_p", "xtc", "temperature"}}});
    const OrderedJson usual = settings(OrderedJson::object());
    for (const char* name : {"temperature", "top_k", "top_p", "min_p", "repeat_penalty"})
        EXPECT_EQ(whole[name], usual[name]) << name;
    const OrderedJson few = settings({{"samplers", {"top_p", "temperature"}}});
    EXPECT_EQ(few["top_k"], 0);
    EXPECT_EQ(few["top_p"], 0.5);
    EXPECT_EQ(few["min_p"], 0.0);
    EXPECT_EQ(few["repeat_penalty"], 1.0);
    EXPECT_EQ(few["temperature"], 0.7);
    EXPECT_EQ(settings({{"samplers", OrderedJson::array()}})["temperature"], 1.0);
    for (const OrderedJson& wrong :
         {OrderedJson{"temperature", "top_k"}, OrderedJson{"top_k", "top_k"}, OrderedJson{"mirror"},
          OrderedJson{1}, OrderedJson("top_k")})
        expectRefused({{"prompt", "a"}, {"samplers", wrong}}, "/completion", "samplers");
}

TEST_F(LlamaCompatibilityTest, promptTokenCount_equalsTheUsageOfTheTurn) {
    const OrderedJson asked = question("What is the best book?");
    const OrderedJson usage = server().json("/v1/chat/completions", asked)["usage"];
    for (const char* path : {"/v1/chat/completions/input_tokens", "/chat/completions/input_tokens"})
        EXPECT_EQ(server().json(path, asked)["input_tokens"], usage["prompt_tokens"]) << path;
    EXPECT_EQ(server().json("/v1/responses/input_tokens",
                            {{"input", "What is the best book?"}})["input_tokens"],
              usage["prompt_tokens"]);
    std::string book;
    for (int i = 0; i < 3000; ++i) book += "word ";
    EXPECT_GT(server()
                  .json("/v1/chat/completions/input_tokens", question(book))["input_tokens"]
                  .get<int>(),
              3000)
        << "also where the context has no room for them";
    EXPECT_EQ(server().post("/v1/chat/completions/input_tokens", {{"messages", 1}}).status, 400);
    expectRefused({{"input", 1}}, "/v1/responses/input_tokens", "input");
}

TEST_F(LlamaCompatibilityTest, continuedMessage_isAtTheEndOfThePrompt) {
    OrderedJson asked = question("The best book?");
    const auto prompt = [&](const OrderedJson& more) {
        return server().json("/apply-template", with(asked, more))["prompt"].get<std::string>();
    };
    const std::string open = prompt(OrderedJson::object());
    asked["messages"].push_back({{"role", "assistant"}, {"content", "It is"}});
    EXPECT_EQ(prompt(OrderedJson::object()), open + "It is");
    EXPECT_EQ(prompt({{"continue_final_message", true}}), open + "It is");
    EXPECT_EQ(prompt({{"continue_final_message", true}, {"add_generation_prompt", false}}),
              open + "It is");
    const OrderedJson both{{"continue_final_message", true}, {"add_generation_prompt", true}};
    for (const char* path : {"/apply-template", "/v1/chat/completions"}) {
        expectRefused(with(asked, both), path, "continue_final_message");
        expectRefused(with(question("Hi"), {{"continue_final_message", true}}), path,
                      "continue_final_message");
    }
}

TEST_F(LlamaCompatibilityTest, decodeRate_excludesTheFirstToken) {
    const auto timings = [](int tokens) {
        return server().json(
            "/completion",
            {{"prompt", "Once"}, {"n_predict", tokens}, {"ignore_eos", true}})["timings"];
    };
    EXPECT_EQ(timings(1)["predicted_per_second"], 0.0);
    const OrderedJson more = timings(9);
    EXPECT_NEAR(more["predicted_per_second"].get<double>() * more["predicted_ms"].get<double>(),
                8000, 1e-3);
    EXPECT_EQ(server().json("/completion", {{"prompt", "Once"},
                                            {"n_predict", 1}})["generation_settings"]["mirostat"],
              0);
}

TEST_F(LlamaCompatibilityTest, multipleChoices_areRequestedByEitherMember) {
    const OrderedJson asked{{"prompt", "Once"}, {"n_predict", 2}};
    EXPECT_EQ(server().json("/completion", with(asked, {{"n_cmpl", 2}})).size(), 2U);
    EXPECT_EQ(server().json("/completion", with(asked, {{"n", 2}})).size(), 2U);
    expectRefused(with(asked, {{"n_cmpl", 0}}), "/completion", "n_cmpl");
}

TEST_F(LlamaCompatibilityTest, infill_withoutModelSupport_isRejected) {
    const OrderedJson gap{{"input_prefix", "int x = "}, {"input_suffix", ";"}};
    EXPECT_EQ(server().post("/infill", gap).status, 501);
    expectRefused({{"input_prefix", "a"}}, "/infill", "input_suffix");
    expectRefused({{"input_suffix", "a"}}, "/infill", "input_prefix");
    expectRefused(with(gap, {{"prompt", 1}}), "/infill", "prompt");
    expectRefused(with(gap, {{"input_extra", "a"}}), "/infill", "input_extra");
    for (const auto& [file, param] : std::vector<std::pair<OrderedJson, const char*>>{
             {OrderedJson::object(), "input_extra[0].text"},
             {{{"filename", "ok"}}, "input_extra[0].text"},
             {{{"filename", 123}, {"text", "abc"}}, "input_extra[0].filename"},
             {{{"filename", 123}, {"text", 456}}, "input_extra[0].text"},
             {7, "input_extra[0]"}})
        expectRefused(with(gap, {{"input_extra", OrderedJson::array({file})}}), "/infill", param);
}

TEST(Infill, infillPrompt_hasItsTokensAndThePrecedingFiles) {
    auto data = tokenizerFromFolder(LACUNA_GOLDEN_DIR "/tokenizers/qwen2.5");
    ASSERT_TRUE(data);
    const auto tokenizer = Tokenizer::create(std::move(*data));
    ASSERT_TRUE(tokenizer);
    const auto prompt = [&](const OrderedJson& asked, int context = 1000) {
        return completionOfInfill(asked, *tokenizer, context, 16, {});
    };
    const auto text = [&](const OrderedJson& ids) {
        return tokenizer->decode(ids.get<std::vector<TokenId>>(), SpecialOutput::Show).value_or("");
    };
    OrderedJson asked{
        {"input_prefix", "a = "}, {"input_suffix", "\n"}, {"prompt", "1"}, {"n_predict", 4}};
    const auto plain = prompt(asked);
    ASSERT_TRUE(plain) << plain.error().message;
    EXPECT_EQ(text(plain->completion["prompt"]),
              "<|fim_prefix|>a = <|fim_suffix|>\n<|fim_middle|>1");
    EXPECT_FALSE(plain->completion.contains("input_prefix"));
    EXPECT_EQ(plain->completion["n_predict"], 4);

    asked["input_extra"] = OrderedJson::array(
        {{{"filename", "b.py"}, {"text", "B = 2"}}, {{"filename", "c.py"}, {"text", "C = 3"}}});
    const auto more = prompt(asked);
    ASSERT_TRUE(more) << more.error().message;
    EXPECT_EQ(text(more->completion["prompt"]),
              "<|repo_name|>project\n<|file_sep|>b.py\nB = 2<|file_sep|>c.py\nC = 3"
              "<|file_sep|>file\n<|fim_prefix|>a = <|fim_suffix|>\n<|fim_middle|>1");
    EXPECT_TRUE(more->warnings.empty());
    const auto narrow = prompt(asked, 30);
    ASSERT_TRUE(narrow);
    EXPECT_LT(narrow->completion["prompt"].size(), 30U - 4U);
    EXPECT_NE(text(narrow->completion["prompt"]).find("C = 3<|file_sep|>file"), std::string::npos)
        << "the last file is the nearest";
    ASSERT_EQ(narrow->warnings.size(), 1U);
}

TEST(ChatTemplates, templateWithoutSystemRole_prependsItToTheFirstUserMessage) {
    ServeOptions options = pilot(1);
    options.chatTemplate.text =
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}";
    const Server server(std::move(options));
    ASSERT_NE(server.port, 0);
    const OrderedJson system{{"role", "system"}, {"content", "Be short."}};
    const OrderedJson user{{"role", "user"}, {"content", "Hi"}};
    const OrderedJson told{{"messages", OrderedJson::array({system, user})}};
    EXPECT_EQ(server.json("/apply-template", told)["prompt"], "[user]Be short.\n\nHi");
    EXPECT_EQ(server.json("/apply-template", question("Hi"))["prompt"], "[user]Hi");
    const OrderedJson alone{{"messages", OrderedJson::array({system})}};
    const WireAnswer nobody = server.post("/apply-template", alone);
    EXPECT_EQ(nobody.status, 400);
    EXPECT_NE(nobody.body.find("no system"), std::string::npos) << "the template's own words";
}

}  // namespace
}  // namespace lacuna::app
