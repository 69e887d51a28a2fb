#pragma once
/// \file
/// Passages about people and societies that never were, and questions that they alone answer: what
/// stands in for the reading tasks of RULER (ruler_tasks.h), whose own passages may not come with a
/// program. Pure functions.

#include <string>
#include <vector>

#include "engine/base/random.h"

namespace lacuna {

struct Passage {
    std::string title;
    std::string text;  ///< one paragraph
};

/// Passages and a question; the first `needed` of them say the answer, none of the others speaks of
/// whom is asked.
struct PassageQuestion {
    std::vector<Passage> passages;
    int needed = 1;
    std::string question;
    std::string answer;
};

/// One: a passage about a person says it. Two: that passage names a society, and the society's own
/// says it.
enum class PassageHops { One, Two };

/// `count` passages, at least as many as hops. More passages of the same seed begin with the same
/// ones.
[[nodiscard]] PassageQuestion makePassageQuestion(PassageHops hops, std::size_t count,
                                                  std::uint64_t seed);

}  // namespace lacuna
