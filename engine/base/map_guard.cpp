#include "engine/base/map_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace lacuna {
namespace {

/// The handler may look at any time, on any thread: `begin` says that the
/// rest is valid.
struct Watch {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> lost{false};
};

std::array<Watch, kMaxGuardedMaps> watches;
struct sigaction handlerBefore {};
std::uintptr_t pageBytes = 4096;

/// Zeros from the page of `address` to the end of the map that holds it. Only what a signal handler
/// may call: mmap is a bare system call.
bool replaceByZeros(std::uintptr_t address) {
    for (Watch& watch : watches) {
        const std::uintptr_t begin = watch.begin.load(std::memory_order_acquire);
        const std::uintptr_t end = watch.end.load(std::memory_order_relaxed);
        if (begin == 0 || address < begin || address >= end) continue;
        const std::uintptr_t page = address & ~(pageBytes - 1);
        watch.lost.store(true, std::memory_order_release);
        return ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

void onBusError(int signal, siginfo_t* info, void*) {
    const int error = errno;
    const bool fault = info->si_code > 0;
    if (fault && replaceByZeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        errno = error;
        return;
    }
    // A fault happens again as soon as this returns; a signal that was sent has to be sent again.
    ::sigaction(signal, &handlerBefore, nullptr);
    if (!fault) ::raise(signal);
    errno = error;
}

void installHandler() {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handlerBefore);
}

}  // namespace

int guardMap(const void* data, std::size_t size) {
    static std::once_flag installed;
    std::call_once(installed, installHandler);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (int i = 0; i < kMaxGuardedMaps; ++i) {
        Watch& watch = watches[static_cast<std::size_t>(i)];
        if (watch.taken.exchange(true)) continue;
        watch.lost.store(false);
        watch.end.store((begin + size + pageBytes - 1) & ~(pageBytes - 1));
        watch.begin.store(begin, std::memory_order_release);
        return i;
    }
    return -1;
}

bool mapIsLost(int watch) {
    return watch >= 0 &&
           watches[static_cast<std::size_t>(watch)].lost.load(std::memory_order_acquire);
}

void releaseMap(int watch) {
    if (watch < 0) return;
    Watch& one = watches[static_cast<std::size_t>(watch)];
    one.begin.store(0);
    one.end.store(0);
    one.taken.store(false);
}

}  // namespace lacuna
