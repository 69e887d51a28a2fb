#include "engine/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/temporary_file.h"

namespace lacuna {
namespace {

class FileTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ =
            std::filesystem::temp_directory_path() / ("lacuna-file-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder_), {}));
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

TEST_F(FileTest, writeInFolder_createsTheFolder_andRefusesAFileOfItsName) {
    ASSERT_TRUE(writeFileInFolder(folder_ / "new" / "deeper" / "a.json", "one"));
    EXPECT_EQ(readFile(folder_ / "new" / "deeper" / "a.json", 100).value(), "one");
    const Status below = writeFileInFolder(folder_ / "new" / "deeper" / "a.json" / "b", "two");
    ASSERT_FALSE(below);
    EXPECT_EQ(below.error().code, ErrorCode::Write);
    EXPECT_NE(below.error().what.find("cannot be created"), std::string::npos)
        << below.error().what;
}

TEST_F(FileTest, atomicWrite_uncommitted_keepsOldFile_andLeavesNoTemporaryFile) {
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

TEST_F(FileTest, atomicWrite_onFolderOrDevice_isRefused_andChangesNothing) {
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

TEST_F(FileTest, checkRegularOrMissing_rejectsNonRegularFiles) {
    EXPECT_TRUE(checkRegularOrMissing(folder_ / "none"));
    ASSERT_TRUE(writeFileAtomically(folder_ / "file", "x"));
    EXPECT_TRUE(checkRegularOrMissing(folder_ / "file"));
    const auto fifo = folder_ / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::filesystem::create_symlink(fifo, folder_ / "link");
    for (const auto& path : {folder_, fifo, folder_ / "link", std::filesystem::path("/dev/null")}) {
        const Status checked = checkRegularOrMissing(path);
        ASSERT_FALSE(checked) << path;
        EXPECT_EQ(checked.error().code, ErrorCode::NotAFile);
    }
}

TEST_F(FileTest, open_rejectsNonRegularFiles) {
    EXPECT_EQ(MappedFile::open(folder_).error().code, ErrorCode::NotAFile);
    EXPECT_EQ(MappedFile::open(folder_ / "none").error().code, ErrorCode::NotFound);
    const auto fifo = folder_ / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(MappedFile::open(fifo).error().code, ErrorCode::NotAFile);
    std::filesystem::create_symlink(folder_ / "loop", folder_ / "loop");
    EXPECT_EQ(MappedFile::open(folder_ / "loop").error().code, ErrorCode::NotAFile);
}

TEST_F(FileTest, map_readsBytes_andDetectsChanges) {
    const auto path = folder_ / "m.bin";
    std::ofstream(path) << "hello";
    auto mapped = MappedFile::open(path);
    ASSERT_TRUE(mapped);
    EXPECT_EQ(mapped->bytes().size(), 5U);
    EXPECT_TRUE(mapped->checkUnchanged());
    std::ofstream(path, std::ios::app) << " more";
    EXPECT_EQ(mapped->checkUnchanged().error().code, ErrorCode::ModelChanged);
}

TEST_F(FileTest, privateWrite_isReadableByTheOwnerOnly_overAnyOldFile) {
    const auto path = folder_ / "said.json";
    ASSERT_TRUE(writeFileAtomically(path, "old"));
    for (const mode_t before : {0644U, 0666U}) {
        ASSERT_EQ(::chmod(path.c_str(), before), 0);
        ASSERT_TRUE(writeFileAtomically(path, "new", FileAccess::OwnerOnly));
        struct stat info {};
        ASSERT_EQ(::stat(path.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777U, 0600U);
    }
}

/// Leaves the files of a program that is killed while it writes `path`.
void dieWriting(const std::filesystem::path& path) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto file = AtomicFile::create(path);
        if (file) static_cast<void>(file->write("half of something"));
        ::_exit(0);  // no destructor runs
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
}

TEST_F(FileTest, temporaryFilesOfDeadProcesses_areRemoved_othersKept) {
    const auto path = folder_ / "a.json";
    dieWriting(path);
    ASSERT_EQ(entries(), 1U);
    dieWriting(folder_ / "other.gguf");  // removes the leftovers of the first process
    ASSERT_EQ(entries(), 1U);
    // Temporary names of a living process, of no process, and of a dead one that is not a regular
    // file.
    auto living = AtomicFile::create(folder_ / "living.json");
    ASSERT_TRUE(living);
    const std::string dead = ".tmp-999999999-";  // above the largest process number
    const std::vector<std::string> kept{
        "notes.tmp-AbCdEf",     "a.json.tmp-",         "a.tmp-12x-AbCdEf", "b" + dead + "AbCd",
        "c" + dead + "AbCdEfG", "d" + dead + "AbC.Ef", dead + "AbCdEf"};
    for (const std::string& name : kept) std::ofstream(folder_ / name) << "mine";
    std::filesystem::create_directory(folder_ / ("folder" + dead + "AbCdEf"));
    std::filesystem::create_symlink(folder_ / "a.json", folder_ / ("link" + dead + "AbCdEf"));
    std::ofstream(folder_ / ("left" + dead + "AbCdEf")) << "left behind";
    ASSERT_TRUE(writeFileAtomically(path, "new"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / ("left" + dead + "AbCdEf")));
    // a.json, the file of the living process, the kept ones, a folder and a link
    EXPECT_EQ(entries(), 1 + 1 + kept.size() + 2);
    for (const std::string& name : kept)
        EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    ASSERT_TRUE(living->write("done"));
    ASSERT_TRUE(living->commit());
    EXPECT_EQ(readFile(folder_ / "living.json", 100).value(), "done");
}

TEST_F(FileTest, temporaryFileOfARunningProcess_isKept) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto file = AtomicFile::create(folder_ / "a.json");
        const char good = file && file->write("half") ? 1 : 0;
        static_cast<void>(::write(ready[1], &good, 1));
        ::pause();
        ::_exit(0);
    }
    char good = 0;
    ASSERT_EQ(::read(ready[0], &good, 1), 1);
    EXPECT_EQ(good, 1);
    sweepTemporaries(folder_);
    EXPECT_EQ(entries(), 1U);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    sweepTemporaries(folder_);
    EXPECT_EQ(entries(), 0U);
    ::close(ready[0]);
    ::close(ready[1]);
}

/// A file of 16 pages of ones and its mapping.
struct Mapped {
    explicit Mapped(const std::filesystem::path& folder) : path(folder / "m.bin") {
        std::ofstream(path) << std::string(kPages * kPage, '\1');
        file = MappedFile::open(path).value();
    }
    [[nodiscard]] std::size_t ones() const {
        return static_cast<std::size_t>(
            std::count(file.bytes().begin(), file.bytes().end(), std::byte{1}));
    }
    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kPages = 16;
    std::filesystem::path path;
    MappedFile file;
};

TEST_F(FileTest, mapOfATruncatedFile_readsZerosBeyondIt_andReportsIt) {
    for (const std::size_t left :
         {std::size_t{0}, Mapped::kPage, std::size_t{5000}, Mapped::kPages * Mapped::kPage / 2}) {
        Mapped one(folder_);
        const MappedFile moved = std::move(one.file);
        struct stat info {};
        ASSERT_EQ(::stat(one.path.c_str(), &info), 0);
        std::filesystem::resize_file(one.path, left);
        const auto bytes = moved.bytes();
        EXPECT_EQ(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), std::byte{1})),
                  left);
        EXPECT_EQ(moved.checkUnchanged().error().code, ErrorCode::ModelChanged) << left;
        // The change is noticed even after the old size is restored.
        std::filesystem::resize_file(one.path, bytes.size());
        const timespec times[] = {info.st_atim, info.st_mtim};
        ASSERT_EQ(::utimensat(AT_FDCWD, one.path.c_str(), times, 0), 0);
        EXPECT_EQ(moved.checkUnchanged().error().code, ErrorCode::ModelChanged) << left;
    }
    const Mapped next(folder_);
    EXPECT_EQ(next.ones(), Mapped::kPages * Mapped::kPage);
    EXPECT_TRUE(next.file.checkUnchanged());
}

TEST_F(FileTest, busErrorOutsideMaps_stillTerminates) {
    const Mapped guarded(folder_);
    const auto path = folder_ / "other.bin";
    std::ofstream(path) << std::string(Mapped::kPage, 'x');
    const int fd = ::open(path.c_str(), O_RDONLY);
    void* const at = ::mmap(nullptr, Mapped::kPage, PROT_READ, MAP_PRIVATE, fd, 0);
    ASSERT_NE(at, MAP_FAILED);
    std::filesystem::resize_file(path, 0);
    EXPECT_DEATH(std::_Exit(*static_cast<const volatile char*>(at)), "");
    EXPECT_DEATH(
        {
            ::raise(SIGBUS);
            std::_Exit(0);
        },
        "");
    ::munmap(at, Mapped::kPage);
    ::close(fd);
}

TEST_F(FileTest, map_detectsChangedTimeOrFile_atTheSameSize) {
    struct Case {
        const char* name;
        std::function<void(const Mapped&)> change;
        bool same;
    };
    const auto timesOf = [](const std::filesystem::path& path) {
        struct stat info {};
        EXPECT_EQ(::stat(path.c_str(), &info), 0);
        return std::array<timespec, 2>{info.st_atim, info.st_mtim};
    };
    const Case cases[] = {
        {"untouched", [](const Mapped&) {}, true},
        {"read", [](const Mapped& one) { EXPECT_GT(one.ones(), 0U); }, true},
        {"written in place a nanosecond later",
         [&](const Mapped& one) {
             auto times = timesOf(one.path);
             times[1].tv_nsec = times[1].tv_nsec == 0 ? 1 : times[1].tv_nsec - 1;
             EXPECT_EQ(::utimensat(AT_FDCWD, one.path.c_str(), times.data(), 0), 0);
         },
         false},
        {"replaced by a twin of the same time",
         [&](const Mapped& one) {
             const auto times = timesOf(one.path);
             const auto twin = one.path.string() + ".twin";
             std::filesystem::copy_file(one.path, twin);
             EXPECT_EQ(::utimensat(AT_FDCWD, twin.c_str(), times.data(), 0), 0);
             std::filesystem::rename(twin, one.path);
         },
         false},
        {"removed", [](const Mapped& one) { std::filesystem::remove(one.path); }, false},
    };
    for (const Case& test : cases) {
        const Mapped one(folder_);
        test.change(one);
        const Status unchanged = one.file.checkUnchanged();
        EXPECT_EQ(unchanged.has_value(), test.same) << test.name;
        if (unchanged) continue;
        EXPECT_EQ(unchanged.error().code, ErrorCode::ModelChanged) << test.name;
    }
}

TEST_F(FileTest, outputAmongInputs_isRefusedUnderAnyName) {
    const auto input = folder_ / "in.bin";
    std::ofstream(input) << "in";
    std::ofstream(folder_ / "other") << "in";
    std::filesystem::create_directory(folder_ / "sub");
    std::filesystem::create_symlink(input, folder_ / "soft");
    std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "dangling");
    std::filesystem::create_hard_link(input, folder_ / "hard");
    const std::vector<std::filesystem::path> inputs{folder_ / "missing", input};
    for (const char* out : {"in.bin", "soft", "hard", "./in.bin", "sub/../in.bin", "missing"}) {
        const Status checked = checkNotAmong(folder_ / out, inputs);
        ASSERT_FALSE(checked) << out;
        EXPECT_EQ(checked.error().code, ErrorCode::InvalidArgument) << out;
    }
    for (const char* out : {"new", "other", "dangling", "sub/in.bin"})
        EXPECT_TRUE(checkNotAmong(folder_ / out, inputs)) << out;
}

TEST_F(FileTest, readFile_overLimit_isRefused) {
    std::ofstream(folder_ / "big") << std::string(11, 'x');
    EXPECT_FALSE(readFile(folder_ / "big", 10));
    EXPECT_EQ(readFile(folder_ / "big", 11)->size(), 11U);
}

}  // namespace
}  // namespace lacuna
