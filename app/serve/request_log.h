#pragma once
/// \file
/// Log of the newest answers, including running ones. Holds figures only, no text of prompts or
/// answers. Owned by the server's thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/request_scheduler.h"
#include "engine/session/event.h"

namespace lacuna::app {

struct LoggedRequest {
    using Clock = std::chrono::steady_clock;
    std::int64_t id = 0;  ///< starts at 1
    std::chrono::system_clock::time_point asked;
    Clock::time_point began, firstToken, newest;
    std::int64_t promptTokens = 0, readTokens = 0, reusedTokens = 0, answerTokens = 0;
    std::optional<FinishReason> end;  ///< nullopt while the answer is running
    std::string problem = {};

    [[nodiscard]] double seconds(Clock::time_point now) const;
    /// Generation speed; nullopt before the second token.
    [[nodiscard]] std::optional<double> tokensPerSecond() const;
};

class RequestLog {
  public:
    using Clock = LoggedRequest::Clock;
    static constexpr std::size_t kMaxEntries = 50;

    /// @pre called before RequestScheduler takes the same event
    void take(const Event& event, const std::vector<RequestScheduler::Slot>& slots,
              Clock::time_point now = Clock::now());
    /// Newest first.
    [[nodiscard]] const std::deque<LoggedRequest>& requests() const { return m_requests; }

  private:
    [[nodiscard]] LoggedRequest* running(ConversationId conversation);
    void begin(const TurnStarted& turn, const std::vector<RequestScheduler::Slot>& slots,
               Clock::time_point now);

    std::deque<LoggedRequest> m_requests;
    std::map<ConversationId, std::int64_t> m_running;  ///< log ids by conversation
    std::int64_t m_last = 0;
};

}  // namespace lacuna::app
