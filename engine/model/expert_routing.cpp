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

float sigmoidOf(float logit) {
    return 1.0F / (1.0F + std::exp(-logit));
}

}  // namespace

Result<ExpertRouting> ExpertRouting::create(const ExpertSpec& spec, int maxTokens) {
    ExpertRouting routing(spec);
    const auto tokens = static_cast<std::size_t>(maxTokens);
    const auto count = static_cast<std::size_t>(spec.count);
    const std::size_t uses = tokens * static_cast<std::size_t>(spec.perToken);
    LACUNA_TRY(routing.logits_, Buffer::allocate(tokens * count * sizeof(float)));
    LACUNA_TRY(routing.selectionScores_, Buffer::allocate(count * sizeof(float)));
    LACUNA_TRY(routing.groups_,
               Buffer::allocate(static_cast<std::size_t>(spec.groups) * sizeof(float)));
    LACUNA_TRY(routing.chosen_, Buffer::allocate(uses * sizeof(std::int32_t)));
    LACUNA_TRY(routing.chosenWeights_, Buffer::allocate(uses * sizeof(float)));
    LACUNA_TRY(routing.uses_, Buffer::allocate(uses * sizeof(ExpertUse)));
    LACUNA_TRY(routing.starts_, Buffer::allocate((count + 1) * sizeof(std::int32_t)));
    std::ranges::fill(routing.starts_.as<std::int32_t>(), 0);
    return routing;
}

void ExpertRouting::route(std::int64_t tokens, std::span<const float> bias) {
    const auto perToken = static_cast<std::size_t>(spec_.perToken);
    const auto count = static_cast<std::size_t>(spec_.count);
    for (std::size_t row = 0; row < static_cast<std::size_t>(tokens); ++row) {
        const Choice choice{
            logits_.as<float>().subspan(row * count, count),
            chosen_.as<std::int32_t>().subspan(row * perToken, perToken),
            chosenWeights_.as<float>().subspan(row * perToken, perToken),
        };
        if (spec_.scoring == ExpertScoring::SparseMixer)
            mixSparsely(choice);
        else if (spec_.groups > 1 || !bias.empty())
            chooseByScores(choice, bias);
        else
            chooseByLogits(choice);
    }
    group(tokens);
}

void ExpertRouting::scaleWeights(std::span<float> weights) const {
    double sum = 0;
    for (const float weight : weights) sum += double{weight};
    const double divisor = spec_.normaliseWeights ? std::max(sum, double{spec_.smallestSum}) : 1.0;
    for (float& weight : weights)
        weight = static_cast<float>(double{weight} / divisor * double{spec_.weightScale});
}

// A chosen logit becomes kTaken for later choices. Logits are compared instead of probabilities,
// which round to the same number far below the best.
void ExpertRouting::chooseByLogits(const Choice& choice) const {
    const auto [logits, chosen, weights] = choice;
    const bool sigmoid = spec_.scoring == ExpertScoring::Sigmoid;
    const float top = sigmoid ? 0.0F : *std::ranges::max_element(logits);
    double all = 0;
    for (const float logit : logits) all += double{std::exp(logit - top)};
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::size_t best = bestOf(logits, chosen.first(k));
        weights[k] = sigmoid ? sigmoidOf(logits[best])
                             : static_cast<float>(double{std::exp(logits[best] - top)} / all);
        chosen[k] = static_cast<std::int32_t>(best);
        logits[best] = kTaken;
    }
    scaleWeights(weights);
}

// The bias affects the choice but not the weights.
void ExpertRouting::chooseByScores(const Choice& choice, std::span<const float> bias) {
    const auto [logits, chosen, weights] = choice;
    const auto scores = selectionScores_.as<float>();
    if (spec_.scoring == ExpertScoring::Sigmoid) {
        for (float& logit : logits) logit = sigmoidOf(logit);
    } else {
        const float top = *std::ranges::max_element(logits);
        double all = 0;
        for (const float logit : logits) all += double{std::exp(logit - top)};
        for (float& logit : logits) logit = static_cast<float>(double{std::exp(logit - top)} / all);
    }
    for (std::size_t i = 0; i < logits.size(); ++i)
        scores[i] = logits[i] + (bias.empty() ? 0.0F : bias[i]);
    if (spec_.groups > 1) hideGroups(scores);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::size_t best = bestOf(scores, chosen.first(k));
        weights[k] = logits[best];
        chosen[k] = static_cast<std::int32_t>(best);
        scores[best] = kTaken;
    }
    scaleWeights(weights);
}

// The score of a group is the sum of its best experts: one or two.
void ExpertRouting::hideGroups(std::span<float> scores) {
    const auto groups = groups_.as<float>();
    const std::size_t each = scores.size() / groups.size();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        float first = kTaken;
        float second = kTaken;
        for (const float merit : scores.subspan(g * each, each)) {
            second = std::max(second, std::min(first, merit));
            first = std::max(first, merit);
        }
        groups[g] = each > 1 && spec_.groupBest > 1 ? first + second : first;
    }
    const auto kept = static_cast<std::size_t>(spec_.groupsPerToken);
    for (std::size_t hidden = groups.size(); hidden > kept; --hidden) {
        // The last of equal groups is hidden first.
        std::size_t worst = groups.size();
        for (std::size_t g = 0; g < groups.size(); ++g)
            if (!std::isinf(groups[g]) && (worst == groups.size() || groups[g] <= groups[worst]))
                worst = g;
        if (worst == groups.size()) return;
        std::ranges::fill(scores.subspan(worst * each, each), kTaken);
        groups[worst] = std::numeric_limits<float>::infinity();
    }
}

// The weight of the best expert is its share of a softmax over the experts that are not taken and
// whose logit is near the best one, relative to the larger magnitude of the two.
void ExpertRouting::mixSparsely(const Choice& choice) const {
    const auto [logits, chosen, weights] = choice;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::size_t best = bestOf(logits, chosen.first(k));
        const float top = logits[best];
        double all = 0;
        for (const float logit : logits) {
            const float distance = (top - logit) / std::max(std::fabs(logit), top);
            if (logit != kTaken && !(distance > 2.0F * spec_.jitter))
                all += double{std::exp(logit - top)};
        }
        weights[k] = static_cast<float>(1.0 / all);
        chosen[k] = static_cast<std::int32_t>(best);
        logits[best] = kTaken;
    }
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
    return logits_.size() + selectionScores_.size() + groups_.size() + chosen_.size() +
           chosenWeights_.size() + uses_.size() + starts_.size();
}

}  // namespace lacuna
