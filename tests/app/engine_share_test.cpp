// Who of window and server hears what of the one engine they share.

#include "app/state/engine_share.h"

#include <gtest/gtest.h>

#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

class Heard final : public EventSink {
  public:
    void post(Event event) override { events.push_back(std::move(event)); }
    std::vector<Event> events;
};

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

class Share : public ::testing::Test {
  protected:
    Share() { share.begin(engine, window); }
    [[nodiscard]] EngineShare::Standing attach() { return share.attach(server); }

    Heard window, server;
    EngineShare share{MachineFacts{}, EngineConfig{}};
    FakeEngine engine;
    const ConversationId ours{EngineShare::kServerConversations + 2};
    const ConversationId theirs{1'700'000'000'000};
};

TEST_F(Share, conversation_isHeardOfByItsOwnerAlone) {
    static_cast<void>(attach());
    engine.post(TokenText{.conversation = ours, .text = "for a client"});
    EXPECT_EQ(window.events.size(), 0U);
    ASSERT_EQ(server.events.size(), 1U);
    engine.post(TokenText{.conversation = theirs, .text = "for the person"});
    ASSERT_EQ(window.events.size(), 1U);
    EXPECT_EQ(std::get<TokenText>(window.events[0]).text, "for the person");
    EXPECT_EQ(server.events.size(), 1U);
}

TEST_F(Share, everythingElse_isHeardByTheWindow_andOfTheModelByBoth) {
    static_cast<void>(attach());
    engine.post(ModelLoaded{smallFacts(), 0.1});
    engine.post(Notice{"a policy was replaced"});
    engine.post(StateChanged{EngineState::Idle});
    engine.post(applied(1));
    engine.post(rejected(2));
    EXPECT_EQ(window.events.size(), 5U);
    ASSERT_EQ(server.events.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<ModelLoaded>(server.events[0]));
    EXPECT_TRUE(std::holds_alternative<ConfigApplied>(server.events[1]));
}

TEST_F(Share, changesOfTheServer_reachTheWindowNeitherAsEventsNorAsRevisions) {
    static_cast<void>(attach());
    const std::int64_t own = EngineShare::kServerRevisions + 1;
    ConfigApplied change = applied(own);
    change.conversation = ours;
    StepSample step;
    step.conversation = theirs;
    step.revision = Revision(own);
    engine.post(applied(7));
    engine.post(change);
    engine.post(rejected(own));
    ASSERT_EQ(window.events.size(), 1U);
    EXPECT_EQ(server.events.size(), 3U);
    engine.post(step);
    ASSERT_EQ(window.events.size(), 2U);
    EXPECT_EQ(std::get<StepSample>(window.events[1]).revision, Revision(7));
}

TEST_F(Share, serverThatComesLate_isToldWhatHolds_andNothingOnceItHasGone) {
    ConfigApplied change = applied(1);
    change.config.kv.budget = 512;
    engine.post(ModelLoaded{smallFacts(), 0.1});
    engine.post(change);
    const EngineShare::Standing standing = attach();
    ASSERT_TRUE(standing.model);
    EXPECT_EQ(standing.model->name, "small");
    EXPECT_EQ(standing.config.kv.budget, 512);
    EXPECT_TRUE(server.events.empty());
    share.detach();
    engine.post(ModelUnloaded{});
    EXPECT_TRUE(server.events.empty());
    EXPECT_FALSE(attach().model);
}

}  // namespace
}  // namespace lacuna::app
