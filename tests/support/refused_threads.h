#pragma once
/// \file
/// A machine at its limit of threads: while an object lives, no more than `allowed` further threads
/// start in this program; others are refused as the system refuses them (EAGAIN).

namespace lacuna::test {

class RefusedThreads {
  public:
    explicit RefusedThreads(int allowed = 0);
    ~RefusedThreads();
    RefusedThreads(const RefusedThreads&) = delete;
    RefusedThreads& operator=(const RefusedThreads&) = delete;
    /// How many were refused so far.
    [[nodiscard]] static int refused();
};

}  // namespace lacuna::test
