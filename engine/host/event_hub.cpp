#include "engine/host/event_hub.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

namespace lacuna {

namespace {

Audience ownerOf(ConversationId conversation) {
    return conversation.value >= EventHub::kServerConversations ? Audience::Server
                                                                : Audience::Window;
}

/// An event about one conversation, including a rejected change of its settings, is for its owner.
/// All means both owners.
template <class T>
Audience audienceOf(const T& event) {
    if constexpr (requires { event.conversation.has_value(); }) {
        return event.conversation ? ownerOf(*event.conversation) : Audience::All;
    } else if constexpr (requires { event.conversation; }) {
        return ownerOf(event.conversation);
    } else if constexpr (requires { event.revision; }) {
        return event.revision.value >= EventHub::kServerRevisions ? Audience::Server
                                                                  : Audience::Window;
    } else {
        constexpr bool shared = std::is_same_v<T, ModelLoaded> ||
                                std::is_same_v<T, ModelUnloaded> ||
                                std::is_same_v<T, PrecisionChosen> ||
                                std::is_same_v<T, PrefixCacheChanged> || std::is_same_v<T, Fatal>;
        return shared ? Audience::All : Audience::Window;
    }
}

bool receives(Audience subscriber, Audience event) {
    return subscriber == Audience::All || event == Audience::All || subscriber == event;
}

/// Returns the revision that the event carries, or null.
Revision* revisionOf(Event& event) {
    return std::visit(
        [](auto& one) -> Revision* {
            if constexpr (requires { one.revision.value; }) return &one.revision;
            return nullptr;
        },
        event);
}

}  // namespace

struct EventSubscription::State {
    State(EventHub::Options given, EventHub::Receiver onPost, EventHub::Wake onFirst)
        : options(given), queued(!onPost), receiver(std::move(onPost)), wake(std::move(onFirst)) {
        waiting.reserve(EventHub::kSpare);
    }

    void deliver(const Event& event);
    void deliver(Event&& event);
    void close();
    [[nodiscard]] bool store(Event&& event);
    [[nodiscard]] std::optional<Event> first();

    const EventHub::Options options;
    const bool queued;
    CurrentState current;  ///< written before the first event
    std::atomic<bool> closed{false};

    // Held while receiver or wake runs; a nested call on the same thread does not take it again.
    Mutex calling;
    std::atomic<std::thread::id> caller{};  ///< thread of the running call
    EventHub::Receiver receiver;
    EventHub::Wake wake;

    mutable Mutex mutex;
    StoppableCondition arrived;
    std::vector<Event> waiting LACUNA_GUARDED_BY(mutex);
    std::size_t samplesWaiting LACUNA_GUARDED_BY(mutex) = 0;
    std::int64_t samplesDropped LACUNA_GUARDED_BY(mutex) = 0;
    bool woken LACUNA_GUARDED_BY(mutex) = false;  ///< wake was called since the queue was empty
    // Accessed only by the consumer thread: events that next() has not returned yet.
    std::vector<Event> taken;
    std::size_t returned = 0;

  private:
    class Call;
};

/// Holds the call lock unless this thread is already inside a call.
class EventSubscription::State::Call {
  public:
    // The lock is conditional, which the analysis cannot follow.
    explicit Call(State& state) LACUNA_NO_THREAD_SAFETY_ANALYSIS
        : state_(state),
          outermost_(state.caller != std::this_thread::get_id()) {
        if (!outermost_) return;
        state_.calling.lock();
        state_.caller = std::this_thread::get_id();
    }
    ~Call() LACUNA_NO_THREAD_SAFETY_ANALYSIS {
        if (!outermost_) return;
        EventHub::Receiver receiver;
        EventHub::Wake wake;
        if (state_.closed) {
            receiver.swap(state_.receiver);
            wake.swap(state_.wake);
        }
        state_.caller = std::thread::id();
        state_.calling.unlock();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

  private:
    State& state_;
    const bool outermost_;
};

void EventSubscription::State::deliver(const Event& event) {
    if (queued) return deliver(Event(event));
    const Call call(*this);
    if (!closed) receiver(event);
}

void EventSubscription::State::deliver(Event&& event) {
    const Call call(*this);
    if (closed) return;
    if (!queued) return receiver(event);
    if (!store(std::move(event)) || !wake || wake()) return;
    const MutexLock lock(mutex);
    woken = false;
}

/// Returns true if the subscriber must be woken. Reserves room before it changes anything.
bool EventSubscription::State::store(Event&& event) {
    const bool sample = std::holds_alternative<StepSample>(event);
    const bool reportsShortage =
        std::holds_alternative<Notice>(event) || std::holds_alternative<Fatal>(event);
    const MutexLock lock(mutex);
    if (sample && samplesWaiting >= options.maxSamples) {
        ++samplesDropped;
        return false;
    }
    const std::size_t size = waiting.size();
    if (size + (reportsShortage ? 0 : EventHub::kSpare) >= waiting.capacity())
        waiting.reserve(std::max(2 * waiting.capacity(), size + 1 + EventHub::kSpare));
    waiting.push_back(std::move(event));
    samplesWaiting += sample ? 1 : 0;
    arrived.notifyOne();
    return !std::exchange(woken, true);
}

void EventSubscription::State::close() {
    closed = true;
    const Call call(*this);  // waits for a call on another thread
}

std::optional<Event> EventSubscription::State::first() {
    if (returned == taken.size()) return std::nullopt;
    return std::move(taken[returned++]);
}

EventSubscription& EventSubscription::operator=(EventSubscription&& other) noexcept {
    if (this == &other) return *this;
    close();
    state_ = std::move(other.state_);
    return *this;
}

void EventSubscription::close() {
    if (state_) state_->close();
}

const CurrentState& EventSubscription::current() const {
    return state_->current;
}

std::vector<Event> EventSubscription::take() {
    std::vector<Event> batch;
    try {
        batch.reserve(EventHub::kSpare);
    } catch (const std::bad_alloc&) {
        // The next event reserves instead.
    }
    const MutexLock lock(state_->mutex);
    batch.swap(state_->waiting);
    state_->samplesWaiting = 0;
    state_->woken = false;
    return batch;
}

std::optional<Event> EventSubscription::next(std::stop_token stop) {
    return nextUntil(std::chrono::steady_clock::time_point::max(), std::move(stop));
}

std::optional<Event> EventSubscription::nextUntil(std::chrono::steady_clock::time_point until,
                                                  std::stop_token stop) {
    State& state = *state_;
    if (auto event = state.first()) return event;
    {
        MutexLock lock(state.mutex);
        const auto some = [&state]()
                              LACUNA_REQUIRES(state.mutex) { return !state.waiting.empty(); };
        const bool came = until == std::chrono::steady_clock::time_point::max()
                              ? state.arrived.wait(lock, std::move(stop), some)
                              : state.arrived.waitUntil(lock, std::move(stop), until, some);
        if (!came) return std::nullopt;
    }
    state.taken = take();
    state.returned = 0;
    return state.first();
}

std::int64_t EventSubscription::samplesDropped() const {
    const MutexLock lock(state_->mutex);
    return state_->samplesDropped;
}

EventHub::EventHub(EngineConfig initial) : subscribers_(std::make_shared<const States>()) {
    current_.config = std::move(initial);
}

EventHub::~EventHub() = default;

EventSubscription EventHub::subscribe(Options options, Receiver receiver) {
    return add(std::make_shared<State>(options, std::move(receiver), Wake()));
}

EventSubscription EventHub::subscribeQueue(Options options, Wake wake) {
    return add(std::make_shared<State>(options, Receiver(), std::move(wake)));
}

EventSubscription EventHub::add(std::shared_ptr<State> state) {
    const MutexLock lock(mutex_);
    auto all = std::make_shared<States>();
    all->reserve(subscribers_->size() + 1);
    for (const auto& one : *subscribers_)
        if (!one->closed) all->push_back(one);
    all->push_back(state);
    state->current = current_;
    subscribers_ = std::move(all);
    return EventSubscription(std::move(state));
}

void EventHub::updateCurrent(const Event& event) {
    if (const auto* loaded = std::get_if<ModelLoaded>(&event)) {
        current_.model = loaded->facts;
    } else if (std::holds_alternative<ModelUnloaded>(event)) {
        current_.model.reset();
    } else if (const auto* chosen = std::get_if<PrecisionChosen>(&event)) {
        if (!current_.model) return;
        current_.model->precision = chosen->precision;
        current_.model->precisionKl = chosen->klMean;
        current_.model->precisionNote = chosen->note;
    } else if (const auto* prefixes = std::get_if<PrefixCacheChanged>(&event)) {
        current_.prefixes = prefixes->stats;
    } else if (const auto* applied = std::get_if<ConfigApplied>(&event)) {
        if (!applied->conversation) current_.config = applied->config;
        if (applied->revision.value < kServerRevisions) revision_ = applied->revision;
    }
}

bool EventHub::retentionRequested(ConversationId conversation) const {
    const MutexLock lock(mutex_);
    return std::ranges::any_of(*subscribers_, [&](const auto& one) {
        return one->options.retention && !one->closed &&
               receives(one->options.audience, ownerOf(conversation));
    });
}

/// Notifies the newest subscriber first. A server joins after the window; if the window has no
/// room, a repeated post may reach the server twice, but not the window.
void EventHub::post(Event event) {
    const Audience audience = std::visit([](const auto& one) { return audienceOf(one); }, event);
    std::shared_ptr<const States> all;
    Revision windows;
    {
        const MutexLock lock(mutex_);
        updateCurrent(event);
        all = subscribers_;
        windows = revision_;
    }
    const auto receiving = [audience](const std::shared_ptr<State>& one) {
        return !one->closed && receives(one->options.audience, audience);
    };
    auto one = std::find_if(all->rbegin(), all->rend(), receiving);
    while (one != all->rend()) {
        State& subscriber = **one;
        one = std::find_if(std::next(one), all->rend(), receiving);
        // Hides revisions of the server's changes from the window.
        Revision* const revision =
            subscriber.options.audience == Audience::Window ? revisionOf(event) : nullptr;
        const bool marked = revision != nullptr && revision->value >= kServerRevisions;
        const Revision given = marked ? std::exchange(*revision, windows) : Revision();
        if (one == all->rend()) return subscriber.deliver(std::move(event));
        subscriber.deliver(std::as_const(event));
        if (marked) *revision = given;
    }
}

}  // namespace lacuna
