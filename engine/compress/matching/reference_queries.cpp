#include "engine/compress/matching/reference_queries.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/random.h"

namespace lacuna {
namespace {

constexpr std::int64_t kMaxBytes = 64 * 1024 * 1024;
constexpr int kMaxQueriesPerHead = 2048;
constexpr int kMinSampled = 64;
constexpr std::uint64_t kSampleStream = 0x72656671;  // "refq": separates this use of the seed from
                                                     // all others

std::int64_t tokenBytes(const QueryShape& shape) {
    return std::int64_t{shape.layers} * shape.heads * shape.keyDim *
           static_cast<std::int64_t>(sizeof(float));
}

int sampleSize(const QueryShape& shape, int newest) {
    const int useful = kMaxQueriesPerHead / shape.group();
    const auto affordable = static_cast<int>(std::min<std::int64_t>(
        kMaxBytes / std::max<std::int64_t>(1, tokenBytes(shape)), kMaxQueriesPerHead));
    return std::max(kMinSampled, std::min(useful, affordable) - newest);
}

}  // namespace

ReferenceQueries::ReferenceQueries(QueryShape shape, std::uint64_t seed, int newest)
    : shape_(shape), seed_(seed), newest_(newest), sampled_(sampleSize(shape, newest)) {}

void ReferenceQueries::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                      Position first) {
    LACUNA_REQUIRE(queries.extent(1) == shape_.heads && queries.extent(2) == shape_.keyDim,
                   "queries are [tokens, heads, keyDim] of this model");
    const auto count = static_cast<std::int32_t>(queries.extent(0));
    const bool sameChunk =
        first.value == chunkFirst_ && count == chunkCount_ && layer.value == nextLayer_;
    if (!sameChunk) admit(first.value, count);
    nextLayer_ = layer.value + 1;
    const std::size_t size =
        static_cast<std::size_t>(shape_.heads) * static_cast<std::size_t>(shape_.keyDim);
    for (auto token = tokens_.lower_bound(first.value); token != tokens_.end(); ++token) {
        const auto row = static_cast<std::size_t>(token->first - first.value);
        std::memcpy(token->second.queries->data() + static_cast<std::size_t>(layer.value) * size,
                    queries.data() + row * size, size * sizeof(float));
        ++token->second.layersSeen;
    }
}

/// Opens a chunk: drops tokens that an abandoned step left at these positions, allocates the new
/// tokens that will stay, and shrinks the sample to its size.
void ReferenceQueries::admit(std::int32_t first, std::int32_t count) {
    forgetFrom(Position(first));
    chunkFirst_ = first;
    chunkCount_ = count;
    end_ = first + count;
    for (std::int32_t position = first; position < end_; ++position)
        tokens_[position].rank =
            randomBits(seed_, kSampleStream, static_cast<std::uint64_t>(position));
    trimSample();
    for (auto& [position, token] : tokens_)
        if (token.queries == nullptr)
            token.queries = std::make_shared<std::vector<float>>(
                static_cast<std::size_t>(tokenBytes(shape_)) / sizeof(float));
}

void ReferenceQueries::trimSample() {
    struct Older {
        bool passedOver = false;  ///< lies before the preferred tokens
        std::uint64_t rank = 0;
        std::int32_t position = 0;
        auto operator<=>(const Older&) const = default;
    };
    std::vector<Older> older;
    for (const auto& [position, token] : tokens_)
        if (position < end_ - newest_)
            older.push_back({position < preferred_, token.rank, position});
    if (older.size() <= static_cast<std::size_t>(sampled_)) return;
    std::nth_element(older.begin(), older.begin() + sampled_, older.end());
    for (auto gone = older.begin() + sampled_; gone != older.end(); ++gone)
        tokens_.erase(gone->position);
}

ReferenceQueries ReferenceQueries::snapshot() const {
    ReferenceQueries copy = *this;
    std::erase_if(copy.tokens_,
                  [&](const auto& entry) { return entry.second.layersSeen != shape_.layers; });
    return copy;
}

ReferenceQueries ReferenceQueries::since(Position position) const {
    ReferenceQueries copy = snapshot();
    copy.tokens_.erase(copy.tokens_.begin(), copy.tokens_.lower_bound(position.value));
    return copy;
}

void ReferenceQueries::forgetFrom(Position position) {
    tokens_.erase(tokens_.lower_bound(position.value), tokens_.end());
    end_ = std::min(end_, position.value);
    chunkFirst_ = -1;
}

int ReferenceQueries::tokens() const {
    return static_cast<int>(std::count_if(tokens_.begin(), tokens_.end(), [&](const auto& entry) {
        return entry.second.layersSeen == shape_.layers;
    }));
}

bool ReferenceQueries::enoughFor(Position end) const {
    const int group = shape_.group();
    return tokens() >=
           std::min({end.value / 2, capacityTokens(), (kFittedQueries + group - 1) / group});
}

void ReferenceQueries::add(const ReferenceQueries& others) {
    LACUNA_REQUIRE(others.shape_ == shape_, "queries of one model");
    for (const auto& [position, token] : others.snapshot().tokens_)
        tokens_.try_emplace(position, token);
    end_ = std::max(end_, others.end_);
    chunkFirst_ = -1;
    trimSample();
}

std::vector<float> ReferenceQueries::gather(LayerIndex layer, HeadIndex head, int most) const {
    const int group = shape_.group();
    // Newest first, then by rank: every prefix of this order is the sample of that size.
    std::vector<std::pair<std::uint64_t, std::int32_t>> order;
    for (const auto& [position, token] : tokens_) {
        if (token.layersSeen != shape_.layers) continue;
        order.emplace_back(position >= end_ - newest_ ? 0 : token.rank, position);
    }
    const auto wanted = static_cast<std::size_t>((most + group - 1) / group);
    std::sort(order.begin(), order.end());
    if (order.size() > wanted) order.resize(wanted);
    std::sort(order.begin(), order.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<float> rows;
    const auto dim = static_cast<std::size_t>(shape_.keyDim);
    const auto count = static_cast<std::size_t>(group) * dim;
    rows.reserve(order.size() * count);
    for (const auto& entry : order) {
        const auto at =
            (static_cast<std::size_t>(layer.value) * static_cast<std::size_t>(shape_.heads) +
             static_cast<std::size_t>(head.value * group)) *
            dim;
        const float* queries = tokens_.at(entry.second).queries->data() + at;
        rows.insert(rows.end(), queries, queries + count);
    }
    return rows;
}

std::int64_t ReferenceQueries::bytes() const {
    return static_cast<std::int64_t>(tokens_.size()) * tokenBytes(shape_);
}

}  // namespace lacuna
