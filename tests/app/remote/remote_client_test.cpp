// Requests and streams against a scripted engine: every failure is reported as a sentence.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "app/remote/engine_replies.h"
#include "app/remote/remote_chat.h"
#include "app/remote/remote_client.h"
#include "tests/app/core_application.h"
#include "tests/app/remote/fake_engine_server.h"

namespace lacuna::app {
namespace {

using test::FakeEngineServer;
using test::waitUntil;

class RemoteClientTest : public ::testing::Test {
  protected:
    RemoteClientTest() { coreApplication(); }

    [[nodiscard]] RemoteReply get(const QString& path, const QString& key = {}) {
        RemoteClient client(addressFrom(engine.address()), key);
        std::optional<RemoteReply> heard;
        client.ask({RemoteMethod::Get, path}, [&](const RemoteReply& reply) { heard = reply; });
        EXPECT_FALSE(heard.has_value()) << "never before the call returns";
        EXPECT_TRUE(waitUntil([&] { return heard.has_value(); }));
        return heard.value_or(RemoteReply(QByteArray()));
    }
    RemoteProblem problemFrom(int status, const QByteArray& body, const QByteArray& fields = {}) {
        engine.setAnswer("GET /v1/models", status, body, fields);
        const RemoteReply reply = get(QStringLiteral("/v1/models"));
        EXPECT_FALSE(reply.has_value()) << status;
        return reply ? RemoteProblem{} : reply.error();
    }
    /// The end of an answer, and the pieces in which it arrived.
    RemoteAnswer answerTo(const std::string& body = "{}") {
        RemoteClient client(addressFrom(engine.address()), {});
        RemoteChat chat(client, body);
        std::optional<RemoteAnswer> end;
        pieces.clear();
        chat.arrived = [&](const std::string& piece) { pieces.push_back(piece); };
        chat.ended = [&](const RemoteAnswer& answer) {
            EXPECT_FALSE(end.has_value()) << "the end is told once";
            end = answer;
        };
        EXPECT_TRUE(waitUntil([&] { return end.has_value(); }));
        return end.value_or(RemoteAnswer{});
    }

    FakeEngineServer engine;
    std::vector<std::string> pieces;
};

// ---------------------------------------------------------------- addresses

TEST(RemoteAddress, typedAddress_isCompleted) {
    struct Row {
        const char* typed;
        const char* models;
    };
    for (const Row& row : {Row{"127.0.0.1:8080", "http://127.0.0.1:8080/v1/models"},
                           Row{" http://host:8000/ ", "http://host:8000/v1/models"},
                           Row{"https://host/v1", "https://host/v1/models"},
                           Row{"https://host/v1/", "https://host/v1/models"},
                           Row{"http://host/v1/chat/completions", "http://host/v1/models"},
                           Row{"http://host/openai/v1", "http://host/openai/v1/models"},
                           Row{"http://[::1]:8080", "http://[::1]:8080/v1/models"}}) {
        const RemoteAddress address = addressFrom(QString::fromLatin1(row.typed));
        EXPECT_TRUE(address.ok()) << row.typed << ": " << address.problem.toStdString();
        EXPECT_EQ(address.at(QStringLiteral("/v1/models")).toString().toStdString(), row.models);
    }
    EXPECT_EQ(addressFrom(QStringLiteral("h:1")).at(QStringLiteral("/a?b=c")).toString(),
              QStringLiteral("http://h:1/a?b=c"));
}

TEST(RemoteAddress, invalidAddress_isRejectedWithAMessage) {
    for (const char* typed :
         {"", "   ", "http://", "ftp://host", "file:///etc/passwd", "http://user:word@host",
          "http://host/?key=1", "http://host:99999", "http://a b"}) {
        const RemoteAddress address = addressFrom(QString::fromLatin1(typed));
        EXPECT_FALSE(address.ok()) << typed;
        EXPECT_TRUE(address.root.isEmpty()) << typed;
    }
    EXPECT_TRUE(keyProblem(QStringLiteral("sk-abc_123")).isEmpty());
    EXPECT_FALSE(keyProblem(QStringLiteral("two words")).isEmpty());
    EXPECT_FALSE(keyProblem(QStringLiteral("k\r\nX-Evil: 1")).isEmpty());
    EXPECT_FALSE(keyProblem(QString::fromUtf8("schlüssel")).isEmpty());
}

TEST(RemoteAddress, keyOverPlainHttp_isReportedForOtherMachinesOnly) {
    const auto openly = [](const char* address) {
        return sendsKeyOpenly(addressFrom(QString::fromLatin1(address)), QStringLiteral("k"));
    };
    EXPECT_TRUE(openly("http://192.0.2.7:8000"));
    EXPECT_FALSE(openly("https://192.0.2.7"));
    EXPECT_FALSE(openly("http://127.0.0.1:8000"));
    EXPECT_FALSE(openly("http://localhost:8000"));
    EXPECT_FALSE(openly("http://[::1]:8000"));
}

// ---------------------------------------------------------------- requests

TEST_F(RemoteClientTest, idleClient_opensNoConnection) {
    const RemoteClient client(addressFrom(engine.address()), {});
    QCoreApplication::processEvents();
    EXPECT_FALSE(waitUntil([&] { return engine.connections() > 0; }, 100));
}

TEST_F(RemoteClientTest, key_isSentAsBearerToItsAddressOnly) {
    engine.setAnswer("GET /v1/models", 200, "{\"data\":[]}", "Set-Cookie: a=b\r\n");
    EXPECT_TRUE(get(QStringLiteral("/v1/models"), QStringLiteral("sk-1")).has_value());
    ASSERT_EQ(engine.asked().size(), 1U);
    EXPECT_TRUE(engine.asked()[0].head.contains("Authorization: Bearer sk-1\r\n"));
    EXPECT_TRUE(get(QStringLiteral("/v1/models")).has_value());
    EXPECT_FALSE(engine.asked()[1].head.contains("Authorization"));
    EXPECT_FALSE(engine.asked()[1].head.contains("Cookie"));
}

TEST_F(RemoteClientTest, redirect_isNotFollowed) {
    FakeEngineServer other;
    other.setAnswer("GET /v1/models", 200, "{}");
    const RemoteProblem problem =
        problemFrom(307, "", "Location: " + other.address().toLatin1() + "/v1/models\r\n");
    EXPECT_EQ(problem.fault, RemoteFault::Moved);
    EXPECT_TRUE(problem.sentence.contains(other.address()));
    EXPECT_EQ(other.connections(), 0);
}

TEST_F(RemoteClientTest, httpErrors_areReportedInWords) {
    struct Row {
        int status;
        RemoteFault fault;
        const char* words;
    };
    for (const Row& row :
         {Row{401, RemoteFault::Unauthorized, "key"}, Row{403, RemoteFault::Unauthorized, "key"},
          Row{404, RemoteFault::NoEndpoint, "/v1/models"},
          Row{405, RemoteFault::NoEndpoint, "/v1/models"}, Row{501, RemoteFault::NoEndpoint, "501"},
          Row{429, RemoteFault::Busy, "too many"}, Row{503, RemoteFault::Busy, "loading"},
          Row{500, RemoteFault::Failed, "500"}, Row{502, RemoteFault::Failed, "502"},
          Row{400, RemoteFault::Refused, "400"}, Row{422, RemoteFault::Refused, "422"}}) {
        const RemoteProblem problem =
            problemFrom(row.status, "{\"error\":{\"message\":\"the reason\"}}");
        EXPECT_EQ(problem.fault, row.fault) << row.status;
        EXPECT_EQ(problem.status, row.status);
        EXPECT_TRUE(problem.sentence.contains(QLatin1String(row.words)))
            << problem.sentence.toStdString();
        EXPECT_TRUE(problem.sentence.contains(QLatin1String("the reason")))
            << problem.sentence.toStdString();
    }
}

TEST_F(RemoteClientTest, retryAfter_isReported) {
    const RemoteProblem problem = problemFrom(429, "busy", "Retry-After: 7\r\n");
    EXPECT_EQ(problem.retryAfter, 7);
    EXPECT_TRUE(problem.sentence.contains(QLatin1String("7 s")));
    EXPECT_EQ(problemFrom(429, "", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n").retryAfter,
              std::nullopt);
    EXPECT_EQ(problemFrom(503, "", "Retry-After: -1\r\n").retryAfter, std::nullopt);
}

TEST_F(RemoteClientTest, errorObjects_ofEveryEngine_areQuoted) {
    EXPECT_EQ(messageOfError(R"({"error":{"message":"a","code":400}})"), QStringLiteral("a"));
    EXPECT_EQ(messageOfError(R"({"error":"model not found"})"), QStringLiteral("model not found"));
    EXPECT_EQ(messageOfError(R"({"object":"error","message":"b"})"), QStringLiteral("b"));
    EXPECT_EQ(messageOfError(R"({"detail":"Not Found"})"), QStringLiteral("Not Found"));
    EXPECT_EQ(messageOfError("<html>no</html>"), QString());
    EXPECT_EQ(messageOfError(""), QString());
}

TEST_F(RemoteClientTest, unreachableServer_isReported) {
    RemoteClient client(addressFrom(engine.address()), {});
    const QString port = QString::number(engine.port());
    engine.close();
    std::optional<RemoteReply> refused;
    client.ask({RemoteMethod::Get, QStringLiteral("/v1/models")},
               [&](const RemoteReply& reply) { refused = reply; });
    ASSERT_TRUE(waitUntil([&] { return refused.has_value(); }));
    ASSERT_FALSE(refused->has_value());
    EXPECT_EQ(refused->error().fault, RemoteFault::Unreachable);
    EXPECT_TRUE(refused->error().sentence.contains(port))
        << refused->error().sentence.toStdString();
}

TEST_F(RemoteClientTest, connectionClosedWithoutAResponse_isReportedAsUnreachable) {
    engine.setAnswer("GET /v1/models", {QByteArray(), true});
    const RemoteReply reply = get(QStringLiteral("/v1/models"));
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().fault, RemoteFault::Unreachable);
    EXPECT_FALSE(reply.error().sentence.isEmpty());
}

TEST_F(RemoteClientTest, truncatedResponse_isReported) {
    engine.setAnswer("GET /v1/models",
                     {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\"", true});
    const RemoteReply reply = get(QStringLiteral("/v1/models"));
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().fault, RemoteFault::Truncated);
}

// ---------------------------------------------------------------- replies

TEST(EngineReplies, models_haveTheirContextIfReported) {
    const auto models = modelsFrom(
        R"({"object":"list","data":[{"id":"a","max_model_len":8192},{"id":"b","meta":{"n_ctx_train":4096}},
            {"id":"c","meta":{"n_ctx":512,"n_ctx_train":4096}},{"id":"d"},{"noid":1}]})");
    ASSERT_TRUE(models.has_value());
    ASSERT_EQ(models->size(), 4);
    EXPECT_EQ(models->at(0).context, 8192);
    EXPECT_EQ(models->at(1).context, 4096);
    EXPECT_EQ(models->at(2).context, 512);
    EXPECT_EQ(models->at(3).context, std::nullopt);
    EXPECT_FALSE(modelsFrom("<html>").has_value());
    EXPECT_FALSE(modelsFrom("{\"data\":7}").has_value());
}

TEST(EngineReplies, slots_ofBothServers_areParsed) {
    const auto listed = slotsFrom(
        R"([{"id":0,"is_processing":true,"n_ctx":2048,"next_token":[{"n_decoded":17}]},
            {"id":1,"is_processing":false,"n_ctx":2048,"n_prompt_tokens":9,"n_decoded":4}])");
    ASSERT_TRUE(listed.has_value());
    ASSERT_EQ(listed->size(), 2);
    EXPECT_TRUE(listed->at(0).busy);
    EXPECT_EQ(listed->at(0).written, 17);
    EXPECT_EQ(listed->at(0).prompt, std::nullopt);
    EXPECT_EQ(listed->at(1).prompt, 9);
    EXPECT_EQ(listed->at(1).written, 4);
    EXPECT_FALSE(slotsFrom("{\"error\":\"disabled\"}").has_value());
}

TEST(EngineReplies, controls_dependOnTheFamily_theirResultsAreEvaluated) {
    EXPECT_EQ(controlsOf(EngineFamily::Vllm).size(), 3);
    EXPECT_EQ(controlsOf(EngineFamily::Sglang).size(), 3);
    EXPECT_EQ(controlsOf(EngineFamily::LlamaServer).size(), 1);
    EXPECT_EQ(controlsOf(EngineFamily::Lacuna).size(), 1);
    EXPECT_TRUE(controlsOf(EngineFamily::Unknown).isEmpty());
    const EngineControl reset = controlsOf(EngineFamily::Vllm).front();
    EXPECT_TRUE(outcomeOf(reset, QByteArray()).ok);
    EXPECT_FALSE(outcomeOf(reset, QByteArray("{\"success\": false}")).ok);
    const ControlOutcome missing = outcomeOf(
        reset, tl::make_unexpected(RemoteProblem{RemoteFault::NoEndpoint, QStringLiteral("x")}));
    EXPECT_FALSE(missing.ok);
    EXPECT_TRUE(missing.sentence.contains(QLatin1String("VLLM_SERVER_DEV_MODE")));
}

// ---------------------------------------------------------------- answers

TEST_F(RemoteClientTest, stream_isReadToItsEnd) {
    engine.tellStream(
        ": keep-alive\n\n"
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"Gr\xC3\xBC\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"\xC3\x9F dich\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}\n\n"
        "data: [DONE]\n\n");
    const RemoteAnswer answer = answerTo("{\"model\":\"m\"}");
    EXPECT_EQ(answer.reason, FinishReason::Stop);
    EXPECT_EQ(answer.text, "Grüß dich");
    EXPECT_EQ(pieces, (std::vector<std::string>{"Grü", "ß dich"}));
    ASSERT_TRUE(answer.usage.has_value());
    EXPECT_EQ(answer.usage->promptTokens, 9);
    EXPECT_EQ(engine.asked().front().body, "{\"model\":\"m\"}");
    EXPECT_TRUE(engine.asked().front().line.startsWith("POST /v1/chat/completions "));
}

TEST_F(RemoteClientTest, unstreamedResponse_isAccepted) {
    engine.setAnswer("POST /v1/chat/completions", 200,
                     R"({"choices":[{"message":{"content":"Whole."},"finish_reason":"length"}],
                    "usage":{"prompt_tokens":2,"completion_tokens":1}})");
    const RemoteAnswer answer = answerTo();
    EXPECT_EQ(answer.reason, FinishReason::Length);
    EXPECT_EQ(answer.text, "Whole.");
}

TEST_F(RemoteClientTest, streamWithoutDone_endsWithItsFinishReason) {
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n");
    const RemoteAnswer answer = answerTo();
    EXPECT_EQ(answer.reason, FinishReason::Stop);
    EXPECT_EQ(answer.usage, std::nullopt);
}

TEST_F(RemoteClientTest, interruptedStream_keepsItsTextAndReportsTheError) {
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Once upon\"}}]}\n\ndata: {\"ch");
    const RemoteAnswer answer = answerTo();
    EXPECT_EQ(answer.reason, FinishReason::Error);
    ASSERT_TRUE(answer.problem.has_value());
    EXPECT_EQ(answer.problem->fault, RemoteFault::Truncated);
    EXPECT_EQ(answer.text, "Once upon");
}

TEST_F(RemoteClientTest, invalidResponse_isReported) {
    engine.tellStream("data: <html>\n\n");
    EXPECT_EQ(answerTo().problem->fault, RemoteFault::NotUnderstood);
    engine.setAnswer("POST /v1/chat/completions", 200, "<html>login</html>", {}, "text/html");
    EXPECT_EQ(answerTo().problem->fault, RemoteFault::NotUnderstood);
    engine.setAnswer("POST /v1/chat/completions", 200, "");
    EXPECT_EQ(answerTo().problem->fault, RemoteFault::NotUnderstood);
    engine.tellStream("data: " + QByteArray(5 * 1024 * 1024, 'x'));
    EXPECT_EQ(answerTo().problem->fault, RemoteFault::NotUnderstood);
}

TEST_F(RemoteClientTest, errorWithinTheStream_isQuoted) {
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
        "data: {\"error\":{\"message\":\"out of memory\"}}\n\n");
    const RemoteAnswer answer = answerTo();
    EXPECT_EQ(answer.reason, FinishReason::Error);
    EXPECT_EQ(answer.text, "a");
    EXPECT_TRUE(answer.problem->sentence.contains(QLatin1String("out of memory")));
}

TEST_F(RemoteClientTest, errorBeforeTheStream_isReportedInWords) {
    engine.setAnswer("POST /v1/chat/completions", 429, "{\"error\":{\"message\":\"queue full\"}}",
                     "Retry-After: 3\r\n");
    const RemoteAnswer answer = answerTo();
    EXPECT_EQ(answer.reason, FinishReason::Error);
    EXPECT_EQ(answer.problem->fault, RemoteFault::Busy);
    EXPECT_EQ(answer.problem->retryAfter, 3);
    EXPECT_TRUE(answer.problem->sentence.contains(QLatin1String("queue full")));
}

TEST_F(RemoteClientTest, cancel_closesTheConnectionAndEndsAsCancelled) {
    engine.tellStream("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", false);
    RemoteClient client(addressFrom(engine.address()), {});
    RemoteChat chat(client, "{}");
    std::optional<RemoteAnswer> end;
    bool came = false;
    chat.arrived = [&](const std::string&) { came = true; };
    chat.ended = [&](const RemoteAnswer& answer) { end = answer; };
    ASSERT_TRUE(waitUntil([&] { return came; }));
    EXPECT_FALSE(end.has_value());
    chat.stop();
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->reason, FinishReason::Cancelled);
    EXPECT_EQ(end->text, "a");
    EXPECT_TRUE(waitUntil([&] { return engine.asked().front().socket.isNull(); }));
}

TEST_F(RemoteClientTest, deletedChat_closesTheConnectionSilently) {
    engine.tellStream("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", false);
    RemoteClient client(addressFrom(engine.address()), {});
    auto chat = std::make_unique<RemoteChat>(client, "{}");
    bool came = false, ended = false;
    chat->arrived = [&](const std::string&) { came = true; };
    chat->ended = [&](const RemoteAnswer&) { ended = true; };
    ASSERT_TRUE(waitUntil([&] { return came; }));
    chat.reset();
    EXPECT_TRUE(waitUntil([&] { return engine.asked().front().socket.isNull(); }));
    EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace lacuna::app
