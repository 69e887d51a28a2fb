// The system calls of the writing functions: their order, and the state of the files after one of
// them fails. The functions below interpose the calls of this program. While a test listens they
// record each call and can make one fail.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "tests/support/temporary_folder.h"

namespace {

struct Listening {
    std::vector<std::string> calls;
    std::string failing;  ///< the call that fails
    int failAt = 0;       ///< index of the failing call among those of this name, from 1
    int error = 0;
    int seen = 0;
};
Listening* listening = nullptr;

bool isFolder(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

/// Records the call. Returns true if it must fail.
bool fails(const char* call) {
    if (listening == nullptr) return false;
    listening->calls.emplace_back(call);
    if (listening->failing != call || ++listening->seen != listening->failAt) return false;
    errno = listening->error;
    return true;
}

}  // namespace

extern "C" {
int fsync(int fd) {
    if (fails(isFolder(fd) ? "sync folder" : "sync")) return -1;
    return static_cast<int>(::syscall(SYS_fsync, fd));
}
ssize_t write(int fd, const void* bytes, size_t size) {
    if (fd > STDERR_FILENO && fails("write")) return -1;
    return ::syscall(SYS_write, fd, bytes, size);
}
int rename(const char* from, const char* to) noexcept {
    if (fails("rename")) return -1;
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
}

namespace lacuna {
namespace {

using Calls = std::vector<std::string>;

/// Records calls while `work` runs.
template <class Work>
Listening heard(Listening listener, const Work& work) {
    listening = &listener;
    work();
    listening = nullptr;
    return listener;
}

TEST(FileCalls, file_isSyncedBeforeRename_andItsFolderAfter) {
    const test::TemporaryFolder folder;
    for (const FileAccess access : {FileAccess::SameAsReplaced, FileAccess::OwnerOnly}) {
        const Listening one = heard({}, [&] {
            EXPECT_TRUE(writeFileAtomically(folder.path() / "a.json", "content", access));
        });
        EXPECT_EQ(one.calls, (Calls{"write", "sync", "rename", "sync folder"}));
    }
}

TEST(FileCalls, severalFiles_areAllSyncedBeforeTheFirstRename) {
    const test::TemporaryFolder folder;
    const std::vector<std::pair<std::string, std::string>> files{{"a", "1"}, {"b", "2"}};
    const Listening all = heard({}, [&] { EXPECT_TRUE(writeFilesTogether(folder.path(), files)); });
    EXPECT_EQ(all.calls,
              (Calls{"write", "sync", "write", "sync", "rename", "rename", "sync folder"}));
    EXPECT_EQ(folder.fileCount(), 2U);
}

TEST(FileCalls, folderSyncFailure_isAnError_unlessUnsupported) {
    const test::TemporaryFolder folder;
    struct Case {
        int error;
        bool good;
    };
    for (const Case& test : {Case{EIO, false}, Case{ENOSPC, false}, Case{EINVAL, true}}) {
        Status done;
        static_cast<void>(heard({{}, "sync folder", 1, test.error, 0}, [&] {
            done = writeFileAtomically(folder.path() / "a.json", "content");
        }));
        EXPECT_EQ(done.has_value(), test.good) << test.error;
        if (done) continue;
        EXPECT_EQ(done.error().code, ErrorCode::Write);
    }
}

struct Failing {
    const char* call;
    int at;
};

TEST(FileCalls, anyFailingCall_keepsTheOldFile_andLeavesNoTemporaryFile) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.json";
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    for (const Failing& failing : {Failing{"write", 1}, {"sync", 1}, {"rename", 1}}) {
        Status done;
        static_cast<void>(heard({{}, failing.call, failing.at, EIO, 0},
                                [&] { done = writeFileAtomically(path, "new"); }));
        ASSERT_FALSE(done) << failing.call;
        EXPECT_EQ(done.error().code, ErrorCode::Write);
        EXPECT_EQ(readFile(path, 100).value(), "old") << failing.call;
        EXPECT_EQ(folder.fileCount(), 1U) << failing.call;
    }
}

// Three files, the last of them new. Each call for each of them fails once.
TEST(FileCalls, severalFiles_anyFailingCall_keepsAllOldFiles) {
    const std::vector<std::pair<std::string, std::string>> old{{"a", "old a"}, {"b", "old b"}};
    const std::vector<std::pair<std::string, std::string>> fresh{
        {"a", "new a"}, {"b", "new b"}, {"c", "new c"}};
    for (const char* call : {"write", "sync", "rename", "sync folder"}) {
        for (int at = 1; at <= (call == std::string("sync folder") ? 1 : 3); ++at) {
            const test::TemporaryFolder folder;
            ASSERT_TRUE(writeFilesTogether(folder.path(), old));
            Status done;
            static_cast<void>(heard({{}, call, at, ENOSPC, 0},
                                    [&] { done = writeFilesTogether(folder.path(), fresh); }));
            ASSERT_FALSE(done) << call << at;
            EXPECT_EQ(done.error().code, ErrorCode::Write) << call << at;
            EXPECT_EQ(readFile(folder.path() / "a", 100).value(), "old a") << call << at;
            EXPECT_EQ(readFile(folder.path() / "b", 100).value(), "old b") << call << at;
            EXPECT_EQ(folder.fileCount(), 2U) << call << at;
        }
    }
}

}  // namespace
}  // namespace lacuna
