#include <gtest/gtest.h>

#include <thread>

#include "engine/session/command.h"

namespace lacuna {
namespace {

TEST(CommandQueue, take_returnsCommandsInOrderOnce) {
    CommandQueue queue;
    queue.push(SetConfig{Revision(1), {}});
    queue.push(CompactNow{ConversationId(7)});
    const auto taken = queue.take({});
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<SetConfig>(taken[0]));
    EXPECT_EQ(std::get<CompactNow>(taken[1]).conversation, ConversationId(7));
    EXPECT_TRUE(queue.take({}).empty());
}

TEST(CommandQueue, cancelPending_isTrueFromPushToTake) {
    CommandQueue queue;
    EXPECT_FALSE(queue.cancelWaiting({}));
    queue.push(CancelTurn{});
    queue.push(CancelTurn{});
    EXPECT_TRUE(queue.cancelWaiting({}));
    EXPECT_EQ(queue.take({}).size(), 2U);
    EXPECT_FALSE(queue.cancelWaiting({}));
}

TEST(CommandQueue, wait_returnsWhenAnotherThreadPushes) {
    CommandQueue queue;
    std::jthread writer([&] { queue.push(UnloadModel{}); });
    queue.wait({});
    EXPECT_EQ(queue.take({}).size(), 1U);
}

TEST(CommandQueue, wait_returnsOnStopRequest) {
    CommandQueue queue;
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    queue.wait(stop.get_token());
    EXPECT_TRUE(queue.take({}).empty());
}

}  // namespace
}  // namespace lacuna
