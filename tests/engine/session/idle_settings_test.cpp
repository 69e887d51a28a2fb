// The settings table's claims about settings without effect, against a running engine. Where a
// setting is called idle, another value gives the same tokens and compactions. Every setting with
// an effect on a single conversation has a configuration that shows it.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/base/string_format.h"
#include "engine/session/read_facts.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using Settings = std::vector<std::string>;

constexpr test::FakeModelOptions kModel{.headDim = 32};

/// Small, greedy and with immediate compactions, so that two runs are alike.
const Settings kBase{"max_tokens=24", "prefill_chunk=16",   "temperature=0",
                     "keep_recent=8", "n_sink=2",           "background=off",
                     "seed=7",        "threads=1",          "quality_every=0",
                     "context=400",   "compaction_floor=0", "loss_limit=off"};

const std::vector<Settings>& configurations() {
    static const std::vector<Settings> all{
        {},
        {"context=256"},
        {"window=64"},
        {"v_type=t4", "exact_window=16"},
        {"method=l2", "budget=64"},
        {"method=l2", "budget=64", "norm_policy=random"},
        {"method=l2", "budget=64", "norm_policy=accumulated_attention"},
        {"method=l2", "budget=64", "compact_when=turn_late"},
        {"method=l2", "cache_limit=0.06"},
        {"method=am", "am_ratio=3"},
        {"method=am", "am_ratio=3", "compact_when=turn_late"},
        {"method=am", "am_ratio=1"},
        {"method=am", "am_ratio=1", "cache_limit=0.06"},
        {"temperature=0.9", "repeat_penalty=1.3", "repeat_last_n=20", "parallel=1"},
        {"temperature=0", "repeat_penalty=1", "repeat_last_n=0"},
    };
    return all;
}

/// Values to try instead of the configured one. For choices, all values are tried.
const std::map<std::string_view, Settings>& otherValues() {
    static const std::map<std::string_view, Settings> all{{"am_ratio", {"2", "6"}},
                                                          {"budget", {"40", "100"}},
                                                          {"keep_recent", {"0", "20"}},
                                                          {"n_sink", {"0", "6"}},
                                                          {"margin", {"1", "30"}},
                                                          {"compaction_floor", {"2000"}},
                                                          {"pin_percent", {"10"}},
                                                          {"skip_layers", {"0", "1"}},
                                                          {"exact_window", {"0", "40"}},
                                                          {"extra_bits", {"0.5"}},
                                                          {"window", {"48"}},
                                                          {"state_memory", {"64"}},
                                                          {"cache_limit", {"0.05"}},
                                                          {"prefix_cache", {"64"}},
                                                          {"prefix_disk", {"64"}},
                                                          {"context", {"200"}},
                                                          {"context_shift", {"4"}},
                                                          {"prefill_chunk", {"32"}},
                                                          {"parallel", {"2"}},
                                                          {"draft_tokens", {"4"}},
                                                          {"draft_source", {"mtp"}},
                                                          {"quality_every", {"8"}},
                                                          {"threads", {"2"}},
                                                          {"max_tokens", {"10"}},
                                                          {"temperature", {"0", "1.5"}},
                                                          {"top_k", {"5"}},
                                                          {"top_p", {"0.3"}},
                                                          {"min_p", {"0.3"}},
                                                          {"repeat_penalty", {"1.5"}},
                                                          {"repeat_last_n", {"5"}},
                                                          {"presence_penalty", {"1"}},
                                                          {"frequency_penalty", {"1"}},
                                                          {"seed", {"9"}},
                                                          {"kv_type", {"f32"}},  // the fake model
                                                                                 // reads its keys
                                                                                 // as floats
                                                          {"v_type", {"q8_0"}}};
    return all;
}

// A single conversation does not show them, or the model has nothing that they could affect.
const std::set<std::string_view> kNotSeenHere{
    "parallel",     "passes",           "threads",     "layer_caches", "precision",
    "score_source", "demote_structure", "kv_rotation", "extra_bits",   "prefix_cache",
    "prefix_disk",  "state_memory",     "state_type",  "draft_source"};

Settings valuesOf(const SettingSpec& spec) {
    if (const auto at = otherValues().find(spec.key); at != otherValues().end()) return at->second;
    return {spec.field.choices.begin(), spec.field.choices.end()};
}

EngineConfig configOf(const Settings& own) {
    Settings all = kBase;
    all.insert(all.end(), own.begin(), own.end());
    const auto config = withSettings({}, all);
    EXPECT_TRUE(config) << (own.empty() ? "" : own.front());
    return config.value_or(EngineConfig{});
}

std::string textOf(int length) {
    std::string text;
    for (int i = 0; i < length; ++i)
        text += i % 5 == 4 ? ' ' : static_cast<char>('a' + i * 11 % 26);
    return text;
}

Json factsOf(const CompactionReport& report) {
    return {static_cast<int>(report.result),
            static_cast<int>(report.cause),
            static_cast<int>(report.method),
            exclusionText(report.notes),
            report.tokens,
            report.slotsBefore,
            report.slotsAfter,
            report.liveBytesAfter,
            report.background,
            report.heldOutError.value_or(-1)};
}

/// Returns the outcome of two turns except for times and the settings themselves.
Json outcomeOf(const EngineConfig& config) {
    EngineRunner run(config, kModel);
    // With random weights attention is nearly uniform, so the smallest amount must count.
    run.options.lookBack.needed.least = 1e-6F;
    run.options.lookBack.seconds = 1e6;
    run.start();
    EXPECT_TRUE(run.load());
    std::vector<ChatMessage> messages{{"user", textOf(150)}};
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    messages.push_back({"assistant", "abc"});
    messages.push_back({"user", textOf(60)});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    Json told = Json::array();
    for (const Event& event : run.events()) {
        if (const auto* one = std::get_if<CompactionHappened>(&event))
            told.push_back(factsOf(one->report));
        if (const auto* one = std::get_if<StepSample>(&event))
            told.push_back({one->tokens, one->kv.tokens, one->kv.slotsTotal, one->kv.liveBytes});
        if (const auto* one = std::get_if<TurnFinished>(&event))
            told.push_back({one->tokens, one->text, static_cast<int>(one->reason),
                            one->stats.draftedTokens, one->stats.shiftedTokens,
                            one->error ? one->error->what : ""});
        if (const auto* one = std::get_if<QualitySampled>(&event))
            told.push_back({one->sample.tokens, one->sample.kl});
    }
    return told;
}

/// Compares one configuration with the table.
class Trial {
  public:
    explicit Trial(const EngineConfig& config) : config_(config), outcome_(outcomeOf(config)) {}

    /// Returns nullopt if the rules refuse the value.
    [[nodiscard]] std::optional<bool> changes(const SettingSpec& spec,
                                              const std::string& value) const {
        EngineConfig other = config_;
        EXPECT_FALSE(changeSetting(other, spec.key, value)) << spec.key << "=" << value;
        if (other == config_ || !check(other, &facts_, MachineFacts{})) return std::nullopt;
        return outcomeOf(other) != outcome_;
    }
    [[nodiscard]] std::string_view idle(const SettingSpec& spec) const {
        return idleReason(spec, config_, &facts_);
    }

  private:
    EngineConfig config_;
    Json outcome_;
    ModelFacts facts_ = lacuna::factsOf(*test::fakeLoadedModel(kModel));
};

TEST(IdleSettings, idleSettings_haveNoEffect_allOthersHaveOneSomewhere) {
    std::set<std::string_view> effective;
    int idlePairs = 0;
    for (const Settings& own : configurations()) {
        const Trial trial(configOf(own));
        const std::string name = own.empty() ? "defaults" : format("{}", fmt::join(own, " "));
        for (const SettingSpec& spec : settingSpecs()) {
            const std::string_view idle = trial.idle(spec);
            if (idle.empty() && (effective.contains(spec.key) || kNotSeenHere.contains(spec.key)))
                continue;
            ASSERT_FALSE(valuesOf(spec).empty()) << spec.key << " has no other values to try";
            for (const std::string& value : valuesOf(spec)) {
                const auto changes = trial.changes(spec, value);
                if (!changes) continue;
                if (*changes) effective.insert(spec.key);
                if (idle.empty()) continue;
                ++idlePairs;
                EXPECT_FALSE(*changes)
                    << name << ": " << spec.key << "=" << value
                    << " changes something, and is said to be idle while " << idle;
            }
        }
    }
    EXPECT_GT(idlePairs, 100);
    for (const SettingSpec& spec : settingSpecs())
        if (!kNotSeenHere.contains(spec.key)) {
            EXPECT_TRUE(effective.contains(spec.key)) << spec.key << " never changed anything";
        }
}

// No figure of a run shows the kept slots, but the notices show whether the text is known.
TEST(IdleSettings, demotedStructure_usesTheTextOfEveryConversation) {
    EngineRunner run(configOf({"method=l2", "budget=64", "norm_policy=accumulated_attention",
                               "demote_structure=on"}),
                     kModel);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, {{"user", textOf(150)}});
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    int done = 0;
    for (const Event& event : run.events())
        if (const auto* one = std::get_if<CompactionHappened>(&event)) {
            if (one->report.result == CompactionResult::Done) ++done;
            EXPECT_FALSE(mentions(one->report.notes, CompactionReason::TextUnknown));
        }
    EXPECT_GT(done, 0);
}

TEST(IdleSettings, idleReasons_matchTheTable) {
    const auto reason = [](const char* key, const Settings& own) {
        return std::string(idleReason(*findSetting(key), configOf(own), nullptr));
    };
    EXPECT_EQ(reason("skip_layers", {"method=am"}), "");
    EXPECT_EQ(reason("skip_layers", {}), "method is none");
    EXPECT_EQ(reason("n_sink", {"window=64"}), "");
    EXPECT_EQ(reason("n_sink", {"v_type=t4"}), "");
    EXPECT_EQ(reason("n_sink", {"v_type=t4", "exact_window=0"}),
              "method is none, there is no window and no rows are kept in 16 bits");
    EXPECT_EQ(reason("exact_window", {"kv_type=q8_0"}),
              "neither kv_type nor v_type is one of the rotated codes t8 to t1");
    EXPECT_EQ(reason("keep_recent", {"window=64"}), "method is none");
    for (const char* key : {"head_budgets", "pin_percent", "am_ratio", "query_source"})
        EXPECT_EQ(reason(key, {"method=l2", "budget=64"}), "method is l2") << key;
    EXPECT_EQ(reason("background", {"method=l2", "budget=64", "norm_policy=keydiff"}),
              "method is l2 and its policy does not read the text again");
    EXPECT_EQ(reason("background", {"method=l2", "budget=64"}), "");
    EXPECT_EQ(reason("background", {"method=l2", "budget=64", "norm_policy=reconstruct"}), "");
    EXPECT_EQ(reason("norm_policy", {"method=am"}), "method is am");
    EXPECT_EQ(reason("top_k", {"temperature=0"}), "temperature is 0");
    EXPECT_EQ(idleText(*findSetting("norm_policy")), "method is none, or while method is am");
    EXPECT_EQ(idleText(*findSetting("method")), "");
}

}  // namespace
}  // namespace lacuna
