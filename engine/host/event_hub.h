#pragma once
/// \file
/// Distributes the events of one engine. A subscriber receives events on the engine's thread, or
/// takes them from a queue on its own thread. An audience limits it to the events of its
/// conversations. A late subscriber gets the state at the time it joins.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/mutex.h"
#include "engine/session/event.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

/// Selects the events that a subscriber receives. A window and a server can share an engine: each
/// has its own conversations and receives no events about the other's. Both receive events about
/// the model, the shared settings, the prefix cache and the end of the engine.
enum class Audience {
    All,
    Window,  ///< everything except events of the server's conversations
    Server,  ///< the server's conversations, and events that concern both
};

/// State of an engine at the time a subscriber joins.
struct CurrentState {
    EngineConfig config;  ///< shared settings
    std::optional<ModelFacts> model;
    std::optional<PrefixStats> prefixes;
};

/// A subscription to an EventHub. The destructor ends it: it waits for a receiver call running on
/// another thread, and no call follows. It may outlive the hub. A moved-from subscription may only
/// be destroyed or assigned to.
class EventSubscription {
  public:
    EventSubscription() = default;
    EventSubscription(EventSubscription&&) noexcept = default;
    EventSubscription& operator=(EventSubscription&& other) noexcept;
    ~EventSubscription() { close(); }

    /// Ends the subscription early. May be called from the receiver, which is then not called
    /// again.
    void close();
    /// Returns the state when the subscription began, before its first event.
    [[nodiscard]] const CurrentState& current() const;

    // --- of a queue, on one thread ---

    /// Returns the queued events in order; the next event calls Wake again.
    [[nodiscard]] std::vector<Event> take();
    /// Waits for the next event; nullopt if `stop` is requested first.
    [[nodiscard]] std::optional<Event> next(std::stop_token stop);
    /// Like next(), but also returns nullopt if no event arrives before `until`.
    [[nodiscard]] std::optional<Event> nextUntil(std::chrono::steady_clock::time_point until,
                                                 std::stop_token stop);
    [[nodiscard]] std::int64_t samplesDropped() const;

  private:
    friend class EventHub;
    struct State;
    explicit EventSubscription(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

/// All functions may be called on any thread, but post() only on one thread at a time. A receiver
/// may subscribe, end subscriptions and post.
///
/// Subscribers are notified one after the other, the newest first; each receives its events in
/// order. If memory runs out, post() throws std::bad_alloc; the subscriber that had no room and
/// those older than it have not received the event then. A failed post may be repeated, and a sole
/// subscriber receives nothing twice. Every queue reserves room for Notice and Fatal, which report
/// the shortage.
class EventHub final : public EventSink {
  public:
    /// First conversation id of the server. The window uses milliseconds since 1970 as ids, which
    /// are smaller.
    static constexpr std::int64_t kServerConversations = std::int64_t{1} << 50;
    /// First revision used by the server for settings of its conversations.
    static constexpr std::int64_t kServerRevisions = std::int64_t{1} << 40;
    static constexpr std::size_t kSpare = 8;  ///< events that always fit into a queue

    struct Options {
        Audience audience = Audience::All;
        bool retention = false;  ///< compactions carry a RetentionSnapshot
        /// Queues only: once this many step samples are queued, further ones are counted and
        /// dropped.
        std::size_t maxSamples = std::numeric_limits<std::size_t>::max();
    };
    /// Called synchronously on the posting thread.
    using Receiver = std::function<void(const Event&)>;
    /// Called on the posting thread when a queue becomes non-empty. Returns false if the subscriber
    /// could not be reached; the next event then calls it again.
    using Wake = std::function<bool()>;

    /// `initial` are the settings that the engine starts with.
    explicit EventHub(EngineConfig initial = {});
    ~EventHub() override;

    [[nodiscard]] EventSubscription subscribe(Options options, Receiver receiver);
    /// Without `wake` the subscriber blocks in next().
    [[nodiscard]] EventSubscription subscribeQueue(Options options, Wake wake = {});
    void post(Event event) override;
    /// Returns true if any subscriber records the conversation.
    [[nodiscard]] bool retentionRequested(ConversationId conversation) const override;

  private:
    using State = EventSubscription::State;
    using States = std::vector<std::shared_ptr<State>>;

    [[nodiscard]] EventSubscription add(std::shared_ptr<State> state);
    void updateCurrent(const Event& event) LACUNA_REQUIRES(mutex_);

    mutable Mutex mutex_;
    /// Copy on write, so that post() iterates over a stable list.
    std::shared_ptr<const States> subscribers_ LACUNA_GUARDED_BY(mutex_);
    CurrentState current_ LACUNA_GUARDED_BY(mutex_);
    Revision revision_ LACUNA_GUARDED_BY(mutex_);  ///< newest change not made by a server
};

}  // namespace lacuna
