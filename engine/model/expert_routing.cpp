#include "engine/model/expert_routing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacuna {
namespace {

constexpr float kTaken = -std::numeric_limits<float>::infinity();

/// Returns the best expert that is not taken. NaN logits and original minus infinity come last, in
/// order.
std::size_t bestOf(std::span<const float> logits, std::span<const std::int32_t> taken) {
    const auto best = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
    if (logits[best] != kTaken) return best;
    std::size_t expert = 0;
    while (std::ranges::find(taken, static_cast<std::int32_t>(expert)) != taken.end()) ++expert;
    return expert;
}

}  // namespace

Result<ExpertRouting> ExpertRouting::create(const ExpertSpec& spec, int maxTokens) {
    ExpertRouting routing(spec);
    const auto tokens = static_cast<std::size_t>(maxTokens);
    const auto count = static_cast<std::size_t>(spec.count);
    const std::size_t uses = tokens * static_cast<std::size_t>(spec.perToken);
    LACUNA_TRY(routing.logits_, Buffer::allocate(tokens * count * sizeof(float)));
    LACUNA_TRY(routing.chosen_, Buffer::allocate(uses * sizeof(std::int32_t)));
    LACUNA_TRY(routing.chosenWeights_, Buffer::allocate(uses * sizeof(float)));
    LACUNA_TRY(routing.uses_, Buffer::allocate(uses * sizeof(ExpertUse)));
    LACUNA_TRY(routing.starts_, Buffer::allocate((count + 1) * sizeof(std::int32_t)));
    std::ranges::fill(routing.starts_.as<std::int32_t>(), 0);
    return routing;
}

void ExpertRouting::route(std::int64_t tokens) {
    for (std::int64_t row = 0; row < tokens; ++row) chooseRow(row);
    group(tokens);
}

// A chosen logit becomes kTaken for later choices. Logits are compared instead of probabilities,
// which round to the same number far below the best.
void ExpertRouting::chooseRow(std::int64_t row) {
    const auto perToken = static_cast<std::size_t>(spec_.perToken);
    const auto logits = logits_.as<float>().subspan(static_cast<std::size_t>(row * spec_.count),
                                                    static_cast<std::size_t>(spec_.count));
    const auto at = static_cast<std::size_t>(row) * perToken;
    const auto chosen = chosen_.as<std::int32_t>().subspan(at, perToken);
    const auto weights = chosenWeights_.as<float>().subspan(at, perToken);
    const float top = *std::ranges::max_element(logits);
    double all = 0;
    for (const float logit : logits) all += double{std::exp(logit - top)};
    double sum = 0;
    for (std::size_t k = 0; k < perToken; ++k) {
        const std::size_t best = bestOf(logits, chosen.first(k));
        weights[k] = static_cast<float>(double{std::exp(logits[best] - top)} / all);
        chosen[k] = static_cast<std::int32_t>(best);
        logits[best] = kTaken;
        sum += double{weights[k]};
    }
    const double divisor = spec_.normaliseWeights ? sum : 1.0;
    for (float& weight : weights)
        weight = static_cast<float>(double{weight} / divisor * double{spec_.weightScale});
}

// Counting sort by expert; rows are visited in ascending order and stay so.
void ExpertRouting::group(std::int64_t tokens) {
    const auto starts = starts_.as<std::int32_t>();
    const auto uses = uses_.as<ExpertUse>();
    const auto perToken = static_cast<std::size_t>(spec_.perToken);
    const auto total = static_cast<std::size_t>(tokens) * perToken;
    const auto chosen = chosen_.as<std::int32_t>().first(total);
    const auto weights = chosenWeights_.as<float>().first(total);
    const auto count = static_cast<std::size_t>(spec_.count);
    std::ranges::fill(starts, 0);
    for (const std::int32_t expert : chosen) ++starts[static_cast<std::size_t>(expert) + 1];
    for (std::size_t expert = 0; expert < count; ++expert) starts[expert + 1] += starts[expert];
    for (std::size_t i = 0; i < total; ++i)
        uses[static_cast<std::size_t>(starts[static_cast<std::size_t>(chosen[i])]++)] = {
            static_cast<std::int32_t>(i / perToken), weights[i]};
    // Each start has advanced to the end of its expert: shift back by one.
    for (std::size_t expert = count; expert > 0; --expert) starts[expert] = starts[expert - 1];
    starts[0] = 0;
}

std::span<const ExpertUse> ExpertRouting::usesOf(int expert) const {
    const auto starts = starts_.as<std::int32_t>().subspan(static_cast<std::size_t>(expert), 2);
    return uses_.as<ExpertUse>().subspan(static_cast<std::size_t>(starts[0]),
                                         static_cast<std::size_t>(starts[1] - starts[0]));
}

std::size_t ExpertRouting::bytes() const {
    return logits_.size() + chosen_.size() + chosenWeights_.size() + uses_.size() + starts_.size();
}

}  // namespace lacuna
