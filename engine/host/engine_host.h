#pragma once
/// \file
/// Runs one engine on its own thread, with its command queue and its event hub. Used by the window,
/// the server, the command line, replays and tests.

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
    /// `commands` replaces the host's own queue, as a replay needs, and must outlive the host;
    /// send() has no effect then.
    explicit EngineHost(EngineOptions options, CommandSource* commands = nullptr);
    /// Calls stop().
    ~EngineHost() override;

    /// Subscribers added before start() receive every event.
    [[nodiscard]] EventHub& events() { return events_; }
    /// Starts the engine; at most once. If no thread can be created, Fatal is the only event.
    void start();
    /// Any thread; never blocks. Commands sent before start() are queued; those sent after
    /// requestStop() are dropped.
    void send(Command command) override;
    /// Any thread; never blocks. The engine ends its turns and its thread; a step in progress is
    /// cancelled.
    void requestStop() { stop_.request_stop(); }
    /// Requests the stop and joins the thread. Must not be called from an event receiver on that
    /// thread.
    void stop();
    /// Waits until the engine has ended for any reason. @pre started
    void wait();

    /// Returns the loaded model without the draft model; null if there is none, or if it has no
    /// file. Any thread; the host does not keep the model in memory.
    [[nodiscard]] std::shared_ptr<const LoadedModel> model() const;
    [[nodiscard]] const MachineFacts& machine() const { return options_.machine; }

  private:
    void post(Event event) override;
    [[nodiscard]] bool retentionRequested(ConversationId conversation) const override {
        return events_.retentionRequested(conversation);
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
    /// First model read since the last event about a model; the draft model is read after it.
    std::weak_ptr<const LoadedModel> read_ LACUNA_GUARDED_BY(mutex_);
    std::weak_ptr<const LoadedModel> inUse_ LACUNA_GUARDED_BY(mutex_);
    bool reported_ LACUNA_GUARDED_BY(mutex_) = true;  ///< the outcome for `read_` was posted
    std::jthread thread_;
};

}  // namespace lacuna
