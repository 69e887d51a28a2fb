#include "engine/model/experts.h"

#include <algorithm>
#include <cmath>

#include "engine/model/feed_forward.h"

namespace lacuna {
namespace {

/// target += weight * row, [n].
void addScaled(const StepTools& tools, float* target, const float* row, std::int64_t n,
               float weight) {
    const RowBlock one{reinterpret_cast<const std::byte*>(row), 0, 1, n};
    tools.kernels.addWeightedRows[kernelIndex(DType::F32)](one, &weight, target);
}

}  // namespace

std::int64_t Experts::bytesPerToken(const ModelSpec& spec) {
    const ExpertSpec& experts = spec.experts;
    if (experts.count == 0) return 0;
    constexpr auto kFloat = std::int64_t{sizeof(float)};
    // the gathered input and the result, both inner rows, and the gate of the shared expert
    const std::int64_t widest = std::max(experts.feedForward, experts.sharedFeedForward);
    const std::int64_t rows = 2 * std::int64_t{spec.hidden} + 2 * widest + 1;
    return kFloat * (rows + experts.count) +  // and the logits of the router
           std::int64_t{experts.perToken} * (2 * kFloat + std::int64_t{sizeof(ExpertUse)});
}

Result<Experts> Experts::create(const ModelSpec& spec, int maxTokens) {
    const bool any = spec.experts.count > 0;
    LACUNA_TRY(auto routing, ExpertRouting::create(spec.experts, any ? maxTokens : 0));
    Experts experts(std::move(routing), spec.experts.weighsInput);
    if (!any) return experts;
    const auto floats = [&](std::int64_t width) {
        return Buffer::allocate(static_cast<std::size_t>(width) *
                                static_cast<std::size_t>(maxTokens) * sizeof(float));
    };
    const int widest = std::max(spec.experts.feedForward, spec.experts.sharedFeedForward);
    LACUNA_TRY(experts.gathered_, floats(spec.hidden));
    LACUNA_TRY(experts.gated_, floats(widest));
    LACUNA_TRY(experts.upped_, floats(widest));
    LACUNA_TRY(experts.result_, floats(spec.hidden));
    LACUNA_TRY(experts.opening_, floats(1));
    return experts;
}

Status Experts::run(const StepTools& tools, const LayerWeights& layer, View<const float, 2> input,
                    const float* routerInput, float* out) {
    const std::int64_t tokens = input.extent(0);
    const std::int64_t hidden = input.extent(1);
    // The choice of experts is sensitive to the smallest error of a logit, so it is always exact.
    const MatmulProduct router[] = {{matrixOf(layer.router), routing_.logits()}};
    tools.matmul.multiply({routerInput, {tokens, hidden}}, router, Precision::Exact);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    const auto experts = static_cast<std::int64_t>(layer.experts.size());
    for (std::int64_t row = 0; row < tokens && !layer.routerBias.empty(); ++row)
        tools.kernels.addTo(routing_.logits() + row * experts, layer.routerBias.data(), experts);
    routing_.route(tokens, layer.selectionBias);
    std::fill_n(out, tokens * hidden, 0.0F);
    for (std::size_t expert = 0; expert < layer.experts.size(); ++expert) {
        const auto uses = routing_.usesOf(static_cast<int>(expert));
        if (uses.empty()) continue;
        LACUNA_TRY_STATUS(runExpert(tools, layer.experts[expert], uses, input));
        const float* const result = result_.as<float>().data();
        const float factor = layer.expertScale.empty() ? 1.0F : layer.expertScale[expert];
        for (std::size_t i = 0; i < uses.size(); ++i)
            addScaled(tools, out + uses[i].row * hidden,
                      result + static_cast<std::int64_t>(i) * hidden, hidden,
                      weighsInput_ ? 1.0F : uses[i].weight * factor);
    }
    return layer.sharedExpert.up.empty() ? Status() : addShared(tools, layer, input, out);
}

Status Experts::runExpert(const StepTools& tools, const FeedForwardWeights& expert,
                          std::span<const ExpertUse> uses, View<const float, 2> input) {
    const std::int64_t hidden = input.extent(1);
    const auto tokens = static_cast<std::int64_t>(uses.size());
    float* const gathered = gathered_.as<float>().data();
    for (std::int64_t i = 0; i < tokens; ++i) {
        const ExpertUse& use = uses[static_cast<std::size_t>(i)];
        std::copy_n(input.data() + use.row * hidden, hidden, gathered + i * hidden);
        if (weighsInput_) tools.kernels.scale(gathered + i * hidden, use.weight, hidden);
    }
    return runFeedForward(tools, {.gate = expert.gate,
                                  .up = expert.up,
                                  .down = expert.down,
                                  .input = gathered,
                                  .gated = gated_.as<float>().data(),
                                  .upped = upped_.as<float>().data(),
                                  .out = result_.as<float>().data(),
                                  .tokens = tokens,
                                  .gateBias = &expert.gateBias,
                                  .upBias = &expert.upBias,
                                  .downBias = &expert.downBias});
}

Status Experts::addShared(const StepTools& tools, const LayerWeights& layer,
                          View<const float, 2> input, float* out) {
    const std::int64_t tokens = input.extent(0);
    const std::int64_t hidden = input.extent(1);
    const FeedForwardWeights& shared = layer.sharedExpert;
    LACUNA_TRY_STATUS(runFeedForward(tools, {.gate = shared.gate,
                                             .up = shared.up,
                                             .down = shared.down,
                                             .input = input.data(),
                                             .gated = gated_.as<float>().data(),
                                             .upped = upped_.as<float>().data(),
                                             .out = result_.as<float>().data(),
                                             .tokens = tokens}));
    float* const opening = opening_.as<float>().data();
    if (layer.sharedExpertGate.empty()) {
        std::fill_n(opening, tokens, 1.0F);
    } else {
        const MatmulProduct gate[] = {{matrixOf(layer.sharedExpertGate), opening}};
        tools.matmul.multiply(input, gate, Precision::Exact);
        for (std::int64_t row = 0; row < tokens; ++row)
            opening[row] = 1.0F / (1.0F + std::exp(-opening[row]));
    }
    for (std::int64_t row = 0; row < tokens; ++row)
        addScaled(tools, out + row * hidden, result_.as<float>().data() + row * hidden, hidden,
                  opening[row]);
    return tools.checkCancelled();
}

std::size_t Experts::bytes() const {
    return routing_.bytes() + gathered_.size() + gated_.size() + upped_.size() + result_.size() +
           opening_.size();
}

}  // namespace lacuna
