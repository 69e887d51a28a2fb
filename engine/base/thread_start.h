#pragma once
/// \file
/// Starts threads; no other code does. A system at its limit refuses a thread, which is reported as
/// an error like any other. Callers continue with fewer threads, or report it.

#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/result.h"

namespace lacuna {

/// Starts a thread that runs `work`, which must not throw. Errors: NoMemory.
template <class Work>
[[nodiscard]] Result<std::jthread> startThread(Work&& work) {
    try {
        return std::jthread(std::forward<Work>(work));
    } catch (const std::system_error& problem) {
        return fail(ErrorCode::NoMemory,
                    std::string("the system cannot start another thread: ") + problem.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory, "there is not enough memory for another thread");
    }
}

}  // namespace lacuna
