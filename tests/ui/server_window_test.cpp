// User workflow of switching the built-in server on and off, with the live engine, the test model
// and clients on real sockets.

#include "ui/pages/server_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <memory>

#include "app/serve/window_server.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/models/model_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/support/bundled_models.h"
#include "tests/ui/offscreen.h"
#include "tests/ui/qt_misuse.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {
namespace {

using app::ServerState;

constexpr int kPatienceMs = 60'000;

/// Open TCP sockets of this process, including those of clients.
int socketsOpen() {
    QFile table(QStringLiteral("/proc/self/net/tcp"));
    if (!table.open(QIODevice::ReadOnly)) return -1;
    QSet<QString> ours;
    for (const QFileInfo& file :
         QDir(QStringLiteral("/proc/self/fd"))
             .entryInfoList(QDir::Files | QDir::System | QDir::NoDotAndDotDot)) {
        char target[64] = {};
        const ssize_t size =
            ::readlink(QFile::encodeName(file.absoluteFilePath()).constData(), target, 63);
        const QString name = QString::fromLatin1(target, size);
        if (name.startsWith(QLatin1String("socket:["))) ours.insert(name.mid(8).chopped(1));
    }
    int count = 0;
    for (const QByteArray& line : table.readAll().split('\n')) {
        const QStringList fields = QString::fromLatin1(line).simplified().split(QLatin1Char(' '));
        if (fields.size() > 9 && ours.contains(fields.at(9))) ++count;
    }
    return count;
}

class ServerWindowTest : public ::testing::Test {
  protected:
    ServerWindowTest() {
        themes = std::make_unique<ThemeSource>(ThemeChoice::Light);
        open();
    }
    void open() {
        window.reset();
        state.reset();
        state = std::make_unique<app::ApplicationState>(app::ApplicationOptions{
            .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                         QStringLiteral("temperature=0"), QStringLiteral("max_tokens=400")},
            .workerNiceness = 0,
            .dataFolder = folder.path(),
            .server = [](EngineHost& engine, app::ServerProgram::ViewCallback told) {
                return std::make_unique<app::WindowServer>(engine, "test", std::move(told));
            }});
        window = std::make_unique<MainWindow>(*state, *themes);
        window->resize(1280, 800);
        window->show();
        window->actions().find(QStringLiteral("server.open"))->trigger();
        QCoreApplication::processEvents();
        page = window->findChild<ServerPage*>();
        take(QStringLiteral("Port"))->setProperty("value", 0);
    }
    [[nodiscard]] static bool wait(const std::function<bool()>& until) {
        return QTest::qWaitFor(until, kPatienceMs);
    }
    [[nodiscard]] QWidget* take(const QString& name) const {
        for (QWidget* one : page->findChildren<QWidget*>())
            if (one->accessibleName() == name) return one;
        return nullptr;
    }
    void click(const char* name) const {
        auto* button = qobject_cast<QPushButton*>(take(QString::fromUtf8(name)));
        ASSERT_NE(button, nullptr) << name;
        button->click();
    }
    [[nodiscard]] bool shows(const char* text) const {
        for (const QLabel* label : page->findChildren<QLabel*>())
            if (label->text().contains(QString::fromUtf8(text))) return true;
        return false;
    }
    [[nodiscard]] const app::ServerView& view() const { return state->server().view(); }
    void loadPilot() {
        state->model().load(QString::fromStdString(test::pilotModel().string()));
        ASSERT_TRUE(wait([&] { return state->model().view().state == app::ModelState::Ready; }));
    }
    void switchOn() {
        click("Switch the server on");
        ASSERT_TRUE(wait([&] { return view().state == ServerState::On; }))
            << view().problem.toStdString();
    }
    [[nodiscard]] QNetworkReply* ask(int tokens, const QString& key = {}) {
        QNetworkRequest request(QUrl(view().address + QStringLiteral("/v1/chat/completions")));
        request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
        if (!key.isEmpty()) request.setRawHeader("Authorization", ("Bearer " + key).toLatin1());
        const QJsonObject message{
            {QStringLiteral("role"), QStringLiteral("user")},
            {QStringLiteral("content"), QStringLiteral("Repeat the word sea a thousand times.")}};
        const QJsonObject body{{QStringLiteral("messages"), QJsonArray{message}},
                               {QStringLiteral("max_tokens"), tokens},
                               {QStringLiteral("ignore_eos"), true}};
        return client.post(request, QJsonDocument(body).toJson());
    }
    [[nodiscard]] static int status(const QNetworkReply* reply) {
        return reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    }

    QApplication& application = offscreenApplication();
    QTemporaryDir folder;
    std::unique_ptr<ThemeSource> themes;
    std::unique_ptr<app::ApplicationState> state;
    std::unique_ptr<MainWindow> window;
    ServerPage* page = nullptr;
    QNetworkAccessManager client;
};

TEST_F(ServerWindowTest, enabledServer_answersNextToTheChatAndIsShown) {
    loadPilot();
    switchOn();
    EXPECT_TRUE(shows("The server is on at http://127.0.0.1:"));
    state->turns().submit({QStringLiteral("What is the sea?"), {}, {}});
    QNetworkReply* const reply = ask(30);
    ASSERT_TRUE(wait([&] { return reply->isFinished(); }));
    EXPECT_EQ(status(reply), 200);
    const QJsonObject answer = QJsonDocument::fromJson(reply->readAll()).object();
    EXPECT_FALSE(answer.value(QStringLiteral("choices")).toArray().isEmpty());
    ASSERT_TRUE(wait([&] {
        return !view().recent.isEmpty() && view().recent[0].state == app::RequestState::Done;
    }));
    const app::ServedRequest& row = view().recent[0];
    EXPECT_EQ(row.answerTokens, answer.value(QStringLiteral("usage"))
                                    .toObject()
                                    .value(QStringLiteral("completion_tokens"))
                                    .toInt());
    EXPECT_EQ(page->findChild<QTableView*>()->model()->rowCount(), 1);
    ASSERT_TRUE(wait([&] { return !state->conversations().anyAnswering(); }));
    const auto& lines = state->conversations().currentModel().lines();
    ASSERT_EQ(lines.size(), 2);
    EXPECT_NE(lines[1].state, app::LineState::Failed);
    EXPECT_FALSE(lines[1].text.isEmpty()) << "the person was answered meanwhile";
    int started = 0;
    for (const app::EventRow& event : state->feed().timeline())
        started += event.title.contains(QStringLiteral("started")) ? 1 : 0;
    EXPECT_EQ(started, 1) << "one of the answers is the window's";
    reply->deleteLater();
}

TEST_F(ServerWindowTest, disabledServer_opensNoSocket) {
    const int before = socketsOpen();
    ASSERT_GE(before, 0);
    switchOn();
    EXPECT_EQ(socketsOpen(), before + 1);
    const QString address = view().address;
    click("Switch the server off");
    ASSERT_TRUE(wait([&] { return view().state == ServerState::Off; }));
    EXPECT_EQ(socketsOpen(), before);
    EXPECT_TRUE(shows("No port is open"));
    QNetworkReply* const reply =
        client.get(QNetworkRequest(QUrl(address + QStringLiteral("/health"))));
    ASSERT_TRUE(wait([&] { return reply->isFinished(); }));
    EXPECT_EQ(reply->error(), QNetworkReply::ConnectionRefusedError);
    reply->deleteLater();
}

TEST_F(ServerWindowTest, portInUse_isReported) {
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    take(QStringLiteral("Port"))->setProperty("value", other.serverPort());
    click("Switch the server on");
    ASSERT_TRUE(wait([&] { return !view().problem.isEmpty(); }));
    EXPECT_EQ(view().state, ServerState::Off);
    EXPECT_TRUE(shows("is used by another program"));
    take(QStringLiteral("Port"))->setProperty("value", 0);
    switchOn();
}

TEST_F(ServerWindowTest, publicAddressWithoutAKey_isRejectedWithAReason) {
    auto* address = qobject_cast<QComboBox*>(take(QStringLiteral("Address")));
    address->setCurrentText(QStringLiteral("0.0.0.0"));
    click("Switch the server on");
    ASSERT_TRUE(wait([&] { return !view().problem.isEmpty(); }));
    EXPECT_TRUE(shows("set a key, or listen on"));
    click("Generate a key");
    switchOn();
}

TEST_F(ServerWindowTest, key_isRequiredAndHiddenByDefault) {
    loadPilot();
    click("Generate a key");
    const QString key = state->server().settings().key;
    ASSERT_EQ(key.size(), 32);
    switchOn();
    QNetworkReply* const without = ask(4);
    ASSERT_TRUE(wait([&] { return without->isFinished(); }));
    EXPECT_EQ(status(without), 401);
    QNetworkReply* const with = ask(4, key);
    ASSERT_TRUE(wait([&] { return with->isFinished(); }));
    EXPECT_EQ(status(with), 200);
    auto* field = qobject_cast<QLineEdit*>(take(QStringLiteral("Key")));
    EXPECT_EQ(field->echoMode(), QLineEdit::Password);
    auto* text = page->findChild<QPlainTextEdit*>();
    EXPECT_FALSE(text->toPlainText().contains(key));
    for (QCheckBox* box : page->findChildren<QCheckBox*>()) box->setChecked(true);
    EXPECT_TRUE(text->toPlainText().contains(key));
    for (const app::EventRow& row : state->feed().timeline())
        EXPECT_FALSE((row.title + row.detail).contains(key));
    without->deleteLater();
    with->deleteLater();
}

TEST_F(ServerWindowTest, settings_areStoredOwnerOnly_serverIsOffAfterARestart) {
    click("Generate a key");
    const QString key = state->server().settings().key;
    qobject_cast<QLineEdit*>(take(QStringLiteral("Name of the model for clients")))
        ->setText(QStringLiteral("harbour"));
    switchOn();
    open();
    EXPECT_EQ(state->server().settings().key, key);
    EXPECT_EQ(state->server().settings().alias, QStringLiteral("harbour"));
    EXPECT_EQ(view().state, ServerState::Off);
    const QFile file(folder.filePath(QStringLiteral("server.json")));
    EXPECT_EQ(file.permissions() &
                  (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
              QFile::Permissions());
}

TEST_F(ServerWindowTest, embeddingsAndSlotSaves_areAvailableWhenSwitchedOn) {
    loadPilot();
    auto* vectors = qobject_cast<QComboBox*>(take(QStringLiteral("Embeddings")));
    auto* caches = qobject_cast<QLineEdit*>(take(QStringLiteral("Folder for saved caches")));
    const auto statusOf = [&](const QString& path, const QByteArray& body) {
        QNetworkRequest request(QUrl(view().address + path));
        request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
        const std::unique_ptr<QNetworkReply> reply(client.post(request, body));
        EXPECT_TRUE(wait([&] { return reply->isFinished(); }));
        return status(reply.get());
    };
    const auto choose = [&](const char* pooling, const QString& folderOfCaches) {
        vectors->setCurrentIndex(vectors->findData(QString::fromLatin1(pooling)));
        caches->setText(folderOfCaches);
        click("Switch the server on");
    };
    choose("off", {});
    ASSERT_TRUE(wait([&] { return view().state == ServerState::On; }));
    EXPECT_EQ(statusOf(QStringLiteral("/v1/embeddings"), R"({"input":"a"})"), 501);
    EXPECT_EQ(statusOf(QStringLiteral("/slots/0?action=save"), R"({"filename":"a"})"), 501);
    EXPECT_FALSE(vectors->isEnabled()) << "it counts from the next start on";
    click("Switch the server off");
    ASSERT_TRUE(wait([&] { return view().state == ServerState::Off; }));
    choose("mean", folder.filePath(QStringLiteral("nowhere")));
    ASSERT_TRUE(wait([&] { return !view().problem.isEmpty(); }));
    EXPECT_TRUE(shows("is not a folder"));
    choose("last", folder.path());
    ASSERT_TRUE(wait([&] { return view().state == ServerState::On; }));
    EXPECT_EQ(statusOf(QStringLiteral("/v1/embeddings"), R"({"input":"a"})"), 200);
    EXPECT_EQ(
        statusOf(QStringLiteral("/completion"), R"({"prompt":"a","id_slot":0,"n_predict":2})"),
        200);
    EXPECT_EQ(statusOf(QStringLiteral("/slots/0?action=save"), R"({"filename":"a"})"), 200);
    EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("a"))));
    open();
    EXPECT_EQ(state->server().settings().embeddings, QStringLiteral("last"));
    EXPECT_EQ(state->server().settings().slotFolder, folder.path());
}

TEST_F(ServerWindowTest, closingDuringServerTurns_asksAndFinishesThem) {
    loadPilot();
    switchOn();
    QNetworkReply* const reply = ask(300);
    ASSERT_TRUE(wait([&] { return state->server().open() == 1; }));
    window->close();
    EXPECT_TRUE(window->isVisible());
    auto* question = window->findChild<QMessageBox*>();
    ASSERT_NE(question, nullptr);
    for (QAbstractButton* button : question->buttons())
        if (button->text().contains(QStringLiteral("Finish"))) button->click();
    ASSERT_TRUE(wait([&] { return !window->isVisible(); }));
    EXPECT_EQ(view().state, ServerState::Off);
    ASSERT_TRUE(wait([&] { return reply->isFinished(); }));
    EXPECT_EQ(status(reply), 200) << "it was answered to its end";
    reply->deleteLater();
}

TEST_F(ServerWindowTest, unloadedModel_isReportedToClients_newModelServesThem) {
    loadPilot();
    switchOn();
    ASSERT_TRUE(wait([&] { return !view().model.isEmpty(); }));
    state->model().unload();
    ASSERT_TRUE(wait([&] { return view().model.isEmpty(); }));
    EXPECT_TRUE(shows("No model is loaded"));
    QNetworkReply* const none = ask(4);
    ASSERT_TRUE(wait([&] { return none->isFinished(); }));
    EXPECT_EQ(status(none), 503);
    loadPilot();
    ASSERT_TRUE(wait([&] { return !view().model.isEmpty(); }));
    QNetworkReply* const again = ask(4);
    ASSERT_TRUE(wait([&] { return again->isFinished(); }));
    EXPECT_EQ(status(again), 200);
    none->deleteLater();
    again->deleteLater();
}

}  // namespace
}  // namespace lacuna::ui
