// Downloads from a fake hub: received data, kept files and refused inputs.

#include "app/hub/download.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <csignal>
#include <limits>

#include "tests/app/hub/fake_hub.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::app {
namespace {

using test::FakeHub;
using test::ggufBytes;
using test::waitFor;

class DownloadTest : public ::testing::Test {
  protected:
    static constexpr int kBytes = 300'000;

    DownloadTest() {
        dependencies.retryDelayMs = 1;
        dependencies.timeoutMs = 5000;
        dependencies.room = [](const QString&) { return qint64{1} << 40; };
    }
    [[nodiscard]] QString at(const QString& name) const { return QDir(folder).filePath(name); }
    [[nodiscard]] QByteArray bytesAt(const QString& name) const {
        QFile file(at(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const QString& name, const QByteArray& bytes) const {
        QFile file(at(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    [[nodiscard]] DownloadRequest order(const QByteArray& digest = {}) const {
        return requestFor(QUrl(hub.address() + QStringLiteral("/m.gguf")),
                          QString::fromLatin1(digest), folder)
            .value();
    }
    [[nodiscard]] DownloadRequest checked(const QByteArray& bytes) const {
        return order(test::sha256(bytes).toLatin1());
    }
    /// Runs the download until it completes, fails or pauses.
    DownloadView run(const DownloadRequest& what) {
        Download download(what, dependencies);
        bool stopped = false;
        QObject::connect(&download, &Download::stopped, &download, [&] { stopped = true; });
        download.start();
        EXPECT_TRUE(stopped || waitFor([&] { return stopped; }));
        return download.view();
    }
    /// Runs it until some bytes have arrived, then pauses.
    void runToThePause(const DownloadRequest& what, qint64 most) {
        Download download(what, dependencies);
        download.start();
        EXPECT_TRUE(waitFor([&] { return download.view().done >= most; }));
        download.pause();
        EXPECT_EQ(download.view().state, DownloadState::Waiting);
    }
    /// Names of the files in the folder, sorted.
    [[nodiscard]] QStringList names() const {
        return QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name);
    }
    /// Sets up a server that sends `most` bytes of the file and then stalls.
    void stall(const QByteArray& bytes, qint64 most, const QByteArray& etag = "\"one\"") {
        hub.on("/m.gguf", [=](QTcpSocket& socket, const FakeHub::Request&) {
            socket.write("HTTP/1.1 200 X\r\n" +
                         (etag.isEmpty() ? QByteArray() : "ETag: " + etag + "\r\n") +
                         "Content-Length: " + QByteArray::number(bytes.size()) + "\r\n\r\n" +
                         bytes.left(most));
        });
    }

    FakeHub hub;
    test::TemporaryFolder temporary;
    QString folder = QString::fromStdString(temporary.path().string());
    DownloadDependencies dependencies;
};

TEST_F(DownloadTest, file_isDownloadedCompleteAndVerified) {
    const QByteArray bytes = ggufBytes(kBytes);
    hub.serve("/m.gguf", {bytes});
    const DownloadView view = run(checked(bytes));
    EXPECT_EQ(view.state, DownloadState::Done) << view.sentence.toStdString();
    EXPECT_EQ(view.done, kBytes);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
    EXPECT_EQ(names(), QStringList{QStringLiteral("m.gguf")}) << "nothing else is left";
    EXPECT_TRUE(view.sentence.contains(QLatin1String("SHA-256 is correct")));
    EXPECT_EQ(hub.asked().front().field("Accept-Encoding"), "identity");
}

TEST_F(DownloadTest, fileWithoutADigest_isReportedAsUnverified) {
    hub.serve("/m.gguf", {ggufBytes(kBytes)});
    const DownloadView view = run(order());
    EXPECT_EQ(view.state, DownloadState::Done);
    EXPECT_TRUE(view.sentence.contains(QLatin1String("not verified")));
}

TEST_F(DownloadTest, interruptedDownload_resumesAtItsOffset) {
    const QByteArray bytes = ggufBytes(kBytes);
    for (const qint64 cut : {qint64{0}, qint64{1}, qint64{kBytes / 2}, qint64{kBytes - 1}}) {
        QFile::remove(at(QStringLiteral("m.gguf")));
        const std::size_t before = hub.asked().size();
        hub.serve("/m.gguf", {.bytes = bytes, .cutAfter = cut});
        const DownloadView view = run(checked(bytes));
        EXPECT_EQ(view.state, DownloadState::Done) << cut << view.sentence.toStdString();
        EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes) << cut;
        ASSERT_EQ(hub.asked().size(), before + 2) << cut;
        if (cut > 0) {
            EXPECT_EQ(hub.asked().back().field("Range"), "bytes=" + QByteArray::number(cut) + "-");
            EXPECT_EQ(hub.asked().back().field("If-Range"), "\"one\"");
        }
    }
}

TEST_F(DownloadTest, unreachableHub_keepsThePartialFile) {
    const QByteArray bytes = ggufBytes(kBytes);
    hub.serve("/m.gguf", {.bytes = bytes, .ranges = false, .cutAfter = 1000, .cuts = 1});
    dependencies.retries = 0;
    const DownloadView broken = run(checked(bytes));
    EXPECT_EQ(broken.state, DownloadState::Failed);
    EXPECT_EQ(broken.fault, HubFault::Reach);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf.part")), bytes.left(1000));
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("m.gguf"))));
}

TEST_F(DownloadTest, connectionCutAfterFewBytes_failsAfterFiveAttempts) {
    const QByteArray bytes = ggufBytes(kBytes);
    for (const bool ranges : {true, false}) {
        QFile::remove(at(QStringLiteral("m.gguf.part")));
        const std::size_t before = hub.asked().size();
        hub.serve("/m.gguf", {.bytes = bytes, .ranges = ranges, .cutAfter = 200, .cuts = 1'000});
        const DownloadView view = run(checked(bytes));
        EXPECT_EQ(view.state, DownloadState::Failed);
        EXPECT_EQ(view.fault, HubFault::Reach);
        EXPECT_EQ(hub.asked().size(), before + 5);
        EXPECT_EQ(bytesAt(QStringLiteral("m.gguf.part")), bytes.left(ranges ? 1000 : 200));
    }
    // Resuming restarts the retry count and keeps the received bytes.
    hub.serve("/m.gguf", {.bytes = bytes});
    EXPECT_EQ(run(checked(bytes)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, connectionCutAfterLargeParts_completes) {
    const QByteArray bytes = ggufBytes(2'000'000);
    hub.serve("/m.gguf", {.bytes = bytes, .cutAfter = 100'000, .cuts = 1'000});
    EXPECT_EQ(run(checked(bytes)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, repeatedBytes_doNotCountAsProgress) {
    const QByteArray bytes = ggufBytes(2'000'000);
    const std::size_t before = hub.asked().size();
    hub.serve("/m.gguf",
              {.bytes = bytes, .ranges = false, .cutAfter = 1'000'000, .cuts = 1'000'000});
    EXPECT_EQ(run(checked(bytes)).fault, HubFault::Reach);
    EXPECT_EQ(hub.asked().size(), before + 5);
}

TEST_F(DownloadTest, hugeDeclaredSizes_failForLackOfSpace) {
    for (const qint64 size :
         {qint64{1} << 62, (qint64{1} << 62) + 1, std::numeric_limits<qint64>::max() - 1,
          std::numeric_limits<qint64>::max()}) {
        hub.on("/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
            socket.write("HTTP/1.1 200 X\r\nContent-Length: " + QByteArray::number(size) +
                         "\r\n\r\nGGUF");
        });
        EXPECT_EQ(run(order()).fault, HubFault::Space) << size;
        DownloadRequest several = order();
        several.items[0].size = size;
        for (int i = 0; i < 4; ++i) {
            several.items.push_back(several.items[0]);
            several.items.back().name = QStringLiteral("other%1.gguf").arg(i);
        }
        EXPECT_EQ(several.bytes(), std::numeric_limits<qint64>::max());
        EXPECT_EQ(run(several).fault, HubFault::Space) << size;
        for (HubItem& item : several.items) item.whole = true;
        EXPECT_EQ(Download(several, dependencies).view().done, std::numeric_limits<qint64>::max());
    }
}

TEST_F(DownloadTest, pausedDownload_resumesAfterARestart) {
    const QByteArray bytes = ggufBytes(kBytes);
    stall(bytes, 100'000);
    runToThePause(checked(bytes), 100'000);
    EXPECT_EQ(names(),
              (QStringList{QStringLiteral("m.gguf.part"), QStringLiteral("m.gguf.part.json")}));
    // A later start finds the download by its files.
    const auto found = requestsIn(folder);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(Download(found[0], dependencies).view().done, 100'000);
    EXPECT_EQ(Download(found[0], dependencies).view().total, kBytes);
    hub.serve("/m.gguf", {bytes});
    EXPECT_EQ(run(found[0]).state, DownloadState::Done);
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=100000-");
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
    EXPECT_TRUE(requestsIn(folder).isEmpty());
}

TEST_F(DownloadTest, partialFile_withoutTagAndDigest_isDiscarded) {
    const QByteArray bytes = ggufBytes(kBytes);
    stall(bytes, 100'000, "");
    runToThePause(order(), 100'000);
    hub.serve("/m.gguf", {.bytes = bytes, .etag = ""});
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(hub.asked().back().field("Range"), "") << "from the start";
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, partialFile_withADigestOnly_isResumedAndVerified) {
    const QByteArray bytes = ggufBytes(kBytes);
    stall(bytes, 100'000, "");
    runToThePause(checked(bytes), 100'000);
    hub.serve("/m.gguf", {.bytes = bytes, .etag = ""});
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=100000-");
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, changedRemoteFile_restartsTheDownload) {
    const QByteArray old = ggufBytes(kBytes, 1), fresh = ggufBytes(kBytes, 2);
    // The tag differs, so the server sends the complete new file.
    stall(old, 100'000);
    runToThePause(order(), 100'000);
    hub.serve("/m.gguf", {.bytes = fresh, .etag = "\"two\""});
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), fresh);
    // A server that ignores If-Range sends the rest of the new file with its tag.
    QFile::remove(at(QStringLiteral("m.gguf")));
    stall(old, 100'000);
    runToThePause(order(), 100'000);
    hub.on("/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request& request) {
        const bool part = !request.field("Range").isEmpty();
        const QByteArray body = part ? fresh.mid(100'000) : fresh;
        socket.write(QByteArray(part ? "HTTP/1.1 206 X\r\nContent-Range: bytes 100000-299999/300000"
                                     : "HTTP/1.1 200 X") +
                     "\r\nETag: \"two\"\r\nContent-Length: " + QByteArray::number(body.size()) +
                     "\r\nConnection: close\r\n\r\n" + body);
        socket.disconnectFromHost();
    });
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), fresh);
}

TEST_F(DownloadTest, wrongContentRange_isRejected) {
    const QByteArray bytes = ggufBytes(kBytes);
    for (const char* range :
         {"bytes 0-299999/300000", "bytes 100000-299999/300001", "bytes x", ""}) {
        QFile::remove(at(QStringLiteral("m.gguf")));
        stall(bytes, 100'000);
        runToThePause(checked(bytes), 100'000);
        hub.on("/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request& request) {
            const bool part = !request.field("Range").isEmpty();
            const QByteArray body = part ? bytes.mid(100'000) : bytes;
            socket.write((part ? "HTTP/1.1 206 X\r\nContent-Range: " + QByteArray(range)
                               : QByteArray("HTTP/1.1 200 X")) +
                         "\r\nContent-Length: " + QByteArray::number(body.size()) +
                         "\r\nConnection: close\r\n\r\n" + body);
            socket.disconnectFromHost();
        });
        EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done) << range;
        EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes) << range;
    }
}

TEST_F(DownloadTest, status416_completesOrRestartsTheDownload) {
    const QByteArray bytes = ggufBytes(kBytes);
    // The partial file is longer than the new file: the download restarts.
    stall(bytes, 100'000);
    runToThePause(order(), 100'000);
    const QByteArray small = ggufBytes(50'000, 3);
    hub.serve("/m.gguf", {.bytes = small, .etag = "\"one\""});
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), small) << "nobody had announced a length";
    QFile::remove(at(QStringLiteral("m.gguf")));
    // A server that replies 416 to everything gets two requests.
    stall(bytes, 100'000);
    runToThePause(checked(bytes), 100'000);
    hub.say("/m.gguf", 416, "");
    const std::size_t before = hub.asked().size();
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Failed);
    EXPECT_EQ(hub.asked().size(), before + 2);
}

TEST_F(DownloadTest, wrongDigest_movesTheFileAside) {
    const QByteArray bytes = ggufBytes(kBytes);
    hub.serve("/m.gguf", {ggufBytes(kBytes, 2)});
    const DownloadView view = run(checked(bytes));
    EXPECT_EQ(view.fault, HubFault::Hash);
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("m.gguf"))));
    EXPECT_TRUE(QFile::exists(at(QStringLiteral("m.gguf.bad"))));
    EXPECT_TRUE(view.sentence.contains(test::sha256(bytes)));
    // A second download succeeds.
    hub.serve("/m.gguf", {bytes});
    EXPECT_EQ(run(requestsIn(folder).value(0)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, wrongLengths_areRejected) {
    const QByteArray bytes = ggufBytes(kBytes);
    DownloadRequest announced = checked(bytes);
    announced.items[0].size = kBytes + 1;
    hub.serve("/m.gguf", {bytes});
    EXPECT_EQ(run(announced).fault, HubFault::Size);
    // A reply without any length.
    hub.on("/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n" + bytes);
        socket.disconnectFromHost();
    });
    EXPECT_EQ(run(order()).fault, HubFault::Size);
    // An endless body for a file of known length.
    announced.items[0].size = kBytes;
    hub.on("/m.gguf", [&](QTcpSocket& socket, const FakeHub::Request&) {
        socket.write("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n" + bytes + bytes);
        socket.disconnectFromHost();
    });
    EXPECT_EQ(run(announced).fault, HubFault::Size);
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("m.gguf"))));
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf.part")), QByteArray()) << "none of it is kept";
}

TEST_F(DownloadTest, invalidModelFile_isRejectedAtItsFirstBytes) {
    const QByteArray page =
        "<!DOCTYPE html><html><body>Please log in to this network.</body></html>";
    hub.serve("/m.gguf", {.bytes = page, .type = "text/html; charset=utf-8"});
    const DownloadView typed = run(order());
    EXPECT_EQ(typed.fault, HubFault::NotAModel);
    EXPECT_TRUE(typed.sentence.contains(QLatin1String("web page")));
    hub.serve("/m.gguf", {.bytes = "  \n" + page + QByteArray(kBytes, 'x')});
    EXPECT_TRUE(run(order()).sentence.contains(QLatin1String("web page")));
    hub.serve("/m.gguf", {.bytes = "PK\x03\x04" + QByteArray(kBytes, 'x')});
    const DownloadView archive = run(order());
    EXPECT_EQ(archive.fault, HubFault::NotAModel);
    hub.serve("/m.gguf", {.bytes = "version https://git-lfs.github.com/spec/v1\noid sha256:" +
                                   QByteArray(64, 'a') + "\nsize 7\n"});
    EXPECT_EQ(run(order()).fault, HubFault::NotAModel);
    // The magic alone does not make a model: this is detected at the end, and the file is moved
    // aside.
    hub.serve("/m.gguf", {.bytes = "GGUF" + QByteArray(kBytes, '\x03')});
    EXPECT_EQ(run(order()).fault, HubFault::NotAModel);
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("m.gguf"))));
}

TEST_F(DownloadTest, httpErrors_areReportedInWords) {
    const struct {
        int status;
        const char* fields;
        const char* words;
    } cases[]{{401, "", "token"},      {403, "", "terms"},
              {404, "", "nothing"},    {429, "Retry-After: 17\r\n", "17 s"},
              {500, "", "status 500"}, {204, "", "status 204"}};
    for (const auto& one : cases) {
        hub.say("/m.gguf", one.status, "", one.fields);
        const DownloadView view = run(order());
        EXPECT_EQ(view.fault, HubFault::Http) << one.status;
        EXPECT_TRUE(view.sentence.contains(QLatin1String(one.words)))
            << view.sentence.toStdString();
    }
    dependencies.retries = 1;
    DownloadRequest nobody = order();
    nobody.items[0].url.setPort(1);
    EXPECT_EQ(run(nobody).fault, HubFault::Reach);
}

TEST_F(DownloadTest, redirects_areFollowedFiveTimes_tokenGoesToTheHubOnly) {
    const QByteArray bytes = ggufBytes(kBytes);
    dependencies.token = "hub-secret";
    DownloadRequest mine = checked(bytes);
    mine.hub = QUrl(hub.address());
    hub.redirect("/m.gguf", (hub.address() + QStringLiteral("/here")).toLatin1());
    hub.redirect("/here", (hub.otherAddress() + QStringLiteral("/cdn")).toLatin1(), 307);
    hub.serve("/cdn", {bytes});
    EXPECT_EQ(run(mine).state, DownloadState::Done);
    ASSERT_EQ(hub.asked().size(), 3U);
    EXPECT_EQ(hub.asked()[0].field("Authorization"), "Bearer hub-secret");
    EXPECT_EQ(hub.asked()[1].field("Authorization"), "Bearer hub-secret");
    EXPECT_EQ(hub.asked()[2].field("Authorization"), "") << "it is another host";
    // An address outside the hub gets no token at all.
    QFile::remove(at(QStringLiteral("m.gguf")));
    run(checked(bytes));
    EXPECT_EQ(hub.asked()[3].field("Authorization"), "");
    QFile::remove(at(QStringLiteral("m.gguf")));
    hub.redirect("/m.gguf", "/m.gguf");
    const std::size_t before = hub.asked().size();
    EXPECT_EQ(run(checked(bytes)).fault, HubFault::Redirect);
    EXPECT_EQ(hub.asked().size(), before + 6);
    for (const char* to :
         {"file:///etc/passwd", "http://host.example/x", "", "http://u:p@127.0.0.1/"}) {
        hub.redirect("/m.gguf", to);
        EXPECT_EQ(run(checked(bytes)).fault, HubFault::Redirect) << to;
    }
}

TEST_F(DownloadTest, plainHttpOfAForeignHost_opensNoSocket) {
    DownloadRequest foreign = order();
    foreign.items[0].url = QUrl(QStringLiteral("http://host.invalid/m.gguf"));
    EXPECT_EQ(run(foreign).fault, HubFault::Address);
    EXPECT_TRUE(names().isEmpty()) << "not even a part file";
}

TEST_F(DownloadTest, fullDisk_isDetectedBeforeAndDuringTheDownload) {
    const QByteArray bytes = ggufBytes(kBytes);
    hub.serve("/m.gguf", {bytes});
    qint64 room = kBytes - 1;
    dependencies.minFreeBytes = 0;
    dependencies.room = [&](const QString&) { return room; };
    DownloadRequest mine = checked(bytes);
    mine.items[0].size = kBytes;
    const DownloadView before = run(mine);
    EXPECT_EQ(before.fault, HubFault::Space);
    EXPECT_TRUE(hub.asked().empty()) << "nothing was asked for";
    // The disk fills up during the download.
    dependencies.syncEvery = 50'000;
    int looks = 0;
    dependencies.room = [&](const QString&) { return ++looks > 1 ? 1000 : qint64{kBytes}; };
    stall(bytes, 100'000);
    const DownloadView meanwhile = run(mine);
    EXPECT_EQ(meanwhile.fault, HubFault::Space);
    const qint64 kept = bytesAt(QStringLiteral("m.gguf.part")).size();
    EXPECT_GE(kept, 50'000);
    EXPECT_LT(kept, kBytes);
    // It resumes once there is free space.
    hub.serve("/m.gguf", {bytes});
    dependencies.room = [](const QString&) { return qint64{1} << 40; };
    EXPECT_EQ(run(mine).state, DownloadState::Done);
    EXPECT_EQ(hub.asked().back().field("Range"), "bytes=" + QByteArray::number(kept) + "-");
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, fileSizeLimitOfTheDisk_isReportedAndKeepsThePart) {
    const QByteArray bytes = ggufBytes(kBytes);
    hub.serve("/m.gguf", {bytes});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 100'000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const DownloadView view = run(checked(bytes));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(view.fault, HubFault::Space) << view.sentence.toStdString();
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf.part")), bytes.left(100'000));
    EXPECT_EQ(run(checked(bytes)).state, DownloadState::Done);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, secondDownload_ofTheSameFile_isRejectedAsBusy) {
    const QByteArray bytes = ggufBytes(kBytes);
    stall(bytes, 100'000);
    Download first(checked(bytes), dependencies);
    first.start();
    ASSERT_TRUE(waitFor([&] { return first.view().done >= 100'000; }));
    EXPECT_EQ(run(checked(bytes)).fault, HubFault::Busy);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf.part")), bytes.left(100'000)) << "untouched";
    Download other(checked(bytes), dependencies);
    other.discard();
    EXPECT_TRUE(QFile::exists(at(QStringLiteral("m.gguf.part")))) << "nor can it be removed";
    first.pause();
    hub.serve("/m.gguf", {bytes});
    EXPECT_EQ(run(checked(bytes)).state, DownloadState::Done);
}

TEST_F(DownloadTest, existingFile_isNotOverwritten) {
    put(QStringLiteral("m.gguf"), "mine");
    hub.serve("/m.gguf", {ggufBytes(kBytes)});
    EXPECT_EQ(run(order()).fault, HubFault::There);
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), "mine");
    EXPECT_TRUE(hub.asked().empty());
}

TEST_F(DownloadTest, corruptSidecar_restartsTheDownload) {
    const QByteArray bytes = ggufBytes(kBytes);
    put(QStringLiteral("m.gguf.part"), QByteArray(200'000, 'z'));
    for (const QByteArray& predictedLoss :
         {QByteArray(), QByteArray("{"), QByteArray("[]"),
          QByteArray(R"({"version":1,"items":[]})"),
          QByteArray(R"({"version":1,"items":[{"url":"http://x/y","name":"../../evil"}]})")}) {
        put(QStringLiteral("m.gguf.part.json"), predictedLoss);
        EXPECT_TRUE(requestsIn(folder).isEmpty()) << predictedLoss.toStdString();
    }
    hub.serve("/m.gguf", {bytes});
    EXPECT_EQ(run(checked(bytes)).state, DownloadState::Done);
    EXPECT_EQ(hub.asked().front().field("Range"), "");
    EXPECT_EQ(bytesAt(QStringLiteral("m.gguf")), bytes);
}

TEST_F(DownloadTest, splitModel_appearsWhenAllPartsAreComplete) {
    const QByteArray one = ggufBytes(60'000, 1), two = ggufBytes(70'000, 2);
    HubModel model{QStringLiteral("q/m-00001-of-00002.gguf"),
                   {{QStringLiteral("q/m-00001-of-00002.gguf"), 60'000, test::sha256(one)},
                    {QStringLiteral("q/m-00002-of-00002.gguf"), 70'000, test::sha256(two)}}};
    const DownloadRequest both =
        requestFor(QUrl(hub.address()), {QStringLiteral("o"), QStringLiteral("n")}, model, folder)
            .value();
    hub.serve("/o/n/resolve/main/q/m-00001-of-00002.gguf", {one});
    dependencies.retries = 0;
    EXPECT_EQ(run(both).fault, HubFault::Http) << "the second one is not there";
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("m-00001-of-00002.gguf"))));
    hub.serve("/o/n/resolve/main/q/m-00002-of-00002.gguf", {two});
    const std::size_t before = hub.asked().size();
    const DownloadView view = run(requestsIn(folder).value(0));
    EXPECT_EQ(view.state, DownloadState::Done) << view.sentence.toStdString();
    EXPECT_EQ(hub.asked().size(), before + 1) << "the first one is not fetched again";
    EXPECT_EQ(bytesAt(QStringLiteral("m-00001-of-00002.gguf")), one);
    EXPECT_EQ(bytesAt(QStringLiteral("m-00002-of-00002.gguf")), two);
    EXPECT_EQ(names().size(), 2);
}

TEST_F(DownloadTest, modelFolder_isRenamedWhenComplete) {
    const QByteArray weights(50'000, 'w'), config = R"({"model_type":"llama"})";
    const HubModel model{
        QStringLiteral("n"),
        {{QStringLiteral("config.json"), config.size()},
         {QStringLiteral("model.safetensors"), weights.size(), test::sha256(weights)}},
        true};
    const DownloadRequest all =
        requestFor(QUrl(hub.address()), {QStringLiteral("o"), QStringLiteral("n")}, model, folder)
            .value();
    hub.serve("/o/n/resolve/main/config.json", {.bytes = config, .type = "application/json"});
    EXPECT_EQ(run(all).fault, HubFault::Http);
    EXPECT_FALSE(QFile::exists(at(QStringLiteral("n"))));
    hub.serve("/o/n/resolve/main/model.safetensors", {weights});
    EXPECT_EQ(run(all).state, DownloadState::Done);
    EXPECT_EQ(names(), QStringList{QStringLiteral("n")});
    EXPECT_EQ(bytesAt(QStringLiteral("n/config.json")), config);
    EXPECT_EQ(bytesAt(QStringLiteral("n/model.safetensors")), weights);
    // Removing an unfinished download deletes all of its files.
    QDir(at(QStringLiteral("n"))).removeRecursively();
    hub.say("/o/n/resolve/main/model.safetensors", 500, "");
    run(all);
    EXPECT_EQ(names().size(), 2);
    Download(all, dependencies).discard();
    EXPECT_TRUE(names().isEmpty());
}

}  // namespace
}  // namespace lacuna::app
