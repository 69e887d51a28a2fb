// A value that is built once and shared by all threads that request it.

#include "engine/base/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace lacuna {
namespace {

using Words = Lazy<int, std::string>;

Result<Words::Shared> word(const char* text) {
    return std::make_shared<const std::string>(text);
}

TEST(Lazy, heldValue_isNotRebuilt) {
    Words words;
    const auto one = words.get(1, [] { return word("one"); });
    ASSERT_TRUE(one);
    EXPECT_EQ(*words.get(1, [] { return word("another"); }), *one);
    EXPECT_EQ(**words.get(2, [] { return word("two"); }), "two") << "keys are apart";
}

TEST(Lazy, unreferencedValue_isReleased) {
    Words words;
    std::weak_ptr<const std::string> seen;
    {
        const auto one = words.get(1, [] { return word("one"); });
        seen = *one;
    }
    EXPECT_TRUE(seen.expired());
    EXPECT_EQ(**words.get(1, [] { return word("again"); }), "again");
}

TEST(Lazy, failure_isNotCached) {
    Words words;
    const auto failed =
        words.get(1, []() -> Result<Words::Shared> { return fail(ErrorCode::Read, "not now"); });
    ASSERT_FALSE(failed);
    EXPECT_TRUE(words.get(1, [] { return word("one"); }));
}

// K09
TEST(Lazy, fiftyThreads_shareOneValue) {
    Words words;
    std::atomic<int> made = 0;
    std::vector<Words::Shared> held(50);
    std::vector<std::thread> threads;
    for (Words::Shared& mine : held)
        threads.emplace_back([&] {
            mine = *words.get(1, [&] {
                ++made;
                std::this_thread::yield();
                return word("one");
            });
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    for (const Words::Shared& mine : held) EXPECT_EQ(mine, held.front());
}

}  // namespace
}  // namespace lacuna
