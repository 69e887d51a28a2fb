// Code in this file must not allocate once a plan is armed, nor call the functions it interposes.

#include "tests/faults/fault_points.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
}

namespace lacuna::fault {
namespace {

Plan plan;
std::atomic<bool> armed{false};
std::atomic<long> seen{0};

enum class Verdict { Do, Fail, Half };

Verdict verdictOn(Call call) {
    if (!armed.load(std::memory_order_acquire) || plan.call != call) return Verdict::Do;
    const long number = ++seen;
    if (plan.nth == 0 || number < plan.nth) return Verdict::Do;
    if (number == plan.nth) return plan.partial ? Verdict::Half : Verdict::Fail;
    return plan.forGood ? Verdict::Fail : Verdict::Do;
}

/// Returns whether the descriptor is a regular file. Terminals and pipes are not subject to plans.
bool regular(int fd) {
    const int before = errno;
    struct stat info {};
    const bool is = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    errno = before;
    return is;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// The C library terminates the program if it cannot allocate the destructor record of a
/// thread_local object.
thread_local bool registering = false;

bool failsMemory() {
    if (registering || verdictOn(Call::Memory) == Verdict::Do) return false;
    errno = ENOMEM;
    return true;
}

int errorNamed(std::string_view name) {
    if (name == "ENOSPC") return ENOSPC;
    if (name == "EDQUOT") return EDQUOT;
    if (name == "ENOMEM") return ENOMEM;
    if (name == "EAGAIN") return EAGAIN;
    return EIO;
}

/// CALL:N:ERROR[:once|good|half], from LACUNA_FAULT.
struct FromEnvironment {
    FromEnvironment() {
        const char* text = std::getenv("LACUNA_FAULT");
        if (text == nullptr) return;
        std::string_view rest = text;
        const auto field = [&rest] {
            const auto end = rest.find(':');
            const std::string_view one = rest.substr(0, end);
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            return one;
        };
        Plan given;
        const std::string_view call = field();
        if (call == "sync") given.call = Call::Sync;
        if (call == "rename") given.call = Call::Rename;
        if (call == "close") given.call = Call::Close;
        if (call == "memory") given.call = Call::Memory;
        if (call == "thread") given.call = Call::Thread;
        given.nth = std::strtol(field().data(), nullptr, 10);
        given.error = errorNamed(field());
        const std::string_view how = field();
        given.forGood = how == "good";
        given.partial = how == "half";
        arm(given);
    }
};
const FromEnvironment fromEnvironment;

}  // namespace

void arm(const Plan& wanted) {
    armed.store(false, std::memory_order_release);
    plan = wanted;
    seen = 0;
    armed.store(true, std::memory_order_release);
}

long disarm() {
    armed.store(false, std::memory_order_release);
    return seen;
}

}  // namespace lacuna::fault

using lacuna::fault::Call;
using lacuna::fault::next;
using lacuna::fault::plan;
using lacuna::fault::regular;
using lacuna::fault::Verdict;
using lacuna::fault::verdictOn;

namespace {

template <class Real>
ssize_t writing(int fd, std::size_t bytes, Real real) {
    if (!regular(fd)) return real(bytes);
    switch (verdictOn(Call::Write)) {
        case Verdict::Do:
            return real(bytes);
        case Verdict::Half:
            return real(bytes > 1 ? bytes / 2 : bytes);
        case Verdict::Fail:
            break;
    }
    errno = plan.error;
    return -1;
}

bool fails(Call call) {
    if (verdictOn(call) == Verdict::Do) return false;
    errno = plan.error;
    return true;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, std::size_t bytes) {
    static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
    return writing(fd, bytes, [&](std::size_t count) { return real(fd, data, count); });
}

ssize_t writev(int fd, const iovec* parts, int count) {
    static const auto real = next<ssize_t (*)(int, const iovec*, int)>("writev");
    return writing(fd, 2, [&](std::size_t half) {
        return half == 1 ? ::write(fd, parts->iov_base, parts->iov_len) : real(fd, parts, count);
    });
}

ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t at) {
    static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
    return writing(fd, bytes, [&](std::size_t count) { return real(fd, data, count, at); });
}

ssize_t pwrite64(int fd, const void* data, std::size_t bytes, off64_t at) {
    static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off64_t)>("pwrite64");
    return writing(fd, bytes, [&](std::size_t count) { return real(fd, data, count, at); });
}

int fsync(int fd) {
    static const auto real = next<int (*)(int)>("fsync");
    return fails(Call::Sync) ? -1 : real(fd);
}

int fdatasync(int fd) {
    static const auto real = next<int (*)(int)>("fdatasync");
    return fails(Call::Sync) ? -1 : real(fd);
}

int rename(const char* from, const char* to) noexcept {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    return fails(Call::Rename) ? -1 : real(from, to);
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) noexcept {
    static const auto real =
        next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
    return fails(Call::Rename) ? -1 : real(fromFolder, from, toFolder, to, flags);
}

// A failing close still closes the descriptor, as on Linux.
int close(int fd) {
    static const auto real = next<int (*)(int)>("close");
    const bool failing = regular(fd) && verdictOn(Call::Close) != Verdict::Do;
    const int closed = real(fd);
    if (!failing) return closed;
    errno = plan.error;
    return -1;
}

void* malloc(std::size_t bytes) noexcept {
    return lacuna::fault::failsMemory() ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
    return lacuna::fault::failsMemory() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* old, std::size_t bytes) noexcept {
    return lacuna::fault::failsMemory() ? nullptr : __libc_realloc(old, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return lacuna::fault::failsMemory() ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** made, std::size_t alignment, std::size_t bytes) noexcept {
    if (lacuna::fault::failsMemory()) return ENOMEM;
    *made = __libc_memalign(alignment, bytes);
    return *made == nullptr ? ENOMEM : 0;
}

int __cxa_thread_atexit_impl(void (*end)(void*), void* object, void* library) noexcept {
    static const auto real =
        next<int (*)(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl");
    lacuna::fault::registering = true;
    const int registered = real(end, object, library);
    lacuna::fault::registering = false;
    return registered;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
    static const auto real =
        next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return verdictOn(Call::Thread) == Verdict::Do ? real(thread, attributes, run, argument)
                                                  : EAGAIN;
}

}  // extern "C"
