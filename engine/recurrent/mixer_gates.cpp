#include "engine/recurrent/mixer_gates.h"

#include <algorithm>
#include <cmath>

#include "engine/recurrent/exponential.h"

namespace lacuna {
namespace {

float softplus(float x) {
    return x > 20.0F ? x : std::log1p(std::exp(x));
}

}  // namespace

void deltaGates(const KernelTable& kernels, const MixerShape& shape, const float* a, const float* b,
                const float* rate, const float* bias, float* gates) {
    const std::int64_t decays = shape.decays();
    const std::int64_t each = decays / shape.valueHeads;
    for (int h = 0; h < shape.valueHeads; ++h)
        kernels.decays(a + h * each, bias + h * each, rate[h], gates + h * each, each);
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

void gateOutput(const KernelTable& kernels, std::span<float> y, float* gate,
                std::span<const float> gain, int groups, float epsilon, OutputGate kind) {
    const auto size = std::ssize(y);
    const auto multiplyBySilu = [&] {
        kernels.siluMultiply(gate, y.data(), size);
        std::copy_n(gate, size, y.data());
    };
    if (kind == OutputGate::SiluBeforeNorm || kind == OutputGate::SiluOnly) multiplyBySilu();
    if (kind == OutputGate::SiluOnly) return;
    const std::int64_t part = size / groups;
    for (std::int64_t first = 0; first < size; first += part)
        kernels.rmsNorm(y.data() + first, gain.data() + (std::ssize(gain) == part ? 0 : first),
                        y.data() + first, part, epsilon);
    if (kind == OutputGate::SiluAfterNorm) multiplyBySilu();
    if (kind == OutputGate::SigmoidAfterNorm)
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= fastSigmoid(gate[i]);
}

}  // namespace lacuna
