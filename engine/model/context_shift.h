#pragma once
/// \file
/// Context shift: a full cache drops older tokens, and the keys after them are rotated to their new
/// positions, so that the conversation continues with a lower offset. The rest was computed with
/// the dropped tokens visible and is not a prefix of any text. Pure functions.
/// docs/generation-loop.md, "Context shift" (GL-12); rotations add up (Su et al. 2021, RoPE).

#include <memory>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Returns the number of tokens to drop: half of those after the first `keep`. 4,096 tokens, 4
/// kept: 2,046.
[[nodiscard]] int tokensToShift(int tokens, int keep);

/// Checks that the keys of a model may be rotated to other positions. Errors: Unsupported (the
/// angles depend on the text length: LongRope, Dynamic; layers with a window).
[[nodiscard]] Status checkShiftable(const ModelSpec& spec);

/// Returns the cache without the `dropped` tokens after the first `keep`. Values are copied
/// unchanged; a key has one rounding error of the cache's type. Needs memory for a copy of the rest
/// in addition to the old cache. Errors: Unsupported (not every token is held, rows are group
/// codes, as checkShiftable), InvalidArgument (no such tokens), NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> shiftedCache(const KvCache& cache,
                                                            const ModelSpec& spec, int keep,
                                                            int dropped);

}  // namespace lacuna
