#pragma once
/// \file
/// One engine on a thread of its own, with the queue of its commands and the hub of its events. The
/// window, the server, the command line, a replay and the tests all run their engine in one.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <thread>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/host/event_hub.h"
#include "engine/session/command.h"
#include "engine/session/engine.h"

namespace lacuna {

struct LoadedModel;
struct LoadOptions;

class EngineHost final : public CommandSink, private EventSink {
  public:
    /// `commands`, which outlives the host, is used in place of its own queue, as a replay needs
    /// it; send() has no effect then.
    explicit EngineHost(EngineOptions options, CommandSource* commands = nullptr);
    /// As stop().
    ~EngineHost() override;

    /// Subscribers of before start() receive every event.
    [[nodiscard]] EventHub& events() { return events_; }
    /// Starts the engine. Where the system gives no thread, Fatal is the only event. Once at most.
    void start();
    /// Any thread; never blocks. Commands of before start() wait for it; those after requestStop()
    /// are dropped.
    void send(Command command) override;
    /// Any thread; never blocks. The engine ends its turns and its thread: a step in progress sees
    /// it as a cancel.
    void requestStop() { stop_.request_stop(); }
    /// Requests the stop and waits for the thread; not for receivers on that thread.
    void stop();
    /// Waits until the engine has ended, by whatever reason. @pre started
    void wait();

    /// The model in use, without the draft model; null when there is none, or one without a file.
    /// Any thread; the host does not keep it in memory.
    [[nodiscard]] std::shared_ptr<const LoadedModel> model() const;
    [[nodiscard]] const MachineFacts& machine() const { return options_.machine; }

  private:
    void post(Event event) override;
    [[nodiscard]] bool wantsRetention(ConversationId conversation) const override {
        return events_.wantsRetention(conversation);
    }
    [[nodiscard]] Result<std::shared_ptr<const LoadedModel>> load(const ModelMakers& makers,
                                                                  const std::filesystem::path& path,
                                                                  const LoadOptions& options);
    void run();

    EngineOptions options_;
    EventHub events_;
    CommandQueue queue_;
    CommandSource& commands_;
    std::stop_source stop_;
    mutable Mutex mutex_;
    Condition changed_;
    bool ended_ LACUNA_GUARDED_BY(mutex_) = false;
    /// The first model that was read since the newest event about one; the draft model follows it.
    std::weak_ptr<const LoadedModel> read_ LACUNA_GUARDED_BY(mutex_);
    std::weak_ptr<const LoadedModel> inUse_ LACUNA_GUARDED_BY(mutex_);
    bool reported_ LACUNA_GUARDED_BY(mutex_) = true;  ///< what became of read_
    std::jthread thread_;
};

}  // namespace lacuna
