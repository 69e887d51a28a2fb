// The state machine of settings changes as a table: state and input determine what is shown, sent
// and scheduled. No Qt and no clock.

#include "app/state/settings/config_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr ConversationId kHere{1}, kThere{2};

ConfigState fresh() {
    MachineFacts machine;
    machine.cores = 2;
    machine.memoryBytes = std::int64_t{8} << 30;
    machine.availableBytes = std::int64_t{4} << 30;
    ConfigState state(machine, EngineConfig{});
    state.shown = kHere;
    return next(std::move(state), ModelKnown{smallFacts()}, 0).state;
}

SettingMoved moved(const char* key, double number, EditPace pace = EditPace::Settled) {
    return {{key, settingNumber(*findSetting(key), number)}, pace};
}

/// Summary of what a step sent: "all 1", "own 2", "refused 3".
std::vector<std::string> sentBy(const ConfigEffects& effects) {
    struct Name {
        std::string operator()(const SetConfig& one) const {
            return "all " + std::to_string(one.revision.value);
        }
        std::string operator()(const SetCacheSettings& one) const {
            return (one.own ? "own " : "shared ") + std::to_string(one.revision.value);
        }
        std::string operator()(const ConfigRejected& one) const {
            return "refused " + std::to_string(one.revision.value);
        }
    };
    std::vector<std::string> names;
    for (const auto& one : effects.send) names.push_back(std::visit(Name{}, one));
    return names;
}

std::vector<std::string> changedBy(const ConfigStep& step) {
    std::vector<std::string> keys;
    for (const std::size_t at : step.effects.changed)
        keys.emplace_back(step.state.settings[at].spec->key);
    std::sort(keys.begin(), keys.end());
    return keys;
}

/// The engine's acknowledgement of the last shared change.
ConfigApplied appliedOf(const ConfigState& state) {
    ConfigApplied applied;
    applied.revision = Revision(state.lastRevision);
    applied.config = state.sent.shared();
    applied.changes = settingsDiff(state.inEffect.shared(), applied.config);
    return applied;
}

/// The engine's acknowledgement of the last change for one conversation.
ConfigApplied ownAppliedOf(const ConfigState& state, ConversationId id) {
    ConfigApplied applied = appliedOf(state);
    applied.conversation = id;
    applied.own = state.sent.hasOwn(id);
    applied.ownBefore = state.inEffect.hasOwn(id);
    applied.config = state.sent.of(id);
    applied.changes = settingsDiff(state.inEffect.of(id), applied.config);
    return applied;
}

struct Row {
    const char* name;
    std::vector<std::function<ConfigInput(const ConfigState&)>> before;
    std::function<ConfigInput(const ConfigState&)> input;
    ChangeState state;  ///< state of the temperature setting
    ChangeState overall;
    std::vector<std::string> sent;
};

std::function<ConfigInput(const ConfigState&)> always(ConfigInput input) {
    return [input](const ConfigState&) { return input; };
}

const ConfigInput kMove = moved("temperature", 0.5, EditPace::Moving);
const ConfigInput kSettle = moved("temperature", 0.5);
const ConfigInput kWrong = moved("temperature", -1.0, EditPace::Moving);
const ConfigInput kWait = SendingChosen{SendPolicy::OnSubmit};

TEST(ConfigMachine, transitions_followTheTable) {
    using S = ChangeState;
    const auto rejected = [](const ConfigState& state) {
        return ConfigRejected{Revision(state.lastRevision),
                              {{"TEMP-RANGE", "temperature", "0.5", "0 to 0.4", "0.4", "too hot"}},
                              0};
    };
    const auto failed = [](const ConfigState& state) {
        return ConfigRejected{Revision(state.lastRevision), {}, 0};
    };
    const auto superseded = [](const ConfigState& state) {
        return ConfigSuperseded{Revision(state.lastRevision), Revision(state.lastRevision + 1)};
    };
    const std::vector<Row> rows{
        {"a drag is a draft", {}, always(kMove), S::Draft, S::Draft, {}},
        {"which is sent when it rests",
         {always(kMove)},
         always(DraftsDue{}),
         S::Submitted,
         S::Submitted,
         {"all 1"}},
        {"a settled edit is sent at once",
         {},
         always(kSettle),
         S::Submitted,
         S::Submitted,
         {"all 1"}},
        {"no draft, nothing sent", {}, always(DraftsDue{}), S::Settled, S::Settled, {}},
        {"what breaks a rule is not sent", {}, always(kWrong), S::Rejected, S::Rejected, {}},
        {"and is reported when it rests",
         {always(kWrong)},
         always(DraftsDue{}),
         S::Rejected,
         S::Rejected,
         {"refused 1"}},
        {"or given up",
         {always(kWrong)},
         always(SettingDiscarded{"temperature"}),
         S::Settled,
         S::Settled,
         {}},
        {"or set right", {always(kWrong)}, always(kSettle), S::Submitted, S::Submitted, {"all 1"}},
        {"a draft waits to be sent", {always(kWait)}, always(kSettle), S::Draft, S::Draft, {}},
        {"until it may go",
         {always(kWait), always(kSettle)},
         always(SendingChosen{SendPolicy::AfterRest}),
         S::Submitted,
         S::Submitted,
         {"all 1"}},
        {"or is given up",
         {always(kWait), always(kSettle)},
         always(DraftsDiscarded{}),
         S::Settled,
         S::Settled,
         {}},
        {"no answer for a while",
         {always(kSettle)},
         always(LateAnswer{}),
         S::Pending,
         S::Pending,
         {}},
        {"applied", {always(kSettle)}, appliedOf, S::Applied, S::Applied, {}},
        {"the mark of it fades",
         {always(kSettle), appliedOf},
         always(OldMarks{}),
         S::Settled,
         S::Applied,
         {}},
        {"rejected by the engine", {always(kSettle)}, rejected, S::Rejected, S::Rejected, {}},
        {"rolled back", {always(kSettle)}, failed, S::RolledBack, S::RolledBack, {}},
        {"superseded, so another answer counts",
         {always(kSettle)},
         superseded,
         S::Submitted,
         S::Superseded,
         {}},
        {"back to the start",
         {always(kSettle), appliedOf},
         always(AllReset{}),
         S::Submitted,
         S::Submitted,
         {"all 2"}},
    };
    for (const Row& row : rows) {
        ConfigState state = fresh();
        std::int64_t now = 0;
        for (const auto& made : row.before) {
            const ConfigInput one = made(state);
            state = next(std::move(state), one, now += 2000 * kMs).state;
        }
        const ConfigInput input = row.input(state);
        const ConfigStep step = next(std::move(state), input, now + 2000 * kMs);
        EXPECT_EQ(step.state.find("temperature")->state, row.state) << row.name;
        EXPECT_EQ(step.state.overall.state, row.overall) << row.name;
        EXPECT_EQ(sentBy(step.effects), row.sent) << row.name;
    }
}

TEST(ConfigMachine, transition_isDeterministic) {
    const ConfigStep one = next(fresh(), kSettle, 5), two = next(fresh(), kSettle, 5);
    EXPECT_EQ(one.state.settings, two.state.settings);
    EXPECT_EQ(one.effects.changed, two.effects.changed);
    EXPECT_EQ(sentBy(one.effects), sentBy(two.effects));
}

TEST(ConfigMachine, sliderValue_isRoundedToItsStep) {
    const ConfigStep step = next(fresh(), moved("temperature", 3 * 0.1), 0);
    EXPECT_EQ(std::get<SetConfig>(step.effects.send.at(0)).config.sampling.temperature, 0.3);
    EXPECT_EQ(step.state.find("temperature")->requested, SettingValue(0.3));
    EXPECT_EQ(next(fresh(), moved("temperature", 0.123456789), 0).state.asked.sampling.temperature,
              0.123456789);
    EXPECT_EQ(next(fresh(), moved("budget", 0.0), 0).state.find("budget")->requested,
              SettingValue(SettingOff{}));
    EXPECT_EQ(next(fresh(), moved("keep_recent", 63.6), 0).state.asked.kv.keepRecent, 64);
}

TEST(ConfigMachine, unchangedRows_areNotRefreshed) {
    ConfigStep step = next(fresh(), kMove, 0);
    EXPECT_EQ(changedBy(step), std::vector<std::string>{"temperature"});
    step = next(std::move(step.state), kMove, 0);
    EXPECT_TRUE(step.effects.changed.empty()) << "the same value again";
    step = next(std::move(step.state), DraftsDue{}, 0);
    EXPECT_EQ(changedBy(step), std::vector<std::string>{"temperature"});
    const ConfigInput applied = appliedOf(step.state);
    step = next(std::move(step.state), applied, 0);
    EXPECT_EQ(changedBy(step), std::vector<std::string>{"temperature"});
    step = next(std::move(step.state), applied, 0);
    EXPECT_TRUE(step.effects.changed.empty()) << "nothing new";
}

TEST(ConfigMachine, settingThatIdlesOthers_refreshesTheirRows) {
    const ConfigStep step = next(fresh(), moved("temperature", 0.0), 0);
    const std::vector<std::string> changed = changedBy(step);
    EXPECT_GT(changed.size(), 1U);
    EXPECT_LT(changed.size(), settingSpecs().size() / 2);
    EXPECT_TRUE(std::count(changed.begin(), changed.end(), "top_k"));
    EXPECT_TRUE(std::adjacent_find(changed.begin(), changed.end()) == changed.end());
}

TEST(ConfigMachine, sharedAndConversationEdits_areSentInOrderUnderOwnRevisions) {
    ConfigStep step = next(fresh(), ConversationValueChosen{true}, 0);
    EXPECT_EQ(sentBy(step.effects), std::vector<std::string>{"own 1"});
    const ConfigInput given = SettingsGiven{
        {readEdit("am_ratio", "6"), readEdit("method", "am"), readEdit("temperature", "0.5")}};
    step = next(std::move(step.state), given, 0);
    EXPECT_EQ(sentBy(step.effects), (std::vector<std::string>{"all 2", "own 3"}));
    EXPECT_EQ(step.state.find("temperature")->revision, 2);
    EXPECT_EQ(step.state.find("am_ratio")->revision, 3);
    EXPECT_EQ(step.state.sent.shared().kv.amRatio, EngineConfig{}.kv.amRatio);
    EXPECT_EQ(step.state.sent.of(kHere).kv.amRatio, 6);
    const ConfigInput applied = ownAppliedOf(step.state, kHere);
    step = next(std::move(step.state), applied, 0);
    EXPECT_EQ(step.effects.ownChanged, kHere);
    EXPECT_EQ(step.state.inEffect.of(kHere).kv.amRatio, 6);
    EXPECT_EQ(step.state.inEffect.of(kThere).kv.amRatio, EngineConfig{}.kv.amRatio);
}

TEST(ConfigMachine, conversationDrafts_areKeptUntilTheConversationIsShownAgain) {
    ConfigState state = fresh();
    for (const ConfigInput& input :
         std::vector<ConfigInput>{ConversationValueChosen{true}, kWait, moved("keep_recent", 64.0),
                                  ConversationShown{kThere}})
        state = next(std::move(state), input, 0).state;
    EXPECT_FALSE(state.hasDrafts());
    EXPECT_EQ(state.find("keep_recent")->requested, SettingValue(16));
    state = next(std::move(state), ConversationShown{kHere}, 0).state;
    EXPECT_EQ(state.find("keep_recent")->state, ChangeState::Draft);
    EXPECT_EQ(state.asked.kv.keepRecent, 64);
}

TEST(ConfigMachine, timers_areStartedAndStopped) {
    using Timer = ConfigEffects::Timer;
    ConfigStep step = next(fresh(), kMove, 0);
    EXPECT_EQ(step.effects.rest, Timer::Start);
    EXPECT_EQ(step.effects.unanswered, Timer::Leave);
    step = next(std::move(step.state), DraftsDue{}, 7);
    EXPECT_EQ(step.effects.rest, Timer::Stop);
    EXPECT_EQ(step.effects.unanswered, Timer::Start);
    ConfigApplied applied = appliedOf(step.state);
    applied.timeNs = 30 * kMs + 7;
    step = next(std::move(step.state), applied, 40 * kMs);
    EXPECT_EQ(step.effects.mark, Timer::Start);
    EXPECT_DOUBLE_EQ(step.state.overall.acknowledgeMs, 30);
    step = next(std::move(step.state), OldMarks{}, 50 * kMs);
    EXPECT_EQ(step.effects.mark, Timer::Start) << "too early";
    EXPECT_EQ(step.state.find("temperature")->state, ChangeState::Applied);
}

TEST(ConfigMachine, ratio_withoutAMethod_setsTheImpliedMethod) {
    const ConfigStep step = next(fresh(), moved("am_ratio", 3.0), 0);
    ASSERT_TRUE(step.effects.impliedMethod);
    EXPECT_EQ(*step.effects.impliedMethod,
              std::make_pair(std::string("am_ratio"), CompactionMethod::AttentionMatching));
    EXPECT_EQ(step.state.asked.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_FALSE(next(fresh(), moved("am_ratio", 51.0), 0).effects.impliedMethod) << "refused";
}

}  // namespace
}  // namespace lacuna::app
