#pragma once
/// \file
/// Finds stop strings in streaming text. Text that may be the beginning of a stop string is held
/// back until this is decided; the stop string itself is never returned. A value type owned by one
/// thread.

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
        std::string text;       ///< text that can be published now
        bool hit = false;       ///< a stop string is complete; the text after it is dropped
        std::string stop = {};  ///< the matched stop string; of several at the same position, the
                                ///< first given
    };
    [[nodiscard]] Outcome push(std::string_view text);
    /// Returns the held-back text when the stream ends without a match.
    [[nodiscard]] std::string finish();

  private:
    explicit StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {}
    std::vector<std::string> strings_;
    std::string held_;
};

}  // namespace lacuna
