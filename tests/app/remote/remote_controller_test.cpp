// A conversation with a remote engine as seen by the window's state: against a scripted engine, and
// against this program's own server.

#include "app/remote/remote_controller.h"
#include "app/state/remote_attachment.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "app/remote/secret_service.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/files/program_log.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "engine/base/json.h"
#include "tests/app/core_application.h"
#include "tests/app/remote/fake_engine_server.h"
#include "tests/app/serve/pilot_server.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

using test::FakeEngineServer;
using test::waitUntil;

class RemoteControllerTest : public ::testing::Test {
  protected:
    RemoteControllerTest() {
        coreApplication();
        auto owned = std::make_unique<FakeEngine>();
        local = owned.get();
        state = std::make_unique<ApplicationState>(ApplicationOptions{}, std::move(owned),
                                                   local->events);
        remote = std::make_unique<RemoteController>(
            *state, std::make_unique<ConnectionList>(folder.path(), nullptr));
        engine.setAnswer("GET /v1/models", 200,
                         R"({"data":[{"id":"big","max_model_len":4096},{"id":"small"}]})");
    }
    ~RemoteControllerTest() override { remote.reset(); }

    QString saved(const QString& address, const QString& key = {}) {
        RemoteController::Saved outcome;
        remote->save({{}, QStringLiteral("Box"), address, key},
                     [&](const RemoteController::Saved& heard) { outcome = heard; });
        EXPECT_FALSE(outcome.id.isEmpty()) << outcome.sentence.toStdString();
        return outcome.id;
    }
    RemoteOutcome connected(const QString& id) {
        std::optional<RemoteOutcome> outcome;
        remote->connectTo(id, [&](const RemoteOutcome& heard) { outcome = heard; });
        EXPECT_TRUE(waitUntil([&] { return outcome.has_value(); }));
        return outcome.value_or(RemoteOutcome{});
    }
    RemoteOutcome tested(const RemoteDraft& draft) {
        std::optional<RemoteOutcome> outcome;
        remote->test(draft, [&](const RemoteOutcome& heard) { outcome = heard; });
        EXPECT_TRUE(waitUntil([&] { return outcome.has_value(); }));
        return outcome.value_or(RemoteOutcome{});
    }
    void ask(const char* question) { state->turns().submit({QString::fromUtf8(question), {}, {}}); }
    [[nodiscard]] const ChatLine& lastLine() const {
        return state->conversations().currentModel().lines().back();
    }
    [[nodiscard]] bool answered(int most = 5000) const {
        return waitUntil([&] { return !state->conversations().answering(); }, most);
    }
    [[nodiscard]] std::size_t samplesOf(Metric metric) const {
        return state->metrics().series(metric).size();
    }

    FakeEngineServer engine;
    QTemporaryDir folder;
    FakeEngine* local = nullptr;
    std::unique_ptr<ApplicationState> state;
    std::unique_ptr<RemoteController> remote;
};

TEST_F(RemoteControllerTest, savedConnection_sendsNothingBeforeTestOrConnect) {
    (void)saved(engine.address());
    EXPECT_FALSE(waitUntil([&] { return engine.connections() > 0; }, 150));
}

TEST_F(RemoteControllerTest, test_reportsTheServerItFound) {
    engine.setAnswer("GET /metrics", 200,
                     "vllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.5\n", {},
                     "text/plain");
    RemoteOutcome outcome = tested({{}, {}, engine.address(), QString()});
    EXPECT_TRUE(outcome.ok);
    for (const char* word : {"2 models", "big", "vLLM", "2 values"})
        EXPECT_TRUE(outcome.sentence.contains(QLatin1String(word)))
            << outcome.sentence.toStdString();
    engine.setAnswer("GET /metrics", 404, "");
    outcome = tested({{}, {}, engine.address(), QString()});
    EXPECT_TRUE(outcome.ok) << "an engine without metrics answers as well";
    EXPECT_TRUE(outcome.sentence.contains(QLatin1String("no metrics")));
    engine.setAnswer("GET /v1/models", 401, "");
    EXPECT_FALSE(tested({{}, {}, engine.address(), QString()}).ok);
    EXPECT_FALSE(tested({{}, {}, QStringLiteral("ftp://x"), QString()}).ok);
    engine.setAnswer("GET /v1/models", 200, "{\"data\":[]}");
    EXPECT_FALSE(tested({{}, {}, engine.address(), QString()}).ok);
    engine.setAnswer("GET /v1/models", 200, "<html>");
    EXPECT_FALSE(tested({{}, {}, engine.address(), QString()}).ok);
}

TEST_F(RemoteControllerTest, remoteTurn_streamsIntoTheChat_localEngineGetsNothing) {
    ASSERT_TRUE(connected(saved(engine.address(), QStringLiteral("sk-1"))).ok);
    EXPECT_EQ(state->turns().submitBlocker(), QString()) << "no local model is needed";
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hello \"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"there\"},\"finish_reason\":\"stop\"}]}\n\n"
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,"
        "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\ndata: [DONE]\n\n");
    ask("Hi");
    ASSERT_TRUE(answered());
    EXPECT_EQ(lastLine().text, QStringLiteral("Hello there"));
    EXPECT_EQ(lastLine().state, LineState::Done);
    ASSERT_TRUE(lastLine().figures.has_value());
    EXPECT_EQ(lastLine().figures->promptTokens, 9);
    EXPECT_EQ(lastLine().figures->reusedTokens, 4);
    EXPECT_EQ(lastLine().figures->answerTokens, 2);
    EXPECT_EQ(state->attachment().view()->contextTokens, 11);
    EXPECT_TRUE(local->sent<Submit>().empty());
    const Json body = *parseJson(engine.asked().back().body.toStdString());
    EXPECT_EQ(body["model"], "big");
    EXPECT_EQ(body["messages"][0]["content"], "Hi");
    EXPECT_TRUE(body.contains("temperature")) << "sampling goes along";
    remote->disconnectNow();
    EXPECT_NE(state->turns().submitBlocker(), QString()) << "there is no local model";
}

TEST_F(RemoteControllerTest, unreportedFigures_areAbsentUnderTheAnswer) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
        "data: [DONE]\n\n");
    ask("Hi");
    ASSERT_TRUE(answered());
    EXPECT_FALSE(lastLine().figures.has_value());
    EXPECT_EQ(state->attachment().view()->contextTokens, std::nullopt);
}

TEST_F(RemoteControllerTest, error_isShownUnderTheAnswer) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    engine.setAnswer("POST /v1/chat/completions", 429, "", "Retry-After: 5\r\n");
    ask("Hi");
    ASSERT_TRUE(answered());
    EXPECT_EQ(lastLine().state, LineState::Failed);
    EXPECT_TRUE(lastLine().problem.contains(QLatin1String("5 s")))
        << lastLine().problem.toStdString();
}

TEST_F(RemoteControllerTest, stop_closesTheConnectionAndKeepsTheText) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    engine.tellStream("data: {\"choices\":[{\"delta\":{\"content\":\"Once\"}}]}\n\n", false);
    ask("Hi");
    ASSERT_TRUE(waitUntil([&] { return lastLine().text == QLatin1String("Once"); }));
    state->turns().stop();
    EXPECT_FALSE(state->conversations().answering());
    EXPECT_EQ(lastLine().state, LineState::Stopped);
    const auto& asked = engine.asked().back();
    EXPECT_TRUE(waitUntil([&] { return asked.socket.isNull(); }));
}

TEST_F(RemoteControllerTest, disconnect_cancelsTheTurn) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    engine.tellStream("data: {\"choices\":[{\"delta\":{\"content\":\"Once\"}}]}\n\n", false);
    ask("Hi");
    ASSERT_TRUE(waitUntil([&] { return lastLine().text == QLatin1String("Once"); }));
    remote->disconnectNow();
    EXPECT_FALSE(state->conversations().answering());
    EXPECT_FALSE(remote->connected());
}

TEST_F(RemoteControllerTest, charts_showRemoteMetrics_thenTheLocalOnesAfterDisconnect) {
    StepSample step;
    step.conversation = ConversationId(state->conversations().current());
    step.timeNs = 1;
    step.kv.liveBytes = step.kv.logicalBytes = 1000;
    local->post(step);
    state->drain();
    ASSERT_EQ(samplesOf(Metric::LiveBytes), 1U);
    engine.setAnswer("GET /metrics", 200,
                     "vllm:num_requests_running 2\nvllm:num_requests_waiting 0\n"
                     "vllm:kv_cache_usage_perc 0.25\nvllm:generation_tokens_total 100\n",
                     {}, "text/plain");
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    EXPECT_EQ(state->metrics().source(), QStringLiteral("Box"));
    ASSERT_TRUE(waitUntil([&] { return samplesOf(Metric::CacheShare) > 0; }));
    EXPECT_EQ(samplesOf(Metric::LiveBytes), 0U) << "absent is absent";
    EXPECT_EQ(state->attachment().view()->family, QStringLiteral("vLLM"));
    EXPECT_EQ(state->attachment().view()->running, 2);
    engine.setAnswer("GET /metrics", 200,
                     "vllm:num_requests_running 2\nvllm:num_requests_waiting 0\n"
                     "vllm:kv_cache_usage_perc 0.25\nvllm:generation_tokens_total 150\n",
                     {}, "text/plain");
    ASSERT_TRUE(waitUntil([&] { return samplesOf(Metric::DecodeRate) > 0; }));
    EXPECT_GT(state->metrics().series(Metric::DecodeRate).at(0).value, 20);
    step.timeNs = 2;
    step.kv.liveBytes = 2000;
    local->post(step);  // reports of the local engine go into its own charts
    state->drain();
    EXPECT_EQ(samplesOf(Metric::LiveBytes), 0U);
    remote->disconnectNow();
    EXPECT_EQ(samplesOf(Metric::LiveBytes), 2U);
    EXPECT_EQ(samplesOf(Metric::CacheShare), 0U);
    EXPECT_EQ(state->metrics().source(), QString());
}

TEST_F(RemoteControllerTest, unreadableMetrics_areReported_turnsContinue) {
    engine.setAnswer("GET /metrics", 200, "<html>", {}, "text/html");
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    ASSERT_TRUE(waitUntil([&] { return !state->attachment().view()->problem.isEmpty(); }));
    EXPECT_TRUE(remote->figures().isEmpty());
    EXPECT_EQ(state->turns().submitBlocker(), QString());
}

TEST_F(RemoteControllerTest, remoteTurns_areNotRecorded) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    engine.tellStream(
        "data: {\"choices\":[{\"delta\":{\"content\":\"secret words\"},"
        "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    ask("Hi");
    ASSERT_TRUE(answered());
    remote->disconnectNow();
    local->post(Notice{"something local"});
    state->drain();
    QTemporaryDir out;
    bool written = false;
    QObject::connect(&state->report(), &ReportController::finished, [&] { written = true; });
    state->report().exportTo(out.filePath(QStringLiteral("report")), {});
    ASSERT_TRUE(waitUntil([&] { return written; }));
    QFile report(out.filePath(QStringLiteral("report/report.json")));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    const QByteArray text = report.readAll();
    EXPECT_TRUE(text.contains("something local"));
    EXPECT_FALSE(text.contains("secret words"));
}

TEST_F(RemoteControllerTest, log_containsNeitherKeyNorConversationText) {
    ASSERT_TRUE(connected(saved(engine.address(), QStringLiteral("sk-hidden"))).ok);
    engine.setAnswer("POST /v1/chat/completions", 400,
                     "{\"error\":{\"message\":\"too long: \u201dmy secret\u201c plan\"}}");
    ask("my secret plan");
    ASSERT_TRUE(answered());
    EXPECT_TRUE(lastLine().problem.contains(QLatin1String("secret"))) << "the chat tells it";
    for (int row = 0; row < state->log().rowCount(); ++row)
        for (const char* word : {"sk-hidden", "secret", "plan"})
            EXPECT_FALSE(state->log().line(row).text.contains(QLatin1String(word)))
                << state->log().line(row).text.toStdString();
    EXPECT_GT(state->log().rowCount(), 0);
}

TEST_F(RemoteControllerTest, selectedModel_isUsedForLaterTurnsAndStored) {
    const QString id = saved(engine.address());
    ASSERT_TRUE(connected(id).ok);
    EXPECT_EQ(remote->models(), (QStringList{QStringLiteral("big"), QStringLiteral("small")}));
    EXPECT_EQ(state->attachment().view()->contextLimit, 4096);
    remote->chooseModel(QStringLiteral("small"));
    EXPECT_EQ(state->attachment().view()->contextLimit, std::nullopt);
    engine.tellStream("data: [DONE]\n\n");
    ask("Hi");
    ASSERT_TRUE(answered());
    EXPECT_EQ((*parseJson(engine.asked().back().body.toStdString()))["model"], "small");
    remote->disconnectNow();
    ASSERT_TRUE(connected(id).ok);
    EXPECT_EQ(state->attachment().view()->model, QStringLiteral("small"));
}

TEST_F(RemoteControllerTest, connect_duringALocalTurn_isRejected) {
    local->post(ModelLoaded{smallFacts(), 0.1});
    state->drain();
    ask("Hi");
    ASSERT_TRUE(state->conversations().answering());
    EXPECT_FALSE(connected(saved(engine.address())).ok);
    EXPECT_EQ(engine.connections(), 0);
}

TEST_F(RemoteControllerTest, settingChanges_alwaysGoToTheLocalEngine) {
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    state->config().edit(QStringLiteral("temperature"), QStringLiteral("0.1"), EditPace::Settled);
    EXPECT_EQ(local->sent<SetConfig>().size(), 1U);
}

TEST_F(RemoteControllerTest, eraseControl_erasesSlotsOneByOne) {
    engine.setAnswer("GET /metrics", 200, "llamacpp:requests_processing 0\n", {}, "text/plain");
    engine.setAnswer("GET /slots", 200,
                     R"([{"id":0,"is_processing":false},{"id":3,"is_processing":false}])");
    engine.setAnswer("POST /slots/0?action=erase", 200, "{}");
    engine.setAnswer("POST /slots/3?action=erase", 501, "");
    ASSERT_TRUE(connected(saved(engine.address())).ok);
    ASSERT_TRUE(waitUntil([&] { return !remote->controls().isEmpty(); }));
    std::optional<RemoteOutcome> outcome;
    remote->run(remote->controls().front().id,
                [&](const RemoteOutcome& heard) { outcome = heard; });
    ASSERT_TRUE(waitUntil([&] { return outcome.has_value(); }));
    EXPECT_FALSE(outcome->ok);
    EXPECT_TRUE(outcome->sentence.contains(QLatin1String("--slot-save-path")));
}

// ---------------------------------------------------------------- this program's own server

TEST_F(RemoteControllerTest, live_lacunaServer_answersAndFillsTheCharts) {
    const test::Server server(test::pilot(2), AccessRules{.keys = {digestOf("sk-live")}});
    ASSERT_NE(server.port, 0);
    const QString address = QStringLiteral("127.0.0.1:%1/v1").arg(server.port);
    EXPECT_FALSE(tested({{}, {}, address, QStringLiteral("wrong")}).ok);
    const RemoteOutcome test = tested({{}, {}, address, QStringLiteral("sk-live")});
    ASSERT_TRUE(test.ok) << test.sentence.toStdString();
    EXPECT_TRUE(test.sentence.contains(QLatin1String("Lacuna"))) << test.sentence.toStdString();
    ASSERT_TRUE(connected(saved(address, QStringLiteral("sk-live"))).ok);
    state->config().edit(QStringLiteral("max_tokens"), QStringLiteral("200"), EditPace::Settled);
    ask("Tell me about the harbour and the ships in it.");
    ASSERT_TRUE(answered(60'000));
    EXPECT_EQ(lastLine().problem, QString());
    EXPECT_FALSE(lastLine().text.isEmpty());
    ASSERT_TRUE(lastLine().figures.has_value());
    EXPECT_GT(lastLine().figures->promptTokens, 5);
    ASSERT_TRUE(waitUntil([&] { return samplesOf(Metric::LiveBytes) > 0; }));
    EXPECT_GT(state->metrics().series(Metric::LiveBytes).at(0).value, 0);
    EXPECT_GT(samplesOf(Metric::LogicalBytes), 0U);
    ASSERT_TRUE(waitUntil([&] {
        return samplesOf(Metric::AnswersRunning) > 2 && samplesOf(Metric::DecodeRate) > 0;
    }));
    remote->refreshDetails();
    // Two requests, answered in any order.
    ASSERT_TRUE(waitUntil(
        [&] { return remote->slotLines().size() == 2 && !remote->properties().isEmpty(); }));
    std::optional<RemoteOutcome> emptied;
    remote->run(QStringLiteral("lacuna.clear"),
                [&](const RemoteOutcome& heard) { emptied = heard; });
    ASSERT_TRUE(waitUntil([&] { return emptied.has_value(); }));
    EXPECT_TRUE(emptied->ok) << emptied->sentence.toStdString();
}

}  // namespace
}  // namespace lacuna::app
