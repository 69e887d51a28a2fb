#include "engine/base/log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/file.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
    return readFile(path, std::size_t{1} << 24).value_or(std::string());
}

unsigned modeOf(const fs::path& path) {
    struct stat is {};
    EXPECT_EQ(::stat(path.c_str(), &is), 0) << path;
    return is.st_mode & 0777U;
}

/// Simulates a full disk by limiting the size of files.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit less{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &less);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }

  private:
    rlimit before_{};
    void (*signal_)(int);
};

class LogFileTest : public ::testing::Test {
  protected:
    test::TemporaryFolder folder_;
    const fs::path path_ = folder_.path() / "lacuna.log";
};

TEST_F(LogFileTest, lines_areAppended) {
    ASSERT_TRUE(LogFile(path_).append("one"));
    LogFile log(path_);
    ASSERT_TRUE(log.append("two"));
    ASSERT_TRUE(log.append("three"));
    EXPECT_EQ(contentOf(path_), "one\ntwo\nthree\n");
}

TEST_F(LogFileTest, file_isReadableByTheOwnerOnly) {
    { std::ofstream before(path_); }
    fs::permissions(path_, fs::perms::owner_all | fs::perms::others_read);
    LogFile log(path_, 10);
    ASSERT_TRUE(log.append("a line"));
    ASSERT_TRUE(log.append("another"));
    EXPECT_EQ(modeOf(path_), 0600U);
    EXPECT_EQ(modeOf(log.olderPath()), 0600U);
}

TEST_F(LogFileTest, bothFilesTogether_stayWithinTwiceTheLimit) {
    constexpr std::size_t kLimit = 1000;
    LogFile log(path_, kLimit);
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(log.append("line " + std::to_string(i)));
    const std::string older = contentOf(log.olderPath());
    const std::string newer = contentOf(path_);
    EXPECT_LE(older.size(), kLimit);
    EXPECT_LE(newer.size(), kLimit);
    EXPECT_GT(older.size(), kLimit - 10);
    // The newest lines remain, complete and in order.
    std::string expected;
    for (int i = 0; i < 300; ++i) expected += "line " + std::to_string(i) + "\n";
    const std::string kept = older + newer;
    EXPECT_EQ(kept, expected.substr(expected.size() - kept.size()));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(LogFileTest, lineAboveTheLimit_isStillWritten) {
    LogFile log(path_, 100);
    ASSERT_TRUE(log.append("short"));
    ASSERT_TRUE(log.append(std::string(500, 'x')));
    EXPECT_EQ(contentOf(log.olderPath()), "short\n");
    EXPECT_EQ(contentOf(path_).size(), 501U);
}

TEST_F(LogFileTest, fileMovedByAnotherProcess_isNotFollowed) {
    LogFile one(path_, 30), two(path_, 30);
    ASSERT_TRUE(one.append("first line of one"));
    ASSERT_TRUE(two.append("first line of two"));
    ASSERT_TRUE(one.append("second line of one"));
    EXPECT_EQ(contentOf(path_), "second line of one\n");
    fs::remove(path_);
    ASSERT_TRUE(one.append("after all was deleted"));
    EXPECT_EQ(contentOf(path_), "after all was deleted\n");
}

TEST_F(LogFileTest, fullDisk_losesOnlyTheLine) {
    LogFile full("/dev/full");
    const Status refused = full.append("line");  // not a regular file
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Write);

    const FileSizeLimit limit(8);
    LogFile log(path_);
    ASSERT_TRUE(log.append("1234"));
    EXPECT_FALSE(log.append("too much of it"));
}

TEST_F(LogFileTest, lineAfterAPartialLine_startsOnItsOwnLine) {
    LogFile log(path_);
    {
        const FileSizeLimit limit(8);
        ASSERT_TRUE(log.append("1234"));
        ASSERT_FALSE(log.append("abcdef"));
    }
    ASSERT_TRUE(log.append("whole"));
    EXPECT_EQ(contentOf(path_), "1234\nabc\nwhole\n");
}

TEST_F(LogFileTest, linksPipesAndMissingFolders_areRefused) {
    fs::create_symlink(folder_.path() / "elsewhere", path_);
    EXPECT_FALSE(LogFile(path_).append("line"));
    EXPECT_FALSE(fs::exists(folder_.path() / "elsewhere"));
    fs::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_FALSE(LogFile(path_).append("line"));  // a FIFO, which must not block until a reader
                                                  // comes
    const Status lost = LogFile(folder_.path() / "none" / "log").append("line");
    ASSERT_FALSE(lost);
    EXPECT_NE(lost.error().what.find("none/log"), std::string::npos) << lost.error().what;
}

}  // namespace
}  // namespace lacuna
