#pragma once
/// \file
/// Rows of rotated codes that a head also keeps in 16 bits: those of the first and the newest
/// tokens, f16 in the rotated basis. Every slot has its code; a row that leaves the window only
/// loses its f16 row, without re-encoding. A list maps slots to the indices of their f16 rows, so a
/// compaction changes the list and moves no row. Internal to engine/kv; owned by the owner of the
/// head. docs/number-formats.md, "The window of 16 bits".
///
/// Saved state of a cache with such rows: u32 newest, u32 first after the rotations; the number of
/// rows of each head in the head table; and after the rows of a head the slots (int32), then the
/// rows, in slot order.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {

/// Bytes of the parts of one 16-bit row; both 0 if a cache keeps none.
struct ExactSizes {
    std::size_t key = 0;
    std::size_t value = 0;
    [[nodiscard]] std::size_t row() const { return key + value; }
};
[[nodiscard]] ExactSizes exactSizes(const KvShape& shape);
/// Bytes of `rows` such rows including their entries in the list.
[[nodiscard]] std::int64_t exactBytes(const KvShape& shape, std::int64_t rows);

/// The current append, from the view of the 16-bit rows. Most rows of a long run leave the
/// window at its end, yet its own queries see them exactly. These are stored in memory that is
/// reused from layer to layer.
struct ExactAppend {
    int tokens = 0;
    std::int64_t first = 0;   ///< position of the first token
    std::int64_t asking = 0;  ///< the commit drops rows that a query at this position does not see
    SlotBlock run = {};       ///< [kvHeads, tokens] rows, if some leave with the commit
    int runLayer = -1;        ///< layer whose rows are in `run`

    [[nodiscard]] std::byte* runRow(const KvShape& shape, int head, int token) {
        return run.data() + (static_cast<std::size_t>(head) * static_cast<std::size_t>(tokens) +
                             static_cast<std::size_t>(token)) *
                                exactSizes(shape).row();
    }
};

class ExactRows {
  public:
    /// Memory for more rows.
    struct Room {
        SlotBlock block;
        int capacity = 0;  ///< 0: there is enough room
    };
    [[nodiscard]] int count() const { return static_cast<int>(kept_.size()); }
    [[nodiscard]] int capacity() const { return capacity_; }
    /// Ascending slots, as of the last commit.
    [[nodiscard]] std::span<const ExactSlot> places() const { return kept_; }
    [[nodiscard]] const std::byte* row(const KvShape& shape, const ExactSlot& at) const {
        return block_.data() + static_cast<std::size_t>(at.place) * exactSizes(shape).row();
    }
    /// Returns true if `more` rows fit and the memory is not far too large.
    [[nodiscard]] bool fits(const KvShape& shape, int more) const;
    /// Errors: NoMemory. Memory that a long append needed is reduced again.
    [[nodiscard]] Result<Room> room(const KvShape& shape, int more, SlotAllocator& allocator) const;
    void take(const KvShape& shape, Room room);
    /// Returns a copy with the same capacity. Errors: NoMemory.
    [[nodiscard]] Result<ExactRows> copy(const KvShape& shape, SlotAllocator& allocator) const;

    /// Starts the rows of an append: the kept rows, at their slots during the append. `order` lists
    /// the old slots in their new order; empty: unchanged. Rows at [first, first + tokens) are
    /// dropped.
    void open(std::span<const std::int32_t> order, std::int64_t first, int tokens);
    /// Destination of the next row of the append. @pre room was made for it
    [[nodiscard]] std::byte* next(const KvShape& shape);
    /// Assigns that row to `slot`. Slots ascend.
    void add(std::int32_t slot);
    /// Adds a row that is in the memory of the run, possibly in addition.
    void addRun(std::int32_t slot, int token, int head, int tokens);
    /// Keeps the appended rows for which `stays(slot)` is true.
    void commit(const std::function<bool(std::int32_t)>& stays);
    void abort();

    /// Moves every row to the slot `slotOf(slot)`, or drops it if that is -1.
    void move(const std::function<std::int32_t(std::int32_t)>& slotOf);
    /// Adds copies of another head's rows from slot `first` on, which become `slot` and the
    /// following ones. @pre room was made for them; these slots are after all others
    void copyRows(const KvShape& shape, const ExactRows& from, std::int64_t first,
                  std::int64_t slot);

    /// `written`: includes the rows of the current append; `run` null: only those that stay.
    [[nodiscard]] ExactView view(const KvShape& shape, bool written, const std::byte* run) const;
    /// Aborts the program if a list of entries is invalid.
    void requireConsistent(std::int64_t slots) const;
    /// Reads `count` rows of a saved head with this many slots. Errors: Corrupt, NoMemory.
    [[nodiscard]] static Result<ExactRows> read(ByteReader& reader, const KvShape& shape, int count,
                                                std::int64_t slots, SlotAllocator& allocator);

  private:
    [[nodiscard]] std::int32_t freeIndex();
    void markUsedIndices();
    [[nodiscard]] int settledRows(const KvShape& shape, int more) const;
    [[nodiscard]] std::byte* rowAt(std::int32_t place, std::size_t bytes) {
        return block_.data() + static_cast<std::size_t>(place) * bytes;
    }

    SlotBlock block_;  ///< [capacity] rows
    int capacity_ = 0;
    std::vector<ExactSlot> kept_;
    // Used inside an append; otherwise empty, keeping their memory.
    std::vector<ExactSlot> open_;  ///< includes the rows of the current append that stay
    std::vector<ExactSlot> run_;   ///< includes all of its rows
    std::vector<bool> used_;       ///< [capacity] true for an f16 row in use
    std::int32_t nextIndex_ = 0;
    std::size_t after_ = 0;  ///< index in open_ of the first entry after the slots of the append
};

/// Allocates all memory of an append before the first head changes, for all `heads` of the cache or
/// for none. Allocates nothing if every head has room. Errors: NoMemory.
[[nodiscard]] Result<std::vector<ExactRows::Room>> roomForAppend(
    const KvShape& shape, std::size_t heads,
    const std::function<const ExactRows&(std::size_t)>& rowsOf, ExactAppend& append,
    SlotAllocator& allocator);

/// Destination of one head's rows in an append.
struct AppendTarget {
    const KvShape* shape = nullptr;
    RowFormat key;
    RowFormat value;
    std::byte* keys = nullptr;  ///< row of the first token
    std::byte* values = nullptr;
    std::int64_t slot = 0;  ///< slot of the first token
    int head = 0;           ///< index within the layer
    ExactRows* exact = nullptr;
    std::span<const std::int32_t> order = {};  ///< as ExactRows::open
};
/// Writes codes, and 16-bit rows if they are kept. A row that f16 cannot hold has only its code.
/// `keys` [tokens, kvHeads, keyDim], `values` likewise.
void writeAppended(const AppendTarget& to, View<const float, 3> keys, View<const float, 3> values,
                   ExactAppend& append);

/// Calls `write(head)` for the heads of a layer, on the pool if there is one and enough rows must
/// be encoded. `write` may modify only its own head.
template <class Write>
void forHeads(const KvShape& shape, int tokens, ThreadPool* pool, const Write& write) {
    constexpr int kPooledTokens = 8;  // below this, encoding is faster than waking a thread
    if (pool != nullptr && shape.coded() && tokens >= kPooledTokens)
        return pool->parallelFor(shape.kvHeads, std::cref(write));
    for (int h = 0; h < shape.kvHeads; ++h) write(h);
}

/// Writes nothing if no rows are kept in 16 bits.
void putExactWindow(std::string& out, const KvShape& shape);
/// Errors: Corrupt.
[[nodiscard]] Result<ExactWindow> readExactWindow(ByteReader& reader);
/// Writes the rows with slots `slotOf(slot)`, in ascending order.
void putExactRows(std::string& out, const KvShape& shape, const ExactRows& rows,
                  const std::function<std::int32_t(std::int32_t)>& slotOf);

}  // namespace lacuna
