#pragma once
/// \file
/// The engine on a thread of its own for commands without a window: the second front end.
/// Commands go through the same queue and events come through the same sink as the window's.

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/mutex.h"
#include "engine/session/engine.h"

namespace lacuna::cli {

class EngineSession final : public EventSink {
  public:
    /// The disk tier of the prefix cache lies in `prefixFolder`; by default where the window has
    /// it.
    explicit EngineSession(EngineConfig config,
                           std::optional<std::filesystem::path> prefixFolder = std::nullopt);
    ~EngineSession() override;
    void push(Command command) { commands_.push(std::move(command)); }
    /// Waits for the next event; nothing when `stop` was requested first.
    [[nodiscard]] std::optional<Event> next(std::stop_token stop);
    /// The same, and nothing when none came until then.
    [[nodiscard]] std::optional<Event> nextUntil(std::chrono::steady_clock::time_point until,
                                                 std::stop_token stop);
    void post(Event event) override;
    /// From now on compactions come with what the cache holds.
    void wantRetention() { wantsRetention_ = true; }
    [[nodiscard]] bool wantsRetention(ConversationId) const override { return wantsRetention_; }
    /// Loads and waits for the outcome; `progress` on standard error.
    [[nodiscard]] Result<ModelFacts> load(const std::filesystem::path& path, std::stop_token stop,
                                          const std::filesystem::path& draft = {});

  private:
    [[nodiscard]] Event takeFirst() LACUNA_REQUIRES(mutex_);

    CommandQueue commands_;
    std::atomic<bool> wantsRetention_{false};
    SteadyClock clock_;
    NullLogger log_;  ///< what it would say comes as events, which the commands print
    Mutex mutex_;
    StoppableCondition arrived_;
    std::deque<Event> events_ LACUNA_GUARDED_BY(mutex_);
    Engine engine_;
    std::jthread thread_;
};

}  // namespace lacuna::cli
