#pragma once
/// \file
/// A synthetic transform bundle of a small model: random orthonormal components with falling
/// deviations, and rows within their space.

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/compress/transform/transform_codec.h"

namespace lacuna::test {

struct SampleTransform {
    int layers = 3;
    int kvHeads = 2;
    int dim = 16;
    int rank = 24;
    int group = 2;  ///< layers of the first group
};

inline TransformSide sampleSide(int width, int rank, std::span<const float> ratios,
                                RandomStream& random) {
    TransformSide side;
    const auto p = static_cast<std::size_t>(width);
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < rank; ++i) {
        std::vector<double> row(p);
        for (double& x : row) x = random.normal();
        for (int twice = 0; twice < 2; ++twice)
            for (const auto& other : rows) {
                double product = 0;
                for (std::size_t j = 0; j < p; ++j) product += row[j] * other[j];
                for (std::size_t j = 0; j < p; ++j) row[j] -= product * other[j];
            }
        double square = 0;
        for (const double x : row) square += x * x;
        for (double& x : row) x /= std::sqrt(square);
        rows.push_back(row);
        double largest = 0;
        for (const double x : row) largest = std::max(largest, std::fabs(x));
        double codes = 0;
        for (const double x : row) {
            side.basis.push_back(static_cast<std::int8_t>(std::lround(127 * x / largest)));
            codes += double(side.basis.back()) * side.basis.back();
        }
        side.scale.push_back(static_cast<float>(1 / std::sqrt(codes)));
        side.deviation.push_back(static_cast<float>(4 * std::pow(0.85, i)));
        side.shape.push_back(static_cast<std::uint8_t>(i % 4));
    }
    for (std::size_t j = 0; j < p; ++j) {
        side.mean.push_back(static_cast<float>(random.normal()));
        side.weight.push_back(static_cast<float>(0.5 + random.uniform()));
    }
    for (const float ratio : ratios) {
        const AllocationProblem problem{
            .components = rank,
            .error =
                [&](int first, int length, ComponentCode code) {
                    double sum = 0;
                    for (int i = first; i < first + length; ++i)
                        sum += std::pow(double{side.deviation[static_cast<std::size_t>(i)]}, 2);
                    return sum * std::pow(4.0, -bitsOf(code));
                },
            .budget = budgetOf(width, double{ratio})};
        side.plans.push_back(allocateBits(problem).plan);
    }
    return side;
}

inline TransformBundle sampleTransform(const SampleTransform& of = {}, std::uint64_t seed = 1) {
    RandomStream random(seed, 0);
    TransformBundle out;
    out.identity = {.architecture = "llama",
                    .fingerprint = "0123456789abcdef0123456789abcdef",
                    .layers = of.layers,
                    .kvHeads = of.kvHeads,
                    .keyDim = of.dim,
                    .valueDim = of.dim,
                    .ropes = {},
                    .layerRopes = {}};
    for (const bool interleaved : {false, true}) {
        BundledRope rope{.interleaved = interleaved, .frequencies = {}};
        for (int i = 0; i < of.dim / 4; ++i)
            rope.frequencies.push_back(std::pow(1e6, -4.0 * i / of.dim));
        out.identity.ropes.push_back(rope);
    }
    // Layers of every kind: rotated in halves, rotated in neighbours, not rotated.
    for (int layer = 0; layer < of.layers; ++layer)
        out.identity.layerRopes.push_back(layer % 3 - (layer % 3 == 2 ? 3 : 0));
    out.model = "a model";
    out.how = "by hand";
    out.textHash = "0";
    out.tokens = 1000;
    out.heldOutTokens = 100;
    out.window = 8;
    out.ratios = {1, 2, 4};
    out.steps = {0.05F, 0.3F, 1};
    out.planErrors = {0.01F, 0.02F, 0.1F};
    out.stepErrors = {0.01F, 0.02F, 0.1F};
    for (int layer = 0; layer < of.layers;) {
        TransformGroup group;
        const int end = layer == 0 ? std::min(of.group, of.layers) : of.layers;
        while (layer < end) group.layers.push_back(layer++);
        const int width = static_cast<int>(group.layers.size()) * of.kvHeads * of.dim;
        group.keys = sampleSide(width, std::min(of.rank, width), out.ratios, random);
        group.values = sampleSide(width, std::min(of.rank, width), out.ratios, random);
        out.groups.push_back(std::move(group));
    }
    return out;
}

/// Returns rows [tokens, width] in the space of a side, unrotated.
inline std::vector<float> sampleRows(const TransformSide& side, int tokens, RandomStream& random) {
    const auto width = static_cast<std::size_t>(side.width());
    std::vector<float> out;
    for (int t = 0; t < tokens; ++t) {
        std::vector<double> row(width);
        for (std::size_t i = 0; i < side.scale.size(); ++i) {
            const double z = double{side.deviation[i]} * random.normal() * double{side.scale[i]};
            for (std::size_t j = 0; j < width; ++j) row[j] += z * double(side.basis[i * width + j]);
        }
        for (std::size_t j = 0; j < width; ++j)
            out.push_back(
                static_cast<float>(double{side.mean[j]} + row[j] / double{side.weight[j]}));
    }
    return out;
}

}  // namespace lacuna::test
