#include "engine/compress/matching/reference_queries.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
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

/// Bytes of the queries of one token. A layer without rows reads those of another layer, of which
/// only the largest size is known.
std::int64_t tokenBytes(const QueryShape& shape) {
    std::int64_t elements = std::int64_t{shape.layers} * shape.keyDim;
    int largest = 0;
    for (const KvExtent& one : shape.extents) largest = std::max(largest, one.keyDim);
    for (const KvExtent& one : shape.extents) elements += one.heads > 0 ? one.keyDim : largest;
    return elements * shape.heads * static_cast<std::int64_t>(sizeof(float));
}

int sampleSize(const QueryShape& shape, int newest) {
    const int useful = kMaxQueriesPerHead / shape.smallestGroup();
    const auto affordable = static_cast<int>(std::min<std::int64_t>(
        kMaxBytes / std::max<std::int64_t>(1, tokenBytes(shape)), kMaxQueriesPerHead));
    return std::max(kMinSampled, std::min(useful, affordable) - newest);
}

}  // namespace

int QueryShape::smallestGroup() const {
    int smallest = std::numeric_limits<int>::max();
    for (int layer = 0; layer < layers; ++layer)
        if (extent(LayerIndex(layer)).heads > 0)
            smallest = std::min(smallest, group(LayerIndex(layer)));
    return smallest == std::numeric_limits<int>::max() ? 1 : smallest;
}

ReferenceQueries::ReferenceQueries(QueryShape shape, std::uint64_t seed, int newest)
    : shape_(std::move(shape)), seed_(seed), newest_(newest), sampled_(sampleSize(shape_, newest)) {
    for (int layer = 0; layer < shape_.layers; ++layer) {
        if (shape_.extents.empty()) addRead(LayerIndex(layer));
        if (shape_.extent(LayerIndex(layer)).heads > 0) ++owners_;
    }
}

void ReferenceQueries::addRead(LayerIndex layer) {
    const std::size_t size = static_cast<std::size_t>(shape_.heads) *
                             static_cast<std::size_t>(shape_.extent(layer).keyDim);
    reads_.push_back({layer.value, floats(), size});
}

/// Returns true if the queries follow those observed last in the same chunk.
bool ReferenceQueries::continues(LayerIndex layer, std::int32_t first, std::int32_t count) const {
    if (first != chunkFirst_ || count != chunkCount_) return false;
    if (nextRead_ < reads_.size()) return reads_[nextRead_].layer == layer.value;
    // A pass that was abandoned before its last owner begins again with the first one.
    const bool again =
        !reads_.empty() && reads_.front().layer == layer.value && reads_.size() < owners_;
    return !again && std::cmp_less(reads_.size(), shape_.layers);
}

std::size_t ReferenceQueries::firstRead(LayerIndex layer) {
    const auto found = std::ranges::find(reads_, layer.value, &Read::layer);
    const auto index = static_cast<std::size_t>(found - reads_.begin());
    if (found == reads_.end()) addRead(layer);
    return index;
}

void ReferenceQueries::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                      Position first) {
    LACUNA_REQUIRE(
        queries.extent(1) == shape_.heads && queries.extent(2) == shape_.extent(layer).keyDim,
        "queries are [tokens, heads, keyDim] of this model");
    const auto count = static_cast<std::int32_t>(queries.extent(0));
    if (!continues(layer, first.value, count)) {
        nextRead_ = firstRead(layer);
        admit(first.value, count);
    } else if (nextRead_ == reads_.size()) {
        addRead(layer);
    }
    const Read read = reads_[nextRead_++];
    for (auto token = tokens_.lower_bound(first.value); token != tokens_.end(); ++token) {
        const auto row = static_cast<std::size_t>(token->first - first.value);
        std::vector<float>& own = *token->second.queries;
        if (own.size() < read.begin + read.size) own.resize(read.begin + read.size);
        std::memcpy(own.data() + read.begin, queries.data() + row * read.size,
                    read.size * sizeof(float));
        ++token->second.reads;
    }
}

/// Opens a chunk: drops tokens that an abandoned step left at these positions, allocates the new
/// tokens that will stay, and shrinks the sample to its size.
void ReferenceQueries::admit(std::int32_t first, std::int32_t count) {
    dropFrom(Position(first));
    chunkFirst_ = first;
    chunkCount_ = count;
    end_ = first + count;
    for (std::int32_t position = first; position < end_; ++position)
        tokens_[position].rank =
            randomBits(seed_, kSampleStream, static_cast<std::uint64_t>(position));
    trimSample();
    for (auto& [position, token] : tokens_)
        if (token.queries == nullptr)
            token.queries = std::make_shared<std::vector<float>>(floats());
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
    std::erase_if(copy.tokens_, [&](const auto& entry) { return !complete(entry.second); });
    return copy;
}

ReferenceQueries ReferenceQueries::since(Position position) const {
    ReferenceQueries copy = snapshot();
    copy.tokens_.erase(copy.tokens_.begin(), copy.tokens_.lower_bound(position.value));
    return copy;
}

void ReferenceQueries::dropFrom(Position position) {
    tokens_.erase(tokens_.lower_bound(position.value), tokens_.end());
    end_ = std::min(end_, position.value);
    chunkFirst_ = -1;
}

int ReferenceQueries::tokens() const {
    return static_cast<int>(std::count_if(
        tokens_.begin(), tokens_.end(), [&](const auto& entry) { return complete(entry.second); }));
}

bool ReferenceQueries::enoughFor(Position end) const {
    const int group = shape_.smallestGroup();
    return tokens() >=
           std::min({end.value / 2, capacityTokens(), (kFittedQueries + group - 1) / group});
}

void ReferenceQueries::add(const ReferenceQueries& others) {
    LACUNA_REQUIRE(others.shape_ == shape_, "queries of one model");
    if (reads_.size() < others.reads_.size()) reads_ = others.reads_;
    for (const auto& [position, token] : others.snapshot().tokens_)
        tokens_.try_emplace(position, token);
    end_ = std::max(end_, others.end_);
    chunkFirst_ = -1;
    trimSample();
}

std::vector<float> ReferenceQueries::gather(LayerIndex layer, HeadIndex head, int most) const {
    std::vector<Read> own;
    std::ranges::copy_if(reads_, std::back_inserter(own),
                         [&](const Read& one) { return one.layer == layer.value; });
    const int group = shape_.group(layer);
    const int perToken = group * std::max(1, static_cast<int>(own.size()));
    // Newest first, then by rank: every prefix of this order is the sample of that size.
    std::vector<std::pair<std::uint64_t, std::int32_t>> order;
    for (const auto& [position, token] : tokens_) {
        if (!complete(token)) continue;
        order.emplace_back(position >= end_ - newest_ ? 0 : token.rank, position);
    }
    const auto wanted = static_cast<std::size_t>((most + perToken - 1) / perToken);
    std::sort(order.begin(), order.end());
    if (order.size() > wanted) order.resize(wanted);
    std::sort(order.begin(), order.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<float> rows;
    const auto dim = static_cast<std::size_t>(shape_.extent(layer).keyDim);
    const std::size_t count = static_cast<std::size_t>(group) * dim;
    rows.reserve(order.size() * static_cast<std::size_t>(perToken) * dim);
    for (const auto& entry : order) {
        const float* const token = tokens_.at(entry.second).queries->data();
        for (const Read& read : own) {
            const float* const queries =
                token + read.begin + static_cast<std::size_t>(head.value) * count;
            rows.insert(rows.end(), queries, queries + count);
        }
    }
    return rows;
}

std::int64_t ReferenceQueries::bytes() const {
    return static_cast<std::int64_t>(tokens_.size()) * tokenBytes(shape_);
}

}  // namespace lacuna
