// Cache settings of one conversation as seen by the panel: what is shown and sent when another
// conversation is selected, and what persists after a restart.

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/settings/config_controller.h"
#include "app/state/storage/conversation_database.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

const QString kRatio = QStringLiteral("am_ratio");
const QString kTemperature = QStringLiteral("temperature");

class ConversationSettingsTest : public ::testing::Test {
  protected:
    ConversationSettingsTest() {
        coreApplication();
        start();
        first = state->conversations().current();
        PromptDraft draft;
        draft.text = QStringLiteral("Where is it?");
        state->turns().submit(draft);
        second = state->conversations().newConversation();
    }
    void start() {
        auto owned = std::make_unique<FakeEngine>();
        engine = owned.get();
        ApplicationOptions options;
        options.dataFolder = folder.path();
        state = std::make_unique<ApplicationState>(options, std::move(owned), engine->events);
        QSignalSpy restored(state.get(), &ApplicationState::conversationsRestored);
        ASSERT_TRUE(restored.wait(10'000));
        hear(ModelLoaded{smallFacts(), 0.2});
    }
    void hear(Event event) {
        engine->post(std::move(event));
        state->drain();
    }
    ConfigController& config() { return state->config(); }
    void settle(const QString& key, const char* text) {
        config().edit(key, QString::fromLatin1(text), EditPace::Settled);
    }
    /// The engine applies the newest change of one conversation.
    void applyOwn(const EngineConfig& shared = {}) {
        const SetCacheSettings told = engine->sent<SetCacheSettings>().back();
        ConfigApplied applied;
        applied.revision = told.revision;
        applied.conversation = told.conversation;
        applied.own = told.own.has_value();
        applied.config = told.own ? withCacheSettings(shared, *told.own) : shared;
        hear(applied);
    }
    void applyShared() {
        const SetConfig told = engine->sent<SetConfig>().back();
        hear(
            ConfigApplied{.revision = told.revision, .config = told.config, .at = {}, .timeNs = 0});
    }

    QTemporaryDir folder;
    FakeEngine* engine = nullptr;
    std::unique_ptr<ApplicationState> state;
    qint64 first = 0, second = 0;
};

TEST_F(ConversationSettingsTest, ratioOfOneConversation_isShownThereOnly) {
    config().setOwn(true);
    ASSERT_EQ(engine->sent<SetCacheSettings>().size(), 1U);
    EXPECT_EQ(engine->sent<SetCacheSettings>()[0].conversation, ConversationId(second));
    applyOwn();
    settle(kRatio, "6");
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "nothing for all";
    ASSERT_EQ(engine->sent<SetCacheSettings>().size(), 2U);
    EXPECT_EQ(engine->sent<SetCacheSettings>()[1].own.value().kv.amRatio, 6);
    EXPECT_EQ(engine->sent<SetCacheSettings>()[1].own.value().kv.method,
              CompactionMethod::AttentionMatching)
        << "the ratio brings its method";
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Submitted);
    applyOwn();
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("6"));
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Applied);

    state->conversations().select(first);
    EXPECT_FALSE(config().own());
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("4"));
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("4"));
    EXPECT_EQ(config().spec(QStringLiteral("method")).effectiveText(), QStringLiteral("none"));
    EXPECT_TRUE(state->feed().engine().compressionLine.contains(QStringLiteral("off")));
    state->conversations().select(second);
    EXPECT_TRUE(config().own());
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("6"));
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Settled);
    EXPECT_FALSE(state->feed().engine().compressionLine.contains(QStringLiteral("off")));
}

TEST_F(ConversationSettingsTest, sharedChange_keepsTheConversationRatio_appliesItsSampling) {
    config().setOwn(true);
    settle(kRatio, "6");
    applyOwn();
    state->conversations().select(first);
    settle(kRatio, "3");
    settle(kTemperature, "0.5");
    ASSERT_EQ(engine->sent<SetConfig>().size(), 2U);
    EXPECT_EQ(engine->sent<SetConfig>().back().config.kv.amRatio, 3);
    applyShared();
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("3"));
    state->conversations().select(second);
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("6"));
    EXPECT_EQ(config().spec(kTemperature).effectiveText(), QStringLiteral("0.5"));
    settle(kTemperature, "0.25");
    const EngineConfig shared = engine->sent<SetConfig>().back().config;
    EXPECT_EQ(shared.sampling.temperature, 0.25);
    EXPECT_EQ(shared.kv.amRatio, 3) << "its own stays its own";
}

TEST_F(ConversationSettingsTest, sharedAndConversationEdits_areTwoChangesWithOwnReplies) {
    config().setOwn(true);
    applyOwn();
    config().editAll({{kRatio, QStringLiteral("6")}, {kTemperature, QStringLiteral("0.5")}});
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    ASSERT_EQ(engine->sent<SetCacheSettings>().size(), 2U);
    EXPECT_EQ(engine->sent<SetConfig>()[0].config.kv.amRatio, 4);
    applyShared();
    EXPECT_EQ(config().spec(kTemperature).state, ChangeState::Applied);
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Submitted);
    hear(ConfigRejected{
        engine->sent<SetCacheSettings>()[1].revision,
        {{"AM-RANGE", kRatio.toStdString(), "6", "1 to 5", "5", "am_ratio is 6; 1 to 5."}},
        0});
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Rejected);
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("4"));
    EXPECT_EQ(config().spec(kTemperature).effectiveText(), QStringLiteral("0.5"));
    EXPECT_TRUE(config().own());
}

TEST_F(ConversationSettingsTest, discardedConversationSettings_restoreTheSharedOnes) {
    config().setOwn(true);
    settle(kRatio, "6");
    applyOwn();
    QSignalSpy changed(&config(), &ConfigController::ownChanged);
    config().setOwn(false);
    ASSERT_EQ(engine->sent<SetCacheSettings>().size(), 3U);
    EXPECT_EQ(engine->sent<SetCacheSettings>()[2].own, std::nullopt);
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("4"));
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("6"))
        << "not before it is told";
    applyOwn();
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("4"));
    EXPECT_EQ(changed.size(), 1);
    EXPECT_TRUE(config().ownSettings(second).isEmpty());
}

TEST_F(ConversationSettingsTest, heldDrafts_areRestoredWhenTheConversationIsShownAgain) {
    config().setOwn(true);
    applyOwn();
    config().setSending(SendPolicy::OnSubmit);
    settle(kRatio, "6");
    state->conversations().select(first);
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("4"));
    EXPECT_FALSE(config().hasDrafts());
    state->conversations().select(second);
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("6"));
    EXPECT_EQ(config().spec(kRatio).state, ChangeState::Draft);
    EXPECT_EQ(engine->sent<SetCacheSettings>().size(), 1U) << "nothing was sent meanwhile";
}

TEST_F(ConversationSettingsTest, newModel_discardsConversationSettingsWithANotice) {
    config().setOwn(true);
    settle(kRatio, "6");
    applyOwn();
    hear(CacheSettingsDropped{ConversationId(second), "They do not fit this model."});
    EXPECT_FALSE(config().own());
    EXPECT_EQ(config().spec(kRatio).effectiveText(), QStringLiteral("4"));
    EXPECT_TRUE(state->feed().timeline().back().title.contains(QStringLiteral("do not fit")));
    EXPECT_TRUE(state->conversations().record(second).ownSettings.isEmpty());
}

TEST_F(ConversationSettingsTest, storedConversationSettings_areSentAtTheNextStart) {
    state->conversations().select(first);
    config().setOwn(true);
    settle(kRatio, "6");
    applyOwn();
    const auto row = state->conversations().itemModel().rowOf(first);
    ASSERT_TRUE(row.has_value());
    EXPECT_TRUE(state->conversations()
                    .itemModel()
                    .index(*row)
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("own cache settings")));
    state.reset();
    start();
    const auto sent = engine->sent<SetCacheSettings>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].conversation, ConversationId(first));
    EXPECT_EQ(sent[0].own.value().kv.amRatio, 6);
    EXPECT_EQ(sent[0].own.value().kv.method, CompactionMethod::AttentionMatching);
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "the shared ones were never changed";
    state->conversations().select(first);
    EXPECT_TRUE(config().own());
    EXPECT_EQ(config().spec(kRatio).requestedText(), QStringLiteral("6"));
}

TEST_F(ConversationSettingsTest, storedSettingsThatBreakARule_areDiscardedWithAMessage) {
    state.reset();
    {
        auto opened = ConversationDatabase::open(folder.path());
        ASSERT_TRUE(opened.database);
        ConversationRecord record;
        record.id = 77;
        record.title = QStringLiteral("Old one");
        record.ownSettings = {{kRatio, QStringLiteral("80")}};
        ASSERT_TRUE(opened.database->save(record, {}));
    }
    start();
    EXPECT_TRUE(engine->sent<SetCacheSettings>().empty());
    bool told = false;
    for (const EventRow& row : state->feed().timeline())
        told = told || (row.title.contains(QStringLiteral("Old one")) &&
                        row.title.contains(QStringLiteral("am_ratio is 80")));
    EXPECT_TRUE(told);
}

}  // namespace
}  // namespace lacuna::app
