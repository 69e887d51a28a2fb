// The window's server and a remote engine at the same time: the server's clients are answered by
// the local engine and the window's chat by the remote one, whichever was switched on first.

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "app/remote/remote_controller.h"
#include "app/remote/secret_service.h"
#include "app/serve/window_server.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/models/model_controller.h"
#include "app/state/server/server_controller.h"
#include "tests/app/core_application.h"
#include "tests/app/remote/fake_engine_server.h"
#include "tests/support/bundled_models.h"

namespace lacuna::app {
namespace {

using test::FakeEngineServer;
using test::waitUntil;

constexpr int kPatienceMs = 120'000;

class ServerWithRemoteEngineTest : public ::testing::Test {
  protected:
    ServerWithRemoteEngineTest() {
        coreApplication();
        state = std::make_unique<ApplicationState>(ApplicationOptions{
            .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                         QStringLiteral("temperature=0"), QStringLiteral("max_tokens=8")},
            .workerNiceness = 0,
            .dataFolder = {},
            .server = [](EngineHost& shared, ServerProgram::ViewCallback told) {
                return std::make_unique<WindowServer>(shared, "test", std::move(told));
            }});
        remote = std::make_unique<RemoteController>(
            *state, std::make_unique<ConnectionList>(folder.path(), nullptr));
        engine.setAnswer("GET /v1/models", 200, R"({"data":[{"id":"far"}]})");
    }
    ~ServerWithRemoteEngineTest() override { remote.reset(); }

    void loadModel() {
        state->model().load(QString::fromStdString(test::pilotModel().string()));
        ASSERT_TRUE(waitUntil([&] { return state->model().view().state == ModelState::Ready; },
                              kPatienceMs));
    }
    void switchOn() {
        ServerSettings order = state->server().settings();
        order.port = 0;
        state->server().setSettings(order);
        state->server().start();
        ASSERT_TRUE(waitUntil([&] { return view().state == ServerState::On; }))
            << view().problem.toStdString();
    }
    void connectTo(const QString& address) {
        QString id;
        remote->save({{}, QStringLiteral("Far"), address, QString()},
                     [&](const RemoteController::Saved& saved) { id = saved.id; });
        std::optional<RemoteOutcome> outcome;
        remote->connectTo(id, [&](const RemoteOutcome& heard) { outcome = heard; });
        ASSERT_TRUE(waitUntil([&] { return outcome.has_value(); }));
        ASSERT_TRUE(outcome->ok) << outcome->sentence.toStdString();
    }
    [[nodiscard]] const ServerView& view() const { return state->server().view(); }
    [[nodiscard]] std::unique_ptr<QNetworkReply> askServer(int tokens) {
        QNetworkRequest request(QUrl(view().address + QStringLiteral("/v1/chat/completions")));
        request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
        const QJsonObject message{{QStringLiteral("role"), QStringLiteral("user")},
                                  {QStringLiteral("content"), QStringLiteral("What is the sea?")}};
        const QJsonObject body{{QStringLiteral("messages"), QJsonArray{message}},
                               {QStringLiteral("max_tokens"), tokens},
                               {QStringLiteral("ignore_eos"), true}};
        return std::unique_ptr<QNetworkReply>(client.post(request, QJsonDocument(body).toJson()));
    }
    /// Sends a request whose answer the view shows as running. The view is refreshed at intervals,
    /// so an answer that ended between two of them is requested again.
    void askServerUntilShown(int tokens, std::unique_ptr<QNetworkReply>& reply) {
        reply = askServer(tokens);
        ASSERT_TRUE(waitUntil(
            [&] {
                if (view().running == 1) return true;
                if (reply->isFinished()) reply = askServer(tokens);
                return false;
            },
            kPatienceMs));
    }
    static int status(const QNetworkReply& reply) {
        return reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    }
    void expectLocalAnswer(QNetworkReply& reply, int tokens) {
        ASSERT_TRUE(waitUntil([&] { return reply.isFinished(); }, kPatienceMs))
            << "the client gets an end";
        EXPECT_EQ(status(reply), 200);
        const QJsonObject answer = QJsonDocument::fromJson(reply.readAll()).object();
        EXPECT_NE(answer.value(QStringLiteral("model")).toString(), QStringLiteral("far"));
        EXPECT_EQ(answer.value(QStringLiteral("usage"))
                      .toObject()
                      .value(QStringLiteral("completion_tokens"))
                      .toInt(),
                  tokens);
    }
    void ask(const char* question) { state->turns().submit({QString::fromUtf8(question), {}, {}}); }
    [[nodiscard]] bool answered() {
        return waitUntil([&] { return !state->conversations().answering(); }, kPatienceMs);
    }
    [[nodiscard]] const ChatLine& lastLine() const {
        return state->conversations().currentModel().lines().back();
    }
    /// Number of answer requests that the remote engine received.
    [[nodiscard]] int askedFar() const {
        int count = 0;
        for (const auto& one : engine.asked())
            count += one.line.startsWith("POST /v1/chat/completions") ? 1 : 0;
        return count;
    }
    void tellFar(bool ends) {
        engine.tellStream(
            ends ? "data: {\"choices\":[{\"delta\":{\"content\":\"From afar.\"},"
                   "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
                 : "data: {\"choices\":[{\"delta\":{\"content\":\"From afar.\"}}]}\n\n",
            ends);
    }
    /// Sends a request to both at once and expects each to be answered by its own engine.
    void expectEachItsOwnEngine() {
        tellFar(true);
        const auto reply = askServer(12);
        ask("Who are you?");
        ASSERT_TRUE(answered());
        EXPECT_EQ(lastLine().text, QStringLiteral("From afar."));
        expectLocalAnswer(*reply, 12);
        EXPECT_EQ(askedFar(), 1) << "the server's request did not go to the remote engine";
    }

    FakeEngineServer engine;
    QTemporaryDir folder;
    QNetworkAccessManager client;
    std::unique_ptr<ApplicationState> state;
    std::unique_ptr<RemoteController> remote;
};

TEST_F(ServerWithRemoteEngineTest, serverFirst_eachRequestUsesItsOwnEngine) {
    loadModel();
    switchOn();
    connectTo(engine.address());
    expectEachItsOwnEngine();
}

TEST_F(ServerWithRemoteEngineTest, remoteFirst_eachRequestUsesItsOwnEngine) {
    loadModel();
    connectTo(engine.address());
    switchOn();
    expectEachItsOwnEngine();
}

TEST_F(ServerWithRemoteEngineTest, disconnect_duringBothTurns_keepsTheServerTurn) {
    loadModel();
    switchOn();
    connectTo(engine.address());
    tellFar(false);
    ask("Who are you?");
    ASSERT_TRUE(waitUntil([&] { return lastLine().text == QStringLiteral("From afar."); }));
    std::unique_ptr<QNetworkReply> reply;
    ASSERT_NO_FATAL_FAILURE(askServerUntilShown(400, reply));
    remote->disconnectNow();
    EXPECT_FALSE(state->conversations().answering());
    EXPECT_EQ(lastLine().text, QStringLiteral("From afar."));
    expectLocalAnswer(*reply, 400);
    // The chat uses the local engine again.
    ask("What is the sea?");
    ASSERT_TRUE(answered());
    EXPECT_FALSE(lastLine().text.isEmpty());
    EXPECT_EQ(askedFar(), 1);
}

TEST_F(ServerWithRemoteEngineTest, serverStop_duringBothTurns_keepsTheRemoteTurn) {
    loadModel();
    connectTo(engine.address());
    switchOn();
    tellFar(false);
    ask("Who are you?");
    ASSERT_TRUE(waitUntil([&] { return lastLine().text == QStringLiteral("From afar."); }));
    std::unique_ptr<QNetworkReply> reply;
    ASSERT_NO_FATAL_FAILURE(askServerUntilShown(2000, reply));
    state->server().stop();
    ASSERT_TRUE(waitUntil([&] { return view().state == ServerState::Off; }, kPatienceMs));
    ASSERT_TRUE(waitUntil([&] { return reply->isFinished(); }, kPatienceMs));
    EXPECT_TRUE(state->conversations().answering()) << "the remote answer is not touched";
    for (const auto& one : engine.asked())
        if (one.socket && one.line.startsWith("POST"))
            one.socket->write(
                "data: {\"choices\":[{\"delta\":{\"content\":\" Still.\"},"
                "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    ASSERT_TRUE(answered());
    EXPECT_EQ(lastLine().text, QStringLiteral("From afar. Still."));
}

TEST_F(ServerWithRemoteEngineTest, noLocalModel_clientsGet503WithAMessage) {
    connectTo(engine.address());
    switchOn();
    const auto reply = askServer(4);
    ASSERT_TRUE(waitUntil([&] { return reply->isFinished(); }));
    EXPECT_EQ(status(*reply), 503);
    const QByteArray body = reply->readAll();
    EXPECT_TRUE(body.contains("no local model is loaded")) << body.toStdString();
    EXPECT_EQ(askedFar(), 0);
}

TEST_F(ServerWithRemoteEngineTest, windowConnectedToItsOwnServer_usesTheLocalModel) {
    loadModel();
    switchOn();
    connectTo(view().address);
    ask("What is the sea?");
    ASSERT_TRUE(answered());
    EXPECT_EQ(lastLine().state, LineState::Done) << lastLine().problem.toStdString();
    EXPECT_FALSE(lastLine().text.isEmpty());
    remote->disconnectNow();
}

}  // namespace
}  // namespace lacuna::app
