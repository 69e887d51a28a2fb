#pragma once
/// \file
/// The input of one attention task: one KV head, a block of query tokens and a part of the slots,
/// with the slots that each row sees. Private to this module. Plain data.
///
/// A slot is visible if its token is not newer than the query, not older than the layer's window,
/// and not older than the window the cache keeps, except its kept first tokens
/// (docs/cache-contracts.md, "Attention over slots"); a cut of the head hides more.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/model/attention.h"

namespace lacuna {

constexpr int kBlockSlots = 128;  ///< slots whose scores are held at once

/// Slots [first, last) of a block.
struct SeenSlots {
    int first = 0;
    int last = 0;
    [[nodiscard]] int count() const { return last - first; }
};

/// Part `index` of `count` nearly equal ones of the slots that a task sees.
struct SlotPart {
    int index = 0;
    int count = 1;
};

/// Positions that are too old for a row.
struct HiddenPositions {
    int layer = 0;  ///< all earlier positions are hidden
    int cache = 0;  ///< all earlier positions except the first `keep` are hidden
    int keep = 0;
    [[nodiscard]] bool hide(std::int32_t position) const {
        return (position < layer) | ((position < cache) & (position >= keep));
    }
};

/// Row = token * group + query head of the group.
struct AttentionTask {
    const KvHeadView* view;
    const AttentionQueries* queries;
    View<float, 3> out;
    int kvHead;
    int group;
    int firstToken;
    int tokens;
    SlotPart part;

    [[nodiscard]] int rows() const { return tokens * group; }
    [[nodiscard]] bool hidesByPosition() const {
        return view->positions != nullptr &&
               (queries->rule.window > 0 || view->window > 0 || cut() != nullptr);
    }
    /// Number of slots up to that of this row's token.
    [[nodiscard]] int visible(int row) const {
        const int newest = static_cast<int>(queries->rows.extent(0));
        return view->slots - newest + firstToken + row / group + 1;
    }
    /// The oldest position in the layer's window of this row; 0 or less = none is hidden.
    [[nodiscard]] int oldest(int row) const {
        const AttentionRule& rule = queries->rule;
        if (rule.chunked && rule.window > 0) return asking(row) / rule.window * rule.window;
        return oldestOf(row, rule.window);
    }
    [[nodiscard]] HiddenPositions hidden(int row) const {
        if (const DistanceCut* const far = cut(); far != nullptr)
            return {oldest(row), std::min(oldestOf(row, far->near + 1), far->own.value), far->keep};
        return {oldest(row), oldestOf(row, view->window), view->keep};
    }
    /// The first slot that any row sees, for a head whose slot j holds position j.
    [[nodiscard]] int firstSlot() const {
        return view->positions == nullptr ? std::max(oldest(0), 0) : 0;
    }
    /// The slots of this part; all of them if there is one part. Bounds of parts do not depend on
    /// the number of threads.
    [[nodiscard]] SeenSlots slots() const {
        const int first = firstSlot();
        const int last = visible(rows() - 1);
        const int blocks = (last - first + kBlockSlots - 1) / kBlockSlots;
        const int width = (blocks + part.count - 1) / part.count * kBlockSlots;
        const int begin = std::min(last, first + part.index * width);
        return {begin, std::min(last, begin + width)};
    }
    /// Returns whether some row sees a slot of this block.
    [[nodiscard]] bool reaches(int slot, int count) const {
        if (!hidesByPosition()) return true;
        const std::int32_t* positions = view->positions + slot;
        return std::any_of(positions, positions + count,
                           [limits = hidden(0)](std::int32_t p) { return !limits.hide(p); });
    }
    /// The slots that a row sees of the block of `count` slots from `slot` on, before explicit
    /// positions are checked.
    [[nodiscard]] SeenSlots seen(int row, int slot, int count) const {
        const int last = std::clamp(visible(row) - slot, 0, count);
        if (view->positions != nullptr) return {0, last};
        return {std::clamp(oldest(row) - slot, 0, last), last};
    }
    /// Hides the scores of slots [slot, slot + count) that are too old for a row.
    void hideOlder(int row, int slot, float* scores, int count) const {
        if (!hidesByPosition()) return;
        const HiddenPositions limits = hidden(row);
        const std::int32_t* positions = view->positions + slot;
        for (int i = 0; i < count; ++i)
            scores[i] =
                limits.hide(positions[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
    }

    /// Position of the token of this row.
    [[nodiscard]] int asking(int row) const {
        return queries->first.value + firstToken + row / group;
    }

  private:
    /// Null if this head is not cut.
    [[nodiscard]] const DistanceCut* cut() const {
        return queries->cut != nullptr && queries->cut->head == HeadIndex(kvHead) ? queries->cut
                                                                                  : nullptr;
    }
    [[nodiscard]] int oldestOf(int row, int window) const {
        if (window == 0) return 0;
        return asking(row) + 1 - window;
    }
};

}  // namespace lacuna
