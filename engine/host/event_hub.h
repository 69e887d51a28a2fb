#pragma once
/// \file
/// Distributes what one engine publishes. A subscriber receives events on the engine's thread, or
/// takes them out of a queue on a thread of its own; an audience limits them to those of its
/// conversations. A late subscriber finds the state that holds when it joins.

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

/// Which events a subscriber receives. A window and a server can share an engine: each has
/// conversations of its own and never learns of those of the other. Both learn of the model in use,
/// the settings of all conversations, the prefix cache and the end of the engine.
enum class Audience {
    All,
    Window,  ///< without what concerns the server's conversations
    Server,  ///< the server's conversations, and what concerns both
};

/// The state of an engine that a subscriber needs to know from the start.
struct StandingState {
    EngineConfig config;  ///< in force for all conversations
    std::optional<ModelFacts> model;
    std::optional<PrefixStats> prefixes;
};

/// A place in an EventHub. Its destruction ends the subscription: a call of the receiver that is
/// under way on another thread is waited for, and none comes afterwards. It may outlive the hub.
/// A moved-from one may only be destroyed or assigned to.
class EventSubscription {
  public:
    EventSubscription() = default;
    EventSubscription(EventSubscription&&) noexcept = default;
    EventSubscription& operator=(EventSubscription&& other) noexcept;
    ~EventSubscription() { close(); }

    /// Ends it early. The receiver itself may do that; it is then not called again.
    void close();
    /// As it was when the subscription began, before the first of its events.
    [[nodiscard]] const StandingState& standing() const;

    // --- of a queue, on one thread ---

    /// What waits, in order; the next event wakes again.
    [[nodiscard]] std::vector<Event> take();
    /// Waits for the next event; nothing when `stop` is requested first.
    [[nodiscard]] std::optional<Event> next(std::stop_token stop);
    /// The same, and nothing when none came before `until`.
    [[nodiscard]] std::optional<Event> nextUntil(std::chrono::steady_clock::time_point until,
                                                 std::stop_token stop);
    [[nodiscard]] std::int64_t samplesDropped() const;

  private:
    friend class EventHub;
    struct State;
    explicit EventSubscription(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

/// Everything may be called on any thread, but post() on one thread at a time. A receiver may
/// subscribe, end subscriptions and post.
///
/// Subscribers are notified one after another, the newest first, each of all its events in order.
/// Where memory is short post() throws std::bad_alloc; the subscriber that had no room, and those
/// before it, have not received the event then. What fails may be posted again, and a subscriber
/// that is the only one receives nothing twice. Every queue keeps room for Notice and Fatal, which
/// report the shortage.
class EventHub final : public EventSink {
  public:
    /// Conversations of the server begin here. Those of the window are numbered by milliseconds
    /// since 1970, which stay below.
    static constexpr std::int64_t kServerConversations = std::int64_t{1} << 50;
    /// So do the numbers of changes that the server makes to settings of its conversations.
    static constexpr std::int64_t kServerRevisions = std::int64_t{1} << 40;
    static constexpr std::size_t kSpare = 8;  ///< events of a queue that always have room

    struct Options {
        Audience audience = Audience::All;
        bool retention = false;  ///< compactions come with what the cache holds
        /// Of a queue: while so many step samples wait, further ones are counted and dropped.
        std::size_t maxSamples = std::numeric_limits<std::size_t>::max();
    };
    /// Called on the thread that posts, at once.
    using Receiver = std::function<void(const Event&)>;
    /// Called on the thread that posts when a queue is no longer empty; false where the subscriber
    /// could not be reached: the next event wakes again.
    using Wake = std::function<bool()>;

    /// `initial`: the settings that the engine starts with.
    explicit EventHub(EngineConfig initial = {});
    ~EventHub() override;

    [[nodiscard]] EventSubscription subscribe(Options options, Receiver receiver);
    /// Without `wake` the subscriber waits in next().
    [[nodiscard]] EventSubscription subscribeQueue(Options options, Wake wake = {});
    void post(Event event) override;
    /// Whether any subscriber records the conversation.
    [[nodiscard]] bool wantsRetention(ConversationId conversation) const override;

  private:
    using State = EventSubscription::State;
    using States = std::vector<std::shared_ptr<State>>;

    [[nodiscard]] EventSubscription add(std::shared_ptr<State> state);
    void remember(const Event& event) LACUNA_REQUIRES(mutex_);

    mutable Mutex mutex_;
    /// Replaced as a whole, so that an event that is being posted keeps those that it began with.
    std::shared_ptr<const States> subscribers_ LACUNA_GUARDED_BY(mutex_);
    StandingState standing_ LACUNA_GUARDED_BY(mutex_);
    Revision revision_ LACUNA_GUARDED_BY(mutex_);  ///< of the newest change that no server made
};

}  // namespace lacuna
