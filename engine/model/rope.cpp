#include "engine/model/rope.h"

#include <cmath>
#include <numbers>

#include "engine/base/half.h"

namespace lacuna {
namespace {

// Long waves are stretched by the factor, short ones stay, and those between are blended.
double llama3Frequency(double frequency, const RopeSpec& spec) {
    const double wavelength = 2.0 * std::numbers::pi / frequency;
    const double context = spec.originalContext;
    const double low = double{spec.lowFrequencyFactor};
    const double high = double{spec.highFrequencyFactor};
    if (wavelength > context / low) return frequency / double{spec.factor};
    if (wavelength < context / high) return frequency;
    const double share = (context / wavelength - low) / (high - low);
    return (1.0 - share) * frequency / double{spec.factor} + share * frequency;
}

double scaledFrequency(double frequency, const RopeSpec& spec) {
    switch (spec.scaling) {
        case RopeSpec::Scaling::None:
        case RopeSpec::Scaling::Yarn:  // refused by ModelSpec::check
        case RopeSpec::Scaling::LongRope:
        case RopeSpec::Scaling::Dynamic:
            return frequency;
        case RopeSpec::Scaling::Linear:
            return frequency / double{spec.factor};
        case RopeSpec::Scaling::Llama3:
            return llama3Frequency(frequency, spec);
    }
    return frequency;
}

}  // namespace

std::vector<double> ropeFrequencies(const RopeSpec& spec, RopeRounding rounding) {
    std::vector<double> frequencies(static_cast<std::size_t>(spec.dim / 2));
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double plain = std::pow(double{spec.base}, -2.0 * static_cast<double>(i) / spec.dim);
        // Factors in the file are the finished result of a scaling rule; the rule is not applied
        // again.
        frequencies[i] = spec.frequencyFactors.empty() ? scaledFrequency(plain, spec)
                                                       : plain / double{spec.frequencyFactors[i]};
        if (rounding == RopeRounding::Bfloat16)
            frequencies[i] =
                double{bfloatToFloat(floatToBfloat(static_cast<float>(frequencies[i])))};
    }
    return frequencies;
}

RopeRows::RopeRows(const RopeSpec& spec, int maxRows, RopeRounding rounding)
    : frequencies_(ropeFrequencies(spec, rounding)),
      cosines_(frequencies_.size() * static_cast<std::size_t>(maxRows)),
      sines_(cosines_.size()) {}

void RopeRows::set(int row, Position position) {
    const std::size_t first = static_cast<std::size_t>(row) * frequencies_.size();
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
        const double angle = frequencies_[i] * position.value;
        cosines_[first + i] = static_cast<float>(std::cos(angle));
        sines_[first + i] = static_cast<float>(std::sin(angle));
    }
}

Rotation RopeRows::row(int row) const {
    const std::size_t first = static_cast<std::size_t>(row) * frequencies_.size();
    return {cosines_.data() + first, sines_.data() + first, static_cast<int>(frequencies_.size())};
}

std::size_t RopeRows::bytes() const {
    return (cosines_.size() + sines_.size()) * sizeof(float);
}

}  // namespace lacuna
