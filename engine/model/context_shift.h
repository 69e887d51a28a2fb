#pragma once
/// \file
/// Context shift: a full cache gives up older tokens, and the keys after them are turned to their
/// new places, so that the conversation goes on with a lower offset. What is left was computed with
/// the lost tokens in sight and is no start of any text. Pure functions.
/// docs/generation-loop.md, "Context shift" (GL-12); rotations add up (Su et al. 2021, RoPE).

#include <memory>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Tokens that go: half of those after the first `keep`. 4,096 tokens, 4 kept: 2,046.
[[nodiscard]] int tokensToShift(int tokens, int keep);

/// Whether the keys of a model may be turned to other places. Errors: Unsupported (the angles
/// follow the length of the text: LongRope, Dynamic; layers that see a window).
[[nodiscard]] Status checkShiftable(const ModelSpec& spec);

/// The cache without the `dropped` tokens after the first `keep`. Values are copied as they are;
/// a key is off by one rounding of the cache's type. One copy of what stays, alongside the old
/// cache. Errors: Unsupported (not every token is held, rows are group codes, as checkShiftable),
/// InvalidArgument (there are no such tokens), NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> shiftedCache(const KvCache& cache,
                                                            const ModelSpec& spec, int keep,
                                                            int dropped);

}  // namespace lacuna
