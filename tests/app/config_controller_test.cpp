#include "app/state/settings/config_controller.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <memory>

#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_spec.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

const QString kRatio = QStringLiteral("am_ratio");
const QString kBudget = QStringLiteral("budget");
const QString kRecent = QStringLiteral("keep_recent");
const QString kMethod = QStringLiteral("method");
const QString kSeed = QStringLiteral("temperature");

class ConfigControllerTest : public ::testing::Test {
  protected:
    ConfigControllerTest() {
        coreApplication();
        MachineFacts machine;
        machine.cores = 2;
        machine.memoryBytes = std::int64_t{8} << 30;
        machine.availableBytes = std::int64_t{4} << 30;
        controller = std::make_unique<ConfigController>(
            machine, EngineConfig{},
            ConfigController::Ports{
                [this](const SetConfig& command) { sent.push_back(command); },
                [this] { return now; },
                [this](const ConfigRejected& event) { refused.push_back(event); }});
        const ModelFacts facts = smallFacts();
        controller->setModel(&facts);
    }

    void settle(const QString& key, const char* text) {
        controller->edit(key, QString::fromLatin1(text), EditPace::Settled);
    }
    ConfigApplied applyLast() {
        ConfigApplied applied;
        applied.revision = sent.back().revision;
        applied.config = sent.back().config;
        applied.timeNs = now;
        applied.changes = settingsDiff(controller->inEffect(), applied.config);
        controller->onApplied(applied);
        return applied;
    }
    [[nodiscard]] SettingView spec(const QString& key) const { return controller->spec(key); }

    std::vector<SetConfig> sent;
    std::vector<ConfigRejected> refused;
    qint64 now = 1'000'000;
    std::unique_ptr<ConfigController> controller;
};

TEST_F(ConfigControllerTest, continuousEdit_staysADraftUntilTheSliderRests) {
    controller->edit(kRatio, QStringLiteral("3"), EditPace::Moving);
    EXPECT_EQ(spec(kRatio).state, ChangeState::Draft);
    EXPECT_TRUE(sent.empty());
    controller->edit(kRatio, QStringLiteral("5"), EditPace::Moving);
    QSignalSpy status(controller.get(), &ConfigController::statusChanged);
    ASSERT_TRUE(status.wait(4 * kRestMs));
    ASSERT_EQ(sent.size(), 1U) << "a drag sends its last value only";
    EXPECT_DOUBLE_EQ(sent[0].config.kv.amRatio, 5);
    EXPECT_EQ(spec(kRatio).state, ChangeState::Submitted);
}

TEST_F(ConfigControllerTest, effectiveValue_changesOnlyWhenTheChangeIsApplied) {
    settle(kRatio, "6");
    EXPECT_EQ(spec(kRatio).requestedText(), QStringLiteral("6"));
    EXPECT_EQ(spec(kRatio).effectiveText(), QStringLiteral("4"));
    now += 30'000'000;
    applyLast();
    EXPECT_EQ(spec(kRatio).effectiveText(), QStringLiteral("6"));
    EXPECT_EQ(spec(kRatio).state, ChangeState::Applied);
    EXPECT_EQ(controller->status().effectiveRevision, 1);
    EXPECT_DOUBLE_EQ(controller->status().acknowledgeMs, 30);
}

TEST_F(ConfigControllerTest, undo_revertsChangesFromTheNewestOn) {
    EXPECT_TRUE(controller->undoText().isEmpty());
    settle(kRatio, "6");
    applyLast();
    settle(kRecent, "64");
    applyLast();
    EXPECT_TRUE(controller->undoText().endsWith(QStringLiteral(" 16")))
        << controller->undoText().toStdString();
    controller->undo();
    applyLast();
    EXPECT_EQ(spec(kRecent).effectiveText(), QStringLiteral("16"));
    EXPECT_EQ(spec(kRatio).effectiveText(), QStringLiteral("6"));
    controller->undo();
    applyLast();
    EXPECT_EQ(spec(kRatio).effectiveText(), QStringLiteral("4"));
    EXPECT_EQ(sent.back().config, EngineConfig{}) << "also the method that the ratio brought";
    EXPECT_TRUE(controller->undoText().isEmpty()) << "taking back is no change to take back";
    const std::size_t before = sent.size();
    controller->undo();
    EXPECT_EQ(sent.size(), before);
}

TEST_F(ConfigControllerTest, undo_ofAReset_restoresEverySetting) {
    controller->restore({{kRecent, QStringLiteral("48")}});
    applyLast();
    EXPECT_TRUE(controller->undoText().isEmpty()) << "what was kept is where one begins";
    settle(kRatio, "6");
    applyLast();
    const EngineConfig chosen = sent.back().config;
    controller->resetAll();
    applyLast();
    ASSERT_EQ(sent.back().config, EngineConfig{});
    controller->undo();
    applyLast();
    EXPECT_EQ(sent.back().config, chosen);
}

TEST_F(ConfigControllerTest, appliedState_expiresAfterTheFadeTime) {
    settle(kRatio, "6");
    applyLast();
    now += qint64{kFadeMs + 1} * 1'000'000;
    QSignalSpy changes(&controller->setting(kRatio), &SettingModel::changed);
    ASSERT_TRUE(changes.wait(3 * kFadeMs));
    EXPECT_EQ(spec(kRatio).state, ChangeState::Settled);
}

TEST_F(ConfigControllerTest, unansweredChange_becomesPending) {
    settle(kRatio, "6");
    EXPECT_EQ(spec(kRatio).state, ChangeState::Submitted);
    QSignalSpy changes(&controller->setting(kRatio), &SettingModel::changed);
    ASSERT_TRUE(changes.wait(10 * kPendingMs));
    EXPECT_EQ(spec(kRatio).state, ChangeState::Pending);
    EXPECT_EQ(controller->status().state, ChangeState::Pending);
}

TEST_F(ConfigControllerTest, valueOutOfRange_isRejectedLocallyWithRuleAndNearestValue) {
    settle(kRatio, "50.1");
    EXPECT_TRUE(sent.empty());
    const SettingView view = spec(kRatio);
    EXPECT_EQ(view.state, ChangeState::Rejected);
    EXPECT_EQ(view.rule, QStringLiteral("AM-RANGE"));
    EXPECT_EQ(view.nearest, QStringLiteral("50"));
    EXPECT_EQ(view.requestedText(), QStringLiteral("50.1"));
    EXPECT_EQ(view.effectiveText(), QStringLiteral("4"));
    EXPECT_FALSE(view.sentence.isEmpty());
    ASSERT_EQ(refused.size(), 1U) << "a refusal is part of the record";
    EXPECT_EQ(refused[0].violations.front().rule, "AM-RANGE");
}

TEST_F(ConfigControllerTest, invalidNumbers_areRejected) {
    for (const char* text : {"nan", "0", "-3", "inf", "abc", ""}) {
        settle(kRatio, text);
        EXPECT_EQ(spec(kRatio).state, ChangeState::Rejected) << text;
    }
    EXPECT_TRUE(sent.empty());
}

TEST_F(ConfigControllerTest, unparsableText_isShownAsTypedUntilDiscarded) {
    const QString layers = QStringLiteral("skip_layers");
    settle(layers, "0,first");
    EXPECT_EQ(spec(layers).requestedText(), QStringLiteral("0,first"));
    EXPECT_EQ(spec(layers).rule, QStringLiteral("NUMBER"));
    EXPECT_TRUE(sent.empty());
    controller->discard(layers);
    EXPECT_EQ(spec(layers).requestedText(), QStringLiteral("off"));
    EXPECT_EQ(spec(layers).state, ChangeState::Settled);
}

TEST_F(ConfigControllerTest, changedSetting_notifiesItsOwnRowOnly) {
    QSignalSpy ratio(&controller->setting(kRatio), &SettingModel::changed);
    QSignalSpy temperature(&controller->setting(kSeed), &SettingModel::changed);
    settle(kSeed, "0.5");
    EXPECT_EQ(temperature.count(), 1);
    EXPECT_EQ(ratio.count(), 0);
}

TEST_F(ConfigControllerTest, nearestValue_isAppliedAndSent) {
    settle(kRatio, "50.1");
    controller->useNearest(kRatio);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_DOUBLE_EQ(sent[0].config.kv.amRatio, 50);
    EXPECT_EQ(spec(kRatio).state, ChangeState::Submitted);
}

TEST_F(ConfigControllerTest, rejectedValue_doesNotBlockOtherSettings) {
    settle(kRatio, "50.1");
    settle(kRecent, "64");
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].config.kv.keepRecent, 64);
    EXPECT_DOUBLE_EQ(sent[0].config.kv.amRatio, 4);
    EXPECT_EQ(spec(kRatio).state, ChangeState::Rejected);
}

TEST_F(ConfigControllerTest, conflictResolvedByAnotherSetting_sendsBoth) {
    settle(kBudget, "20");  // below 4 sinks + 16 recent + 1
    ASSERT_EQ(spec(kBudget).state, ChangeState::Rejected);
    EXPECT_EQ(spec(kBudget).rule, QStringLiteral("BUD-MIN"));
    EXPECT_EQ(spec(kBudget).nearest, QStringLiteral("21"));
    settle(kRecent, "8");
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].config.kv.budget, 20);
    EXPECT_EQ(sent[0].config.kv.keepRecent, 8);
    EXPECT_EQ(spec(kBudget).state, ChangeState::Submitted);
}

TEST_F(ConfigControllerTest, evictionChosen_withoutABudget_setsADefaultBudget) {
    settle(kMethod, "l2");
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].config.kv.method, CompactionMethod::Eviction);
    EXPECT_EQ(sent[0].config.kv.budget, kImpliedBudget);
    EXPECT_EQ(spec(kBudget).requestedText(), QStringLiteral("1024"));
    EXPECT_NE(spec(kMethod).state, ChangeState::Rejected);
    applyLast();
    settle(kBudget, "300");
    applyLast();
    settle(kMethod, "am");
    applyLast();
    settle(kMethod, "l2");
    EXPECT_EQ(sent.back().config.kv.budget, 300) << "one that is set stays";
}

TEST_F(ConfigControllerTest, evictionChosen_withManyRecentTokens_setsABudgetThatFits) {
    settle(kRecent, "2000");
    settle(kMethod, "l2");
    EXPECT_EQ(sent.back().config.kv.budget, 4 + 2000 + 1);
}

TEST_F(ConfigControllerTest, budgetRemoved_underEviction_offersABudget) {
    settle(kMethod, "l2");
    settle(kBudget, "off");
    const SettingView view = spec(kBudget);
    EXPECT_EQ(view.rule, QStringLiteral("BUD-REQ"));
    EXPECT_EQ(view.nearestKey, kBudget);
    controller->useNearest(kBudget);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[1].config.kv.method, CompactionMethod::Eviction);
    EXPECT_EQ(sent[1].config.kv.budget, 21);
}

TEST_F(ConfigControllerTest, offeredBudget_keepsHalfOfTheSlots_reportsTheEvictedOnes) {
    controller->setHeldSlots(2'049);
    settle(kMethod, "l2");
    settle(kBudget, "off");
    EXPECT_EQ(spec(kBudget).nearest, QStringLiteral("1025"));
    EXPECT_TRUE(spec(kBudget).sentence.contains(QStringLiteral("half of the 2,049 slots")))
        << spec(kBudget).sentence.toStdString();
    controller->useNearest(kBudget);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[1].config.kv.budget, 1'025);
}

TEST_F(ConfigControllerTest, discardedDraft_showsTheEffectiveValue) {
    settle(kRatio, "51");
    controller->discard(kRatio);
    EXPECT_EQ(spec(kRatio).state, ChangeState::Settled);
    EXPECT_EQ(spec(kRatio).requestedText(), QStringLiteral("4"));
}

TEST_F(ConfigControllerTest, discardedDraft_clearsItsRejection) {
    controller->edit(kRatio, QStringLiteral("51"), EditPace::Moving);
    EXPECT_EQ(controller->status().state, ChangeState::Rejected);
    QSignalSpy status(controller.get(), &ConfigController::statusChanged);
    controller->discard(kRatio);
    EXPECT_EQ(status.count(), 1);
    EXPECT_EQ(controller->status().state, ChangeState::Settled);
    EXPECT_TRUE(controller->status().sentence.isEmpty());
    EXPECT_TRUE(spec(kRatio).nearestKey.isEmpty());
    controller->submitNow();
    EXPECT_TRUE(refused.empty()) << "what was taken back is told nobody";
    EXPECT_TRUE(sent.empty());
}

TEST_F(ConfigControllerTest, discardedDraft_keepsTheRejectionOfAnotherSetting) {
    settle(kRecent, "-1");
    settle(kRatio, "51");
    controller->discard(kRatio);
    EXPECT_EQ(controller->status().state, ChangeState::Rejected);
    EXPECT_EQ(controller->status().sentence, spec(kRecent).sentence);
    controller->discard(kRecent);
    EXPECT_EQ(controller->status().state, ChangeState::Settled);
}

TEST_F(ConfigControllerTest, engineRejection_keepsTheOldValueAndReportsTheReason) {
    settle(kBudget, "2048");
    ConfigRejected rejected;
    rejected.revision = sent.back().revision;
    rejected.violations.push_back(
        {"BUD-CTX", "budget", "2048", "37 to 1024", "1024", "budget is too large."});
    controller->onRejected(rejected);
    const SettingView view = spec(kBudget);
    EXPECT_EQ(view.state, ChangeState::Rejected);
    EXPECT_EQ(view.effectiveText(), QStringLiteral("off"));
    EXPECT_EQ(view.nearest, QStringLiteral("1024"));
    // The next change starts from the active value, not from the rejected one.
    settle(kRatio, "2");
    EXPECT_FALSE(sent.back().config.kv.budget.has_value() && *sent.back().config.kv.budget != 2048);
}

TEST_F(ConfigControllerTest, failureWhileApplying_rollsBack) {
    settle(kRatio, "2");
    ConfigRejected rolledBack;
    rolledBack.revision = sent.back().revision;
    controller->onRejected(rolledBack);
    EXPECT_EQ(spec(kRatio).state, ChangeState::RolledBack);
    EXPECT_EQ(spec(kRatio).requestedText(), QStringLiteral("4"));
}

TEST_F(ConfigControllerTest, supersededChange_staysSubmittedUntilTheNewerOneIsApplied) {
    settle(kRatio, "2");
    settle(kRecent, "8");
    controller->onSuperseded({sent[0].revision, sent[1].revision});
    EXPECT_EQ(spec(kRatio).state, ChangeState::Submitted);
    EXPECT_EQ(spec(kRatio).revision, sent[1].revision.value);
    applyLast();
    EXPECT_EQ(spec(kRatio).state, ChangeState::Applied);
    EXPECT_EQ(spec(kRecent).state, ChangeState::Applied);
    EXPECT_EQ(spec(kRatio).effectiveText(), QStringLiteral("2"));
}

TEST_F(ConfigControllerTest, deferredSetting_staysPendingUntilTheNextTurn) {
    settle(QStringLiteral("threads"), "2");
    const ConfigApplied applied = applyLast();
    EXPECT_EQ(spec(QStringLiteral("threads")).state, ChangeState::Pending);
    EXPECT_EQ(spec(QStringLiteral("threads")).effectiveText(), QStringLiteral("0"));
    settle(kRatio, "6");
    applyLast();
    EXPECT_EQ(spec(QStringLiteral("threads")).state, ChangeState::Pending)
        << "another change that takes effect at once does not bring it into force";
    EXPECT_EQ(controller->status().state, ChangeState::Pending);
    TurnStarted started;
    started.revision = applied.revision;
    started.config = applied.config;
    controller->onTurnStarted(started);
    EXPECT_EQ(spec(QStringLiteral("threads")).effectiveText(), QStringLiteral("2"));
    EXPECT_EQ(spec(QStringLiteral("threads")).state, ChangeState::Applied);
}

TEST_F(ConfigControllerTest, settingWithoutEffect_reportsTheReason) {
    EXPECT_FALSE(spec(kRatio).idleReason.isEmpty());
    settle(kMethod, "am");
    applyLast();
    EXPECT_TRUE(spec(kRatio).idleReason.isEmpty());
    settle(kSeed, "0");
    EXPECT_EQ(spec(QStringLiteral("top_k")).idleReason,
              QStringLiteral("no effect while temperature is 0"));
}

TEST_F(ConfigControllerTest, settingsOfTheUnusedMethod_areMarkedIdle_noOthers) {
    const auto idle = [this](const char* key) {
        return !spec(QString::fromLatin1(key)).idleReason.isEmpty();
    };
    settle(kMethod, "am");
    EXPECT_FALSE(idle("skip_layers"));
    EXPECT_TRUE(idle("norm_policy"));
    settle(kBudget, "512");
    settle(kMethod, "l2");
    EXPECT_FALSE(idle("skip_layers"));
    for (const char* key : {"head_budgets", "pin_percent", "query_source"})
        EXPECT_TRUE(idle(key)) << key;
    EXPECT_FALSE(idle("background")) << "the text is repeated where there is no surrogate";
    settle(QStringLiteral("norm_policy"), "keydiff");
    EXPECT_TRUE(idle("background"));
    settle(kMethod, "none");
    settle(kBudget, "off");
    EXPECT_TRUE(idle("n_sink"));
    settle(QStringLiteral("window"), "64");
    EXPECT_FALSE(idle("n_sink")) << "a window keeps them";
}

TEST_F(ConfigControllerTest, slidingWindowLayers_areNotedNextToTheMethod) {
    ModelFacts facts = smallFacts();
    facts.windows.assign(static_cast<std::size_t>(facts.layers), 64);
    facts.windows[0] = 0;
    controller->setModel(&facts);
    EXPECT_TRUE(spec(kMethod).meaning.isEmpty());
    settle(kMethod, "am");
    EXPECT_TRUE(spec(kMethod).meaning.contains(QStringLiteral("unchanged")))
        << spec(kMethod).meaning.toStdString();
}

TEST_F(ConfigControllerTest, autoPolicy_reportsTheChosenPolicyAndTheReason) {
    const QString policy = QStringLiteral("norm_policy");
    ModelFacts facts = smallFacts();
    facts.architecture = "qwen3";
    facts.keysNormalised = true;
    controller->setModel(&facts);
    EXPECT_EQ(spec(policy).effectiveText(), QStringLiteral("auto"));
    EXPECT_TRUE(spec(policy).meaning.contains(QStringLiteral("keydiff chooses")))
        << spec(policy).meaning.toStdString();
    settle(policy, "random");
    EXPECT_TRUE(spec(policy).meaning.isEmpty());
}

TEST_F(ConfigControllerTest, unchangedValue_sendsNothing) {
    settle(kRatio, "4");
    EXPECT_TRUE(sent.empty());
    EXPECT_EQ(spec(kRatio).state, ChangeState::Settled);
}

TEST_F(ConfigControllerTest, reset_restoresTheStartValues) {
    settle(kRatio, "2");
    applyLast();
    settle(kRecent, "-1");
    controller->resetAll();
    EXPECT_DOUBLE_EQ(sent.back().config.kv.amRatio, 4);
    EXPECT_EQ(spec(kRecent).requestedText(), QStringLiteral("16"));
    EXPECT_NE(spec(kRecent).state, ChangeState::Rejected);
}

TEST_F(ConfigControllerTest, ratioDragged_withoutAMethod_setsTheMethodOnce) {
    QSignalSpy implied(controller.get(), &ConfigController::impliedMethod);
    controller->edit(kRatio, QStringLiteral("3"), EditPace::Moving);
    controller->edit(kRatio, QStringLiteral("3.5"), EditPace::Moving);
    controller->submitNow();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].config.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_DOUBLE_EQ(sent[0].config.kv.amRatio, 3.5);
    EXPECT_EQ(implied.count(), 1);
}

TEST_F(ConfigControllerTest, budget_withoutAMethod_setsL2_offSetsNothing) {
    settle(kBudget, "off");
    EXPECT_EQ(spec(kMethod).requestedText(), QStringLiteral("none"));
    settle(kBudget, "512");
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.back().config.kv.method, CompactionMethod::Eviction);
}

TEST_F(ConfigControllerTest, rejectedRatio_setsNoMethod) {
    QSignalSpy implied(controller.get(), &ConfigController::impliedMethod);
    settle(kRatio, "50.1");
    EXPECT_EQ(implied.count(), 0);
    EXPECT_EQ(spec(kMethod).requestedText(), QStringLiteral("none"));
}

TEST(SettingHelp, paper_isCitedLast_afterGainAndLoss) {
    coreApplication();
    int papers = 0;
    for (const SettingSpec& spec : settingSpecs()) {
        const QString help = viewOf(spec).help;
        ASSERT_FALSE(help.isEmpty()) << spec.key;
        const qsizetype paper = help.indexOf(QLatin1String("arXiv"));
        if (paper < 0) continue;
        ++papers;
        const qsizetype bracket = help.lastIndexOf(QLatin1Char('('), paper);
        ASSERT_GE(bracket, 0) << spec.key;
        EXPECT_TRUE(help.mid(bracket).trimmed().endsWith(QLatin1Char(')')) ||
                    help.mid(bracket).trimmed().endsWith(QLatin1String(").")))
            << spec.key << ": " << help.toStdString();
        EXPECT_GT(bracket, 40) << spec.key << ": what it is good for comes first";
    }
    EXPECT_GE(papers, 10);
}

}  // namespace
}  // namespace lacuna::app
