#pragma once
/// \file
/// Sequences of different lengths side by side. Every row is a cache of its own; the rectangle that
/// a batch of rows makes to the outside is bookkeeping: row i fills columns leftPadding[i] to
/// leftPadding[i] + offset[i] - 1 and writes its next token at the column after them (layout L), so
/// padding is never stored and rows may end at different columns. Row and column never mix: RoPE
/// takes a row's offset, a mask its column.
///
/// Rows are dense, or rotating with one window for all and no kept first tokens. Owned by the
/// engine thread. Every operation takes full effect or none. See
/// docs/cache-contracts.md, "Batches" (BA, BR).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/token_window.h"
#include "engine/kv/window_mask.h"

namespace lacuna {

class BatchCache {
  public:
    /// `rows` empty caches. Errors: InvalidArgument (negative count), Unsupported (kept first
    /// tokens in a rotating batch), those of the row's maker.
    [[nodiscard]] static Result<BatchCache> create(const KvShape& shape, int rows,
                                                   std::optional<WindowRule> window = {});
    /// Single sequences as rows, right-justified. Errors: InvalidArgument (different shapes or
    /// windows, none given), Unsupported (a kind that cannot be a row, saying what to do instead).
    [[nodiscard]] static Result<BatchCache> merge(std::vector<std::unique_ptr<KvCache>> caches);
    [[nodiscard]] static Result<BatchCache> load(std::string_view bytes);

    [[nodiscard]] int rows() const { return static_cast<int>(rows_.size()); }
    [[nodiscard]] const KvShape& shape() const { return shape_; }
    [[nodiscard]] bool empty() const;
    /// Values, not references: a caller may change its copy.
    [[nodiscard]] std::vector<std::int64_t> offsets() const;
    [[nodiscard]] std::vector<std::int64_t> leftPadding() const;
    [[nodiscard]] std::int64_t end() const;  ///< first column no row has reached
    [[nodiscard]] int width() const;         ///< columns that are held; what a fetch would return
    [[nodiscard]] KvCapabilities capabilities() const;
    [[nodiscard]] const KvCache& row(int i) const { return *rows_[checkedRow(i)].cache; }

    /// Columns at the start of the next appends that hold no token. Errors: InvalidArgument (not
    /// one per row, negative, or the batch is not empty).
    [[nodiscard]] Status announceLeftPadding(const std::vector<int>& columns);
    /// Each row takes only its first `lengths[i]` tokens of the coming appends; finalize() must
    /// come before the next token. Errors: InvalidArgument.
    [[nodiscard]] Status announceLengths(const std::vector<int>& lengths);
    /// Moves the rows that were padded at their right so that all end together.
    [[nodiscard]] Status finalize();

    /// A rectangle of `tokens` columns; each row takes those that are no padding.
    /// Errors: InvalidArgument (negative, or finalize() is due), NoMemory; all rows as before.
    [[nodiscard]] Status beginAppend(int tokens);
    /// `keys` [rows, tokens, kvHeads, keyDim], `values` likewise; padding is not read.
    void writeLayer(LayerIndex layer, View<const float, 4> keys, View<const float, 4> values);
    [[nodiscard]] KvHeadView head(int row, LayerIndex layer, HeadIndex head) const {
        return rows_[checkedRow(row)].cache->head(layer, head);
    }
    void commitAppend();
    void abortAppend();
    /// Mask of the next `tokens` columns for each row, over width() as it will be then.
    [[nodiscard]] std::vector<AttentionMask> mask(int tokens) const;

    /// Removes the newest tokens of every row, as many as a row has; the largest count removed, or
    /// 0 when a row cannot. Errors: InvalidArgument (negative).
    [[nodiscard]] Result<int> trim(int tokens);
    /// Removes counts[i] of row i, as many as it has. Errors: InvalidArgument (not one per row,
    /// negative), Unsupported (rotating rows).
    [[nodiscard]] Result<std::vector<int>> trimPerSequence(const std::vector<int>& counts);
    /// Keeps these rows in this order. Errors: InvalidArgument (twice or out of range).
    [[nodiscard]] Status filter(const std::vector<int>& rows);
    /// Adds the rows of another batch, which is used up. Errors: InvalidArgument.
    [[nodiscard]] Status extend(BatchCache&& other);
    /// A copy of one row as a cache of its own, without padding.
    [[nodiscard]] Result<std::unique_ptr<KvCache>> extract(int row) const;
    [[nodiscard]] Result<BatchCache> clone() const;
    [[nodiscard]] Result<std::string> save() const;
    void checkInvariants() const;

  private:
    struct Row {
        std::unique_ptr<KvCache> cache;
        std::int64_t padding = 0;  ///< columns before the first token
        std::int64_t cursor = 0;   ///< column of the next token
        int length = 0;            ///< tokens still to take, while lengths are announced
    };
    BatchCache(const KvShape& shape, std::optional<WindowRule> window)
        : shape_(shape), window_(window) {
        if (window) columns_.rule = *window;
    }
    [[nodiscard]] std::size_t checkedRow(int i) const;
    [[nodiscard]] Status checkCounts(const std::vector<int>& counts, const char* what) const;
    [[nodiscard]] int taken(const Row& row, int tokens) const;
    void shiftRight(std::int64_t columns);
    void restartColumns();

    KvShape shape_;
    std::optional<WindowRule> window_;
    std::vector<Row> rows_;
    TokenWindow columns_;           ///< rotating: which column stands in which slot
    std::optional<int> appending_;  ///< columns of the running append
    std::int64_t announced_ = -1;   ///< columns appended since lengths were announced; -1: none
};

}  // namespace lacuna
