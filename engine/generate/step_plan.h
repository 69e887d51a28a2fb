#pragma once
/// \file
/// Who gets how much of a step that several answers share. Pure function.
///
/// Every answer that draws takes its one row in every step. Prompts are read in the room that is
/// left, those that waited longest first and in whole chunks only, so that a prompt is cut into the
/// same chunks as when it is read alone. What is then left goes to proposed tokens, in even shares.
/// With P prompts being read, each of them gets a chunk at least every P steps, and no step is
/// larger than its room: that bounds the delay of everybody.

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

/// What one answer would feed.
struct StepRequest {
    bool reading = false;         ///< a chunk of its prompt; otherwise the newest token
    int tokens = 1;               ///< of the chunk; 1 when not reading
    int proposals = 0;            ///< most drafted tokens after the newest one
    std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it came
};

/// What one answer feeds.
struct StepShare {
    std::size_t member = 0;  ///< index of its wish
    int tokens = 1;
    int proposals = 0;
};

/// Shares of a step of at most `room` tokens, in the order of the wishes; who has none waits. A
/// chunk larger than the whole room is cut. @pre room >= 1
[[nodiscard]] std::vector<StepShare> planStep(std::span<const StepRequest> wishes, int room);

}  // namespace lacuna
