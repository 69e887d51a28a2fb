#include "app/state/engine/event_dispatcher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lacuna::app {
namespace {

struct Receiver {
    void onNotice(const Notice& event) { sentences.push_back(event.sentence); }
    std::vector<std::string> sentences;
};

TEST(EventDispatcher, dispatch_callsTheHandlersOfTheTypeInTheOrderOfTheirSubscription) {
    EventDispatcher events;
    std::string order;
    events.subscribe<Notice>([&](const Notice& event) { order += "a" + event.sentence; });
    events.subscribe<ModelUnloaded>([&](const ModelUnloaded&) { order += "-"; });
    events.subscribe<Notice>([&](const Notice& event) { order += "b" + event.sentence; });
    events.dispatch(Notice{"1"});
    events.dispatch(ModelUnloaded{});
    events.dispatch(Notice{"2"});
    EXPECT_EQ(order, "a1b1-a2b2");
}

TEST(EventDispatcher, memberFunction_receivesTheTypeOfItsParameterOnly) {
    EventDispatcher events;
    Receiver receiver;
    events.subscribe(&receiver, &Receiver::onNotice);
    events.dispatch(ModelUnloaded{});
    events.dispatch(Notice{"Full."});
    EXPECT_EQ(receiver.sentences, std::vector<std::string>{"Full."});
}

TEST(EventDispatcher, eventWithoutSubscribers_isIgnored) {
    const EventDispatcher events;
    EXPECT_NO_THROW(events.dispatch(Notice{"Full."}));
}

}  // namespace
}  // namespace lacuna::app
