// Several answers to one prompt (n): the prompt is read once, and the answers equal those of
// separate requests.

#include <gtest/gtest.h>

#include <string>

#include "tests/app/serve/exposition_text.h"
#include "tests/app/serve/pilot_server.h"

namespace lacuna::test {
namespace {

std::string longText(const std::string& name) {
    std::string text = name;
    for (int i = 0; i < 50; ++i) text += " A river runs from the hills to the sea.";
    return text;
}

double readTokens(const Server& server) {
    return readExposition(server.get("/metrics").body).of("llamacpp:prompt_tokens_total");
}

TEST(MultipleChoices, choices_shareOnePrefillAndEqualSeparateRequests) {
    for (const int slots : {1, 2, 4})
        for (const double memory : {0.0, 512.0})
            for (const bool keeps : {true, false}) {
                SCOPED_TRACE(std::to_string(slots) + " slots, prefix_cache " +
                             std::to_string(memory) + ", cache_prompt " + std::to_string(keeps));
                app::ServeOptions options = pilot(slots);
                options.config.prefixCacheMiB = memory;
                Server server(options);
                ASSERT_NE(server.port, 0);
                const OrderedJson asked =
                    with(question(longText("One")), {{"temperature", 1.0},
                                                     {"max_tokens", 8},
                                                     {"seed", 5},
                                                     {"cache_prompt", keeps}});
                const OrderedJson reply =
                    server.json("/v1/chat/completions", with(asked, {{"n", 4}}));
                ASSERT_EQ(reply["choices"].size(), 4U);
                const auto prompt = reply["usage"]["prompt_tokens"].get<int>();
                EXPECT_GT(prompt, 400);
                EXPECT_EQ(reply["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
                EXPECT_EQ(reply["timings"]["prompt_n"], prompt);
                // The last prompt token is evaluated once per answer to draw its first token.
                EXPECT_EQ(readTokens(server), prompt + 3);
                static_cast<void>(ask(server.port, server.request("DELETE /admin/api/cache")));
                for (int i = 0; i < 4; ++i) {
                    const OrderedJson alone =
                        server.json("/v1/chat/completions", with(asked, {{"seed", 5 + i}}));
                    EXPECT_EQ(alone["choices"][0]["message"]["content"],
                              reply["choices"][static_cast<std::size_t>(i)]["message"]["content"])
                        << i;
                }
            }
}

TEST(MultipleChoices, choicesOfSeveralPrompts_countEachPrefillOnce) {
    app::ServeOptions options = pilot(3);
    options.config.prefixCacheMiB = 0;
    Server server(options);
    ASSERT_NE(server.port, 0);
    const OrderedJson all = server.json("/completion", {{"prompt", {longText("A"), longText("B")}},
                                                        {"n_cmpl", 3},
                                                        {"n_predict", 4},
                                                        {"cache_prompt", false}});
    ASSERT_EQ(all.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        const int prompt = all[i]["tokens_evaluated"].get<int>();
        EXPECT_EQ(all[i]["timings"]["prompt_n"], i % 3 == 0 ? prompt : 1) << i;
        EXPECT_EQ(all[i]["timings"]["cache_n"], i % 3 == 0 ? 0 : prompt - 1) << i;
    }
}

TEST(MultipleChoices, streamedChoices_haveTheSameTexts) {
    Server server(pilot(2));
    ASSERT_NE(server.port, 0);
    const OrderedJson asked = with(
        question(longText("S")),
        {{"temperature", 1.0}, {"max_tokens", 6}, {"seed", 9}, {"n", 3}, {"cache_prompt", false}});
    const OrderedJson whole = server.json("/v1/chat/completions", asked);
    std::vector<std::string> texts(3);
    for (const std::string& event :
         server.events("/v1/chat/completions", with(asked, {{"stream", true}}))) {
        if (event == "[DONE]") continue;
        const OrderedJson chunk = OrderedJson::parse(event);
        for (const OrderedJson& choice : chunk["choices"])
            if (choice["delta"].contains("content") && choice["delta"]["content"].is_string())
                texts[choice["index"].get<std::size_t>()] +=
                    choice["delta"]["content"].get<std::string>();
    }
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(texts[i], whole["choices"][i]["message"]["content"]) << i;
}

}  // namespace
}  // namespace lacuna::test
