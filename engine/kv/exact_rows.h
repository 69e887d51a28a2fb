#pragma once
/// \file
/// Rows of rotated codes that a head keeps in 16 bits as well: those of the first and the newest
/// tokens, f16 in the rotated basis. Every slot has its code; a row that leaves the window loses
/// its f16 row here, and nothing is encoded again. Which slots have one is a list of places, so
/// that a compaction changes the list and moves no row. Private to this room and those of the
/// caches; owned as the head is. docs/number-formats.md, "The window of 16 bits".
///
/// In a saved state of a cache that keeps such rows: u32 newest, u32 first after the rotations; the
/// number of rows of each head with what else is said of heads; and after the rows of a head the
/// slots (int32), then the rows, in the order of slots.

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

/// Bytes of one row in 16 bits, part by part; both 0 where a cache keeps none.
struct ExactSizes {
    std::size_t key = 0;
    std::size_t value = 0;
    [[nodiscard]] std::size_t row() const { return key + value; }
};
[[nodiscard]] ExactSizes exactSizes(const KvShape& shape);
/// Bytes of `rows` of them with their places.
[[nodiscard]] std::int64_t exactBytes(const KvShape& shape, std::int64_t rows);

/// A running append as the rows in 16 bits see it. Of a long run most rows leave the window with
/// its end, yet its own queries see them exactly: these lie in memory that one layer after the
/// other uses.
struct ExactAppend {
    int tokens = 0;
    std::int64_t first = 0;   ///< position of the first token
    std::int64_t asking = 0;  ///< rows that this position does not see are dropped with the commit
    SlotBlock run = {};       ///< [kvHeads, tokens] rows, where some leave with the commit
    int runLayer = -1;        ///< whose rows lie there

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
        int capacity = 0;  ///< 0: there is room
    };
    [[nodiscard]] int count() const { return static_cast<int>(kept_.size()); }
    [[nodiscard]] int capacity() const { return capacity_; }
    /// Ascending slots, as of the last commit.
    [[nodiscard]] std::span<const ExactPlace> places() const { return kept_; }
    [[nodiscard]] const std::byte* row(const KvShape& shape, const ExactPlace& at) const {
        return block_.data() + static_cast<std::size_t>(at.place) * exactSizes(shape).row();
    }
    /// Whether `more` rows fit, and the memory is not far too large.
    [[nodiscard]] bool fits(const KvShape& shape, int more) const;
    /// Errors: NoMemory. Memory that an append of many tokens needed is made smaller again.
    [[nodiscard]] Result<Room> room(const KvShape& shape, int more, SlotAllocator& allocator) const;
    void take(const KvShape& shape, Room room);
    /// With the same capacity. Errors: NoMemory.
    [[nodiscard]] Result<ExactRows> copy(const KvShape& shape, SlotAllocator& allocator) const;

    /// Starts the rows of a running append: what is kept, at the slots it has then. `order` has the
    /// old slots in their new order; empty: they stay. What stands at [first, first + tokens) goes.
    void open(std::span<const std::int32_t> order, std::int64_t first, int tokens);
    /// Where the next row of the append is written. @pre room was made for it
    [[nodiscard]] std::byte* next(const KvShape& shape);
    /// That row is the one of `slot`. Slots ascend.
    void add(std::int32_t slot);
    /// A row that lies in the memory of the run only, or there as well.
    void addRun(std::int32_t slot, int token, int head, int tokens);
    /// What an append wrote stays as far as `stays` says; `stays(slot)`.
    void commit(const std::function<bool(std::int32_t)>& stays);
    void abort();

    /// Every row gets the slot that `slotOf` says, or is dropped: -1.
    void move(const std::function<std::int32_t(std::int32_t)>& slotOf);
    /// Adds copies of the rows of another head's slots from `first` on, which are `slot` and the
    /// following ones here. @pre room was made for them; these slots are after all others
    void copyRows(const KvShape& shape, const ExactRows& from, std::int64_t first,
                  std::int64_t slot);

    /// `written`: the rows of the running append too; `run` null: only those that stay.
    [[nodiscard]] ExactView view(const KvShape& shape, bool written, const std::byte* run) const;
    /// Aborts the program where a list of places is none.
    void requireSound(std::int64_t slots) const;
    /// `count` rows of a saved head of so many slots. Errors: Corrupt, NoMemory.
    [[nodiscard]] static Result<ExactRows> read(ByteReader& reader, const KvShape& shape, int count,
                                                std::int64_t slots, SlotAllocator& allocator);

  private:
    [[nodiscard]] std::int32_t freePlace();
    void markUsedPlaces();
    [[nodiscard]] int settledRows(const KvShape& shape, int more) const;
    [[nodiscard]] std::byte* rowAt(std::int32_t place, std::size_t bytes) {
        return block_.data() + static_cast<std::size_t>(place) * bytes;
    }

    SlotBlock block_;  ///< [capacity] rows
    int capacity_ = 0;
    std::vector<ExactPlace> kept_;
    // Inside an append; empty otherwise, with their memory for the next one.
    std::vector<ExactPlace> open_;  ///< with the rows of the running append that stay
    std::vector<ExactPlace> run_;   ///< with all its rows
    std::vector<bool> used_;        ///< [capacity] places
    std::int32_t nextPlace_ = 0;
    std::size_t after_ = 0;  ///< in open_: those after the slots of the append
};

/// All memory of an append, before the first head changes, for all `heads` of the cache or for
/// none. Nothing is allocated where every head has room. Errors: NoMemory.
[[nodiscard]] Result<std::vector<ExactRows::Room>> roomForAppend(
    const KvShape& shape, std::size_t heads,
    const std::function<const ExactRows&(std::size_t)>& rowsOf, ExactAppend& append,
    SlotAllocator& allocator);

/// Where the rows of an append of one head go.
struct AppendTarget {
    const KvShape* shape = nullptr;
    RowFormat key;
    RowFormat value;
    std::byte* keys = nullptr;  ///< of the first token
    std::byte* values = nullptr;
    std::int64_t slot = 0;  ///< of the first token
    int head = 0;           ///< within the layer
    ExactRows* exact = nullptr;
    std::span<const std::int32_t> order = {};  ///< as ExactRows::open
};
/// Writes codes, and rows in 16 bits where they are kept. A row that f16 cannot hold has its code
/// only. `keys` [tokens, kvHeads, keyDim], `values` likewise.
void writeAppended(const AppendTarget& to, View<const float, 3> keys, View<const float, 3> values,
                   ExactAppend& append);

/// Calls `write(head)` for the heads of a layer: by the pool, if there is one, where enough rows
/// must be coded. What `write` changes is the head's own.
template <class Write>
void forHeads(const KvShape& shape, int tokens, ThreadPool* pool, const Write& write) {
    constexpr int kPooledTokens = 8;  // fewer are coded before a thread is awake
    const bool coded = !shape.keyQuant.plain() || !shape.valueQuant.plain();
    if (pool != nullptr && coded && tokens >= kPooledTokens)
        return pool->parallelFor(shape.kvHeads, std::cref(write));
    for (int h = 0; h < shape.kvHeads; ++h) write(h);
}

/// Nothing where no rows are kept in 16 bits.
void putExactWindow(std::string& out, const KvShape& shape);
/// Errors: Corrupt.
[[nodiscard]] Result<ExactWindow> readExactWindow(ByteReader& reader);
/// Slots are written as `slotOf` says, in ascending order.
void putExactRows(std::string& out, const KvShape& shape, const ExactRows& rows,
                  const std::function<std::int32_t(std::int32_t)>& slotOf);

}  // namespace lacuna
