#pragma once
/// \file
/// A block of slots as one attention task reads it: the slots with 16-bit rows, those read as codes
/// or as stored, and the task rows that see them. Private to this module. Plain data, valid as long
/// as the task.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/attention_task.h"

namespace lacuna {

enum class ExactSide { Keys, Values };

/// The slots of a block with 16-bit rows, and the task rows that see them. The window of 16-bit
/// rows is counted from a query's own position, whatever else was appended with it.
class ExactBlock {
  public:
    ExactBlock(const AttentionTask& task, int first, int count)
        : task_(&task), first_(first), count_(count), codes_(count) {
        if (task.view->exact.count == 0) return;
        places_ = view().within(first, count);
        // Rows are in time order: a slot invisible in 16 bits to the first row is so to all. Pairs
        // of slots stay together, because products of bfloat16 sum them.
        std::size_t unseen = 0;
        while (unseen < places_.size() && !sees(0, unseen)) ++unseen;
        any_ = unseen < places_.size();
        places_ = places_.subspan(any_ ? unseen / 2 * 2 : unseen);
        std::size_t left = places_.size();
        while (left > 0 && slot(left - 1) == codes_ - 1 && sees(task.rows() - 1, left - 1)) {
            --left;
            --codes_;
        }
        findOrder();
    }
    [[nodiscard]] const AttentionTask& task() const { return *task_; }
    [[nodiscard]] int first() const { return first_; }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const ExactView& view() const { return task_->view->exact; }
    [[nodiscard]] std::span<const ExactSlot> places() const { return places_; }
    /// Returns the slot, within the block, of the row at index `i`.
    [[nodiscard]] int slot(std::size_t i) const { return places_[i].slot - first_; }
    /// Returns whether this task row sees the row at index `i` exactly.
    [[nodiscard]] bool sees(int row, std::size_t i) const {
        return view().window.covers(position(i), task_->asking(row));
    }
    [[nodiscard]] bool any() const { return any_; }  ///< some row sees some slot in 16 bits
    /// From this slot of the block on every row sees every slot in 16 bits.
    [[nodiscard]] int codes() const { return codes_; }

    /// Returns whether all rows are consecutive in memory. @pre any()
    [[nodiscard]] bool together() const {
        const int step = places_.front().place < 0 ? -1 : 1;
        for (std::size_t i = 1; i < places_.size(); ++i)
            if (places_[i].place != places_[i - 1].place + step) return false;
        return true;
    }

    /// Calls `use(i, count)` for ranges of indices that together cover what the row sees exactly;
    /// the slots of a range are consecutive.
    template <class Use>
    void forEachVisible(int row, const Use& use) const {
        if (!ordered_) {
            for (std::size_t i = 0; i < places_.size(); ++i)
                if (sees(row, i)) use(i, std::size_t{1});
            return;
        }
        if (kept_ > 0) use(std::size_t{0}, kept_);
        if (const std::size_t from = recent(row); from < places_.size())
            use(from, places_.size() - from);
    }
    /// Returns the slots of the block that this row may read as codes; both bounds are
    /// non-decreasing over rows.
    [[nodiscard]] SeenSlots codesOf(int row) const {
        SeenSlots seen = task_->seen(row, first_, codes_);
        if (ordered_ && !places_.empty() && slot(places_.size() - 1) == count_ - 1)
            if (const std::size_t from = recent(row); from < places_.size())
                seen.last = std::clamp(slot(from), seen.first, seen.last);
        return seen;
    }
    /// Returns the indices that this row may see exactly; both bounds are non-decreasing over rows.
    [[nodiscard]] SeenSlots visibleIndices(int row) const {
        const int all = static_cast<int>(places_.size());
        if (!ordered_ || kept_ > 0) return {0, all};
        const int visible = std::clamp(task_->visible(row) - places_.front().slot, 0, all);
        return {std::min(static_cast<int>(recent(row)), visible), visible};
    }

  private:
    [[nodiscard]] int position(std::size_t i) const {
        const std::int32_t* const positions = task_->view->positions;
        return positions == nullptr ? places_[i].slot : positions[places_[i].slot];
    }
    [[nodiscard]] bool consecutive(std::size_t from, std::size_t to) const {
        return from >= to ||
               static_cast<std::size_t>(places_[to - 1].slot - places_[from].slot) == to - 1 - from;
    }
    /// Determines whether each row sees exactly the kept first tokens and all indices from some
    /// point on.
    void findOrder() {
        const std::size_t n = places_.size();
        while (kept_ < n && position(kept_) < view().window.first) ++kept_;
        ordered_ = consecutive(0, kept_) && consecutive(kept_, n);
        for (std::size_t i = kept_ + 1; ordered_ && i < n; ++i)
            ordered_ = position(i - 1) < position(i);
    }
    /// Returns the first index after the kept ones that is in the window of this row. @pre ordered_
    [[nodiscard]] std::size_t recent(int row) const {
        const std::int64_t oldest = std::int64_t{task_->asking(row)} + 1 - view().window.newest;
        std::size_t from = kept_;
        std::size_t to = places_.size();
        while (from < to) {
            const std::size_t middle = (from + to) / 2;
            if (position(middle) < oldest)
                from = middle + 1;
            else
                to = middle;
        }
        return from;
    }

    const AttentionTask* task_;
    int first_;
    int count_;
    int codes_;
    std::span<const ExactSlot> places_;
    std::size_t kept_ = 0;  ///< number of first tokens, which every row sees
    bool any_ = false;
    bool ordered_ = false;
};

/// The rows of a block that are multiplied together, in one of their two forms, and the task rows
/// that need them.
class BlockRows {
  public:
    /// Rows as stored; `some`: without those that every row sees in 16 bits.
    [[nodiscard]] static BlockRows stored(const ExactBlock& block, bool some) {
        return {block, some ? Form::Codes : Form::All, some ? block.codes() : block.count()};
    }
    [[nodiscard]] static BlockRows exact(const ExactBlock& block) {
        return {block, Form::Exact, static_cast<int>(block.places().size())};
    }
    [[nodiscard]] int count() const { return count_; }
    /// True if every task row needs all of them.
    [[nodiscard]] bool whole() const { return whole_; }
    /// Returns the rows that a task row may need; both bounds are non-decreasing over rows.
    [[nodiscard]] SeenSlots of(int row) const {
        if (form_ == Form::Exact) return block_->visibleIndices(row);
        if (form_ == Form::Codes) return block_->codesOf(row);
        return block_->task().seen(row, block_->first(), count_);
    }
    /// Returns the task rows [first, last) that may need some of [from, from + count).
    [[nodiscard]] SeenSlots rowsNeeding(int from, int count) const {
        const int rows = block_->task().rows();
        if (whole_) return {0, rows};
        const int first = firstRow([&](int row) { return of(row).last > from; });
        const int last = firstRow([&](int row) { return of(row).first >= from + count; });
        return {first, std::max(first, last)};
    }

  private:
    enum class Form { All, Codes, Exact };
    BlockRows(const ExactBlock& block, Form form, int count)
        : block_(&block), form_(form), count_(count) {
        const int last = block.task().rows() - 1;
        whole_ = of(0).first == 0 && of(last).first == 0 && of(0).last >= count &&
                 of(last).last >= count;
    }
    /// Returns the first row that satisfies `holds`; all later ones must too.
    template <class Holds>
    [[nodiscard]] int firstRow(const Holds& holds) const {
        int from = 0;
        int to = block_->task().rows();
        while (from < to) {
            const int middle = (from + to) / 2;
            if (holds(middle))
                to = middle;
            else
                from = middle + 1;
        }
        return from;
    }

    const ExactBlock* block_;
    Form form_;
    int count_;
    bool whole_;
};

}  // namespace lacuna
