#include "app/bench/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

constexpr int kPollMs = 100;

/// Both ends of a pipe, closed on destruction.
struct Pipe {
    Pipe() { open = ::pipe2(ends.data(), O_CLOEXEC) == 0; }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        closeWriting();
        if (open) ::close(ends[0]);
    }
    void closeWriting() {
        if (open && ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    std::array<int, 2> ends{-1, -1};
    bool open = false;
};

Result<pid_t> start(const std::vector<std::string>& arguments, const Pipe& pipe) {
    std::error_code problem;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
    if (problem)
        return fail(ErrorCode::Internal,
                    format("this program cannot be found: {}", problem.message()));
    std::vector<std::string> words{self.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, self.c_str(), &actions, nullptr, list.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return fail(ErrorCode::Internal,
                    format("{} cannot be started: {}", self.string(), std::strerror(failed)));
    return child;
}

std::string readAll(int from, pid_t child, const std::stop_token& stop) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        if (stop.stop_requested()) ::kill(child, SIGTERM);
        pollfd waiting{from, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, kPollMs);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t n = ::read(from, part.data(), part.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace

Result<std::string> runSelf(const std::vector<std::string>& arguments,
                            const std::stop_token& stop) {
    Pipe pipe;
    if (!pipe.open)
        return fail(ErrorCode::Internal, format("cannot create a pipe: {}", std::strerror(errno)));
    LACUNA_TRY(const pid_t child, start(arguments, pipe));
    pipe.closeWriting();
    std::string text = readAll(pipe.ends[0], child, stop);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "stopped while another process was running");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail(ErrorCode::Internal, "the new process failed");
    return text;
}

}  // namespace lacuna::cli
