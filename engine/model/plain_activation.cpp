#include "engine/model/plain_activation.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

float softplus(float x) {
    constexpr float kLinear = 20.0F;  // from this value on the result is x to the last bit
    return x > kLinear ? x : std::log1p(std::exp(x));
}

void xielu(const KernelTable& kernels, const XieluCurve& curve, float* x, float* scratch,
           std::int64_t n) {
    const float positive = softplus(curve.alphaPositive);
    const float negative = curve.beta + softplus(curve.alphaNegative);
    for (std::int64_t i = 0; i < n; ++i) scratch[i] = std::min(x[i], curve.epsilon);
    kernels.expSum(scratch, 0.0F, n);
    for (std::int64_t i = 0; i < n; ++i) {
        const float above = positive * x[i] * x[i];
        const float below = (scratch[i] - 1.0F - x[i]) * negative;
        x[i] = (x[i] > 0.0F ? above : below) + curve.beta * x[i];
    }
}

}  // namespace

void activateGated(const StepTools& tools, float* gate, float* up, std::int64_t n) {
    if (tools.rules.activation != Activation::SwigluClamped) {
        tools.rules.activate(gate, up, n);
        return;
    }
    // x sigmoid(alpha x) is silu(alpha x) / alpha.
    const auto [alpha, limit] = tools.rules.swiglu;
    for (std::int64_t i = 0; i < n; ++i) {
        gate[i] = alpha * std::min(gate[i], limit);
        up[i] = (std::clamp(up[i], -limit, limit) + 1.0F) / alpha;
    }
    tools.kernels.siluMultiply(gate, up, n);
}

void activatePlain(const StepTools& tools, const XieluCurve& curve, float* x, float* scratch,
                   std::int64_t n) {
    switch (tools.rules.activation) {
        case Activation::Silu:
        case Activation::GeluTanh:
            std::fill_n(scratch, n, 1.0F);
            tools.rules.activate(x, scratch, n);
            return;
        case Activation::ReluSquared:
            for (std::int64_t i = 0; i < n; ++i) {
                const float positive = std::max(x[i], 0.0F);
                x[i] = positive * positive;
            }
            return;
        case Activation::SwigluClamped:  // always has a gate
            return;
        case Activation::Xielu:
            xielu(tools.kernels, curve, x, scratch, n);
            return;
    }
}

}  // namespace lacuna
