#pragma once
/// \file
/// Waits for other threads and processes. Runs no event loop; tests with one use QTest::qWaitFor.

#include <chrono>
#include <thread>

namespace lacuna::test {

/// Calls `done` every few milliseconds until it returns true or `most` has passed. Returns whether
/// it did.
template <class Done>
[[nodiscard]] bool pollUntil(const Done& done,
                             std::chrono::milliseconds most = std::chrono::seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!done()) {
        if (std::chrono::steady_clock::now() >= end) return done();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

}  // namespace lacuna::test
