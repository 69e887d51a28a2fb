#pragma once
/// \file
/// Compaction one turn late: when a turn ends, what stood before it is compacted, and the turn
/// itself stays as it is. How much stays, and what the state line says meanwhile. Pure functions.
/// docs/attention-matching.md, "One turn late" (arXiv 2608.00902).

#include <cstdint>

#include "engine/compress/compactor.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Where the turns of a conversation stand.
struct TurnPlace {
    std::int64_t before = 0;  ///< tokens that stood before the newest turn
    bool over = false;        ///< it has ended
};

/// The options of a compaction at the end of a turn that made `tokens` tokens of `before`, for a
/// driver that knows nothing of turns: the turn is protected. The AM ratio counts for what stood
/// before it, and the turn comes on top; a budget is of all slots, as it always is, but never so
/// small that the turn does not fit.
[[nodiscard]] KvOptions lateOptions(const KvOptions& options, std::int64_t tokens,
                                    std::int64_t before);

/// The state between two such compactions: never due, since a turn is not interrupted.
[[nodiscard]] CompactionState describeLate(const KvCache& cache, const KvOptions& options,
                                           const TurnPlace& place);

}  // namespace lacuna
