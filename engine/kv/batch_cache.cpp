#include "engine/kv/batch_cache.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/batch_rules.h"
#include "engine/kv/slot_cache.h"
#include "engine/kv/window_cache.h"

namespace lacuna {
namespace {

Result<std::unique_ptr<KvCache>> makeRow(const KvShape& shape, std::optional<WindowRule> window) {
    if (!window) return makeSlotCache(shape);
    LACUNA_TRY(auto cache, makeWindowCache(shape, *window));
    return Result<std::unique_ptr<KvCache>>(std::move(cache));
}

/// Rows [first, first + count) of one sequence in a rectangle of all.
View<const float, 3> part(View<const float, 4> all, std::int64_t row, std::int64_t first,
                          std::int64_t count) {
    const auto& e = all.extents();
    return {all.data() + (row * e[1] + first) * e[2] * e[3], {count, e[2], e[3]}};
}

}  // namespace

Result<BatchCache> BatchCache::create(const KvShape& shape, int rows,
                                      std::optional<WindowRule> window) {
    if (rows < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("batch of {} rows, expected 0 or more", rows));
    LACUNA_TRY_STATUS(checkBatchWindow(window));
    BatchCache batch(shape, window);
    for (int i = 0; i < rows; ++i) {
        LACUNA_TRY(auto cache, makeRow(shape, window));
        batch.rows_.push_back({std::move(cache)});
    }
    return batch;
}

Result<BatchCache> BatchCache::merge(std::vector<std::unique_ptr<KvCache>> caches) {
    if (caches.empty())
        return fail(ErrorCode::InvalidArgument, "merge of no caches, expected one or more");
    LACUNA_TRY(const auto window, rowWindow(*caches.front()));
    LACUNA_TRY_STATUS(checkBatchWindow(window));
    BatchCache batch(caches.front()->shape(), window);
    for (std::size_t i = 0; i < caches.size(); ++i) {
        LACUNA_TRY(const auto own, rowWindow(*caches[i]));
        if (own != window)
            return fail(ErrorCode::InvalidArgument,
                        format("cache {} keeps {} tokens, the first one {} (0: all); rows of a "
                               "batch need one window",
                               i, own ? own->size : 0, window ? window->size : 0));
        if (!(caches[i]->shape() == batch.shape_))
            return fail(ErrorCode::InvalidArgument,
                        format("cache {} has another shape than the first one", i));
        const std::int64_t tokens = caches[i]->offset().value;
        batch.rows_.push_back({.cache = std::move(caches[i]), .cursor = tokens});
    }
    const std::int64_t end = batch.end();
    for (Row& row : batch.rows_) {
        row.padding = end - row.cursor;
        row.cursor = end;
    }
    batch.restartColumns();
    return batch;
}

std::size_t BatchCache::checkedRow(int i) const {
    LACUNA_REQUIRE(i >= 0 && i < rows(), "row in range");
    return static_cast<std::size_t>(i);
}

bool BatchCache::empty() const {
    return std::all_of(rows_.begin(), rows_.end(),
                       [](const Row& row) { return row.cache->empty(); });
}

std::vector<std::int64_t> BatchCache::offsets() const {
    std::vector<std::int64_t> out;
    for (const Row& row : rows_) out.push_back(row.cache->offset().value);
    return out;
}

std::vector<std::int64_t> BatchCache::leftPadding() const {
    std::vector<std::int64_t> out;
    for (const Row& row : rows_) out.push_back(row.padding);
    return out;
}

std::int64_t BatchCache::end() const {
    std::int64_t end = 0;
    for (const Row& row : rows_) end = std::max(end, row.cursor);
    return end;
}

int BatchCache::width() const {
    return window_ ? columns_.slots() : static_cast<int>(end());
}

KvCapabilities BatchCache::capabilities() const {
    KvCapabilities able;
    able.kind = window_ ? KvKind::Rotating : KvKind::Dense;
    able.canMerge = false;
    able.windowSize = window_ ? window_->size : 0;
    // Of the whole batch: a row with fewer tokens gives what it has.
    const std::int64_t most = window_ && columns_.offset >= window_->size ? 0 : end();
    able.rollbackLimit = static_cast<int>(most);
    able.trimLimit = able.rollbackLimit;
    if (window_ && most == 0 && end() > 0)
        able.whyNoRollback = format("the window of {} tokens was passed", window_->size);
    return able;
}

Status BatchCache::checkCounts(const std::vector<int>& counts, const char* what) const {
    if (counts.size() != rows_.size())
        return fail(ErrorCode::InvalidArgument,
                    format("{} {} given, expected one for each of {} rows", counts.size(), what,
                           rows_.size()));
    for (const int count : counts)
        if (count < 0)
            return fail(ErrorCode::InvalidArgument,
                        format("{} has {}, expected 0 or more", what, count));
    return {};
}

Status BatchCache::announceLeftPadding(const std::vector<int>& columns) {
    LACUNA_TRY_STATUS(checkCounts(columns, "left padding"));
    if (end() > 0)
        return fail(ErrorCode::InvalidArgument,
                    "left padding announced on a batch that holds tokens; announce it first");
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].padding = columns[i];
    return {};
}

Status BatchCache::announceLengths(const std::vector<int>& lengths) {
    LACUNA_TRY_STATUS(checkCounts(lengths, "lengths"));
    if (announced_ >= 0)
        return fail(ErrorCode::InvalidArgument, "lengths are announced already; finalize first");
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].length = lengths[i];
    announced_ = 0;
    return {};
}

Status BatchCache::finalize() {
    LACUNA_REQUIRE(!appending_, "finalize outside an append");
    if (announced_ < 0) return {};
    const std::int64_t last = end();
    for (Row& row : rows_) {
        const std::int64_t missing = last - row.cursor;
        row.padding += missing;
        row.cursor += missing;
        row.length = 0;
    }
    announced_ = -1;
    return {};
}

/// Tokens of the next `tokens` columns that are no padding of this row.
int BatchCache::taken(const Row& row, int tokens) const {
    const std::int64_t pads = std::clamp<std::int64_t>(row.padding - row.cursor, 0, tokens);
    const int real = tokens - static_cast<int>(pads);
    return announced_ >= 0 ? std::min(real, row.length) : real;
}

Status BatchCache::beginAppend(int tokens) {
    LACUNA_REQUIRE(!appending_, "one append at a time");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("append of {} tokens, expected 0 or more", tokens));
    const bool overdue =
        announced_ > 0 && tokens > 0 &&
        std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.length == 0; });
    if (overdue)
        return fail(ErrorCode::InvalidArgument,
                    "all announced lengths are read; finalize before the next token");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Status status = rows_[i].cache->beginAppend(taken(rows_[i], tokens));
        if (status) continue;
        for (std::size_t begun = 0; begun < i; ++begun) rows_[begun].cache->abortAppend();
        return tl::unexpected<Error>(withPrefix(status.error(), format("row {}", i)));
    }
    appending_ = tokens;
    return {};
}

void BatchCache::writeLayer(LayerIndex layer, View<const float, 4> keys,
                            View<const float, 4> values) {
    LACUNA_REQUIRE(appending_.has_value(), "writeLayer inside an append");
    LACUNA_REQUIRE(keys.extent(0) == rows() && keys.extent(1) == *appending_,
                   "keys are [rows, tokens, kvHeads, keyDim]");
    LACUNA_REQUIRE(values.extent(0) == rows() && values.extent(1) == *appending_,
                   "values are [rows, tokens, kvHeads, valueDim]");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const int count = taken(rows_[i], *appending_);
        const std::int64_t pads =
            std::clamp<std::int64_t>(rows_[i].padding - rows_[i].cursor, 0, *appending_);
        const auto row = static_cast<std::int64_t>(i);
        rows_[i].cache->writeLayer(layer, part(keys, row, pads, count),
                                   part(values, row, pads, count));
    }
}

void BatchCache::commitAppend() {
    LACUNA_REQUIRE(appending_.has_value(), "commitAppend inside an append");
    const int tokens = *appending_;
    for (Row& row : rows_) {
        const int count = taken(row, tokens);
        const std::int64_t pads = std::clamp<std::int64_t>(row.padding - row.cursor, 0, tokens);
        row.cache->commitAppend();
        row.cursor += announced_ >= 0 ? pads + count : tokens;
        if (announced_ >= 0) row.length -= count;
    }
    if (announced_ >= 0) announced_ += tokens;
    if (window_ && tokens > 0) columns_ = planAppend(columns_, tokens, AppendMode::Plain).after;
    appending_.reset();
}

void BatchCache::abortAppend() {
    if (!appending_) return;
    for (Row& row : rows_) row.cache->abortAppend();
    appending_.reset();
}

std::vector<AttentionMask> BatchCache::mask(int tokens) const {
    std::vector<std::int32_t> columns;
    if (window_) {
        columns = planAppend(columns_, tokens, AppendMode::Plain).after.positions;
    } else {
        for (std::int64_t k = 0; k < end() + tokens; ++k)
            columns.push_back(static_cast<std::int32_t>(k));
    }
    std::vector<AttentionMask> masks;
    for (const Row& row : rows_) {
        AttentionMask mask;
        for (int j = 0; j < tokens; ++j) {
            MaskRow seen;
            for (const std::int32_t column : columns)
                seen.push_back(column >= row.padding &&
                               sees(row.cursor + j, column, window_ ? window_->size : 0));
            mask.push_back(std::move(seen));
        }
        masks.push_back(std::move(mask));
    }
    return masks;
}

Result<int> BatchCache::trim(int tokens) {
    LACUNA_REQUIRE(!appending_, "trim outside an append");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("trim of {} tokens, expected 0 or more", tokens));
    const auto can = [&](const Row& row) {
        const int most = row.cache->capabilities().trimLimit;
        return most >= std::min<std::int64_t>(tokens, row.cache->offset().value);
    };
    const bool passed = window_ && columns_.offset >= window_->size;
    if (passed || !std::all_of(rows_.begin(), rows_.end(), can)) return 0;
    int most = 0;
    for (Row& row : rows_) {
        LACUNA_TRY(const int removed, row.cache->trim(tokens));
        row.cursor -= removed;
        most = std::max(most, removed);
    }
    restartColumns();
    return most;
}

Result<std::vector<int>> BatchCache::trimPerSequence(const std::vector<int>& counts) {
    LACUNA_REQUIRE(!appending_, "trim outside an append");
    LACUNA_TRY_STATUS(checkCounts(counts, "counts"));
    if (window_)
        return fail(
            ErrorCode::Unsupported,
            "rows of a rotating batch share their columns and cannot be trimmed apart; trim "
            "all by one count, or run the rows alone");
    std::vector<int> removed;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        LACUNA_TRY(const int count, rows_[i].cache->trim(counts[i]));
        rows_[i].cursor -= count;
        removed.push_back(count);
    }
    return removed;
}

void BatchCache::shiftRight(std::int64_t columns) {
    for (Row& row : rows_) {
        row.padding += columns;
        row.cursor += columns;
    }
}

/// After rows changed: the newest columns in order.
void BatchCache::restartColumns() {
    if (!window_) return;
    columns_ = {};
    columns_.rule = *window_;
    const auto last = static_cast<std::int32_t>(end());
    for (std::int32_t k = std::max(0, last - window_->size); k < last; ++k)
        columns_.positions.push_back(k);
    columns_.offset = last;
    columns_.next = columns_.slots();
}

Status BatchCache::filter(const std::vector<int>& rows) {
    LACUNA_REQUIRE(!appending_, "filter outside an append");
    std::set<int> seen;
    for (const int i : rows) {
        if (i < 0 || i >= this->rows())
            return fail(ErrorCode::InvalidArgument,
                        format("row {} is out of range, the batch has {} rows", i, this->rows()));
        if (!seen.insert(i).second)
            return fail(ErrorCode::InvalidArgument, format("row {} is named twice", i));
    }
    std::vector<Row> kept;
    for (const int i : rows) kept.push_back(std::move(rows_[static_cast<std::size_t>(i)]));
    rows_ = std::move(kept);
    if (window_ || rows_.empty()) return {};
    std::int64_t common = std::numeric_limits<std::int64_t>::max();
    for (const Row& row : rows_) common = std::min({common, row.padding, row.cursor});
    shiftRight(-common);
    return {};
}

Status BatchCache::extend(BatchCache&& other) {
    LACUNA_REQUIRE(!appending_ && !other.appending_, "extend outside an append");
    if (!(shape_ == other.shape_))
        return fail(ErrorCode::InvalidArgument, "the batches have different shapes");
    if (window_ != other.window_)
        return fail(ErrorCode::InvalidArgument,
                    format("the batches keep {} and {} tokens (0: all); rows of a batch need one "
                           "window",
                           window_ ? window_->size : 0, other.window_ ? other.window_->size : 0));
    if (announced_ >= 0 || other.announced_ >= 0)
        return fail(ErrorCode::InvalidArgument, "finalize both batches before they are joined");
    const std::int64_t last = std::max(end(), other.end());
    shiftRight(last - end());
    other.shiftRight(last - other.end());
    for (Row& row : other.rows_) rows_.push_back(std::move(row));
    other.rows_.clear();
    restartColumns();
    return {};
}

Result<std::unique_ptr<KvCache>> BatchCache::extract(int row) const {
    if (row < 0 || row >= rows())
        return fail(ErrorCode::InvalidArgument,
                    format("row {} is out of range, the batch has {} rows", row, rows()));
    return rows_[static_cast<std::size_t>(row)].cache->clone();
}

void BatchCache::checkInvariants() const {
    for (const Row& row : rows_) {
        row.cache->checkInvariants();
        const std::int64_t tokens = row.cache->offset().value;
        LACUNA_REQUIRE(row.padding >= 0 && row.cursor >= 0, "columns count from 0");
        LACUNA_REQUIRE(tokens == std::max<std::int64_t>(0, row.cursor - row.padding),
                       "a row's tokens fill its columns");
    }
}

}  // namespace lacuna
