#pragma once
/// \file
/// Copies a head with its slots reordered or subsampled, for a fit that needs such a view. The rows
/// are copied as they are stored. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compress/matching/span_attention.h"

namespace lacuna {

struct GatheredSpan {
    HeadSpan span;                    ///< points into the blocks below
    std::vector<std::int32_t> order;  ///< [slots] original slot of the head
    std::vector<std::byte> keys, values;
    std::vector<float> bias;
    std::vector<ExactSlot> exact;  ///< rows stored in 16 bits, at their new slots
};

/// Moves slots of the span behind it, so that they are not part of the fit.
/// @pre `slots` ascend and lie in the span; its queries outlive the result
[[nodiscard]] GatheredSpan movedBehind(const HeadSpan& span, std::span<const std::int32_t> slots);
/// Keeps only every `step`-th slot of the span, and all slots outside of it.
[[nodiscard]] GatheredSpan thinned(const HeadSpan& span, int step);

}  // namespace lacuna
