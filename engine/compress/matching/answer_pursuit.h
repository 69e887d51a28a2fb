#pragma once
/// \file
/// Selects keys by the answers they explain (docs/attention-matching.md, "Few keys"): forward
/// selection among a few candidates. Each step takes the candidate that reduces the residual of all
/// queries' answers and masses most. Pure function.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

/// Returns at most `count` of `candidates` in the order they were picked; fewer if the remaining
/// rows are linear combinations of the picked ones. Errors: NoMemory. @pre attendRows was called
/// for all candidates, and there are no more candidates than queries
[[nodiscard]] Result<std::vector<std::int32_t>> pursueAnswers(
    const SpanAttention& span, std::span<const std::int32_t> candidates, int count);

}  // namespace lacuna
