// The program's own pthread_create takes precedence over that of the C library for every loaded
// library.

#include "tests/support/refused_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr int kAll = std::numeric_limits<int>::max();
std::atomic<int> allowed{kAll};
std::atomic<int> refusals{0};

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
    static const auto real = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (allowed != kAll && allowed-- <= 0) {
        ++refusals;
        return EAGAIN;
    }
    return real(thread, attributes, run, argument);
}

namespace lacuna::test {

RefusedThreads::RefusedThreads(int most) {
    refusals = 0;
    allowed = most;
}
RefusedThreads::~RefusedThreads() {
    allowed = kAll;
}
int RefusedThreads::refused() {
    return refusals;
}

}  // namespace lacuna::test
