// Tests the routing of the window's commands to the local and the remote engine.

#include "app/state/engine/engine_router.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

const ConversationId kConversation{1'700'000'000'000};

/// Forwards commands to a recorder that outlives this engine.
class Remote final : public CommandSink {
  public:
    explicit Remote(FakeEngine& kept) : m_kept(kept) {}
    void send(Command command) override { m_kept.send(std::move(command)); }

  private:
    FakeEngine& m_kept;
};

class EngineRouterTest : public ::testing::Test {
  protected:
    void attach() { router.attach(std::make_unique<Remote>(remote)); }

    EngineConfig settings;
    FakeEngine local, remote;
    EngineRouter router{local, [this]() -> const EngineConfig& { return settings; }};
};

TEST_F(EngineRouterTest, noRemoteEngine_everyCommandGoesToTheLocalEngine) {
    router.send(Submit{kConversation, {}, {}});
    router.send(EstimateReading{.conversation = kConversation, .messages = {}});
    EXPECT_EQ(local.commands.size(), 2U);
    EXPECT_FALSE(local.sent<Submit>()[0].sampling) << "the engine's settings count";
}

TEST_F(EngineRouterTest, remoteEngine_getsTurnsWithTheSamplingSettings) {
    attach();
    settings.sampling.topK = 7;
    settings.maxTokens = 12;
    router.send(Submit{kConversation, {}, {}});
    router.send(CancelTurn{kConversation});
    EXPECT_TRUE(local.commands.empty());
    ASSERT_EQ(remote.commands.size(), 2U);
    const Submit sent = remote.sent<Submit>().at(0);
    ASSERT_TRUE(sent.sampling && sent.maxTokens);
    EXPECT_EQ(sent.sampling->topK, 7);
    EXPECT_EQ(*sent.maxTokens, 12);
}

TEST_F(EngineRouterTest, cacheAndSettingCommands_alwaysGoToTheLocalEngine) {
    attach();
    router.send(SetConfig{Revision(1), {}});
    router.send(LoadModel{"model"});
    router.send(CancelTurn{});
    router.send(EstimateReading{.conversation = kConversation, .messages = {}});
    EXPECT_TRUE(remote.commands.empty());
    EXPECT_EQ(local.commands.size(), 3U) << "an estimate is asked of neither";
}

TEST_F(EngineRouterTest, forgetConversation_goesToBothEngines) {
    attach();
    router.send(ReleaseConversation{kConversation});
    EXPECT_EQ(remote.sent<ReleaseConversation>().size(), 1U);
    EXPECT_EQ(local.sent<ReleaseConversation>().size(), 1U);
}

TEST_F(EngineRouterTest, detach_cancelsRemoteTurns_localEngineTakesNewOnes) {
    attach();
    router.detach();
    EXPECT_EQ(remote.sent<CancelTurn>().size(), 1U);
    router.send(Submit{kConversation, {}, {}});
    EXPECT_EQ(local.sent<Submit>().size(), 1U);
    router.detach();
    EXPECT_EQ(remote.commands.size(), 1U);
}

// A server thread must never reach a remote engine: the program aborts before that.
TEST_F(EngineRouterTest, commandFromAnotherThread_aborts) {
    attach();
    EXPECT_DEATH(std::thread([this] {
                     router.send(Submit{kConversation, {}, {}});
                 }).join(),
                 "GUI thread");
}

}  // namespace
}  // namespace lacuna::app
