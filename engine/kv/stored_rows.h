#pragma once
/// \file
/// Raw rows of a run of tokens, copied out of one cache and into another bit for bit in any row
/// format. Requires that each row belongs to one token and every head holds every token. Owned by
/// the thread that owns the cache.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct SlotState;  // engine/kv/slot/slot_state.h

/// Returns true if the rows of any run of tokens contain everything the cache knows about these
/// tokens: slot j of every head holds token j without a bias, no layer drops tokens, and no row is
/// kept in 16 bits next to its code. Inspects every head's view, but no row.
[[nodiscard]] bool holdsRowsOfTokens(const KvCache& cache);

/// Appends rows that are already in the cache's own format. They become visible with commit();
/// without it the cache keeps its tokens and perhaps more headroom.
class StoredRowsAppend {
  public:
    /// Reserves room for `tokens` more tokens. Errors: Unsupported (not holdsRowsOfTokens, or a
    /// list), InvalidArgument (a negative count), ContextFull, NoMemory.
    [[nodiscard]] static Result<StoredRowsAppend> begin(KvCache& cache, std::int64_t tokens);

    /// Uninitialised rows [tokens] for the caller to fill. Different heads may be filled from
    /// different threads.
    [[nodiscard]] std::span<std::byte> keys(LayerIndex layer, HeadIndex head) const;
    [[nodiscard]] std::span<std::byte> values(LayerIndex layer, HeadIndex head) const;
    /// Must be called at most once. @pre all rows were filled
    void commit();

  private:
    StoredRowsAppend(SlotState& state, std::int64_t tokens) : state_(&state), tokens_(tokens) {}
    [[nodiscard]] std::size_t index(LayerIndex layer, HeadIndex head) const;
    SlotState* state_;
    std::int64_t tokens_;
};

}  // namespace lacuna
