#pragma once
/// \file
/// Progress of a matching, written by its worker threads and read by an observer. Any thread.

#include <atomic>

namespace lacuna {

class MatchingProgress {
  public:
    void expect(int steps) { total_.fetch_add(steps, std::memory_order_relaxed); }
    void step() { done_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] double share() const {  ///< 0..1; 0 while unknown
        const int total = total_.load(std::memory_order_relaxed);
        return total > 0 ? static_cast<double>(done_.load(std::memory_order_relaxed)) / total : 0.0;
    }

  private:
    std::atomic<int> total_{0};
    std::atomic<int> done_{0};
};

}  // namespace lacuna
