#pragma once
/// \file
/// Rows of a run of tokens as they lie in a cache: copied out of one and into another bit for bit,
/// whatever their format, where a row stands for one token and every head holds every token. Owned
/// by the thread that owns the cache.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct SlotState;  // engine/kv/slot/slot_state.h

/// Bytes of one row.
struct StoredRowBytes {
    std::size_t key = 0;
    std::size_t value = 0;
};
[[nodiscard]] StoredRowBytes storedRowBytes(const KvShape& shape);

/// Whether the rows of any run of tokens say all that the cache knows of these tokens: slot j of
/// every head holds token j without a bias, no layer forgets, and no row is kept in 16 bits next to
/// its code. Looks at every head's view, at no row.
[[nodiscard]] bool holdsRowsOfTokens(const KvCache& cache);

/// An append of rows that are in the cache's own format already. Nothing is seen of them before
/// commit(); without it the cache keeps its tokens and perhaps more headroom.
class StoredRowsAppend {
  public:
    /// Reserves room for `tokens` more. Errors: Unsupported (not holdsRowsOfTokens, or a list),
    /// InvalidArgument (a negative count), ContextFull, NoMemory.
    [[nodiscard]] static Result<StoredRowsAppend> begin(KvCache& cache, std::int64_t tokens);

    /// To be filled, [tokens] rows. Different heads may be filled from different threads.
    [[nodiscard]] std::span<std::byte> keys(LayerIndex layer, HeadIndex head) const;
    [[nodiscard]] std::span<std::byte> values(LayerIndex layer, HeadIndex head) const;
    /// Once. @pre all rows were filled
    void commit();

  private:
    StoredRowsAppend(SlotState& state, std::int64_t tokens) : state_(&state), tokens_(tokens) {}
    [[nodiscard]] std::size_t index(LayerIndex layer, HeadIndex head) const;
    SlotState* state_;
    std::int64_t tokens_;
};

}  // namespace lacuna
