#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "tests/support/poll_until.h"
#include "tests/support/refused_threads.h"

namespace lacuna {
namespace {

TEST(ThreadPool, everyTask_runsExactlyOnce) {
    for (const int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (const int tasks : {0, 1, 2, 7, 1000}) {
            std::vector<int> hits(static_cast<std::size_t>(tasks), 0);
            pool.parallelFor(tasks, [&](int task) { ++hits[static_cast<std::size_t>(task)]; });
            for (const int h : hits) ASSERT_EQ(h, 1);
        }
    }
}

TEST(ThreadPool, manyRounds_withPauses_neverLoseWork) {
    ThreadPool pool(2, 5);
    std::vector<std::int64_t> sums(64, 0);
    for (int round = 0; round < 2000; ++round) {
        pool.parallelFor(64, [&](int task) { sums[static_cast<std::size_t>(task)] += task; });
        if (round % 500 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));  // lets workers sleep
    }
    for (std::size_t task = 0; task < sums.size(); ++task)
        EXPECT_EQ(sums[task], 2000 * static_cast<std::int64_t>(task));
}

TEST(ThreadPool, slowTask_doesNotBlockOthers) {
    ThreadPool pool(2);
    std::atomic<int> quick{0};
    int quickSeenBySlow = 0;
    pool.parallelFor(9, [&](int task) {
        if (task == 0) {
            static_cast<void>(test::pollUntil([&] { return quick == 8; }));
            quickSeenBySlow = quick;
        } else {
            ++quick;
        }
    });
    EXPECT_EQ(quickSeenBySlow, 8);
}

TEST(ThreadPool, manyMoreThreadsThanCores_shortRounds_finishEachTaskOnce) {
    ThreadPool pool(16);
    std::vector<int> hits(48, 0);
    for (int round = 0; round < 3000; ++round)
        pool.parallelFor(48, [&](int task) { ++hits[static_cast<std::size_t>(task)]; });
    for (const int h : hits) ASSERT_EQ(h, 3000);
}

TEST(ThreadPool, exceptionOfATask_isRethrownOnce_andThePoolContinues) {
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        std::atomic<int> done{0};
        const auto work = [&](int task) {
            if (task % 2 == 0) throw std::bad_alloc();
            ++done;
        };
        EXPECT_THROW(pool.parallelFor(16, work), std::bad_alloc);
        done = 0;
        pool.parallelFor(16, [&](int) { ++done; });
        EXPECT_EQ(done, 16);
    }
}

TEST(ThreadPool, threadCreationFailure_givesASmallerPool) {
    for (const int allowed : {0, 2}) {
        const test::RefusedThreads refused(allowed);
        ThreadPool pool(8);
        EXPECT_EQ(pool.threads(), 1 + allowed);
        std::atomic<int> done{0};
        pool.parallelFor(100, [&](int) { ++done; });
        EXPECT_EQ(done, 100);
    }
}

}  // namespace
}  // namespace lacuna
