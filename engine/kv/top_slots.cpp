#include "engine/kv/top_slots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr int kBins = 2048;
// Codes of a slot: a hole, a score that is no number, kBins scores, protected.
constexpr std::uint16_t kHoleCode = 0;
constexpr std::uint16_t kBadCode = 1;
constexpr std::uint16_t kFirstBin = 2;
constexpr std::uint16_t kProtectedCode = kFirstBin + kBins;
constexpr int kCodes = kProtectedCode + 1;

struct Bounds {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
};

bool finite(float x) {
    return x - x == 0.0F;
}

/// Of the finite scores. Four at a time, so that no comparison waits for the one before.
Bounds boundsOf(std::span<const float> scores) {
    constexpr std::size_t kLanes = 4;
    std::array<Bounds, kLanes> lanes;
    const float* x = scores.data();
    for (std::size_t j = 0; j < scores.size(); ++j) {
        Bounds& lane = lanes[j % kLanes];
        lane.low = finite(x[j]) && x[j] < lane.low ? x[j] : lane.low;
        lane.high = finite(x[j]) && x[j] > lane.high ? x[j] : lane.high;
    }
    Bounds bounds;
    for (const Bounds& lane : lanes) {
        bounds.low = std::min(bounds.low, lane.low);
        bounds.high = std::max(bounds.high, lane.high);
    }
    return bounds;
}

/// Larger scores never fall into lower bins.
void binScores(std::span<const float> scores, std::span<std::uint16_t> bins) {
    const Bounds bounds = boundsOf(scores);
    const float width = bounds.high - bounds.low;
    const float factor =
        width > 0 && std::isfinite(width) ? (static_cast<float>(kBins) - 0.5F) / width : 0.0F;
    const float* x = scores.data();
    std::uint16_t* to = bins.data();
    const auto count = static_cast<std::int64_t>(scores.size());
    for (std::int64_t j = 0; j < count; ++j) {
        const float at = finite(x[j]) ? (x[j] - bounds.low) * factor : 0.0F;
        const int bin = std::min(static_cast<int>(at) + kFirstBin, kProtectedCode - 1);
        to[j] = static_cast<std::uint16_t>(finite(x[j]) ? bin : kBadCode);
    }
}

/// Marks what stays in any case and what is not there; says where a protected score is missing.
void markSpecial(std::span<std::uint16_t> bins, const SlotPositions& slots,
                 const SelectionRule& rule, TopSlots& out) {
    const auto protect = [&](int slot) {
        auto& code = bins[static_cast<std::size_t>(slot)];
        if (code == kBadCode) {
            ++out.notFinite;
            out.badProtected = slots.at(slot);
        }
        code = kProtectedCode;
    };
    if (slots.positions == nullptr) {
        const auto recent =
            static_cast<int>(std::max<std::int64_t>(rule.nSink, slots.tokens - rule.keepRecent));
        for (int j = 0; j < std::min(rule.nSink, slots.slots); ++j) protect(j);
        for (int j = recent; j < slots.slots; ++j) protect(j);
        return;
    }
    for (int j = 0; j < slots.slots; ++j) {
        if (slots.isHole(j)) {
            bins[static_cast<std::size_t>(j)] = kHoleCode;
        } else if (isProtected(rule, slots.at(j), slots.tokens)) {
            protect(j);
        }
    }
}

using Histogram = std::array<std::uint32_t, kCodes>;

/// Two tables, so that neighbours in one bin do not wait for each other.
Histogram countBins(std::span<const std::uint16_t> bins) {
    Histogram even{};
    Histogram odd{};
    std::uint32_t* first = even.data();
    std::uint32_t* second = odd.data();
    const std::uint16_t* code = bins.data();
    std::size_t j = 0;
    for (; j + 1 < bins.size(); j += 2) {
        ++first[code[j]];
        ++second[code[j + 1]];
    }
    if (j < bins.size()) ++first[code[j]];
    for (int i = 0; i < kCodes; ++i) first[i] += second[i];
    return even;
}

/// The bin on the border: all above it fit, it does not as a whole or exactly.
struct Border {
    std::uint16_t code = kProtectedCode;
    std::int64_t wanted = 0;  ///< slots of the border bin that stay
};

Border findBorder(const Histogram& counts, std::int64_t chosen) {
    Border border{kProtectedCode, 0};
    std::int64_t left = chosen;
    for (int code = kProtectedCode - 1; code >= kBadCode && left > 0; --code) {
        border = {static_cast<std::uint16_t>(code), left};
        left -= counts[static_cast<std::size_t>(code)];
    }
    return border;
}

/// Raises the wanted slots of the border bin to kept ones.
void settleBorder(std::span<const float> scores, std::span<std::uint16_t> bins,
                  const SlotPositions& slots, const SelectionRule& rule, const Border& border,
                  std::vector<std::int32_t>& tied) {
    if (border.wanted == 0) return;
    tied.clear();
    const std::uint16_t* code = bins.data();
    for (std::int32_t j = 0; j < slots.slots; ++j)
        if (code[j] == border.code) tied.push_back(j);
    const auto better = [&](std::int32_t a, std::int32_t b) {
        const float x = scores[static_cast<std::size_t>(a)];
        const float y = scores[static_cast<std::size_t>(b)];
        if (border.code != kBadCode && x != y) return x > y;
        return rule.tie == TieRule::NewerFirst ? slots.at(a) > slots.at(b) : a < b;
    };
    if (border.wanted < static_cast<std::int64_t>(tied.size()))
        std::nth_element(tied.begin(), tied.begin() + border.wanted, tied.end(), better);
    for (std::int64_t i = 0; i < border.wanted; ++i)
        bins[static_cast<std::size_t>(tied[static_cast<std::size_t>(i)])] = kProtectedCode;
}

}  // namespace

Result<TopSlots> topSlots(std::span<const float> scores, const SlotPositions& slots,
                          const SelectionRule& rule, TopScratch& scratch) {
    if (scores.size() != static_cast<std::size_t>(slots.slots))
        return fail(
            ErrorCode::InvalidArgument,
            format("{} scores for {} slots, expected one per slot", scores.size(), slots.slots));
    TopSlots out;
    scratch.bins.resize(scores.size());
    const std::span<std::uint16_t> bins(scratch.bins);
    binScores(scores, bins);
    markSpecial(bins, slots, rule, out);
    const Histogram counts = countBins(bins);
    const std::int64_t live = slots.slots - std::int64_t{counts[kHoleCode]};
    const std::int64_t protectedSlots = counts[kProtectedCode];
    if (live <= rule.budget)
        return fail(
            ErrorCode::InvalidArgument,
            format("{} slots are not more than the budget of {}, nothing to evict (keep_recent {})",
                   live, rule.budget, rule.keepRecent));
    const std::int64_t chosen = std::int64_t{rule.budget} - protectedSlots;
    if (chosen <= 0)
        return fail(
            ErrorCode::Range,
            format("a budget of {} leaves no room beside {} protected slots (n_sink {}, "
                   "keep_recent {}), "
                   "expected at least {}",
                   rule.budget, protectedSlots, rule.nSink, rule.keepRecent, protectedSlots + 1));
    out.notFinite += counts[kBadCode];
    const Border border = findBorder(counts, chosen);
    settleBorder(scores, bins, slots, rule, border, scratch.border);
    // One slot more than is kept: the last write of the loop may be one that does not count.
    out.keep.resize(static_cast<std::size_t>(rule.budget) + 1);
    std::int32_t* to = out.keep.data();
    const std::uint16_t* code = bins.data();
    for (std::int32_t j = 0; j < slots.slots; ++j) {
        *to = j;
        to += code[j] > border.code ? 1 : 0;
    }
    out.keep.resize(static_cast<std::size_t>(rule.budget));
    return out;
}

}  // namespace lacuna
