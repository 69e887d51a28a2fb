#include "engine/quality/surrogate_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/half.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/linalg/least_squares.h"
#include "engine/quality/surrogate_fit.h"

namespace lacuna {
namespace {

constexpr std::int64_t kBatch = 512;  // rows per matrix multiplication
// Keeps the decomposition finite if landmarks are nearly dependent. Relative to the mean diagonal.
constexpr float kJitter = 1e-6F;

template <class T>
void append(std::string& out, const T* numbers, std::size_t count) {
    out.append(reinterpret_cast<const char*>(numbers), count * sizeof(T));
}

template <class T>
bool take(ByteReader& bytes, T* numbers, std::size_t count) {
    const auto part = bytes.take(count * sizeof(T));
    if (!part) return false;
    std::memcpy(numbers, part->data(), part->size());
    return true;
}

bool allFinite(const std::vector<float>& numbers) {
    return std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
}

}  // namespace

std::int64_t SumsShape::bytes() const {
    const std::int64_t unknowns = std::int64_t{numbers()} + 1;
    return (unknowns * (unknowns + kvHeads) + hidden) * std::int64_t{sizeof(float)} +
           std::int64_t{landmarks} * hidden * std::int64_t{sizeof(std::uint16_t)};
}

LayerSums::LayerSums(const SumsShape& shape)
    : shape_(shape),
      unknowns_(shape.numbers() + 1),
      gram_(sized(unknowns_ * unknowns_)),
      right_(sized(unknowns_ * shape.kvHeads)) {}

void LayerSums::begin(std::span<const float> inputs, std::int64_t tokens) {
    const std::int64_t hidden = shape_.hidden;
    std::vector<double> sums(sized(hidden), 0.0);
    for (std::int64_t t = 0; t < tokens; ++t)
        for (std::int64_t i = 0; i < hidden; ++i)
            sums[sized(i)] += static_cast<double>(inputs[sized(t * hidden + i)]);
    for (const double sum : sums)
        origin_.push_back(static_cast<float>(sum / static_cast<double>(tokens)));
    for (std::int64_t k = 0; k < shape_.landmarks; ++k) {
        const std::int64_t token = kSinks + k * (tokens - kSinks) / shape_.landmarks;
        for (const float x : inputs.subspan(sized(token * hidden), sized(hidden)))
            landmarks_.push_back(floatToBfloat(x));
    }
}

std::vector<float> LayerSums::centredLandmarks() const {
    std::vector<float> out(landmarks_.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = bfloatToFloat(landmarks_[i]) - origin_[i % origin_.size()];
    return out;
}

void LayerSums::add(std::span<const float> inputs, const ReconstructionScores& scores, int layer,
                    SumsScratch& scratch) {
    const std::int64_t hidden = shape_.hidden;
    if (origin_.empty()) begin(inputs, scores.tokens);
    if (shape_.landmarks > 0) scratch.landmarks = centredLandmarks();
    for (std::int64_t from = kSinks; from < scores.tokens; from += kBatch) {
        const std::int64_t count = std::min(kBatch, scores.tokens - from);
        scratch.rows.resize(sized(count * hidden));
        scratch.columns.assign(sized(unknowns_ * count), 1.0F);
        for (std::int64_t t = 0; t < count; ++t)
            for (std::int64_t i = 0; i < hidden; ++i) {
                const float x = inputs[sized((from + t) * hidden + i)] - origin_[sized(i)];
                scratch.rows[sized(t * hidden + i)] = x;
                squares_ += static_cast<double>(x) * static_cast<double>(x);
            }
        if (shape_.landmarks > 0)
            multiplyTransposed({.a = scratch.landmarks.data(),
                                .aStride = hidden,
                                .b = scratch.rows.data(),
                                .bStride = hidden,
                                .c = scratch.columns.data(),
                                .cStride = count,
                                .rows = shape_.landmarks,
                                .depth = hidden,
                                .columns = count});
        else
            for (std::int64_t t = 0; t < count; ++t)
                for (std::int64_t i = 0; i < hidden; ++i)
                    scratch.columns[sized(i * count + t)] = scratch.rows[sized(t * hidden + i)];
        addGram(count, scratch);
        addRight(scores, layer, from, count, scratch);
    }
}

void LayerSums::addGram(std::int64_t count, SumsScratch& scratch) {
    const std::int64_t stride = paddedColumns(unknowns_);
    scratch.product.resize(sized(unknowns_ * stride));
    multiplyBySelf({.a = scratch.columns.data(),
                    .aStride = count,
                    .c = scratch.product.data(),
                    .cStride = stride,
                    .rows = unknowns_,
                    .depth = count,
                    .columns = unknowns_});
    for (std::int64_t i = 0; i < unknowns_; ++i)
        for (std::int64_t j = 0; j <= i; ++j)
            gram_[sized(i * unknowns_ + j)] += scratch.product[sized(i * stride + j)];
}

void LayerSums::addRight(const ReconstructionScores& scores, int layer, std::int64_t from,
                         std::int64_t count, SumsScratch& scratch) {
    const int kvHeads = shape_.kvHeads;
    for (int head = 0; head < kvHeads; ++head) {
        const auto shares = scores.of(LayerIndex(layer), HeadIndex(head));
        scratch.logs.resize(sized(count));
        for (std::int64_t t = 0; t < count; ++t)
            scratch.logs[sized(t)] = std::log(std::max(shares[sized(from + t)], kMinScoreShare));
        for (std::int64_t i = 0; i < unknowns_; ++i) {
            double sum = 0;
            for (std::int64_t t = 0; t < count; ++t)
                sum += static_cast<double>(scratch.columns[sized(i * count + t)]) *
                       static_cast<double>(scratch.logs[sized(t)]);
            right_[sized(i * kvHeads + head)] += static_cast<float>(sum);
        }
    }
}

/// The bias is not penalised, because sums are centred first.
std::optional<LayerMap> LayerSums::solve(double ridge) const {
    const std::int64_t numbers = unknowns_ - 1;
    const std::int64_t hidden = shape_.hidden;
    const int kvHeads = shape_.kvHeads;
    const auto last = numbers * unknowns_;
    const auto count = static_cast<double>(gram_[sized(last + numbers)]);
    if (!(count > 0)) return std::nullopt;
    std::vector<double> mean(sized(numbers));
    for (std::int64_t i = 0; i < numbers; ++i)
        mean[sized(i)] = static_cast<double>(gram_[sized(last + i)]) / count;
    const double penalty = ridge * squares_ / static_cast<double>(hidden);
    std::vector<float> gram(sized(numbers * numbers), 0.0F);
    const std::vector<float> landmarks =
        shape_.landmarks > 0 ? centredLandmarks() : std::vector<float>();
    std::vector<float> own;  // Gram matrix of the landmarks, which is their ridge penalty
    const std::int64_t stride = paddedColumns(numbers);
    if (shape_.landmarks > 0) {
        own.resize(sized(numbers * stride));
        multiplyBySelf({.a = landmarks.data(),
                        .aStride = hidden,
                        .c = own.data(),
                        .cStride = stride,
                        .rows = numbers,
                        .depth = hidden,
                        .columns = numbers});
    }
    for (std::int64_t i = 0; i < numbers; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = static_cast<double>(gram_[sized(i * unknowns_ + j)]) -
                         count * mean[sized(i)] * mean[sized(j)];
            if (!own.empty())
                sum += penalty * static_cast<double>(own[sized(i * stride + j)]);
            else if (i == j)
                sum += penalty;
            gram[sized(i * numbers + j)] = static_cast<float>(sum);
        }
    std::vector<double> logMean(sized(kvHeads));
    std::vector<float> right(sized(numbers * kvHeads));
    for (int head = 0; head < kvHeads; ++head) {
        logMean[sized(head)] = static_cast<double>(right_[sized(numbers * kvHeads + head)]) / count;
        for (std::int64_t i = 0; i < numbers; ++i)
            right[sized(i * kvHeads + head)] =
                static_cast<float>(static_cast<double>(right_[sized(i * kvHeads + head)]) -
                                   count * mean[sized(i)] * logMean[sized(head)]);
    }
    const auto solved = solveRidge({.gram = {gram.data(), {numbers, numbers}},
                                    .right = {right.data(), {numbers, kvHeads}},
                                    .lambda = kJitter});
    if (!solved) return std::nullopt;
    LayerMap map{.weights = std::vector<float>(sized(kvHeads * hidden)),
                 .bias = std::vector<float>(sized(kvHeads))};
    for (int head = 0; head < kvHeads; ++head) {
        std::vector<double> weights(sized(hidden), 0.0);
        double bias = logMean[sized(head)];
        for (std::int64_t i = 0; i < numbers; ++i) {
            const auto weight = static_cast<double>(solved->values[sized(i * kvHeads + head)]);
            bias -= weight * mean[sized(i)];
            if (landmarks.empty())
                weights[sized(i)] = weight;
            else
                for (std::int64_t d = 0; d < hidden; ++d)
                    weights[sized(d)] +=
                        weight * static_cast<double>(landmarks[sized(i * hidden + d)]);
        }
        for (std::int64_t d = 0; d < hidden; ++d) {
            map.weights[sized(head * hidden + d)] = static_cast<float>(weights[sized(d)]);
            bias -= weights[sized(d)] * static_cast<double>(origin_[sized(d)]);
        }
        map.bias[sized(head)] = static_cast<float>(bias);
    }
    if (!allFinite(map.weights) || !allFinite(map.bias)) return std::nullopt;
    return map;
}

void LayerSums::write(std::string& out) const {
    append(out, origin_.data(), origin_.size());
    append(out, landmarks_.data(), landmarks_.size());
    append(out, &squares_, 1);
    for (std::int64_t i = 0; i < unknowns_; ++i)
        append(out, gram_.data() + i * unknowns_, sized(i + 1));
    append(out, right_.data(), right_.size());
}

bool LayerSums::read(ByteReader& bytes) {
    origin_.resize(sized(shape_.hidden));
    landmarks_.resize(sized(std::int64_t{shape_.landmarks} * shape_.hidden));
    bool good = take(bytes, origin_.data(), origin_.size()) &&
                take(bytes, landmarks_.data(), landmarks_.size()) && take(bytes, &squares_, 1);
    for (std::int64_t i = 0; i < unknowns_ && good; ++i)
        good = take(bytes, gram_.data() + i * unknowns_, sized(i + 1));
    good = good && take(bytes, right_.data(), right_.size());
    return good && std::isfinite(squares_) && allFinite(origin_) && allFinite(gram_) &&
           allFinite(right_) && std::ranges::all_of(landmarks_, [](std::uint16_t bits) {
               return std::isfinite(bfloatToFloat(bits));
           });
}

}  // namespace lacuna
