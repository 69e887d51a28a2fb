#pragma once
/// \file
/// Runs a function on a thread with a small stack, so that recursion over a text is detected.

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace lacuna::test {

/// Returns false if the thread could not be started. Objects used by `work` must outlive the call.
inline bool onSmallStack(std::size_t bytes, const std::function<void()>& work) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_t thread{};
    const auto run = [](void* given) -> void* {
        (*static_cast<const std::function<void()>*>(given))();
        return nullptr;
    };
    const bool started =
        pthread_attr_setstacksize(&attributes, bytes) == 0 &&
        pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)) == 0;
    pthread_attr_destroy(&attributes);
    return started && pthread_join(thread, nullptr) == 0;
}

}  // namespace lacuna::test
