#pragma once
/// \file
/// The rows of a cache in another number format: a second cache of the same tokens, biases and
/// positions is made next to the one in use, a slice at a time, and takes its place when it has
/// caught up. Until then nothing of the first has changed, so a change takes full effect or none.
/// Rows are coded from what the cache shows of them: going back to more bits brings no number back
/// that fewer bits have rounded away. Rows whose format stays are copied as they lie. Owned by the
/// thread that owns the cache. docs/number-formats.md, "Changing the format".

#include <cstdint>
#include <memory>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {

/// What the cache is to become where only its rows change: formats, rotations and the window of 16
/// bits of `choice`, in the layers and windows that the cache has.
[[nodiscard]] KvChoice withRowsOf(const KvCache& cache, const KvChoice& choice);
/// Whether caches of both are alike, the first tokens that are kept in 16 bits apart, as for
/// isOfChoice.
[[nodiscard]] bool sameRows(const KvChoice& a, const KvChoice& b);
/// Bytes that a cache of these rows takes for the slots that `cache` holds.
[[nodiscard]] std::int64_t recodedBytes(const KvCache& cache, const KvShape& rows);

class RowRecoding {
  public:
    struct Options {
        bool norms = false;                  ///< lengths of keys are computed along with the rows
        SlotAllocator* allocator = nullptr;  ///< null: that of every cache
    };
    struct Slice {
        /// Rows, each a key and a value. Doubled with every compaction that came meanwhile, after
        /// which all begins again, so that it ends whatever the pace of compactions.
        std::int64_t rows = 0;
        /// Fewest tokens that the cache had since the last slice: what it holds after them is not
        /// what it held then.
        std::int64_t kept = 0;
    };

    /// Errors: Incompatible (`wanted` has other layers, heads, lengths or windows), InvalidArgument
    /// (a format that does not fit). @pre outside an append, no speculation is open
    [[nodiscard]] static Result<std::unique_ptr<RowRecoding>> begin(const KvCache& cache,
                                                                    KvChoice wanted,
                                                                    Options options);
    ~RowRecoding();

    [[nodiscard]] const KvChoice& wanted() const;
    /// Of the rows that the cache holds, 0..1.
    [[nodiscard]] double share(const KvCache& cache) const;
    /// Codes rows of what the cache holds by now. True: all of them are coded. Errors: NoMemory;
    /// it is of no use then.
    [[nodiscard]] Result<bool> advance(const KvCache& cache, const Slice& slice, ThreadPool& pool);
    /// The cache in its new format; the old one is of no use then, and its rows are kept here. On
    /// an error nothing has happened to it. @pre advance was true of the cache as it is
    [[nodiscard]] Result<std::unique_ptr<KvCache>> take(KvCache& cache);
    /// Gives the memory of the old rows back, about so much of it at once. True while more is
    /// there. @pre take
    [[nodiscard]] bool giveBack(std::int64_t bytes);

  private:
    struct Impl;
    explicit RowRecoding(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
