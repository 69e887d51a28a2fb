#pragma once
/// \file
/// Passages about invented people and societies, with questions that only they answer. They replace
/// the passages of RULER's reading tasks (ruler_tasks.h), which may not be distributed with a
/// program. Pure functions.

#include <string>
#include <vector>

#include "engine/base/random.h"

namespace lacuna {

struct Passage {
    std::string title;
    std::string text;  ///< one paragraph
};

/// Passages and a question; the first `needed` passages contain the answer, the others do not
/// mention the subject of the question.
struct PassageQuestion {
    std::vector<Passage> passages;
    int needed = 1;
    std::string question;
    std::string answer;
};

/// One: the passage about a person contains the answer. Two: that passage names a society, whose
/// passage contains the answer.
enum class PassageHops { One, Two };

/// Returns `count` passages, at least as many as hops. A larger count with the same seed extends
/// the same list.
[[nodiscard]] PassageQuestion makePassageQuestion(PassageHops hops, std::size_t count,
                                                  std::uint64_t seed);

}  // namespace lacuna
