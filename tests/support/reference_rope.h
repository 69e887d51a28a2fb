#pragma once
/// \file
/// Rotary embedding by the formulas of transformers' modeling_rope_utils, in float64: the oracle of
/// the transformer's tests. rope_test.cpp also compares the frequencies with an independent
/// program.

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/format/model_spec.h"

namespace lacuna::test {

/// Cosine and sine of one position, and the layout of the pairs.
struct Rotated {
    std::vector<double> cosine;
    std::vector<double> sine;
    RopePairing pairing = RopePairing::Halves;
};

/// Returns inv_freq of a sequence of `length` tokens.
[[nodiscard]] inline std::vector<double> referenceFrequencies(const RopeSpec& rope,
                                                              std::size_t length) {
    using Scaling = RopeSpec::Scaling;
    const double pi = std::acos(-1.0);
    const double context = rope.originalContext;
    const double tokens = std::max(static_cast<double>(length), context);
    const double factor = double{rope.factor};
    const double dim = rope.dim;
    double base = double{rope.base};
    if (rope.scaling == Scaling::Dynamic)
        base *= std::pow(factor * tokens / context - (factor - 1), dim / (dim - 2));
    std::vector<double> f;
    for (int i = 0; i < rope.dim / 2; ++i) f.push_back(1.0 / std::pow(base, 2.0 * i / dim));
    const auto correction = [&](double rotations) {
        return dim * std::log(context / (rotations * 2 * pi)) / (2 * std::log(base));
    };
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (rope.scaling == Scaling::Linear) f[i] /= factor;
        if (rope.scaling == Scaling::LongRope)
            f[i] /= double{
                (static_cast<double>(length) > context ? rope.longFactors : rope.shortFactors)[i]};
        if (rope.scaling == Scaling::Llama3) {
            const double turns = context * f[i] / (2 * pi);
            const double low = double{rope.lowFrequencyFactor};
            const double smooth = (turns - low) / (double{rope.highFrequencyFactor} - low);
            const double share = std::clamp(smooth, 0.0, 1.0);
            f[i] = (1 - share) * f[i] / factor + share * f[i];
        }
        if (rope.scaling == Scaling::Yarn) {
            double low = correction(double{rope.betaFast});
            double high = correction(double{rope.betaSlow});
            if (rope.truncate) {
                low = std::floor(low);
                high = std::ceil(high);
            }
            low = std::max(low, 0.0);
            high = std::min(high, dim - 1);
            const double span = low == high ? 0.001 : high - low;
            const double kept = 1 - std::clamp((static_cast<double>(i) - low) / span, 0.0, 1.0);
            f[i] = f[i] / factor * (1 - kept) + f[i] * kept;
        }
    }
    for (std::size_t i = 0; i < rope.frequencyFactors.size(); ++i)
        f[i] /= double{rope.frequencyFactors[i]};
    return f;
}

[[nodiscard]] inline Rotated referenceAngles(const RopeSpec& rope, double position,
                                             std::size_t length) {
    Rotated angles;
    angles.pairing = rope.pairing;
    for (const double f : referenceFrequencies(rope, length)) {
        angles.cosine.push_back(double{rope.magnitude} * std::cos(position * f));
        angles.sine.push_back(double{rope.magnitude} * std::sin(position * f));
    }
    return angles;
}

/// Rotates the first elements of the head that begins at `first`.
inline void rotate(std::vector<double>& row, std::size_t first, const Rotated& angles) {
    const std::size_t pairs = angles.cosine.size();
    const bool halves = angles.pairing == RopePairing::Halves;
    for (std::size_t i = 0; i < pairs; ++i) {
        double& a = row[first + (halves ? i : 2 * i)];
        double& b = row[first + (halves ? i + pairs : 2 * i + 1)];
        const double x = a;
        const double y = b;
        a = x * angles.cosine[i] - y * angles.sine[i];
        b = x * angles.sine[i] + y * angles.cosine[i];
    }
}

}  // namespace lacuna::test
