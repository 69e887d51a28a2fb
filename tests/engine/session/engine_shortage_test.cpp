// Memory exhaustion outside of a step, and a system that refuses threads: the request ends with an
// error and the engine continues.

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tests/support/engine_runner.h"
#include "tests/support/refused_threads.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::RefusedThreads;

EngineConfig with(std::span<const std::string> assignments) {
    return *withSettings(EngineConfig{}, assignments);
}
EngineConfig brief(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"temperature=0", "max_tokens=4"});
    return with(more);
}

/// Makers that throw `thrown` while it is set.
struct Throwing {
    enum class What { Nothing, Shortage, Other };
    std::atomic<What> load{What::Nothing};
    std::atomic<What> transformer{What::Nothing};

    static void happen(What what) {
        if (what == What::Shortage) throw std::bad_alloc();
        if (what == What::Other) throw std::runtime_error("a thing nobody thought of");
    }
    ModelMakers around(ModelMakers makers) {
        ModelMakers both;
        both.load = [this, makers](const auto& path, const auto& options) {
            happen(load);
            return makers.load(path, options);
        };
        both.transformer = [this, makers](auto model, auto& pool, auto options) {
            happen(transformer);
            return makers.transformer(std::move(model), pool, options);
        };
        return both;
    }
};

TEST(EngineShortage, modelTooLargeForMemory_failsToLoad_andTheNextLoadWorks) {
    EngineRunner run(brief());
    Throwing throwing;
    run.makers = throwing.around(run.models.makers());
    throwing.load = Throwing::What::Shortage;
    run.start();
    run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    EXPECT_EQ(run.all<ModelFailed>()[0].error.code, ErrorCode::NoMemory);
    throwing.load = Throwing::What::Nothing;
    ASSERT_TRUE(run.load());
    run.submit(1, "Hello");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_FALSE(run.all<TurnFinished>()[0].error);
    EXPECT_TRUE(run.all<Fatal>().empty());
}

TEST(EngineShortage, turnWithoutMemory_endsWithOutOfMemory_andTheNextTurnWorks) {
    EngineRunner run(brief({"prefill_chunk=16"}));
    Throwing throwing;
    run.makers = throwing.around(run.models.makers());
    run.start();
    ASSERT_TRUE(run.load());
    throwing.transformer = Throwing::What::Shortage;
    run.queue.push(SetConfig{Revision(1), brief({"prefill_chunk=32"})});  // requires another
                                                                          // transformer
    run.submit(1, "Hello");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    const TurnFinished failed = run.all<TurnFinished>()[0];
    EXPECT_EQ(failed.conversation, ConversationId(1));
    EXPECT_EQ(failed.reason, FinishReason::Error);
    ASSERT_TRUE(failed.error);
    EXPECT_EQ(failed.error->code, ErrorCode::NoMemory);
    throwing.transformer = Throwing::What::Nothing;
    run.submit(1, "Hello again");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    EXPECT_FALSE(run.all<TurnFinished>()[1].error);
    EXPECT_EQ(run.all<TurnStarted>().back().turn, 1) << "what never began has no number";
    EXPECT_TRUE(run.all<Fatal>().empty());
}

TEST(EngineShortage, unexpectedException_isPublishedAsTheLastEvent) {
    EngineRunner run(brief());
    Throwing throwing;
    run.makers = throwing.around(run.models.makers());
    throwing.load = Throwing::What::Other;
    run.start();
    run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(run.waitFor<Fatal>());
    run.finish();
    const Error error = run.all<Fatal>()[0].error;
    EXPECT_EQ(error.code, ErrorCode::Internal);
    EXPECT_NE(error.what.find("a thing nobody thought of"), std::string::npos);
    EXPECT_TRUE(std::holds_alternative<Fatal>(run.events().back()));
}

TEST(EngineShortage, fewerThreadsThanRequested_areReported_andTurnsComplete) {
    EngineRunner run(brief({"threads=4"}));
    run.start();
    RefusedThreads refused(1);
    ASSERT_TRUE(run.load());
    run.submit(1, "Hello");
    run.submit(2, "Hello");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    EXPECT_EQ(RefusedThreads::refused(), 1) << "asked for again by each answer";
    for (const TurnFinished& finished : run.all<TurnFinished>()) EXPECT_FALSE(finished.error);
    const auto notices = run.all<Notice>();
    EXPECT_TRUE(std::ranges::any_of(notices, [](const Notice& notice) {
        return notice.sentence.find("2 of 4 compute threads") != std::string::npos;
    }));
}

}  // namespace
}  // namespace lacuna
