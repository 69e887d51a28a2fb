// Requests with cache_prompt false leave no trace in any cache, however they end.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/app/serve/exposition_text.h"
#include "tests/app/serve/pilot_server.h"
#include "tests/support/poll_until.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

/// About 200 tokens that begin with a unique name.
std::string textOf(const std::string& name) {
    std::string text = name;
    for (int i = 0; i < 24; ++i) text += " A river runs from the hills to the sea.";
    return text;
}

OrderedJson chatOf(const std::string& name) {
    return question(textOf(name));
}

int cachedOf(const OrderedJson& reply) {
    return reply["usage"]["prompt_tokens_details"]["cached_tokens"].get<int>();
}

/// Reads a stream until its first piece of text and returns its id.
std::string begun(WireClient& client, const Server& server, const OrderedJson& body) {
    client.send(server.request("POST /v1/chat/completions", body.dump()));
    std::string seen;
    while (seen.find("\"content\":\"") == std::string::npos) {
        const auto chunk = client.next();
        if (!chunk) return {};
        seen += *chunk;
    }
    const std::size_t at = seen.find("\"id\":\"") + 6;
    return seen.substr(at, seen.find('"', at) - at);
}

/// Requests clearing and waits for it, because the engine clears after the server has replied.
void clearCaches(const Server& server) {
    static_cast<void>(ask(server.port, server.request("DELETE /admin/api/cache")));
    static_cast<void>(ask(server.port, server.request("DELETE /admin/api/cache?tier=ssd")));
    const auto cleared = [&server] {
        const auto caches = OrderedJson::parse(server.get("/admin/api/cache/status").body);
        const OrderedJson &memory = caches["prefix_cache"], &disk = caches["prefix_disk"];
        return (memory.is_null() || memory["entries"] == 0) &&
               (disk.is_null() || (disk["entries"] == 0 && disk["queued"] == 0));
    };
    EXPECT_TRUE(pollUntil(cleared, std::chrono::minutes(1)));
}

struct ServerSetup {
    const char* name;
    double memory, disk;
    int drafts;
};

class PrivateRequestTest : public testing::TestWithParam<ServerSetup> {};

TEST_P(PrivateRequestTest, endedRequest_leavesNothingToTheNextOne) {
    const ServerSetup& setup = GetParam();
    const TemporaryFolder folder;
    app::ServeOptions options = pilot(2);
    options.config.prefixCacheMiB = setup.memory;
    options.config.prefixDiskMiB = setup.disk;
    options.config.draftTokens = setup.drafts;
    options.profileFolder = folder.path();
    Server server(options);
    ASSERT_NE(server.port, 0);
    const OrderedJson secret{{"cache_prompt", false}};
    const OrderedJson endless{{"cache_prompt", false},
                              {"stream", true},
                              {"max_tokens", 3000},
                              {"ignore_eos", true},
                              {"temperature", 1.0}};
    struct End {
        const char* name;
        std::function<void(const std::string&)> run;
    };
    const auto chat = [&](const OrderedJson& more) {
        return [&server, &secret, more](const std::string& name) {
            const WireAnswer answer =
                server.post("/v1/chat/completions", with(with(chatOf(name), secret), more));
            EXPECT_EQ(answer.status, 200) << answer.body;
        };
    };
    const std::vector<End> ends{
        {"Length", chat({{"max_tokens", 3}})},
        {"Stop", chat({{"stop", {"a", "e", "i", " "}}})},
        {"Streamed", chat({{"stream", true}})},
        {"Several", chat({{"n", 3}, {"temperature", 1.0}})},
        {"SeveralStreamed", chat({{"n", 3}, {"temperature", 1.0}, {"stream", true}})},
        {"Form", chat({{"response_format", {{"type", "json_object"}}}})},
        {"Refused",
         [&](const std::string& name) {
             EXPECT_EQ(server
                           .post("/v1/chat/completions",
                                 with(with(chatOf(name), secret), {{"temperature", 99}}))
                           .status,
                       400);
         }},
        {"Native",
         [&](const std::string& name) {
             static_cast<void>(server.json(
                 "/completion", with({{"prompt", textOf(name)}, {"n_predict", 4}}, secret)));
         }},
        {"Completion",
         [&](const std::string& name) {
             static_cast<void>(server.json(
                 "/v1/completions", with({{"prompt", textOf(name)}, {"max_tokens", 4}}, secret)));
         }},
        {"Response",
         [&](const std::string& name) {
             static_cast<void>(
                 server.json("/v1/responses", with({{"input", textOf(name)}}, secret)));
         }},
        {"Gone",
         [&](const std::string& name) {
             WireClient client(server.port);
             EXPECT_NE(begun(client, server, with(chatOf(name), endless)), "");
             client.close();
             EXPECT_TRUE(server.waitForRunning(0));
         }},
        {"GoneOfSeveral",
         [&](const std::string& name) {
             WireClient client(server.port);
             EXPECT_NE(begun(client, server, with(with(chatOf(name), endless), {{"n", 4}})), "");
             client.close();
             EXPECT_TRUE(server.waitForRunning(0));
         }},
        {"Cancelled", [&](const std::string& name) {
             WireClient client(server.port);
             const std::string id = begun(client, server, with(chatOf(name), endless));
             EXPECT_EQ(server.post("/v1/requests/" + id + "/cancel", OrderedJson::object()).status,
                       200);
             EXPECT_TRUE(server.waitForRunning(0));
         }}};
    for (const End& end : ends) {
        SCOPED_TRACE(end.name);
        const std::string name = std::string(setup.name) + end.name;
        end.run(name);
        for (const OrderedJson& slot : OrderedJson::parse(server.get("/slots").body)) {
            EXPECT_EQ(slot["n_prompt_tokens"], 0) << slot.dump();
            EXPECT_EQ(slot["n_decoded"], 0);
        }
        const Exposition metrics = readExposition(server.get("/metrics").body);
        EXPECT_FALSE(metrics.has("lacuna_cache_tokens{slot=\"0\"}"));
        EXPECT_FALSE(metrics.has("lacuna_cache_tokens{slot=\"1\"}"));
        const OrderedJson caches = OrderedJson::parse(server.get("/admin/api/cache/status").body);
        EXPECT_EQ(caches["entries"], 0);
        for (const char* tier : {"prefix_cache", "prefix_disk"}) {
            if (caches[tier].is_null()) continue;
            EXPECT_EQ(caches[tier]["entries"], 0) << tier;
        }
        // Repeats the request in each API form.
        EXPECT_EQ(cachedOf(server.json("/v1/chat/completions", chatOf(name))), 0);
        clearCaches(server);
        EXPECT_EQ(server.json("/completion", {{"prompt", textOf(name)}})["timings"]["cache_n"], 0);
        clearCaches(server);
    }
}

INSTANTIATE_TEST_SUITE_P(Setups, PrivateRequestTest,
                         testing::Values(ServerSetup{"Alone", 0, 0, 0},
                                         ServerSetup{"Memory", 512, 0, 0},
                                         ServerSetup{"Disk", 0, 64, 0},
                                         ServerSetup{"Drafts", 512, 64, 4}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(PrivateRequest, runningRequest_sharesNothingAndKeepsOtherCaches) {
    const TemporaryFolder folder;
    app::ServeOptions options = pilot(2);
    options.config.prefixCacheMiB = 0;
    options.slotFolder = folder.path();
    Server server(options);
    ASSERT_NE(server.port, 0);
    const OrderedJson open = server.json("/v1/chat/completions", chatOf("Open"));
    WireClient client(server.port);
    ASSERT_NE(begun(client, server,
                    with(chatOf("Open"), {{"cache_prompt", false},
                                          {"stream", true},
                                          {"max_tokens", 3000},
                                          {"ignore_eos", true}})),
              "");
    const OrderedJson again = server.json("/v1/chat/completions", chatOf("Open"));
    EXPECT_EQ(cachedOf(again), again["usage"]["prompt_tokens"].get<int>() - 1)
        << "the private one took the slot that holds something else";
    for (const int slot : {0, 1}) {
        const std::string path = "/slots/" + std::to_string(slot) + "?action=save";
        const int status = server.post(path, {{"filename", "one"}}).status;
        EXPECT_TRUE(status == 200 || status == 409) << status;
    }
    client.close();
    ASSERT_TRUE(server.waitForRunning(0));
    int saved = 0;
    for (const int slot : {0, 1}) {
        const std::string path = "/slots/" + std::to_string(slot) + "?action=save";
        const WireAnswer answer = server.post(path, {{"filename", "two"}});
        saved += answer.status == 200 ? 1 : 0;
        EXPECT_TRUE(answer.status == 200 || answer.status == 400) << answer.body;
    }
    EXPECT_EQ(saved, 1) << "of the private request there is nothing to save";
}

TEST(PrivateRequest, endedTurn_releasesItsSlotForEveryFinishReason) {
    std::vector<Command> sent;
    app::RequestScheduler scheduler(1,
                                    [&](Command command) { sent.push_back(std::move(command)); });
    struct Listener final : app::AnswerListener {
        void started(int, const TurnStarted&, int) override {}
        void progressed(int, const PrefillProgress&) override {}
        void wrote(int, const TokenText&) override {}
        void finished(int, const TurnFinished&) override {}
    };
    for (const FinishReason reason :
         {FinishReason::Stop, FinishReason::StopString, FinishReason::Length,
          FinishReason::ContextFull, FinishReason::Cancelled, FinishReason::Error}) {
        app::QueuedRequest asked{.submit = Submit{ConversationId(0), {}, {}}, .keepsCache = false};
        asked.submit.prompt = {1, 2, 3};
        ASSERT_TRUE(scheduler.ask({asked}, std::make_shared<Listener>()));
        sent.clear();
        TurnFinished ended;
        ended.conversation = scheduler.slots()[0].conversation;
        ended.reason = reason;
        ended.tokens = {4, 5};
        scheduler.take(ended);
        ASSERT_FALSE(sent.empty());
        EXPECT_TRUE(std::holds_alternative<ReleaseConversation>(sent.front()));
        EXPECT_TRUE(scheduler.slots()[0].tokens.empty());
    }
}

}  // namespace
}  // namespace lacuna::test
