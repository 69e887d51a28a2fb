#pragma once
/// \file
/// A head with its slots in another order, or only some of them, for a fit that is to see them so.
/// Copies the rows as they are stored. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/compress/span_attention.h"

namespace lacuna {

struct GatheredSpan {
    HeadSpan span;                    ///< reads from the blocks below
    std::vector<std::int32_t> order;  ///< [slots] slot of the head that stands here
    std::vector<std::byte> keys, values;
    std::vector<float> bias;
    std::vector<ExactPlace> exact;  ///< rows in 16 bits, at the slots they have here
};

/// Slots of the span moved after it, where they are no part of the fit.
/// @pre `slots` ascend and lie in the span; its queries outlive the result
[[nodiscard]] GatheredSpan setAside(const HeadSpan& span, std::span<const std::int32_t> slots);
/// Of the span every `step`-th slot only, alongside all others.
[[nodiscard]] GatheredSpan thinned(const HeadSpan& span, int step);

}  // namespace lacuna
