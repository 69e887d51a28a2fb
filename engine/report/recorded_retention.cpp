#include "engine/report/recorded_retention.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "engine/kv/eviction/layer_heads.h"

namespace lacuna {
namespace {

constexpr double kHundredth = 100;
/// Larger than any real context or model; prevents overflow with counts from untrusted files.
constexpr std::int64_t kMostTokens = 1 << 24;
constexpr int kMostHeads = 1 << 12;
constexpr std::int64_t kMostFigures = 1 << 26;  ///< [layers, tokens] after decoding runs

template <class T, class Convert>
std::vector<int> runsOf(const std::vector<T>& values, Convert convert) {
    std::vector<int> runs;
    for (const T& value : values) {
        const int one = convert(value);
        if (runs.empty() || runs.back() != one) {
            runs.push_back(0);
            runs.push_back(one);
        }
        ++runs[runs.size() - 2];
    }
    return runs;
}

template <class T, class Convert>
std::vector<T> valuesOf(const std::vector<int>& runs, Convert convert) {
    std::vector<T> values;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2)
        values.insert(values.end(), static_cast<std::size_t>(runs[i]), convert(runs[i + 1]));
    return values;
}

std::int64_t valuesIn(const std::vector<int>& runs) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < runs.size(); i += 2) count += runs[i];
    return count;
}

/// Returns the text of all tokens of `list[place]`, including those in earlier records.
std::vector<std::string> piecesOf(const std::vector<RecordedRetention>& list, std::size_t place) {
    const RecordedRetention* one = &list[place];
    std::vector<std::string> pieces(static_cast<std::size_t>(one->tokens));
    std::int64_t missing = one->tokens;
    while (missing > 0) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < one->lengths.size(); ++i) {
            const auto length = static_cast<std::size_t>(one->lengths[i]);
            const auto token = one->kept + static_cast<std::int64_t>(i);
            if (token < missing)
                pieces[static_cast<std::size_t>(token)] = one->text.substr(at, length);
            at += length;
        }
        missing = std::min(missing, one->kept);
        if (missing > 0) one = &list[one->continues];
    }
    return pieces;
}

bool beginsCharacter(const std::string& piece) {
    return piece.empty() || (static_cast<unsigned char>(piece.front()) & 0xC0U) != 0x80U;
}

/// Returns the number of common leading pieces. A character that spans tokens belongs to its first
/// token, so the prefix is cut before such a character.
std::int64_t common(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    const auto [a, b] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
    auto kept = static_cast<std::size_t>(b - now.begin());
    while (kept > 0 && kept < now.size() && !beginsCharacter(now[kept])) --kept;
    return static_cast<std::int64_t>(kept);
}

/// Replaces bytes of incomplete characters with question marks, because a report is text and byte
/// offsets must not change.
std::string wholeCharacters(std::string text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t length = first < 0x80U                     ? 1
                                   : first >= 0xC2U && first < 0xE0U ? 2
                                   : first >= 0xE0U && first < 0xF0U ? 3
                                   : first >= 0xF0U && first < 0xF5U ? 4
                                                                     : 0;
        bool whole = length > 0 && i + length <= text.size();
        for (std::size_t k = 1; whole && k < length; ++k)
            whole = (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
        if (!whole) text[i] = '?';
        i += whole ? length : 1;
    }
    return text;
}

}  // namespace

void addRetention(std::vector<RecordedRetention>& list, const RetentionSnapshot& snapshot,
                  std::int64_t timeNs) {
    const RetentionRow& row = snapshot.row;
    RecordedRetention one{.timeNs = timeNs,
                          .conversation = snapshot.conversation,
                          .layers = row.layers,
                          .kvHeads = row.kvHeads,
                          .layerHeads = row.layerHeads,
                          .sinks = snapshot.sinks,
                          .recent = snapshot.recent,
                          .tokens = row.tokens,
                          .liveBytes = row.liveBytes,
                          .slots = {row.slots.begin(), row.slots.end()}};
    one.holderRuns = runsOf(row.holders, [](std::uint16_t heads) { return int{heads}; });
    one.weightRuns = runsOf(row.weight, [](float weight) {
        return static_cast<int>(std::lround(double{weight} * kHundredth));
    });
    for (std::size_t place = list.size(); place-- > 0;) {
        if (list[place].conversation != one.conversation) continue;
        one.kept = common(piecesOf(list, place), snapshot.pieces);
        one.continues = one.kept > 0 ? place : 0;
        break;
    }
    for (auto token = static_cast<std::size_t>(one.kept); token < snapshot.pieces.size(); ++token) {
        one.text += snapshot.pieces[token];
        one.lengths.push_back(static_cast<int>(snapshot.pieces[token].size()));
    }
    one.text = wholeCharacters(std::move(one.text));
    list.push_back(std::move(one));
}

RetentionSnapshot snapshotOf(const std::vector<RecordedRetention>& list, std::size_t place) {
    const RecordedRetention& one = list[place];
    RetentionSnapshot snapshot;
    snapshot.conversation = one.conversation;
    snapshot.pieces = piecesOf(list, place);
    snapshot.sinks = one.sinks;
    snapshot.recent = one.recent;
    RetentionRow& row = snapshot.row;
    row.tokens = one.tokens;
    row.layers = one.layers;
    row.kvHeads = one.kvHeads;
    row.layerHeads = one.layerHeads;
    row.slots.assign(one.slots.begin(), one.slots.end());
    row.liveBytes = one.liveBytes;
    row.holders = valuesOf<std::uint16_t>(
        one.holderRuns, [](int heads) { return static_cast<std::uint16_t>(heads); });
    row.weight = valuesOf<float>(
        one.weightRuns, [](int hundredths) { return static_cast<float>(hundredths / kHundredth); });
    const auto tokens = static_cast<std::size_t>(one.tokens);
    const double pairs = headsBeforeLayer(one.kvHeads, one.layerHeads, one.layers);
    row.share.resize(tokens);
    for (std::size_t token = 0; token < tokens && pairs > 0; ++token) {
        std::int64_t heads = 0;
        for (std::size_t layer = 0; layer < static_cast<std::size_t>(one.layers); ++layer)
            heads += row.holders[layer * tokens + token];
        row.share[token] = static_cast<float>(static_cast<double>(heads) / pairs);
    }
    return snapshot;
}

void thinRetention(std::vector<RecordedRetention>& list) {
    std::vector<RecordedRetention> thinned;
    for (std::size_t place = (list.size() + 1) % 2; place < list.size(); place += 2)
        addRetention(thinned, snapshotOf(list, place), list[place].timeNs);
    list = std::move(thinned);
}

bool wellFormed(const std::vector<RecordedRetention>& list, std::size_t place) {
    const RecordedRetention& one = list[place];
    if (one.tokens > kMostTokens || one.layers > kMostHeads || one.kvHeads > kMostHeads ||
        one.layers * one.tokens > kMostFigures)
        return false;
    const auto unequal = static_cast<int>(one.layerHeads.size());
    if (unequal > 0 && (unequal != one.layers || std::ranges::max(one.layerHeads) > kMostHeads))
        return false;
    if (one.kept > one.tokens ||
        static_cast<std::int64_t>(one.lengths.size()) != one.tokens - one.kept)
        return false;
    if (one.kept > 0 && (one.continues >= place || list[one.continues].tokens < one.kept ||
                         list[one.continues].conversation != one.conversation))
        return false;
    const auto whole = [](const std::vector<int>& runs, std::int64_t count) {
        return runs.size() % 2 == 0 && valuesIn(runs) == count;
    };
    const auto bytes = std::accumulate(one.lengths.begin(), one.lengths.end(), std::int64_t{0});
    const int most = unequal > 0 ? std::ranges::max(one.layerHeads) : one.kvHeads;
    const auto holds = [most](int heads) { return heads <= most; };
    for (std::size_t i = 1; i < one.holderRuns.size(); i += 2)
        if (!holds(one.holderRuns[i])) return false;
    return std::cmp_equal(one.slots.size(),
                          headsBeforeLayer(one.kvHeads, one.layerHeads, one.layers)) &&
           whole(one.holderRuns, one.layers * one.tokens) &&
           (one.weightRuns.empty() || whole(one.weightRuns, one.tokens)) &&
           bytes <= static_cast<std::int64_t>(one.text.size());
}

}  // namespace lacuna
