#pragma once
/// \file
/// Scratch for the threads that are at work on the tasks of one round: as many places as there are
/// threads, taken for the length of a task. Tasks can then be more than threads, so that a thread
/// which is held up is helped out. Results must not depend on the place. Taken and given back from
/// any thread; made, moved and destroyed while no task runs.

#include <atomic>
#include <memory>

namespace lacuna {

class WorkPlaces {
  public:
    /// A place, until it is destroyed.
    class Place {
      public:
        Place(std::atomic<bool>* taken, int index) : taken_(taken), index_(index) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { taken_->store(false, std::memory_order_release); }
        [[nodiscard]] int index() const { return index_; }

      private:
        std::atomic<bool>* taken_;
        int index_;
    };

    WorkPlaces() = default;
    explicit WorkPlaces(int count)
        : taken_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(count))),
          count_(count) {}

    /// @pre fewer than `count` places are taken
    [[nodiscard]] Place take() const {
        for (int i = 0;; i = (i + 1) % count_) {
            std::atomic<bool>& taken = taken_[static_cast<std::size_t>(i)];
            if (!taken.exchange(true, std::memory_order_acquire)) return {&taken, i};
        }
    }

  private:
    std::unique_ptr<std::atomic<bool>[]> taken_;
    int count_ = 0;
};

}  // namespace lacuna
