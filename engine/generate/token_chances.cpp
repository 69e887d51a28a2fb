#include "engine/generate/token_chances.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/generate/sampler_stages.h"

namespace lacuna {

TokenChances chancesOf(std::span<const float> logits, TokenId drawn, int top) {
    LACUNA_REQUIRE(drawn >= 0 && static_cast<std::size_t>(drawn) < logits.size(),
                   "the drawn token is one of the vocabulary");
    const auto highest = static_cast<double>(logits[static_cast<std::size_t>(argmax(logits))]);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
    const double whole = highest + std::log(sum);
    TokenChances chances;
    chances.logprob = static_cast<double>(logits[static_cast<std::size_t>(drawn)]) - whole;
    for (const Candidate& candidate : largest(logits, static_cast<std::size_t>(std::max(top, 0))))
        if (!std::isinf(candidate.logit))
            chances.top.push_back({candidate.id, static_cast<double>(candidate.logit) - whole, {}});
    return chances;
}

}  // namespace lacuna
