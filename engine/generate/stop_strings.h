#pragma once
/// \file
/// Finds stop strings in streaming text. Text that may be the start of a stop string is held back
/// until it is clear; the stop text itself is never let through. A value type owned by one thread.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

class StopStrings {
  public:
    static constexpr std::size_t kMaxStrings = 16;
    /// Errors: InvalidArgument (an empty string, more than kMaxStrings).
    [[nodiscard]] static Result<StopStrings> create(std::vector<std::string> strings);

    struct Outcome {
        std::string text;       ///< may be shown now
        bool hit = false;       ///< a stop string is complete; what follows it is dropped
        std::string stop = {};  ///< that one; of several at the same place, the first given
    };
    [[nodiscard]] Outcome push(std::string_view text);
    /// What was held back, when the text ends otherwise.
    [[nodiscard]] std::string finish();

  private:
    explicit StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {}
    std::vector<std::string> strings_;
    std::string held_;
};

}  // namespace lacuna
