#pragma once
/// \file
/// A block of slots as one task of attention reads it: which slots in 16 bits, which as codes or as
/// they are stored, and which rows of the task look at which of them. Private to this room. Plain
/// data, valid as long as the task.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/attention_task.h"

namespace lacuna {

enum class ExactSide { Keys, Values };

/// Of a block of slots, those whose rows are there in 16 bits, and which rows of the task see them
/// so: a query sees exactly what the window of 16 bits covers from its own position, whatever else
/// was appended with it.
class ExactBlock {
  public:
    ExactBlock(const AttentionTask& task, int first, int count)
        : task_(&task), first_(first), count_(count), codes_(count) {
        if (task.view->exact.count == 0) return;
        places_ = view().within(first, count);
        // Rows ask in the order of time: what the first does not see so, none does. Pairs of slots
        // stay together, as products of bfloat16 sum them.
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
    [[nodiscard]] std::span<const ExactPlace> places() const { return places_; }
    /// Place `i` in the block.
    [[nodiscard]] int slot(std::size_t i) const { return places_[i].slot - first_; }
    /// Whether this row of the task sees the row at place `i` exactly.
    [[nodiscard]] bool sees(int row, std::size_t i) const {
        return view().window.covers(position(i), task_->asking(row));
    }
    [[nodiscard]] bool any() const { return any_; }  ///< some row sees some slot so
    /// From this slot of the block on every row sees every slot so.
    [[nodiscard]] int codes() const { return codes_; }

    /// Whether the rows of all places follow each other in memory. @pre any()
    [[nodiscard]] bool together() const {
        const int step = places_.front().place < 0 ? -1 : 1;
        for (std::size_t i = 1; i < places_.size(); ++i)
            if (places_[i].place != places_[i - 1].place + step) return false;
        return true;
    }

    /// `use(i, count)` for stretches of places, together those that the row sees exactly; the slots
    /// of a stretch follow each other.
    template <class Use>
    void forSeen(int row, const Use& use) const {
        if (!ordered_) {
            for (std::size_t i = 0; i < places_.size(); ++i)
                if (sees(row, i)) use(i, std::size_t{1});
            return;
        }
        if (kept_ > 0) use(std::size_t{0}, kept_);
        if (const std::size_t from = recent(row); from < places_.size())
            use(from, places_.size() - from);
    }
    /// Slots of the block that this row may want as codes; neither border falls from row to row.
    [[nodiscard]] SeenSlots codesOf(int row) const {
        SeenSlots seen = task_->seen(row, first_, codes_);
        if (ordered_ && !places_.empty() && slot(places_.size() - 1) == count_ - 1)
            if (const std::size_t from = recent(row); from < places_.size())
                seen.last = std::clamp(slot(from), seen.first, seen.last);
        return seen;
    }
    /// Places that this row may see exactly, likewise.
    [[nodiscard]] SeenSlots placesOf(int row) const {
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
    /// Whether what a row sees is the kept first tokens and the places from one on.
    void findOrder() {
        const std::size_t n = places_.size();
        while (kept_ < n && position(kept_) < view().window.first) ++kept_;
        ordered_ = consecutive(0, kept_) && consecutive(kept_, n);
        for (std::size_t i = kept_ + 1; ordered_ && i < n; ++i)
            ordered_ = position(i - 1) < position(i);
    }
    /// The first place after the kept ones that is in the window of this row. @pre ordered_
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
    std::span<const ExactPlace> places_;
    std::size_t kept_ = 0;  ///< of the places: first tokens, which every row sees
    bool any_ = false;
    bool ordered_ = false;
};

/// The rows of a block that are multiplied together, in one of their two forms, and which rows of
/// the task want which of them.
class BlockRows {
  public:
    /// As they are stored; `some`: those that every row sees in 16 bits are left out.
    [[nodiscard]] static BlockRows stored(const ExactBlock& block, bool some) {
        return {block, some ? Form::Codes : Form::All, some ? block.codes() : block.count()};
    }
    [[nodiscard]] static BlockRows exact(const ExactBlock& block) {
        return {block, Form::Exact, static_cast<int>(block.places().size())};
    }
    [[nodiscard]] int count() const { return count_; }
    /// Every row of the task wants all.
    [[nodiscard]] bool whole() const { return whole_; }
    /// What a row may want; neither border falls from row to row.
    [[nodiscard]] SeenSlots of(int row) const {
        if (form_ == Form::Exact) return block_->placesOf(row);
        if (form_ == Form::Codes) return block_->codesOf(row);
        return block_->task().seen(row, block_->first(), count_);
    }
    /// Rows [first, last) of the task that may want some of [from, from + count).
    [[nodiscard]] SeenSlots askersOf(int from, int count) const {
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
    /// The first row that holds, where all after it do.
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
