// Lifetime of an engine on its thread: start, commands, stop and resources in use.

#include "engine/host/engine_host.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_model.h"
#include "tests/support/refused_threads.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

EngineOptions options(test::FakeModels& models) {
    EngineOptions given;
    given.machine.cores = 1;
    given.machine.memoryBytes = std::int64_t{8} << 30;
    given.machine.availableBytes = std::int64_t{4} << 30;
    given.config.maxTokens = 16'000;
    given.precision.given = Precision::Fast;
    given.makers = std::make_shared<const ModelMakers>(models.makers());
    return given;
}

/// Waits for the next event of a kind. Returns false after ten seconds.
template <class T>
bool waitFor(EventSubscription& events, T* found = nullptr) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (const auto event = events.nextUntil(end, {})) {
        const T* one = std::get_if<T>(&*event);
        if (one == nullptr) continue;
        if (found != nullptr) *found = *one;
        return true;
    }
    return false;
}

Submit question(std::int64_t conversation) {
    return Submit{ConversationId(conversation), {{"user", "Tell me."}}, {}};
}

class HostTest : public ::testing::Test {
  protected:
    /// The fake model takes 16 seconds per answer.
    HostTest() {
        models.options.context = 1 << 15;
        models.before = [](std::int64_t) -> Status {
            std::this_thread::sleep_for(1ms);
            return {};
        };
    }

    test::FakeModels models;
    EngineHost host{options(models)};
    EventSubscription events = host.events().subscribeQueue({});
};

TEST_F(HostTest, commandsQueuedBeforeStart_runAfterIt) {
    host.send(LoadModel{"fake"});
    host.start();
    EXPECT_TRUE(waitFor<ModelLoaded>(events));
}

TEST_F(HostTest, stopDuringATurn_endsItPromptly) {
    host.start();
    host.send(LoadModel{"fake"});
    host.send(question(1));
    ASSERT_TRUE(waitFor<TokenText>(events));
    const auto begun = std::chrono::steady_clock::now();
    host.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
    TurnFinished finished;
    ASSERT_TRUE(waitFor(events, &finished));
    EXPECT_EQ(finished.reason, FinishReason::Cancelled);
}

TEST_F(HostTest, stopWhileIdle_returnsImmediately) {
    host.start();
    ASSERT_TRUE(waitFor<StateChanged>(events));
    host.stop();
    host.stop();  // a second call has no effect
    host.wait();
}

TEST_F(HostTest, commandsAfterStop_areDropped) {
    host.start();
    host.stop();
    host.send(LoadModel{"fake"});
    host.send(question(1));
    while (const auto event = events.nextUntil(std::chrono::steady_clock::now() + 5ms, {}))
        EXPECT_TRUE(std::holds_alternative<StateChanged>(*event));
}

TEST_F(HostTest, stopRequestedByAReceiver_endsTheWait) {
    const auto stops = host.events().subscribe({}, [this](const Event& event) {
        if (std::holds_alternative<ModelLoaded>(event)) host.requestStop();
    });
    host.start();
    host.send(LoadModel{"fake"});
    host.wait();
    EXPECT_TRUE(waitFor<ModelLoaded>(events));
}

TEST_F(HostTest, unstartedHost_publishesNothing) {
    host.send(LoadModel{"fake"});
    host.stop();
    EXPECT_FALSE(events.nextUntil(std::chrono::steady_clock::now() + 1ms, {}));
}

TEST_F(HostTest, commandsOfSeveralThreads_areAllExecuted) {
    host.start();
    constexpr int kEach = 50;
    {
        std::vector<std::jthread> senders;
        for (int sender = 0; sender < 4; ++sender)
            senders.emplace_back([this] {
                for (int i = 0; i < kEach; ++i) host.send(RequestRetention{ConversationId(1)});
            });
    }
    host.send(InspectModel{"missing"});
    ASSERT_TRUE(waitFor<ModelInspected>(events)) << "it comes after them";
}

TEST_F(HostTest, recordedCommands_replaceTheQueue) {
    CommandQueue recorded;
    EngineHost other(options(models), &recorded);
    auto told = other.events().subscribeQueue({});
    other.start();
    other.send(LoadModel{"missing"});
    recorded.push(LoadModel{"fake"});
    EXPECT_TRUE(waitFor<ModelLoaded>(told));
    other.stop();
    for (const Event& event : told.take()) EXPECT_FALSE(std::holds_alternative<ModelFailed>(event));
}

TEST_F(HostTest, model_isAvailableFromModelLoadedUntilUnload) {
    std::string found;
    const auto looks = host.events().subscribe({}, [&](const Event& event) {
        if (std::holds_alternative<ModelLoaded>(event) && host.model() != nullptr)
            found = host.model()->spec.name;
    });
    EXPECT_EQ(host.model(), nullptr);
    host.start();
    host.send(LoadModel{"fake"});
    ASSERT_TRUE(waitFor<ModelLoaded>(events));
    EXPECT_EQ(found, "fake");
    host.send(LoadModel{"missing"});
    ASSERT_TRUE(waitFor<ModelFailed>(events));
    EXPECT_NE(host.model(), nullptr) << "the one before still answers";
    host.send(UnloadModel{});
    ASSERT_TRUE(waitFor<ModelUnloaded>(events));
    EXPECT_EQ(host.model(), nullptr);
}

TEST_F(HostTest, model_withADraftModel_isTheMainModel) {
    EngineOptions given = options(models);
    ModelMakers makers = *given.makers;
    makers.load = [](const std::filesystem::path& path, const LoadOptions&) {
        return Result<std::shared_ptr<const LoadedModel>>(
            test::fakeLoadedModel({.name = path.string()}));
    };
    given.makers = std::make_shared<const ModelMakers>(makers);
    EngineHost other(given);
    auto told = other.events().subscribeQueue({});
    other.start();
    for (const char* name : {"large", "larger"}) {
        other.send(LoadModel{name, "draft"});
        ASSERT_TRUE(waitFor<ModelLoaded>(told));
        ASSERT_NE(other.model(), nullptr);
        EXPECT_EQ(other.model()->spec.name, name);
    }
}

TEST(EngineHost, threadCreationFailure_isReported_andPublishesNothingMore) {
    const test::RefusedThreads refused;
    EngineHost host(EngineOptions{});
    auto events = host.events().subscribeQueue({});
    host.start();
    host.send(UnloadModel{});
    host.wait();
    const auto told = events.take();
    ASSERT_EQ(told.size(), 1U);
    const auto* fatal = std::get_if<Fatal>(&told[0]);
    ASSERT_NE(fatal, nullptr);
    EXPECT_EQ(fatal->error.code, ErrorCode::NoMemory);
}

}  // namespace
}  // namespace lacuna
