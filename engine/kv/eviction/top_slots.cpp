#include "engine/kv/eviction/top_slots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

// Ranks beyond those of the scores: a hole never stays, NaN loses against all scores, a protected
// slot wins.
constexpr float kHoleRank = -std::numeric_limits<float>::infinity();
constexpr float kBadRank = std::numeric_limits<float>::lowest();
constexpr float kProtectedRank = std::numeric_limits<float>::infinity();

constexpr std::int64_t kFewOnTheBorder = 48;  // few enough to be compared individually
constexpr int kMaxPasses = 24;

struct Census {
    std::int64_t holes = 0;
    std::int64_t protectedSlots = 0;
};

/// Assigns the ranks of protected slots, holes and NaN scores.
class SpecialRanks {
  public:
    SpecialRanks(std::span<const float> scores, const SlotPositions& slots, float* ranks,
                 TopSlots& out)
        : scores_(scores), slots_(slots), ranks_(ranks), out_(out) {}

    [[nodiscard]] Census give(const SelectionRule& rule) {
        if (slots_.positions == nullptr) {
            const auto recent =
                static_cast<int>(std::max<std::int64_t>(rule.nSink, slots_.tokens - rule.newest()));
            for (int j = 0; j < std::min(rule.nSink, slots_.slots); ++j) protect(j);
            for (int j = recent; j < slots_.slots; ++j) protect(j);
            protectKept(rule, recent);
            return census_;
        }
        const auto sinks = static_cast<std::int32_t>(rule.nSink);
        const auto recent = static_cast<std::int32_t>(slots_.tokens - rule.newest());
        for (int j = 0; j < slots_.slots; ++j) {
            const std::int32_t position = slots_.positions[j];
            if (slots_.bias != nullptr && slots_.bias[j] == kHoleRank) {
                hide(j);
            } else if (position < sinks || position >= recent ||
                       (rule.kept != nullptr && keeps(*rule.kept, position))) {
                protect(j);
            }
        }
        return census_;
    }

  private:
    [[nodiscard]] bool bad(int slot) const {
        return !std::isfinite(scores_[static_cast<std::size_t>(slot)]);
    }
    void protect(int slot) {
        if (bad(slot)) out_.badProtected = slots_.at(slot);
        ranks_[slot] = kProtectedRank;
        ++census_.protectedSlots;
    }
    /// Protects kept spans if slot j holds position j, without counting other protected slots
    /// again.
    void protectKept(const SelectionRule& rule, int recent) {
        if (rule.kept == nullptr) return;
        for (const TokenSpan& span : *rule.kept)
            for (std::int64_t j = std::max<std::int64_t>(span.first, rule.nSink);
                 j < std::min<std::int64_t>(span.last, recent); ++j)
                protect(static_cast<int>(j));
    }
    void hide(int slot) {
        if (bad(slot)) --out_.notFinite;
        ranks_[slot] = kHoleRank;
        ++census_.holes;
    }

    std::span<const float> scores_;
    const SlotPositions& slots_;
    float* ranks_;
    TopSlots& out_;
    Census census_;
};

/// At least `wanted` ranks are above `low`, fewer than `wanted` above `high`.
struct Bracket {
    float low = 0;
    float high = 0;
    std::int64_t aboveLow = 0;
    std::int64_t aboveHigh = 0;
    [[nodiscard]] bool narrow() const { return aboveLow - aboveHigh <= kFewOnTheBorder; }
    /// Interpolates as if ranks were evenly distributed. Every third pass bisects instead, so that
    /// uneven ranks cannot stall the search.
    [[nodiscard]] float guess(std::int64_t wanted, int pass) const {
        const float width = high - low;
        const auto share = static_cast<float>(aboveLow - wanted) /
                           static_cast<float>(std::max<std::int64_t>(aboveLow - aboveHigh, 1));
        const float inner = std::clamp(share, 0.02F, 0.98F);
        return low + width * (pass % 3 == 2 ? 0.5F : inner);
    }
};

Bracket closeIn(std::span<const float> ranks, Bracket bracket, std::int64_t wanted) {
    const KernelTable& kernels = bestKernels();
    const auto count = static_cast<std::int64_t>(ranks.size());
    for (int pass = 0; pass < kMaxPasses && !bracket.narrow(); ++pass) {
        const float middle = bracket.guess(wanted, pass);
        if (!(middle > bracket.low && middle < bracket.high))
            break;  // adjacent floats, or the range overflows
        const std::int64_t above = kernels.countAbove(ranks.data(), middle, count);
        if (above >= wanted) {
            bracket.low = middle;
            bracket.aboveLow = above;
        } else {
            bracket.high = middle;
            bracket.aboveHigh = above;
        }
    }
    return bracket;
}

/// Lists slots whose rank is above `low` but not above `high`, which `keep` marks.
void listBorder(std::span<const float> ranks, const Bracket& bracket, const SlotMarks& keep,
                TopScratch& scratch) {
    scratch.above = SlotMarks(keep.slots());
    bestKernels().markAbove(ranks.data(), bracket.low, scratch.above.words(),
                            static_cast<std::int64_t>(ranks.size()));
    for (std::size_t w = 0; w < keep.wordCount(); ++w) scratch.above.words()[w] &= ~keep.words()[w];
    scratch.border = scratch.above.list();
}

}  // namespace

Result<TopSlots> topSlots(std::span<const float> scores, float factor, const SlotPositions& slots,
                          const SelectionRule& rule, TopScratch& scratch) {
    if (scores.size() != static_cast<std::size_t>(slots.slots))
        return fail(
            ErrorCode::InvalidArgument,
            format("{} scores for {} slots, expected one per slot", scores.size(), slots.slots));
    const KernelTable& kernels = bestKernels();
    const auto count = static_cast<std::int64_t>(scores.size());
    TopSlots out;
    scratch.ranks.resize(scores.size());
    float* const ranks = scratch.ranks.data();
    const FiniteRange range = kernels.scaleFinite(scores.data(), factor, kBadRank, ranks, count);
    out.notFinite = count - range.count;
    const Census census = SpecialRanks(scores, slots, ranks, out).give(rule);
    const std::int64_t live = count - census.holes;
    if (live <= rule.budget)
        return fail(
            ErrorCode::InvalidArgument,
            format("{} slots are not more than the budget of {}, nothing to evict (keep_recent {})",
                   live, rule.budget, rule.keepRecent));
    if (rule.budget <= census.protectedSlots)
        return fail(ErrorCode::Range,
                    format("a budget of {} leaves no room besides {} protected slots (n_sink {}, "
                           "keep_recent {}), expected at least {}",
                           rule.budget, census.protectedSlots, rule.nSink, rule.keepRecent,
                           census.protectedSlots + 1));
    Bracket bracket{.low = kHoleRank,
                    .high = range.count > 0 ? range.high : kBadRank,
                    .aboveLow = live,
                    .aboveHigh = census.protectedSlots};
    // NaN scores stay only if there are too few others.
    const std::int64_t withNumbers = kernels.countAbove(ranks, kBadRank, count);
    if (withNumbers < rule.budget) {
        bracket.high = kBadRank;
        bracket.aboveHigh = withNumbers;
    } else if (range.count > 0) {
        const float below = std::nextafter(range.low, kHoleRank);
        if (below > kBadRank) bracket = {below, range.high, withNumbers, census.protectedSlots};
    }
    bracket = closeIn(scratch.ranks, bracket, rule.budget);
    out.keep = SlotMarks(slots.slots);
    kernels.markAbove(ranks, bracket.high, out.keep.words(), count);
    listBorder(scratch.ranks, bracket, out.keep, scratch);
    const std::int64_t wanted = rule.budget - bracket.aboveHigh;
    std::vector<std::int32_t>& border = scratch.border;
    const auto better = [&](std::int32_t a, std::int32_t b) {
        if (ranks[a] != ranks[b]) return ranks[a] > ranks[b];
        return rule.tie == TieRule::NewerFirst ? slots.at(a) > slots.at(b) : a < b;
    };
    if (wanted < static_cast<std::int64_t>(border.size()))
        std::nth_element(border.begin(), border.begin() + wanted, border.end(), better);
    for (std::int64_t i = 0; i < wanted; ++i) out.keep.add(border[static_cast<std::size_t>(i)]);
    return out;
}

}  // namespace lacuna
