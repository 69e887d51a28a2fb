#pragma once
/// \file
/// Simulates a machine at its thread limit: while an object exists, at most `allowed` further
/// threads start in this program, and others are refused like by the system (EAGAIN).

namespace lacuna::test {

class RefusedThreads {
  public:
    explicit RefusedThreads(int allowed = 0);
    ~RefusedThreads();
    RefusedThreads(const RefusedThreads&) = delete;
    RefusedThreads& operator=(const RefusedThreads&) = delete;
    /// Returns the number of refused threads so far.
    [[nodiscard]] static int refused();
};

}  // namespace lacuna::test
