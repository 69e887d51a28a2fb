#pragma once
/// \file
/// Changes the number format of a cache's rows. A second cache with the same tokens, biases and
/// positions is built incrementally, a slice at a time, and replaces the first when it has caught
/// up. Until then the first is unchanged, so a change takes full effect or none. Rows are encoded
/// from the decoded rows of the cache: a format with more bits does not restore what fewer bits
/// have rounded away. Rows whose format stays are copied bit for bit. Owned by the thread that owns
/// the cache. docs/number-formats.md, "Changing the format".

#include <cstdint>
#include <memory>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {

/// Returns the target of a change that affects rows only: formats, rotations and the window of 16
/// bits of `choice`, with the layers and windows of the cache.
[[nodiscard]] KvChoice withRowsOf(const KvCache& cache, const KvChoice& choice);
/// Returns true if both choices give equal caches, ignoring the number of first tokens kept in 16
/// bits, like matchesChoice.
[[nodiscard]] bool sameRows(const KvChoice& a, const KvChoice& b);
/// Bytes of a cache with these rows for the slots that `cache` holds.
[[nodiscard]] std::int64_t recodedBytes(const KvCache& cache, const KvShape& rows);

class RowRecoding {
  public:
    struct Options {
        bool norms = false;                  ///< key norms are computed along with the rows
        SlotAllocator* allocator = nullptr;  ///< null: the system allocator
    };
    struct Slice {
        /// Number of rows, each a key and a value. Doubled with every compaction in the meantime,
        /// which restarts the process, so that it finishes at any rate of compactions.
        std::int64_t rows = 0;
        /// Smallest number of tokens of the cache since the last slice; slots after them may have
        /// been rewritten.
        std::int64_t kept = 0;
    };

    /// Errors: Incompatible (`wanted` has other layers, heads, lengths or windows), InvalidArgument
    /// (a format that does not fit). @pre outside of an append, no speculation is open
    [[nodiscard]] static Result<std::unique_ptr<RowRecoding>> begin(const KvCache& cache,
                                                                    KvChoice target,
                                                                    Options options);
    ~RowRecoding();

    [[nodiscard]] const KvChoice& target() const;
    /// Share of the cache's rows that are encoded, 0..1.
    [[nodiscard]] double share(const KvCache& cache) const;
    /// Encodes a slice of the rows that the cache currently holds. Returns true when all are
    /// encoded. Errors: NoMemory; the object is then unusable.
    [[nodiscard]] Result<bool> advance(const KvCache& cache, const Slice& slice, ThreadPool& pool);
    /// Returns the cache in its new format. The old one is then unusable, and its rows are kept
    /// here. An error leaves the old cache unchanged. @pre the last advance on the unchanged cache
    /// returned true
    [[nodiscard]] Result<std::unique_ptr<KvCache>> take(KvCache& cache);
    /// Releases about `bytes` of the memory of the old rows. Returns true while more is left. @pre
    /// take
    [[nodiscard]] bool release(std::int64_t bytes);

  private:
    struct Impl;
    explicit RowRecoding(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
