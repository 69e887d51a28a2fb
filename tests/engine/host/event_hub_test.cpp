// Delivery of engine events: recipients, threads, and subscribers that join late or leave early.

#include "engine/host/event_hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace lacuna {
namespace {

using namespace std::chrono_literals;

const ConversationId kOfServer{EventHub::kServerConversations + 2};
const ConversationId kOfWindow{1'700'000'000'000};
constexpr std::int64_t kServerRevision = EventHub::kServerRevisions + 1;

TokenText token(std::int64_t index, ConversationId conversation = kOfWindow) {
    TokenText event;
    event.conversation = conversation;
    event.index = index;
    return event;
}

std::int64_t indexOf(const Event& event) {
    return std::get<TokenText>(event).index;
}

ConfigApplied applied(std::int64_t revision) {
    ConfigApplied event;
    event.revision = Revision(revision);
    return event;
}

ConfigRejected rejected(std::int64_t revision) {
    ConfigRejected event;
    event.revision = Revision(revision);
    return event;
}

ModelLoaded loaded(const std::string& name) {
    ModelLoaded event;
    event.facts.name = name;
    return event;
}

std::vector<std::int64_t> indexes(const std::vector<Event>& events) {
    std::vector<std::int64_t> found;
    for (const Event& event : events) found.push_back(indexOf(event));
    return found;
}

TEST(EventHub, subscribersOfBothKinds_receiveAllEventsInOrder) {
    EventHub hub;
    std::vector<std::int64_t> direct;
    auto first = hub.subscribeQueue({});
    const auto second =
        hub.subscribe({}, [&](const Event& event) { direct.push_back(indexOf(event)); });
    auto third = hub.subscribeQueue({});
    for (int i = 0; i < 100; ++i) {
        hub.post(token(i));
        ASSERT_EQ(direct.size(), static_cast<std::size_t>(i) + 1) << "on this thread, at once";
    }
    EXPECT_EQ(indexes(first.take()), direct);
    EXPECT_EQ(indexes(third.take()), direct);
    for (std::size_t i = 0; i < direct.size(); ++i)
        EXPECT_EQ(direct[i], static_cast<std::int64_t>(i));
    EXPECT_TRUE(first.take().empty());
}

TEST(EventHub, newestSubscriber_isNotifiedFirst) {
    EventHub hub;
    std::vector<int> called;
    const auto older = hub.subscribe({}, [&](const Event&) { called.push_back(1); });
    const auto newer = hub.subscribe({}, [&](const Event&) { called.push_back(2); });
    hub.post(token(0));
    EXPECT_EQ(called, (std::vector{2, 1}));
}

class SharedHubTest : public ::testing::Test {
  protected:
    EventHub hub;
    EventSubscription window = hub.subscribeQueue({.audience = Audience::Window});
    EventSubscription server = hub.subscribeQueue({.audience = Audience::Server});
};

TEST_F(SharedHubTest, conversationEvents_areReceivedByTheirOwnerOnly) {
    hub.post(token(1, kOfServer));
    EXPECT_TRUE(window.take().empty());
    EXPECT_EQ(indexes(server.take()), (std::vector<std::int64_t>{1}));
    hub.post(token(2, kOfWindow));
    EXPECT_EQ(indexes(window.take()), (std::vector<std::int64_t>{2}));
    EXPECT_TRUE(server.take().empty());
}

TEST_F(SharedHubTest, otherEvents_goToTheWindow_andModelEventsToBoth) {
    hub.post(loaded("small"));
    hub.post(Notice{"a policy was replaced"});
    hub.post(StateChanged{EngineState::Idle});
    hub.post(applied(1));
    hub.post(rejected(2));
    EXPECT_EQ(window.take().size(), 5U);
    const auto shared = server.take();
    ASSERT_EQ(shared.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<ModelLoaded>(shared[0]));
    EXPECT_TRUE(std::holds_alternative<ConfigApplied>(shared[1]));
}

TEST_F(SharedHubTest, serverChanges_reachTheWindowNeitherAsEventsNorRevisions) {
    ConfigApplied change = applied(kServerRevision);
    change.conversation = kOfServer;
    StepSample step;
    step.conversation = kOfWindow;
    step.revision = Revision(kServerRevision);
    hub.post(applied(7));
    hub.post(change);
    hub.post(rejected(kServerRevision));
    EXPECT_EQ(window.take().size(), 1U);
    EXPECT_EQ(server.take().size(), 3U);
    auto all = hub.subscribeQueue({});
    hub.post(step);
    const auto received = window.take();
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(std::get<StepSample>(received[0]).revision, Revision(7));
    EXPECT_EQ(std::get<StepSample>(all.take().at(0)).revision, Revision(kServerRevision));
}

TEST_F(SharedHubTest, lateSubscriber_receivesTheCurrentState_andNoEarlierEvents) {
    ConfigApplied change = applied(1);
    change.config.kv.budget = 512;
    PrefixCacheChanged prefixes;
    prefixes.stats.inserts = 3;
    hub.post(loaded("small"));
    hub.post(change);
    hub.post(PrecisionChosen{.precision = Precision::Exact, .note = "measured"});
    hub.post(prefixes);
    auto late = hub.subscribeQueue({.audience = Audience::Server});
    ASSERT_TRUE(late.current().model);
    EXPECT_EQ(late.current().model->name, "small");
    EXPECT_EQ(late.current().model->precision, Precision::Exact);
    EXPECT_EQ(late.current().config.kv.budget, 512);
    ASSERT_TRUE(late.current().prefixes);
    EXPECT_EQ(late.current().prefixes->inserts, 3);
    EXPECT_TRUE(late.take().empty());
    late.close();
    hub.post(ModelUnloaded{});
    EXPECT_TRUE(late.take().empty());
    EXPECT_TRUE(late.current().model) << "as it was when the subscription began";
    EXPECT_FALSE(hub.subscribeQueue({}).current().model);
}

TEST(EventHub, retention_isRequestedForConversationsOfRecordingSubscribers) {
    EventHub hub;
    EXPECT_FALSE(hub.retentionRequested(kOfWindow));
    auto recording = hub.subscribeQueue({.audience = Audience::Window, .retention = true});
    const auto serving = hub.subscribeQueue({.audience = Audience::Server});
    EXPECT_TRUE(hub.retentionRequested(kOfWindow));
    EXPECT_FALSE(hub.retentionRequested(kOfServer));
    recording.close();
    EXPECT_FALSE(hub.retentionRequested(kOfWindow));
}

TEST(EventHub, samplesBeyondTheBound_areDroppedAndCounted_textIsKept) {
    EventHub hub;
    auto queue = hub.subscribeQueue({.maxSamples = 5});
    for (int i = 0; i < 8; ++i) hub.post(StepSample{});
    hub.post(token(0));
    EXPECT_EQ(queue.take().size(), 6U);
    EXPECT_EQ(queue.samplesDropped(), 3);
    hub.post(StepSample{});
    EXPECT_EQ(queue.take().size(), 1U) << "there is room again";
}

TEST(EventHub, queue_isWokenOncePerBatch_andAgainAfterAFailure) {
    EventHub hub;
    int woken = 0;
    bool reached = true;
    auto queue = hub.subscribeQueue({}, [&] {
        ++woken;
        return reached;
    });
    hub.post(token(0));
    hub.post(token(1));
    EXPECT_EQ(woken, 1);
    static_cast<void>(queue.take());
    reached = false;
    hub.post(token(2));
    hub.post(token(3));
    EXPECT_EQ(woken, 3);
    EXPECT_EQ(queue.take().size(), 2U);
}

TEST(EventHub, next_returnsEventsInOrder_thenNothing) {
    EventHub hub;
    auto queue = hub.subscribeQueue({});
    std::stop_source stop;
    std::jthread engine([&] {
        for (int i = 0; i < 1000; ++i) hub.post(token(i));
    });
    for (int i = 0; i < 1000; ++i) {
        const auto event = queue.next(stop.get_token());
        ASSERT_TRUE(event);
        ASSERT_EQ(indexOf(*event), i);
    }
    EXPECT_FALSE(queue.nextUntil(std::chrono::steady_clock::now() + 5ms, stop.get_token()));
    std::jthread stopper([&] { stop.request_stop(); });
    EXPECT_FALSE(queue.next(stop.get_token()));
}

TEST(EventHub, close_waitsForRunningCalls_andNoneFollow) {
    EventHub hub;
    std::latch entered(1), leave(1);
    std::atomic<int> calls = 0;
    std::atomic<bool> within = false, closed = false;
    auto subscription = hub.subscribe({}, [&](const Event&) {
        within = true;
        ++calls;
        entered.count_down();
        leave.wait();
        within = false;
    });
    std::jthread engine([&] {
        hub.post(token(0));
        hub.post(token(1));
    });
    entered.wait();
    std::jthread closer([&] {
        subscription.close();
        EXPECT_FALSE(within) << "the call has ended";
        closed = true;
    });
    std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(closed);
    leave.count_down();
    closer.join();
    engine.join();
    EXPECT_EQ(calls, 1);
}

TEST(EventHub, receiver_mayEndItsOwnSubscription) {
    EventHub hub;
    int calls = 0;
    EventSubscription subscription;
    subscription = hub.subscribe({}, [&, kept = std::make_shared<int>(7)](const Event&) {
        subscription = EventSubscription();
        calls += *kept;  // captures of the receiver stay alive until it returns
    });
    hub.post(token(0));
    hub.post(token(1));
    EXPECT_EQ(calls, 7);
}

TEST(EventHub, receiver_mayPostAndSubscribe) {
    EventHub hub;
    std::vector<std::int64_t> seen;
    EventSubscription late;
    const auto subscription = hub.subscribe({}, [&](const Event& event) {
        const std::int64_t index = indexOf(event);
        seen.push_back(index);
        if (index == 0) hub.post(token(1));
        if (index == 1) late = hub.subscribeQueue({});
    });
    hub.post(token(0));
    hub.post(token(2));
    EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(indexes(late.take()), (std::vector<std::int64_t>{2}));
}

TEST(EventHub, throwingReceiver_receivesLaterEvents) {
    EventHub hub;
    int calls = 0;
    const auto subscription = hub.subscribe({}, [&](const Event&) {
        if (++calls == 1) throw std::bad_alloc();
    });
    EXPECT_THROW(hub.post(token(0)), std::bad_alloc);
    hub.post(token(0));
    EXPECT_EQ(calls, 2);
}

TEST(EventHub, subscription_mayOutliveItsHub) {
    auto hub = std::make_unique<EventHub>();
    auto queue = hub->subscribeQueue({});
    hub->post(token(3));
    hub.reset();
    EXPECT_EQ(indexes(queue.take()), (std::vector<std::int64_t>{3}));
    queue.close();
}

// Subscribers join and leave on several threads while events are published. Each receives a gapless
// run of events in order and none after unsubscribing.
TEST(EventHub, subscribersAddedDuringPosting_receiveAContiguousRunOfEvents) {
    EventHub hub;
    std::atomic<bool> over = false;
    std::jthread engine([&] {
        for (std::int64_t i = 0; !over; ++i) hub.post(token(i));
    });
    const auto comeAndGo = [&] {
        for (int round = 0; round < 100; ++round) {
            auto alive = std::make_unique<std::atomic<bool>>(true);
            std::atomic<std::int64_t> direct = -1;
            auto subscription = hub.subscribe({}, [&, living = alive.get()](const Event& event) {
                EXPECT_TRUE(*living);
                EXPECT_TRUE(direct == -1 || indexOf(event) == direct + 1);
                direct = indexOf(event);
            });
            auto queue = hub.subscribeQueue({});
            std::int64_t last = -1;
            for (int i = 0; i < 20; ++i) {
                const auto event = queue.next({});
                EXPECT_TRUE(last == -1 || indexOf(*event) == last + 1);
                last = indexOf(*event);
            }
            subscription = EventSubscription();
            *alive = false;
            alive.reset();
        }
    };
    {
        std::jthread other(comeAndGo);
        comeAndGo();
    }
    over = true;
}

}  // namespace
}  // namespace lacuna
