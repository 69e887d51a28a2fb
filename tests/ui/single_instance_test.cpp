// A second start while a window is open: the data passed to it, and failures of the socket.

#include "ui/window/single_instance.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QLocalSocket>
#include <QTemporaryDir>
#include <QThread>
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <vector>

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 30'000;

class SingleInstanceTest : public testing::Test {
  protected:
    /// Runs the event loop until `what` returns true.
    template <class Condition>
    static bool comesTrue(const Condition& what) {
        QElapsedTimer waited;
        waited.start();
        while (!what() && waited.elapsed() < kPatienceMs)
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        return what();
    }
    /// Passes data from another start while the event loop here continues.
    bool startElsewhere(const InstanceRequest& what) const {
        bool taken = false;
        const std::unique_ptr<QThread> start(
            QThread::create([&] { taken = SingleInstance(io_).handOver(what, kPatienceMs); }));
        start->start();
        EXPECT_TRUE(comesTrue([&] { return start->isFinished(); }));
        return taken;
    }
    /// Records the data received through a socket.
    static void note(const SingleInstance& instance, std::vector<InstanceRequest>& came) {
        QObject::connect(&instance, &SingleInstance::handedOver, &instance,
                         [&came](const InstanceRequest& what) { came.push_back(what); });
    }
    /// Creates the socket that a killed window leaves behind: bound, but without a listener.
    void leaveSocketBehind() const {
        const QByteArray path = QFile::encodeName(io_);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        ASSERT_LT(static_cast<std::size_t>(path.size()), sizeof address.sun_path);
        std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));
        const int killed = ::socket(AF_UNIX, SOCK_STREAM, 0);
        ASSERT_EQ(::bind(killed, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::close(killed);
        ASSERT_TRUE(QFile::exists(io_));
    }

    int count_ = 1;
    char name_[5] = "test";
    char* arguments_[2] = {name_, nullptr};
    QCoreApplication application_{count_, arguments_};
    QTemporaryDir folder_;
    QString io_ = folder_.filePath(QStringLiteral("door"));
};

TEST_F(SingleInstanceTest, modelOfASecondStart_opensInTheRunningWindow) {
    const SingleInstance instance(io_);
    ASSERT_TRUE(instance.listens());
    std::vector<InstanceRequest> came;
    note(instance, came);
    const QString model = QStringLiteral("/models/a \"b\"\n模型.gguf");
    EXPECT_TRUE(startElsewhere({model, QStringLiteral("token")}));
    EXPECT_TRUE(startElsewhere({}));
    ASSERT_EQ(came.size(), 2U);
    EXPECT_EQ(came[0].model, model);
    EXPECT_EQ(came[0].activation, QLatin1String("token"));
    EXPECT_TRUE(came[1].model.isEmpty());
}

TEST_F(SingleInstanceTest, firstStart_opensItsOwnWindow) {
    EXPECT_FALSE(SingleInstance(io_).handOver({}, 0));
    const SingleInstance none{QString()};
    EXPECT_FALSE(none.listens());
    EXPECT_FALSE(none.handOver({}, 0));
    EXPECT_TRUE(SingleInstance(io_).listens());
}

TEST_F(SingleInstanceTest, unwritableFolder_disablesSingleInstance) {
    const SingleInstance instance(folder_.filePath(QStringLiteral("missing/door")));
    EXPECT_FALSE(instance.listens());
    EXPECT_FALSE(instance.handOver({}, 0));
}

TEST_F(SingleInstanceTest, staleSocket_isReplaced_liveOneIsKept) {
    leaveSocketBehind();
    const SingleInstance instance(io_);
    EXPECT_TRUE(instance.listens());
    const SingleInstance second(io_);
    EXPECT_FALSE(second.listens());
    EXPECT_TRUE(second.hasOtherOwner());
    EXPECT_FALSE(instance.hasOtherOwner());
    std::vector<InstanceRequest> came;
    note(instance, came);
    EXPECT_TRUE(startElsewhere({}));
    EXPECT_EQ(came.size(), 1U);
}

TEST_F(SingleInstanceTest, closedWindow_handsTheSocketToAnotherOpenOne) {
    auto first = std::make_unique<SingleInstance>(io_);
    const SingleInstance second(io_);
    const SingleInstance third(io_);
    ASSERT_FALSE(second.listens() || third.listens());
    comesTrue([] { return true; });
    first->close();
    EXPECT_FALSE(first->listens());
    EXPECT_TRUE(comesTrue([&] { return second.listens() || third.listens(); }));
    EXPECT_NE(second.listens(), third.listens());
    EXPECT_TRUE(startElsewhere({}));
}

TEST_F(SingleInstanceTest, unresponsiveWindow_dropsTheRequestAfterTheTimeout) {
    const SingleInstance instance(io_);
    std::vector<InstanceRequest> came;
    note(instance, came);
    EXPECT_FALSE(SingleInstance(io_).handOver({QStringLiteral("/late.gguf"), {}}, 1));
    EXPECT_TRUE(startElsewhere({QStringLiteral("/next.gguf"), {}}));
    ASSERT_EQ(came.size(), 1U);
    EXPECT_EQ(came[0].model, QLatin1String("/next.gguf"));
}

TEST_F(SingleInstanceTest, concurrentStarts_createOneListener) {
    for (int round = 0; round < 20; ++round) {
        constexpr int kStarts = 4;
        std::barrier together(kStarts);
        std::atomic<int> listening{0};
        std::vector<std::unique_ptr<QThread>> starts;
        for (int i = 0; i < kStarts; ++i) {
            starts.emplace_back(QThread::create([&] {
                together.arrive_and_wait();
                const SingleInstance instance(io_);
                listening += instance.listens() ? 1 : 0;
                together.arrive_and_wait();  // none may close before all have tried
            }));
            starts.back()->start();
        }
        for (const auto& start : starts) ASSERT_TRUE(start->wait(kPatienceMs));
        ASSERT_EQ(listening, 1);
    }
}

TEST_F(SingleInstanceTest, invalidMessage_closesItsConnection_serverKeepsListening) {
    const SingleInstance instance(io_);
    std::vector<InstanceRequest> came;
    note(instance, came);
    for (const QByteArray& bytes :
         {QByteArray("GET / HTTP/1.1\r\n\r\n"), QByteArray("[1, 2]\n"),
          QByteArray("{\"model\":\"relative.gguf\"}\n"), QByteArray(3 << 20, 'x')}) {
        QLocalSocket socket;
        socket.connectToServer(io_);
        ASSERT_TRUE(socket.waitForConnected(kPatienceMs));
        socket.write(bytes);
        EXPECT_TRUE(comesTrue([&] { return socket.state() == QLocalSocket::UnconnectedState; }));
    }
    QLocalSocket half;
    half.connectToServer(io_);
    ASSERT_TRUE(half.waitForConnected(kPatienceMs));
    half.write("{\"model\":");
    half.flush();
    EXPECT_TRUE(startElsewhere({}));
    EXPECT_EQ(came.size(), 1U);
    half.write("\"/whole.gguf\"}\n");
    EXPECT_TRUE(comesTrue([&] { return came.size() == 2; }));
    EXPECT_EQ(came.back().model, QLatin1String("/whole.gguf"));
}

TEST_F(SingleInstanceTest, socket_isAccessibleToItsOwnerOnly) {
    const SingleInstance instance(io_);
    const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
    EXPECT_EQ(QFile::permissions(io_) & others, QFile::Permissions());
}

TEST_F(SingleInstanceTest, socketPath_isUniquePerCanonicalFolderAndDisplay) {
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(folder_.path()));
    QFile::setPermissions(folder_.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QString one = folder_.path() + QStringLiteral("/one");
    const QString display = QStringLiteral("xcb:0");
    EXPECT_TRUE(singleInstance(one, display).startsWith(folder_.path()));
    EXPECT_EQ(singleInstance(one, display),
              singleInstance(folder_.path() + QStringLiteral("/two/../one/"), display));
    EXPECT_NE(singleInstance(one, display),
              singleInstance(folder_.path() + QStringLiteral("/two"), display));
    EXPECT_NE(singleInstance(one, display), singleInstance(one, QStringLiteral("xcb:1")));
}

}  // namespace
}  // namespace lacuna::ui
