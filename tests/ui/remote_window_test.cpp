// User workflow of connecting to a remote engine and back, against this program's own server.

#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/remote_attachment.h"
#include "ui/pages/remote_page.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "app/remote/remote_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/telemetry/metrics_store.h"
#include "tests/app/remote/fake_engine_server.h"
#include "tests/app/serve/pilot_server.h"
#include "tests/ui/find_child.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/chart_builders.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/model_details.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {
namespace {

using test::FakeEngineServer;
using test::waitUntil;

class RemoteWindowTest : public WindowStage {
  protected:
    RemotePage& page() {
        trigger("remote.connect");
        return *window->dialogs().remoteWindow();
    }
    void fill(RemotePage& page, const char* name, const QString& address) {
        QTest::mouseClick(&child<QPushButton>(page, "remote.new"), Qt::LeftButton);
        QTest::keyClicks(&child<QLineEdit>(page, "remote.name"), QString::fromLatin1(name));
        QTest::keyClicks(&child<QLineEdit>(page, "remote.address"), address);
    }
    static void click(QPushButton& button) { QTest::mouseClick(&button, Qt::LeftButton); }
    [[nodiscard]] QString lastText() const {
        return state->conversations().currentModel().lines().back().text;
    }
    [[nodiscard]] QString figureOf(RemotePage& page, const char* label) const {
        QTableWidget& table = page.figures().table();
        for (int row = 0; row < table.rowCount(); ++row)
            if (table.item(row, 0)->text() == QLatin1String(label))
                return table.item(row, 1)->text();
        return {};
    }
    [[nodiscard]] ChartContent chart(ChartId id) const {
        return buildChart(id, state->metrics(), {});
    }
};

TEST_F(RemoteWindowTest, user_testsConnectsSendsAndDisconnects) {
    const test::Server server(test::pilot(1));
    load();
    RemotePage& here = page();
    fill(here, "Big box", QStringLiteral("127.0.0.1:%1").arg(server.port));
    click(child<QPushButton>(here, "remote.test"));
    ASSERT_TRUE(waitUntil([&] { return here.sentence().contains(QLatin1String("pilot")); }))
        << here.sentence().toStdString();
    EXPECT_TRUE(here.sentence().contains(QLatin1String("Lacuna")));
    EXPECT_FALSE(here.figures().isVisible());
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(waitUntil([&] { return window->remote().connected(); }))
        << here.sentence().toStdString();
    EXPECT_EQ(here.engines().count(), 1);
    EXPECT_EQ(child<QPushButton>(here, "remote.connect").text(), QStringLiteral("Disconnect"));
    EXPECT_TRUE(shows("Big box"));

    window->prompt().edit()->setFocus();
    QTest::keyClicks(window->prompt().edit(), QStringLiteral("Tell me about the harbour."));
    trigger("chat.send");
    ASSERT_TRUE(waitUntil([&] { return !state->conversations().answering(); }, 60'000));
    EXPECT_FALSE(lastText().isEmpty());
    EXPECT_TRUE(engine->sent<Submit>().empty()) << "the local engine was asked nothing";
    ASSERT_TRUE(waitUntil([&] {
        return state->metrics().series(app::Metric::LiveBytes).size() > 0 &&
               state->metrics().series(app::Metric::DecodeRate).size() > 0;
    }));
    EXPECT_FALSE(chart(ChartId::KvBytes).headline.isEmpty());
    EXPECT_FALSE(chart(ChartId::Throughput).headline.isEmpty());
    EXPECT_EQ(chart(ChartId::Quality).empty, QStringLiteral("Big box does not report this."));
    EXPECT_EQ(figureOf(here, "Answers in progress"), QStringLiteral("0"));
    EXPECT_EQ(figureOf(here, "LMCache: bytes in memory"), QStringLiteral("not reported"));

    click(child<QPushButton>(here, "remote.connect"));
    EXPECT_FALSE(window->remote().connected());
    EXPECT_EQ(state->metrics().series(app::Metric::LiveBytes).size(), 0U);
    EXPECT_TRUE(shows("small")) << "the local model answers again";
}

TEST_F(RemoteWindowTest, localSettings_areDisabledWithAReasonWhileConnected) {
    FakeEngineServer box;
    box.setAnswer("GET /v1/models", 200, R"({"data":[{"id":"m"}]})");
    load();
    RemotePage& here = page();
    fill(here, "Box", box.address());
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(waitUntil([&] { return window->remote().connected(); }));
    SettingRow* budget = window->tuning().row(QStringLiteral("budget"));
    EXPECT_FALSE(budget->isEnabled());
    EXPECT_TRUE(budget->toolTip().simplified().contains(QLatin1String("local engine")));
    EXPECT_TRUE(window->tuning().row(QStringLiteral("temperature"))->isEnabled());
    EXPECT_FALSE(window->tuning().row(QStringLiteral("top_k"))->isEnabled())
        << "nobody knows whether this engine takes it";
    for (const char* local :
         {"cache.compact", "model.load", "measure.sweep", "model.unload", "report.export"}) {
        const QAction* action = window->actions().find(QString::fromLatin1(local));
        EXPECT_FALSE(action->isEnabled()) << local;
        EXPECT_TRUE(ActionRegistry::reasonOf(action).contains(QLatin1String("Box"))) << local;
    }
    trigger("page.chat");
    EXPECT_TRUE(shows("Box answers; its memory is not measured here."));
    trigger("remote.disconnect");
    EXPECT_FALSE(shows("its memory is not measured here"));
    EXPECT_TRUE(budget->isEnabled());
    EXPECT_FALSE(budget->toolTip().simplified().contains(QLatin1String("local engine")));
    EXPECT_TRUE(window->actions().find(QStringLiteral("model.load"))->isEnabled());
    EXPECT_FALSE(window->actions().find(QStringLiteral("remote.disconnect"))->isEnabled());
}

TEST_F(RemoteWindowTest, demo_isNotOfferedWhileConnected) {
    FakeEngineServer box;
    box.setAnswer("GET /v1/models", 200, R"({"data":[{"id":"m"}]})");
    load();
    window->offerDemo();
    ASSERT_TRUE(shows("New here?"));
    RemotePage& here = page();
    fill(here, "Box", box.address());
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(waitUntil([&] { return window->remote().connected(); }));
    EXPECT_FALSE(shows("New here?"));
    window->offerDemo();
    QTest::mouseClick(button(*window, "Start the demo"), Qt::LeftButton);
    QCoreApplication::processEvents();
    EXPECT_FALSE(shows("Demo 1 of"));
    EXPECT_TRUE(engine->sent<LoadModel>().empty()) << "the local engine was told nothing";
    trigger("remote.disconnect");
}

TEST_F(RemoteWindowTest, engineThatReportsOnlyItsLoad_isCharted) {
    FakeEngineServer box;
    box.setAnswer("GET /v1/models", 200, R"({"data":[{"id":"m"}]})");
    box.setAnswer(
        "GET /metrics", 200,
        "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0\n",
        {}, "text/plain");
    RemotePage& here = page();
    fill(here, "Box", box.address());
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(
        waitUntil([&] { return state->metrics().series(app::Metric::CacheShare).size() > 0; }));
    const ChartContent empty = chart(ChartId::KvBytes);
    EXPECT_EQ(empty.headline, QStringLiteral("0 %")) << "a zero that is reported is shown";
    ASSERT_EQ(empty.curves.size(), 1U);
    EXPECT_FALSE(empty.curves[0].pieces.isEmpty());
    EXPECT_EQ(figureOf(here, "Cache in use"), QStringLiteral("0 %"));
    EXPECT_EQ(figureOf(here, "Cache, live"), QStringLiteral("not reported"));
}

TEST_F(RemoteWindowTest, connectionError_isShownInTheFormAndNothingConnects) {
    RemotePage& here = page();
    fill(here, "Box", QStringLiteral("http://127.0.0.1:1"));
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(waitUntil([&] {
        return here.sentence().contains(QLatin1String("refused the connection"));
    })) << here.sentence().toStdString();
    EXPECT_FALSE(window->remote().connected());
    EXPECT_TRUE(child<QPushButton>(here, "remote.connect").isEnabled());
    child<QLineEdit>(here, "remote.address").setText(QStringLiteral("gopher://x"));
    click(child<QPushButton>(here, "remote.save"));
    EXPECT_TRUE(here.sentence().contains(QLatin1String("http://")))
        << here.sentence().toStdString();
    click(child<QPushButton>(here, "remote.remove"));
    EXPECT_EQ(here.engines().count(), 0);
}

TEST_F(RemoteWindowTest, window_canCloseDuringARemoteTurn) {
    FakeEngineServer box;
    box.setAnswer("GET /v1/models", 200, R"({"data":[{"id":"m"}]})");
    box.tellStream("data: {\"choices\":[{\"delta\":{\"content\":\"Once\"}}]}\n\n", false);
    RemotePage& here = page();
    fill(here, "Box", box.address());
    click(child<QPushButton>(here, "remote.connect"));
    ASSERT_TRUE(waitUntil([&] { return window->remote().connected(); }));
    state->turns().submit({QStringLiteral("Hi"), {}, {}});
    ASSERT_TRUE(waitUntil([&] { return lastText() == QLatin1String("Once"); }));
    window.reset();
    EXPECT_FALSE(state->attachment().view().has_value());
    EXPECT_FALSE(state->conversations().answering());
}

}  // namespace
}  // namespace lacuna::ui
