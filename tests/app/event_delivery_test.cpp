// Event delivery from the engine's thread to one with an event loop, under load and when memory is
// short. This program's operator new fails on demand on the requesting thread.

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTest>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "app/state/engine/event_delivery.h"
#include "tests/app/core_application.h"

namespace {
thread_local int allocationsLeft = -1;  // negative: unlimited

void* allocated(std::size_t bytes) {
    if (allocationsLeft == 0) throw std::bad_alloc();
    if (allocationsLeft > 0) --allocationsLeft;
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

void* operator new(std::size_t bytes) {
    return allocated(bytes);
}
void* operator new[](std::size_t bytes) {
    return allocated(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace lacuna::app {
namespace {

TEST(EventDelivery, eventsFromAnotherThread_arriveCompleteAndInOrder) {
    coreApplication();
    std::vector<std::int64_t> seen;
    int batches = 0;
    EventHub hub;
    const EventDelivery delivery(hub, {}, EventDelivery::kWindowMs,
                                 [&](std::vector<Event>&& batch) {
                                     ++batches;
                                     for (const Event& event : batch)
                                         seen.push_back(std::get<TokenText>(event).index);
                                 });
    std::thread engine([&] {
        for (int i = 0; i < 20'000; ++i) {
            TokenText token;
            token.index = i;
            hub.post(token);
        }
    });
    engine.join();
    while (seen.size() < 20'000) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<std::int64_t>(i));
    EXPECT_LT(batches, 100);
}

TEST(EventDelivery, samplesOverTheLimit_areDroppedAndCounted_textIsKept) {
    coreApplication();
    std::size_t samples = 0, texts = 0;
    EventHub hub;
    EventDelivery delivery(hub, {.maxSamples = 100}, EventDelivery::kWindowMs,
                           [&](std::vector<Event>&& batch) {
                               for (const Event& event : batch) {
                                   samples += std::holds_alternative<StepSample>(event) ? 1 : 0;
                                   texts += std::holds_alternative<TokenText>(event) ? 1 : 0;
                               }
                           });
    for (int i = 0; i < 110; ++i) hub.post(StepSample{});
    hub.post(TokenText{});
    delivery.drain();
    EXPECT_EQ(samples, 100U);
    EXPECT_EQ(texts, 1U);
    EXPECT_EQ(delivery.samplesDropped(), 10);
}

TEST(EventDelivery, immediateDelivery_doesNotWaitForTheInterval) {
    coreApplication();
    EventHub hub;
    std::size_t received = 0;
    const EventDelivery delivery(hub, {}, EventDelivery::kAtOnce,
                                 [&](std::vector<Event>&& batch) { received += batch.size(); });
    for (std::size_t i = 1; i <= 3; ++i) {
        hub.post(TokenText{});
        QCoreApplication::processEvents();
        EXPECT_EQ(received, i);
    }
}

TEST(EventDelivery, destruction_withQueuedEvents_deliversNothingAfterwards) {
    coreApplication();
    EventHub hub;
    std::atomic<bool> over = false;
    std::jthread engine([&] {
        while (!over) {
            hub.post(TokenText{});
            std::this_thread::sleep_for(std::chrono::microseconds(50));  // pace of the events
        }
    });
    for (int round = 0; round < 50; ++round) {
        std::size_t received = 0;
        auto delivery = std::make_unique<EventDelivery>(
            hub, EventHub::Options{}, EventDelivery::kAtOnce,
            [&](std::vector<Event>&& batch) { received += batch.size(); });
        EXPECT_TRUE(QTest::qWaitFor([&] { return received > 0; }));
        delivery.reset();
        const std::size_t before = received;
        QCoreApplication::processEvents();
        EXPECT_EQ(received, before);
    }
    over = true;
}

/// Result of posting events with a limited number of allocations each.
struct Posted {
    std::vector<std::int64_t> stored;     ///< as reported by post
    std::vector<std::int64_t> delivered;  ///< in order of delivery
    int refused = 0;
};

Posted postWithin(int allocations, int events) {
    Posted out;
    EventHub hub;
    const EventDelivery delivery(hub, {}, EventDelivery::kWindowMs,
                                 [&out](std::vector<Event>&& batch) {
                                     for (const Event& event : batch)
                                         out.delivered.push_back(std::get<TokenText>(event).index);
                                 });
    std::thread engine([&] {
        for (int i = 0; i < events; ++i) {
            TokenText token;
            token.index = i;
            Event event(std::move(token));
            bool stored = true;
            allocationsLeft = allocations;
            try {
                hub.post(std::move(event));
            } catch (const std::bad_alloc&) {
                stored = false;
            }
            allocationsLeft = -1;
            if (stored)
                out.stored.push_back(i);
            else
                ++out.refused;
        }
    });
    engine.join();
    static_cast<void>(
        QTest::qWaitFor([&out] { return out.delivered.size() >= out.stored.size(); }));
    return out;
}

// Whatever allocation fails, post reports the result correctly, and stored events are delivered
// without waiting for another one.
TEST(EventDelivery, post_onAllocationFailure_neitherLosesNorDuplicatesAnEvent) {
    coreApplication();
    int wakeUpsFailed = 0;
    for (int allocations = 0; allocations < 8; ++allocations)
        for (const int events : {1, 3, 40}) {
            const Posted posted = postWithin(allocations, events);
            EXPECT_EQ(posted.delivered, posted.stored)
                << allocations << " allocations, " << events << " events";
            EXPECT_EQ(posted.stored.size() + static_cast<std::size_t>(posted.refused),
                      static_cast<std::size_t>(events));
            wakeUpsFailed += allocations == 1 && !posted.stored.empty() ? 1 : 0;
        }
    EXPECT_GT(wakeUpsFailed, 0) << "the mailbox had room, and the wake-up had none";
}

TEST(EventDelivery, noticeAndFatal_arePostedWithoutMemory) {
    coreApplication();
    std::vector<std::string> told;
    EventHub hub;
    const EventDelivery delivery(hub, {}, EventDelivery::kWindowMs,
                                 [&told](std::vector<Event>&& batch) {
                                     for (Event& event : batch)
                                         if (auto* notice = std::get_if<Notice>(&event))
                                             told.push_back(std::move(notice->sentence));
                                         else if (auto* fatal = std::get_if<Fatal>(&event))
                                             told.push_back(std::move(fatal->error.what));
                                 });
    for (int round = 0; round < 2; ++round) {
        told.clear();
        while (true) {  // until the mailbox must grow
            Event text(TokenText{});
            allocationsLeft = 0;
            try {
                hub.post(std::move(text));
                allocationsLeft = -1;
            } catch (const std::bad_alloc&) {
                allocationsLeft = -1;
                break;
            }
        }
        Event notice(Notice{"There is not enough memory."});
        Event fatal(Fatal{fail(ErrorCode::NoMemory, "The engine has stopped.").value()});
        allocationsLeft = 0;
        EXPECT_NO_THROW(hub.post(std::move(notice)));
        EXPECT_NO_THROW(hub.post(std::move(fatal)));
        allocationsLeft = -1;
        ASSERT_TRUE(QTest::qWaitFor([&told] { return told.size() >= 2; }));
        ASSERT_EQ(told.size(), 2U) << round;
        EXPECT_EQ(told[0], "There is not enough memory.");
        EXPECT_NE(told[1].find("The engine has stopped."), std::string::npos);
    }
}

}  // namespace
}  // namespace lacuna::app
