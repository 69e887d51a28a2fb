#pragma once
/// \file
/// Keys chosen for what they answer (docs/attention-matching.md, "Few keys"): forward selection
/// among a few candidates, each the one that takes most off what the keys before leave of all
/// queries' answers and masses. Pure function.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

/// At most `count` of `candidates` in the order they were picked; fewer when the others' rows are
/// sums of those before. Errors: NoMemory. @pre attendRows was asked for all candidates, which are
/// no more than the queries
[[nodiscard]] Result<std::vector<std::int32_t>> pursueAnswers(
    const SpanAttention& span, std::span<const std::int32_t> candidates, int count);

}  // namespace lacuna
