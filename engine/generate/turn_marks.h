#pragma once
/// \file
/// Where the turns of a conversation began. A turn is a question with its answer; one that is asked
/// again or edited takes the place of those it goes back into. Owned by the engine thread.

#include <cstdint>
#include <vector>

namespace lacuna {

class TurnMarks {
  public:
    /// A turn begins with a prompt of `prompt` tokens, of which the cache holds the first `held`.
    void begin(std::int64_t held, std::int64_t prompt) {
        std::int64_t before = held;
        // Going back to its question or after it does a turn over again.
        while (!turns_.empty() && turns_.back().answer > held) {
            before = before < turns_.back().before ? before : turns_.back().before;
            turns_.pop_back();
        }
        turns_.push_back({before, prompt});
    }
    /// What is held from now on counts as one turn of the past.
    void clear() { turns_.clear(); }
    /// Tokens that stood before the newest turn; 0 before the first.
    [[nodiscard]] std::int64_t beforeNewest() const {
        return turns_.empty() ? 0 : turns_.back().before;
    }

  private:
    struct Turn {
        std::int64_t before = 0;  ///< tokens in front of it
        std::int64_t answer = 0;  ///< tokens in front of its answer
    };
    std::vector<Turn> turns_;
};

}  // namespace lacuna
