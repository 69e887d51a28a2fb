// Hub requests of the window.

#include "app/hub/hub_controller.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <QDir>
#include <QFile>
#include <array>

#include "app/hub/hub_lister.h"
#include "tests/app/hub/fake_hub.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::app {
namespace {

using test::FakeHub;
using test::ggufBytes;
using test::waitFor;

/// Number of open sockets of this process.
int sockets() {
    int count = 0;
    QDir descriptors(QStringLiteral("/proc/self/fd"));
    for (const QString& one : descriptors.entryList(QDir::AllEntries | QDir::System)) {
        const QByteArray path = QFile::encodeName(descriptors.filePath(one));
        std::array<char, 64> target{};
        if (::readlink(path.constData(), target.data(), target.size() - 1) > 0 &&
            QByteArray(target.data()).startsWith("socket:"))
            ++count;
    }
    return count;
}

class HubControllerTest : public ::testing::Test {
  protected:
    HubControllerTest() {
        dependencies.retryDelayMs = 1;
        dependencies.room = [](const QString&) { return qint64{1} << 40; };
        remake();
    }
    void remake() {
        controller = std::make_unique<HubController>(dependencies);
        EXPECT_TRUE(controller->setHub(hub.address()).isEmpty());
        controller->setFolder(folder);
    }
    void ask(const char* typed) {
        controller->ask(QString::fromLatin1(typed));
        EXPECT_TRUE(waitFor([this] { return !controller->view().asking; }));
    }
    [[nodiscard]] bool reach(DownloadState state) {
        return waitFor([&] {
            const auto rows = controller->view().rows;
            return !rows.isEmpty() && rows.front().download.state == state;
        });
    }

    FakeHub hub;
    test::TemporaryFolder temporary;
    QString folder = QString::fromStdString(temporary.path().string());
    DownloadDependencies dependencies;
    std::unique_ptr<HubController> controller;
};

TEST_F(HubControllerTest, idleController_opensNoSocket) {
    QFile part(folder + QStringLiteral("/x.gguf.part"));
    const int before = sockets();
    HubController quiet;
    quiet.setFolder(folder);
    EXPECT_TRUE(quiet.setHub(QStringLiteral("https://mirror.example")).isEmpty());
    quiet.setToken(QStringLiteral("t"));
    (void)quiet.view();
    QCoreApplication::processEvents();
    EXPECT_EQ(sockets(), before);
    EXPECT_EQ(hub.connections(), 0);
    // Checks that sockets are detected at all.
    hub.repository("o/n", {{"m.gguf", ggufBytes(1000)}});
    ask("o/n");
    EXPECT_EQ(hub.connections(), 1);
}

TEST_F(HubControllerTest, repository_isListedDownloadedAndVerified) {
    const QByteArray bytes = ggufBytes(200'000);
    hub.repository("o/n", {{"q/m.gguf", bytes}, {"README.md", "x"}});
    ask("o/n");
    HubView view = controller->view();
    EXPECT_TRUE(view.problem.isEmpty()) << view.problem.toStdString();
    ASSERT_EQ(view.offers.size(), 1);
    EXPECT_EQ(view.offers[0].bytes, 200'000);
    EXPECT_TRUE(view.offers[0].digests);
    QString arrived;
    QObject::connect(controller.get(), &HubController::arrived, controller.get(),
                     [&](const QString& path) { arrived = path; });
    EXPECT_TRUE(controller->fetch(0, {}).isEmpty());
    ASSERT_TRUE(reach(DownloadState::Done));
    EXPECT_EQ(arrived, folder + QStringLiteral("/m.gguf"));
    EXPECT_TRUE(QFile::exists(arrived));
    // Removed from the list, the file stays on disk.
    controller->remove(controller->view().rows[0].id);
    EXPECT_TRUE(controller->view().rows.isEmpty());
    waitFor([] { return false; }, 50);
    EXPECT_TRUE(QFile::exists(arrived));
}

TEST_F(HubControllerTest, pausedDownload_isListedAtTheNextStart) {
    const QByteArray bytes = ggufBytes(200'000);
    hub.repository("o/n", {{"m.gguf", bytes}});
    hub.on("/o/n/resolve/main/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nETag: \"one\"\r\nContent-Length: 200000\r\n\r\n" +
                     bytes.left(80'000));
    });
    ask("o/n");
    EXPECT_TRUE(controller->fetch(0, {}).isEmpty());
    ASSERT_TRUE(waitFor([&] { return controller->view().rows[0].download.done == 80'000; }));
    controller.reset();  // the window closes during the download
    remake();
    ASSERT_EQ(controller->view().rows.size(), 1);
    EXPECT_EQ(controller->view().rows[0].download.state, DownloadState::Waiting);
    EXPECT_EQ(controller->view().rows[0].download.done, 80'000);
    const std::size_t before = hub.asked().size();
    waitFor([] { return false; }, 50);
    EXPECT_EQ(hub.asked().size(), before) << "nothing goes on by itself";
    hub.serve("/o/n/resolve/main/m.gguf", {bytes});
    controller->resume(controller->view().rows[0].id);
    ASSERT_TRUE(reach(DownloadState::Done));
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=80000-");
}

TEST_F(HubControllerTest, removedPartialDownload_leavesNoFiles) {
    const QByteArray bytes = ggufBytes(200'000);
    hub.repository("o/n", {{"m.gguf", bytes}});
    hub.on("/o/n/resolve/main/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nContent-Length: 200000\r\n\r\n" + bytes.left(80'000));
    });
    ask("o/n");
    EXPECT_TRUE(controller->fetch(0, {}).isEmpty());
    ASSERT_TRUE(waitFor([&] { return controller->view().rows[0].download.done == 80'000; }));
    controller->remove(controller->view().rows[0].id);
    EXPECT_TRUE(waitFor([&] { return QDir(folder).isEmpty(); }));
}

TEST_F(HubControllerTest, pagedList_isReadToItsEnd) {
    const QByteArray bytes = ggufBytes(1000);
    hub.say("/api/models/o/n/tree/main?recursive=true", 200,
            R"([{"type":"file","path":"a.gguf","size":1}])",
            "Link: <" + hub.address().toLatin1() + "/more>; rel=\"next\"\r\n");
    hub.say("/more", 200, R"([{"type":"file","path":"b.gguf","size":2}])");
    ask("o/n");
    EXPECT_EQ(controller->view().offers.size(), 2);
    hub.say("/more", 200, R"([{"type":"file","path":"b.gguf","size":2}])",
            "Link: <" + hub.otherAddress().toLatin1() + "/more>; rel=\"next\"\r\n");
    ask("o/n");
    EXPECT_TRUE(controller->view().problem.contains(QLatin1String("another host")));
    hub.say("/more", 200, "[]", "Link: </more>; rel=\"next\"\r\n");
    ask("o/n");
    EXPECT_TRUE(controller->view().problem.contains(QLatin1String("too long")));
}

TEST_F(HubControllerTest, hostileLists_areReportedAsErrors) {
    const auto said = [&](int status, const QByteArray& body) {
        hub.say("/api/models/o/n/tree/main?recursive=true", status, body);
        ask("o/n");
        EXPECT_TRUE(controller->view().offers.isEmpty());
        return controller->view().problem;
    };
    EXPECT_FALSE(said(200, "<html>Log in</html>").isEmpty());
    EXPECT_FALSE(said(200, "[" + QByteArray(9 << 20, ' ') + "]").isEmpty()) << "9 MiB";
    EXPECT_FALSE(said(404, "").isEmpty());
    EXPECT_FALSE(said(401, "").isEmpty());
    EXPECT_TRUE(said(200, "[]").contains(QLatin1String("no GGUF")));
    hub.say("/api/models/o/n/tree/main?recursive=true", 200,
            R"([{"type":"file","path":"../../.bashrc.gguf","size":3}])");
    ask("o/n");
    ASSERT_EQ(controller->view().offers.size(), 1);
    EXPECT_FALSE(controller->fetch(0, {}).isEmpty()) << "no name of ours";
    EXPECT_TRUE(QDir(folder).isEmpty());
}

TEST_F(HubControllerTest, givenDigest_overridesThatOfTheHub) {
    hub.repository("o/n", {{"m.gguf", ggufBytes(20'000)}});
    ask("o/n");
    EXPECT_FALSE(controller->fetch(0, QStringLiteral("abc")).isEmpty());
    EXPECT_TRUE(controller->fetch(0, QString(64, QLatin1Char('A'))).isEmpty());
    ASSERT_TRUE(reach(DownloadState::Failed));
    EXPECT_EQ(controller->view().rows[0].download.fault, HubFault::Hash);
}

TEST_F(HubControllerTest, token_isSentToItsHubOnly) {
    hub.repository("o/n", {{"m.gguf", ggufBytes(20'000)}});
    controller->setToken(QStringLiteral("secret"));
    ask("o/n");
    EXPECT_EQ(hub.asked().back().field("Authorization"), "Bearer secret");
    EXPECT_TRUE(controller->setHub(hub.otherAddress()).isEmpty());
    ask("o/n");
    EXPECT_EQ(hub.asked().back().field("Authorization"), "") << "another hub, no token";
    EXPECT_FALSE(controller->setHub(QStringLiteral("ftp://x")).isEmpty());
}

TEST_F(HubControllerTest, directAddress_isDownloadedWithoutAHub) {
    const QByteArray bytes = ggufBytes(20'000);
    hub.serve("/files/m.gguf", {bytes});
    ask((hub.otherAddress() + QStringLiteral("/files/m.gguf")).toLatin1().constData());
    ASSERT_EQ(controller->view().offers.size(), 1);
    EXPECT_TRUE(hub.asked().empty()) << "asked for when it is fetched";
    EXPECT_TRUE(controller->fetch(0, test::sha256(bytes)).isEmpty());
    ASSERT_TRUE(reach(DownloadState::Done));
    ask("http://foreign.invalid/m.gguf");
    EXPECT_TRUE(controller->view().offers.isEmpty());
    EXPECT_TRUE(controller->view().problem.contains(QLatin1String("unencrypted")));
}

}  // namespace
}  // namespace lacuna::app
