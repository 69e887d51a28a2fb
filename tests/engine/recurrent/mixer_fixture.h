#pragma once
/// \file
/// Random mixers and inputs, and the scalar oracle in double: the equations of the papers, token by
/// token, without regard to speed.

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/recurrent/mixer.h"

namespace lacuna::test {

using Numbers = std::vector<float>;

inline Numbers randomNumbers(RandomStream& random, std::int64_t count, double size = 1.0) {
    Numbers numbers(static_cast<std::size_t>(count));
    for (float& x : numbers) x = static_cast<float>(random.normal() * size);
    return numbers;
}

inline std::vector<MixerShape> sampleShapes() {
    return {{.kind = MixerKind::ShortConvolution, .kernel = 3, .width = 37},
            {.kind = MixerKind::DeltaNet,
             .kernel = 4,
             .keyHeads = 2,
             .valueHeads = 6,
             .keyDim = 8,
             .valueDim = 19},
            {.kind = MixerKind::DeltaNet,
             .kernel = 4,
             .keyHeads = 2,
             .valueHeads = 4,
             .keyDim = 16,
             .valueDim = 32,
             .order = ValueHeadOrder::Tiled},
            {.kind = MixerKind::KimiDelta,
             .kernel = 2,
             .keyHeads = 3,
             .valueHeads = 3,
             .keyDim = 5,
             .valueDim = 16},
            {.kind = MixerKind::Mamba2,
             .kernel = 4,
             .keyHeads = 2,
             .valueHeads = 8,
             .keyDim = 7,
             .valueDim = 21}};
}

inline MixerWeights randomWeights(const MixerShape& shape, std::uint64_t seed) {
    RandomStream random(seed, 1);
    MixerWeights weights;
    weights.shape = shape;
    weights.kernel = randomNumbers(random, shape.kernel * shape.channels(), 0.5);
    if (shape.kind == MixerKind::Mamba2) {
        weights.bias = randomNumbers(random, shape.channels(), 0.5);
        weights.skip = randomNumbers(random, shape.valueHeads);
    }
    return weights;
}

/// Decays and strengths in (0, 1).
inline Numbers randomGates(RandomStream& random, const MixerShape& shape, std::int64_t tokens) {
    Numbers gates(static_cast<std::size_t>(shape.gates() * tokens));
    for (float& x : gates) x = static_cast<float>(0.1 + 0.9 * random.uniform());
    return gates;
}

struct OracleResult {
    std::vector<double> out;
    std::vector<double> matrix;  ///< [valueHeads, keyDim, valueDim]
};

/// Runs a whole text from an empty state.
inline OracleResult oracleMixer(const MixerWeights& weights, const Numbers& columns,
                                const Numbers& gates, std::int64_t tokens) {
    const MixerShape& s = weights.shape;
    const std::int64_t channels = s.channels();
    const auto at = [](const auto& from, std::int64_t i) {
        return static_cast<double>(from[static_cast<std::size_t>(i)]);
    };
    OracleResult result;
    result.matrix.resize(static_cast<std::size_t>(s.matrixNumbers()));
    for (std::int64_t t = 0; t < tokens; ++t) {
        std::vector<double> y(static_cast<std::size_t>(channels));
        for (std::int64_t c = 0; c < channels; ++c) {
            double sum = weights.bias.empty() ? 0.0 : at(weights.bias, c);
            for (int j = 0; j < s.kernel; ++j)
                if (const std::int64_t from = t - s.kernel + 1 + j; from >= 0)
                    sum += at(weights.kernel, j * channels + c) * at(columns, from * channels + c);
            y[static_cast<std::size_t>(c)] =
                s.kind == MixerKind::ShortConvolution ? sum : sum / (1.0 + std::exp(-sum));
        }
        if (s.kind == MixerKind::ShortConvolution) {
            result.out.insert(result.out.end(), y.begin(), y.end());
            continue;
        }
        const std::int64_t keyNumbers = std::int64_t{s.keyHeads} * s.keyDim;
        const std::int64_t valueNumbers = std::int64_t{s.valueHeads} * s.valueDim;
        const bool mamba = s.kind == MixerKind::Mamba2;
        const std::int64_t keysAt = mamba ? valueNumbers : keyNumbers;
        const std::int64_t queriesAt = mamba ? valueNumbers + keyNumbers : 0;
        const std::int64_t valuesAt = mamba ? 0 : 2 * keyNumbers;
        for (int h = 0; h < s.valueHeads; ++h) {
            const int ratio = s.valueHeads / s.keyHeads;
            const int g = s.order == ValueHeadOrder::Tiled ? h % s.keyHeads : h / ratio;
            std::vector<double> q;
            std::vector<double> k;
            double qq = 1e-6;
            double kk = 1e-6;
            for (int i = 0; i < s.keyDim; ++i) {
                q.push_back(at(y, queriesAt + g * s.keyDim + i));
                k.push_back(at(y, keysAt + g * s.keyDim + i));
                qq += q.back() * q.back();
                kk += k.back() * k.back();
            }
            if (!mamba)
                for (int i = 0; i < s.keyDim; ++i) {
                    q[static_cast<std::size_t>(i)] /= std::sqrt(qq) * std::sqrt(s.keyDim);
                    k[static_cast<std::size_t>(i)] /= std::sqrt(kk);
                }
            const double strength = at(gates, t * s.gates() + s.decays() + h);
            for (int w = 0; w < s.valueDim; ++w) {
                const double v = at(y, valuesAt + h * s.valueDim + w);
                const auto cell = [&](int i) -> double& {
                    return result
                        .matrix[static_cast<std::size_t>((h * s.keyDim + i) * s.valueDim + w)];
                };
                double held = 0.0;
                for (int i = 0; i < s.keyDim; ++i) {
                    const std::int64_t decay =
                        s.kind == MixerKind::KimiDelta ? h * s.keyDim + i : h;
                    cell(i) *= at(gates, t * s.gates() + decay);
                    held += cell(i) * k[static_cast<std::size_t>(i)];
                }
                const double added = mamba ? strength * v : strength * (v - held);
                double out = mamba ? at(weights.skip, h) * v : 0.0;
                for (int i = 0; i < s.keyDim; ++i) {
                    cell(i) += k[static_cast<std::size_t>(i)] * added;
                    out += cell(i) * q[static_cast<std::size_t>(i)];
                }
                result.out.push_back(out);
            }
        }
    }
    return result;
}

}  // namespace lacuna::test
