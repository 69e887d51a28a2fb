#include "engine/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

namespace lacuna {
namespace {

class FileTest : public ::testing::Test {
 protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("lacuna-file-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }
    std::filesystem::path folder_;
};

TEST_F(FileTest, atomicWrite_replacesAndKeepsMode) {
    const auto path = folder_ / "a.json";
    ASSERT_TRUE(writeFileAtomically(path, "one"));
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    ASSERT_TRUE(writeFileAtomically(path, "two"));
    EXPECT_EQ(readFile(path, 100).value(), "two");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, atomicWrite_uncommitted_leavesOldFileAndNoRest) {
    const auto path = folder_ / "a.json";
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    {
        auto file = AtomicFile::create(path);
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->write("half of something new"));
    }
    EXPECT_EQ(readFile(path, 100).value(), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, atomicWrite_onFolderOrDevice_isRefusedAndLeavesIt) {
    const auto pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& path : {folder_, pipe}) {
        const Status written = writeFileAtomically(path, "x");
        ASSERT_FALSE(written) << path;
        EXPECT_EQ(written.error().code, ErrorCode::Write);
    }
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, atomicWrite_overTheSizeLimit_failsAndKeepsOldFile) {
    const auto path = folder_ / "a.json";
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    struct rlimit before {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status written = writeFileAtomically(path, std::string(100'000, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, oldHandler);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::Write);
    EXPECT_EQ(readFile(path, 100).value(), "old");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, open_refusesWhatIsNotAFile) {
    EXPECT_EQ(MappedFile::open(folder_).error().code, ErrorCode::NotAFile);
    EXPECT_EQ(MappedFile::open(folder_ / "none").error().code, ErrorCode::NotFound);
    const auto fifo = folder_ / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(MappedFile::open(fifo).error().code, ErrorCode::NotAFile);
    std::filesystem::create_symlink(folder_ / "loop", folder_ / "loop");
    EXPECT_EQ(MappedFile::open(folder_ / "loop").error().code, ErrorCode::NotAFile);
}

TEST_F(FileTest, map_seesBytesAndNoticesChange) {
    const auto path = folder_ / "m.bin";
    std::ofstream(path) << "hello";
    auto mapped = MappedFile::open(path);
    ASSERT_TRUE(mapped);
    EXPECT_EQ(mapped->bytes().size(), 5U);
    EXPECT_TRUE(mapped->checkUnchanged());
    std::ofstream(path, std::ios::app) << " more";
    EXPECT_EQ(mapped->checkUnchanged().error().code, ErrorCode::ModelChanged);
}

TEST_F(FileTest, readFile_overLimit_isRefused) {
    std::ofstream(folder_ / "big") << std::string(11, 'x');
    EXPECT_FALSE(readFile(folder_ / "big", 10));
    EXPECT_EQ(readFile(folder_ / "big", 11)->size(), 11U);
}

}  // namespace
}  // namespace lacuna
