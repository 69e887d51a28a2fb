#include "engine/recurrent/mixer_gates.h"

#include <algorithm>
#include <cmath>

#include "engine/recurrent/exponential.h"

namespace lacuna {
namespace {

float softplus(float x) {
    return x > 20.0F ? x : std::log1p(std::exp(x));
}

void multiplyBySilu(std::span<float> y, const float* gate) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= fastSilu(gate[i]);
}

}  // namespace

void deltaGates(const MixerShape& shape, const float* a, const float* b, const float* rate,
                const float* bias, float* gates) {
    const std::int64_t decays = shape.decays();
    const std::int64_t each = decays / shape.valueHeads;
    for (std::int64_t i = 0; i < decays; ++i)
        gates[i] = std::exp(rate[i / each] * softplus(a[i] + bias[i]));
    for (int h = 0; h < shape.valueHeads; ++h) gates[decays + h] = 1.0F / (1.0F + std::exp(-b[h]));
}

void mambaGates(const MixerShape& shape, const float* dt, const float* rate, const float* bias,
                const TimeStepLimits& limits, float* gates) {
    for (int h = 0; h < shape.valueHeads; ++h) {
        const float step = std::clamp(softplus(dt[h] + bias[h]), limits.least, limits.most);
        gates[h] = std::exp(step * rate[h]);
        gates[shape.valueHeads + h] = step;
    }
}

void gateOutput(std::span<float> y, const float* gate, std::span<const float> gain, int groups,
                float epsilon, OutputGate kind) {
    if (kind == OutputGate::SiluBeforeNorm || kind == OutputGate::SiluOnly) multiplyBySilu(y, gate);
    if (kind == OutputGate::SiluOnly) return;
    const std::size_t part = y.size() / static_cast<std::size_t>(groups);
    for (std::size_t first = 0; first < y.size(); first += part) {
        const std::span<float> one = y.subspan(first, part);
        const float* const own = gain.data() + (gain.size() == part ? 0 : first);
        double sum = 0.0;
        for (const float x : one) sum += static_cast<double>(x) * static_cast<double>(x);
        const auto factor = static_cast<float>(
            1.0 / std::sqrt(sum / static_cast<double>(part) + static_cast<double>(epsilon)));
        for (std::size_t i = 0; i < part; ++i) one[i] = one[i] * factor * own[i];
    }
    if (kind == OutputGate::SiluAfterNorm) multiplyBySilu(y, gate);
    if (kind == OutputGate::SigmoidAfterNorm)
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= fastSigmoid(gate[i]);
}

}  // namespace lacuna
