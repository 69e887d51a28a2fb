#include "engine/model/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace lacuna {
namespace {

using Scaling = RopeSpec::Scaling;

// Long waves are stretched by the factor, short ones stay, and intermediate ones are blended.
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

/// Returns the pair that makes `rotations` rotations over the original context, as a real number.
double yarnPair(const RopeSpec& spec, double rotations) {
    const double turns = spec.originalContext / (rotations * 2.0 * std::numbers::pi);
    return spec.dim * std::log(turns) / (2.0 * std::log(double{spec.base}));
}

// Fast pairs stay, slow ones are interpolated, with a ramp in between.
double yarnFrequency(double frequency, std::size_t pair, const RopeSpec& spec) {
    double low = yarnPair(spec, double{spec.betaFast});
    double high = yarnPair(spec, double{spec.betaSlow});
    if (spec.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, spec.dim - 1.0);
    if (low == high) high += 0.001;  // prevents a division by zero, as in the reference
    const double ramp = std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    return frequency / double{spec.factor} * ramp + frequency * (1.0 - ramp);
}

// NTK-aware: the base grows with the length, so that the slowest pair just spans it.
double dynamicBase(const RopeSpec& spec, std::int64_t length) {
    const double base = double{spec.base};
    if (length <= spec.originalContext) return base;
    const double factor = double{spec.factor};
    const double stretch = factor * static_cast<double>(length) / spec.originalContext;
    return base * std::pow(stretch - (factor - 1.0), spec.dim / (spec.dim - 2.0));
}

double scaledFrequency(double frequency, std::size_t pair, const RopeSpec& spec,
                       std::int64_t length) {
    switch (spec.scaling) {
        case Scaling::None:
        case Scaling::Dynamic:  // changes only the base
            return frequency;
        case Scaling::Linear:
            return frequency / double{spec.factor};
        case Scaling::Llama3:
            return llama3Frequency(frequency, spec);
        case Scaling::Yarn:
            return yarnFrequency(frequency, pair, spec);
        case Scaling::LongRope:
            const auto& factors =
                length > spec.originalContext ? spec.longFactors : spec.shortFactors;
            return factors.empty() ? frequency : frequency / double{factors[pair]};
    }
    return frequency;
}

/// Returns the same number for all lengths with the same frequencies.
std::int64_t decidingLength(const RopeSpec& spec, std::int64_t length) {
    const std::int64_t original = spec.originalContext;
    if (spec.scaling == Scaling::Dynamic) return std::max(length, original);
    if (spec.scaling == Scaling::LongRope) return length > original ? original + 1 : original;
    return original;
}

void fillFrequencies(const RopeSpec& spec, std::int64_t length, std::span<double> frequencies) {
    const double base =
        spec.scaling == Scaling::Dynamic ? dynamicBase(spec, length) : double{spec.base};
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double plain = std::pow(base, -2.0 * static_cast<double>(i) / spec.dim);
        // Factors in the file are the result of the Llama-3 rule, which must not be applied again;
        // other rules named in the file are applied in addition.
        const bool named = spec.scaling == Scaling::Linear || spec.scaling == Scaling::Yarn;
        const double factor =
            spec.frequencyFactors.empty() ? 1.0 : double{spec.frequencyFactors[i]};
        frequencies[i] = spec.frequencyFactors.empty() || named
                             ? scaledFrequency(plain / factor, i, spec, length)
                             : plain / factor;
    }
}

}  // namespace

std::vector<double> ropeFrequencies(const RopeSpec& spec, std::int64_t length) {
    std::vector<double> frequencies(static_cast<std::size_t>(spec.dim / 2));
    fillFrequencies(spec, length, frequencies);
    return frequencies;
}

RopeRows::RopeRows(const RopeSpec& spec, int maxRows)
    : spec_(spec),
      length_(decidingLength(spec, 0)),
      frequencies_(ropeFrequencies(spec)),
      cosines_(frequencies_.size() * static_cast<std::size_t>(maxRows)),
      sines_(cosines_.size()) {}

void RopeRows::beginSequence(std::int64_t length) {
    const std::int64_t deciding = decidingLength(spec_, length);
    if (deciding == length_) return;
    length_ = deciding;
    fillFrequencies(spec_, length, frequencies_);
}

void RopeRows::set(int row, Position position) {
    const std::size_t first = static_cast<std::size_t>(row) * frequencies_.size();
    const double magnitude = double{spec_.magnitude};
    for (std::size_t i = 0; i < frequencies_.size(); ++i) {
        const double angle = frequencies_[i] * position.value;
        cosines_[first + i] = static_cast<float>(magnitude * std::cos(angle));
        sines_[first + i] = static_cast<float>(magnitude * std::sin(angle));
    }
}

RotaryStep RopeRows::row(int row) const {
    const std::size_t first = static_cast<std::size_t>(row) * frequencies_.size();
    return {cosines_.data() + first, sines_.data() + first, static_cast<int>(frequencies_.size())};
}

std::size_t RopeRows::bytes() const {
    return (cosines_.size() + sines_.size()) * sizeof(float) + frequencies_.size() * sizeof(double);
}

}  // namespace lacuna
