#pragma once
/// \file
/// The one way to start a thread: on a machine at its limit the system gives none, and that is a
/// failure like another, with a sentence. Callers go on with fewer threads, or say so.

#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/result.h"

namespace lacuna {

/// A thread that runs `work`, which must not throw. Errors: NoMemory.
template <class Work>
[[nodiscard]] Result<std::jthread> startThread(Work&& work) {
    try {
        return std::jthread(std::forward<Work>(work));
    } catch (const std::system_error& problem) {
        return fail(ErrorCode::NoMemory,
                    std::string("the system starts no further thread: ") + problem.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory, "there is not enough memory for a further thread");
    }
}

}  // namespace lacuna
