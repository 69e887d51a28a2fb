#include "app/main/stdin_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace lacuna::cli {
namespace {

constexpr int kPollMs = 50;

}  // namespace

bool StdinReader::more(std::string& text) {
    char part[1 << 16];
    while (!stop_.stop_requested()) {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&input, 1, kPollMs);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t count = ::read(STDIN_FILENO, part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.append(part, static_cast<std::size_t>(count));
        return true;
    }
    return false;
}

bool StdinReader::line(std::string& text) {
    std::size_t searched = 0;
    while (true) {
        const auto end = waiting_.find('\n', searched);
        if (end != std::string::npos) {
            text = waiting_.substr(0, end);
            waiting_.erase(0, end + 1);
            return true;
        }
        searched = waiting_.size();
        if (more(waiting_)) continue;
        if (stop_.stop_requested() || waiting_.empty()) return false;
        text = std::move(waiting_);  // the last one, without an end
        waiting_.clear();
        return true;
    }
}

}  // namespace lacuna::cli
