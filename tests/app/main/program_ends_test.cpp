// Termination of the program on request, and startup failures.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/serve/wire_client.h"
#include "tests/support/bundled_models.h"
#include "tests/support/poll_until.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::cli {
namespace {

constexpr const char* kTinyModel = LACUNA_GOLDEN_DIR "/models/llama/model.gguf";
constexpr int kMaxSeconds = 60;  // only a hanging program takes this long

/// A child process with redirected standard streams; killed if it does not end.
class Running {
  public:
    Running(std::vector<std::string> arguments, std::vector<std::string> environment,
            bool withoutHangup = false) {
        int in[2];
        int out[2];
        if (::pipe(in) != 0 || ::pipe(out) != 0) std::abort();
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::dup2(out[1], STDERR_FILENO);
            for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
            for (std::string& one : environment)
                if (one.find('=') == std::string::npos)
                    ::unsetenv(one.c_str());
                else
                    ::putenv(one.data());
            ::alarm(kMaxSeconds);
            // The environment of the test run may have some of them ignored.
            for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
            if (withoutHangup) ::signal(SIGHUP, SIG_IGN);
            std::vector<char*> list{const_cast<char*>(LACUNA_PROGRAM)};
            for (std::string& one : arguments) list.push_back(one.data());
            list.push_back(nullptr);
            ::execv(LACUNA_PROGRAM, list.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        input_ = in[1];
        output_ = out[0];
    }
    ~Running() {
        ::close(input_);
        ::close(output_);
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Reads until `words` appear; false if the output ends first.
    bool says(const std::string& words) {
        char part[4096];
        while (said.find(words) == std::string::npos) {
            const ssize_t count = ::read(output_, part, sizeof part);
            if (count <= 0) return false;
            said.append(part, static_cast<std::size_t>(count));
        }
        return true;
    }
    void send(int signal) const { ::kill(child_, signal); }
    /// Waits until the program has mapped this file; false on timeout.
    [[nodiscard]] bool holds(const std::string& file) const {
        const auto mapped = [&] {
            std::ifstream maps("/proc/" + std::to_string(child_) + "/maps");
            for (std::string line; std::getline(maps, line);)
                if (line.ends_with(file)) return true;
            return false;
        };
        return test::pollUntil(mapped, std::chrono::seconds(kMaxSeconds));
    }
    /// Exit status, or the negated number of the signal that ended it.
    int ended() {
        static_cast<void>(says("\x01 never said"));
        int status = 0;
        ::waitpid(std::exchange(child_, 0), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    std::string said;

  private:
    pid_t child_ = 0;
    int input_ = -1;
    int output_ = -1;
};

TEST(ProgramTermination, signal_atThePrompt_exitsWith128PlusItsNumber) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Running chat({"chat", kTinyModel}, {});
        ASSERT_TRUE(chat.says("> ")) << chat.said;
        const auto begin = std::chrono::steady_clock::now();
        chat.send(signal);
        EXPECT_EQ(chat.ended(), 128 + signal) << chat.said;
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    }
}

TEST(ProgramTermination, sighup_ignoredByTheParent_staysIgnored) {
    Running chat({"chat", kTinyModel}, {}, true);
    ASSERT_TRUE(chat.says("> ")) << chat.said;
    chat.send(SIGHUP);
    chat.send(SIGTERM);
    EXPECT_EQ(chat.ended(), 128 + SIGTERM) << chat.said;
}

/// Port of a server from the line that announces it.
std::uint16_t portOf(const std::string& said) {
    const std::size_t at = said.find("http://127.0.0.1:");
    return at == std::string::npos ? std::uint16_t{0}
                                   : static_cast<std::uint16_t>(std::stoi(said.substr(at + 17)));
}

std::string posted(std::uint16_t port, const std::string& path, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// Waits until one request of this server is queued for a slot.
bool waitsForASlot(std::uint16_t port) {
    const std::string request =
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
    const auto queued = [&] {
        const std::string metrics = test::ask(port, request).body;
        return metrics.find("\nllamacpp:requests_deferred 1\n") != std::string::npos;
    };
    return test::pollUntil(queued, std::chrono::seconds(kMaxSeconds));
}

TEST(ProgramTermination, serve_onSigterm_endsStreamsWithAnErrorEvent_othersWithAStatus) {
    const test::TemporaryFolder home;
    Running serve({"serve", test::pilotModel().string(), "--port", "0", "--slots", "2", "--set",
                   "precision=fast"},
                  {"HOME=" + home.path().string(), "XDG_DATA_HOME=" + home.path().string()});
    ASSERT_TRUE(serve.says("listening on ")) << serve.said;
    ASSERT_TRUE(serve.says("\n"));
    const std::uint16_t port = portOf(serve.said);
    ASSERT_NE(port, 0) << serve.said;
    const std::string endless = "\"max_tokens\":3000,\"ignore_eos\":true,\"temperature\":1";
    const std::string message = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],";
    test::WireClient chat(port), response(port), whole(port), idle(port);
    chat.send(posted(port, "/v1/chat/completions", message + "\"stream\":true," + endless + "}"));
    std::string first;
    while (first.find("\"content\":\"") == std::string::npos) {
        const auto chunk = chat.next();
        ASSERT_TRUE(chunk) << first;
        first += *chunk;
    }
    response.send(posted(port, "/v1/responses",
                         "{\"input\":\"Hi\",\"stream\":true,\"ignore_eos\":true,"
                         "\"max_output_tokens\":3000}"));
    ASSERT_TRUE(response.next());
    // Both slots are in use, so this request waits.
    whole.send(posted(port, "/completion", "{\"prompt\":\"Hi\"," + endless + "}"));
    ASSERT_TRUE(waitsForASlot(port));
    const auto begin = std::chrono::steady_clock::now();
    serve.send(SIGTERM);
    std::string rest;
    while (const auto chunk = chat.next()) rest += *chunk;
    const std::size_t last = rest.rfind("data: ");
    ASSERT_NE(last, std::string::npos) << rest;
    EXPECT_NE(rest.find("\"error\"", last), std::string::npos) << rest.substr(last);
    EXPECT_NE(rest.find("shutting down", last), std::string::npos) << rest.substr(last);
    EXPECT_EQ(rest.find("[DONE]"), std::string::npos);
    std::string failed;
    while (const auto chunk = response.next()) failed += *chunk;
    EXPECT_NE(failed.find("shutting down"), std::string::npos) << failed;
    EXPECT_EQ(whole.answer().status, 503);
    EXPECT_TRUE(idle.closes());
    EXPECT_EQ(serve.ended(), 0) << serve.said;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(ProgramTermination, serve_withoutWritableStorage_reportsUnsavedPrecision) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("file", "mine").string();
    Running serve({"serve", kTinyModel, "--port", "0"},
                  {"HOME=" + file, "XDG_CACHE_HOME=" + file, "XDG_DATA_HOME=" + file});
    ASSERT_TRUE(serve.says("listening on ")) << serve.said;
    ASSERT_TRUE(serve.says("The measured precision of Llama could not be saved: " + file))
        << serve.said;
    serve.send(SIGTERM);
    EXPECT_EQ(serve.ended(), 0) << serve.said;
}

#ifdef LACUNA_WITH_WINDOW

TEST(ProgramTermination, window_withoutADisplay_reportsItAndExitsWith69) {
    const test::TemporaryFolder home;
    const std::string folder = "HOME=" + home.path().string();
    for (const char* display : {"DISPLAY", "DISPLAY=:987"}) {
        Running window({"window", kTinyModel},
                       {folder, display, "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb"});
        EXPECT_EQ(window.ended(), 69) << window.said;
        EXPECT_TRUE(window.said.starts_with("lacuna: UNSUPPORTED: no display is available"))
            << window.said;
        EXPECT_EQ(std::ranges::count(window.said, '\n'), 1) << "said once: " << window.said;
    }
}

/// The store exists once the window's state is created.
bool waitForStore(const std::filesystem::path& home) {
    const auto exists = [&] {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home))
            if (entry.path().filename() == "conversations.sqlite") return true;
        return false;
    };
    return test::pollUntil(exists, std::chrono::seconds(kMaxSeconds));
}

TEST(ProgramTermination, window_onSignal_closesAndReportsTheSignal) {
    for (const int signal : {SIGTERM, SIGINT}) {
        const test::TemporaryFolder home;
        Running window({"window", kTinyModel}, {"HOME=" + home.path().string(), "XDG_DATA_HOME",
                                                "XDG_CONFIG_HOME", "QT_QPA_PLATFORM=offscreen"});
        ASSERT_TRUE(waitForStore(home.path()));
        window.send(signal);
        EXPECT_EQ(window.ended(), 128 + signal) << window.said;
    }
}

TEST(ProgramTermination, window_withoutWritableStorage_startsAndEndsOnSignal) {
    const test::TemporaryFolder home;
    const std::string file = home.write("file", "mine").string();
    const std::string folder = home.path().string();
    const std::vector<std::vector<std::string>> places{
        {"HOME=/proc/nobody", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"},
        {"HOME=" + file, "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"},
        {"HOME=" + folder, "XDG_DATA_HOME=" + file, "XDG_CONFIG_HOME=" + file,
         "XDG_CACHE_HOME=" + file, "TMPDIR=/proc/nobody"},
        {"HOME=" + folder, "XDG_DATA_HOME=below", "XDG_CONFIG_HOME=below", "XDG_CACHE_HOME=below"}};
    for (std::vector<std::string> place : places) {
        place.emplace_back("QT_QPA_PLATFORM=offscreen");
        Running window({"window", kTinyModel}, place);
        EXPECT_TRUE(window.holds("/models/llama/model.gguf")) << place[0];
        window.send(SIGTERM);
        EXPECT_EQ(window.ended(), 128 + SIGTERM) << place[0] << '\n' << window.said;
        EXPECT_EQ(place[1].ends_with("=below"),
                  window.said.find("XDG_DATA_HOME is ignored: \"below\"") != std::string::npos)
            << window.said;
    }
    EXPECT_EQ(std::filesystem::file_size(file), 4U);
    EXPECT_FALSE(std::filesystem::exists("below")) << "XDG's folders are whole paths";
}

#endif

}  // namespace
}  // namespace lacuna::cli
