// Memory of an idle engine. Sanitizers replace the heap that is tested here.

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/process_heap.h"
#include "tests/support/bundled_models.h"
#include "tests/support/engine_runner.h"
#include "tests/support/poll_until.h"

namespace lacuna {
namespace {

using test::EngineRunner;

constexpr std::int64_t kMiB = 1 << 20;

/// Returns a line of /proc/self/status, in bytes.
std::int64_t statusBytes(const std::string& key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;
    return 0;
}

std::int64_t anonymousBytes() {
    return statusBytes("RssAnon:") + statusBytes("RssShmem:");
}

bool comesTrue(const std::function<bool()>& condition) {
    return test::pollUntil(condition, std::chrono::minutes(1));
}

/// Blocks between others that stay allocated, so that freeing them does not let the C library
/// shrink its heap.
class FreedBlocks {
  public:
    FreedBlocks() {
        std::vector<std::unique_ptr<char[]>> freed;
        for (int i = 1; i <= kBlocks; ++i)
            (i % 64 == 0 ? held_ : freed).push_back(std::make_unique<char[]>(kBlock));
    }
    static constexpr std::int64_t kBlock = 32 * 1024;
    static constexpr int kBlocks = 2048;

  private:
    std::vector<std::unique_ptr<char[]>> held_;
};

TEST(IdleMemory, engineBecomesIdle_returnsFreedMemoryToTheSystem) {
    EngineRunner run;
    run.start();
    ASSERT_TRUE(run.load());
    trimHeap();
    const std::int64_t before = anonymousBytes();
    const FreedBlocks blocks;
    ASSERT_GT(anonymousBytes(), before + 32 * kMiB) << "freed blocks stay with the process";
    run.queue.push(UnloadModel{});
    EXPECT_TRUE(comesTrue([&] { return anonymousBytes() < before + 8 * kMiB; }))
        << (anonymousBytes() - before) / kMiB << " MiB";
}

/// Loading, using, compacting and unloading a model leaves no more memory than the same did before.
TEST(IdleMemory, modelUnloadedAfterCompactions_holdsNoMoreMemoryThanBefore) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = 16;
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.amRatio = 4;
    config.kv.headBudgets = HeadBudgets::Uniform;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.prefixCacheMiB = 64;
    EngineRunner run(config);
    run.makers = ModelMakers{};
    run.start();
    std::string text;
    for (int i = 0; i < 250; ++i) text += "word " + std::to_string(i * 37 % 1000) + ". ";
    std::vector<std::int64_t> held;
    for (std::size_t round = 1; round <= 3; ++round) {
        run.queue.push(LoadModel{test::pilotModel()});
        ASSERT_TRUE(comesTrue([&] { return run.all<ModelLoaded>().size() >= round; }));
        run.submit(static_cast<std::int64_t>(round), text);
        ASSERT_TRUE(comesTrue([&] { return run.all<TurnFinished>().size() >= round; }));
        ASSERT_FALSE(run.all<TurnFinished>().back().error);
        run.queue.push(CompactNow{ConversationId(static_cast<std::int64_t>(round))});
        ASSERT_TRUE(comesTrue([&] {
            std::size_t done = 0;
            for (const CompactionHappened& one : run.all<CompactionHappened>())
                done += one.report.result == CompactionResult::Done ? 1 : 0;
            return done >= round;
        }));
        run.queue.push(UnloadModel{});
        ASSERT_TRUE(comesTrue([&] { return run.all<ModelUnloaded>().size() >= round; }));
        trimHeap();
        held.push_back(anonymousBytes());
    }
    EXPECT_LT(held[2], held[1] + 16 * kMiB) << "weights alone are 29 MiB";
}

}  // namespace
}  // namespace lacuna

#endif
