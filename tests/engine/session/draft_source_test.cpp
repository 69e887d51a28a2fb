// The setting draft_source: answers drafted by a model's block for multi-token prediction.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "tests/support/engine_runner.h"

namespace lacuna::draft_source {
namespace {

using test::EngineRunner;

EngineConfig settings(std::vector<std::string> more) {
    std::vector<std::string> all{"temperature=0",   "max_tokens=60", "prefill_chunk=24", "seed=5",
                                 "precision=exact", "kv_type=f32",   "prefix_cache=0"};
    all.insert(all.end(), more.begin(), more.end());
    return *withSettings({}, all);
}

std::vector<ChatMessage> asked(const std::string& question) {
    return {{"user", "Where are the papers, and who saw them last?"},
            {"assistant", "In the desk."},
            {"user", question}};
}

/// Two turns of one conversation; the second one edits the question.
std::vector<TurnFinished> answers(const std::string& model, const EngineConfig& config) {
    EngineRunner run(config);
    run.makers = ModelMakers{};
    run.start();
    EXPECT_TRUE(run.load(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026" / model));
    run.submit(1, asked("Which desk?"));
    EXPECT_TRUE(run.waitFor<TurnFinished>(1));
    run.submit(1, asked("Which of the desks?"));
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    std::vector<TurnFinished> all = run.all<TurnFinished>();
    for (const TurnFinished& one : all) EXPECT_FALSE(one.error) << describe(*one.error);
    EXPECT_EQ(all.size(), 2U);
    all.resize(2);
    return all;
}

TEST(DraftSource, blockOfTheModel_draftsAndChangesNoAnswer) {
    for (const char* file : {"qwen35-vl", "qwen35-vl/model.gguf"}) {
        const auto plain = answers(file, settings({}));
        const auto drafted = answers(file, settings({"draft_tokens=2", "draft_source=mtp"}));
        for (std::size_t i = 0; i < plain.size(); ++i) {
            EXPECT_GT(plain[i].tokens.size(), 3U);
            EXPECT_EQ(drafted[i].tokens, plain[i].tokens) << file;
            EXPECT_GE(drafted[i].stats.draftRounds, std::ssize(plain[i].tokens) / 3 - 2)
                << "every step drafts, unlike a lookup of earlier text";
            EXPECT_GE(drafted[i].stats.draftedTokens, drafted[i].stats.draftRounds);
        }
    }
}

TEST(DraftSource, cacheOfTheBlock_isReported) {
    for (const char* source : {"draft_source=mtp", "draft_source=lookup"}) {
        EngineRunner run(settings({"draft_tokens=2", source}));
        run.makers = ModelMakers{};
        run.start();
        EXPECT_TRUE(run.load(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026/qwen35-vl"));
        run.submit(1, asked("Which desk?"));
        EXPECT_TRUE(run.waitFor<TurnFinished>(1));
        run.finish();
        std::int64_t most = 0;
        for (const StepSample& sample : run.all<StepSample>()) {
            EXPECT_EQ(sample.draftBytes, sample.draftBytesAll);
            most = std::max(most, sample.draftBytes);
        }
        EXPECT_EQ(most > 0, std::string_view(source).ends_with("mtp"));
    }
}

TEST(DraftSource, modelWithoutABlock_looksUpEarlierText) {
    const auto lookup = answers("qwen35", settings({"draft_tokens=2"}));
    const auto block = answers("qwen35", settings({"draft_tokens=2", "draft_source=mtp"}));
    for (std::size_t i = 0; i < lookup.size(); ++i) {
        EXPECT_EQ(block[i].tokens, lookup[i].tokens);
        EXPECT_EQ(block[i].stats.draftedTokens, lookup[i].stats.draftedTokens);
    }
}

}  // namespace
}  // namespace lacuna::draft_source
