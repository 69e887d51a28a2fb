#include "engine/quality/divergence.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

double logSum(std::span<const float> logits, double top) {
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
    return top + std::log(sum);
}

double nearestRank(const std::vector<double>& ascending, double share) {
    const auto count = static_cast<double>(ascending.size());
    const auto rank = static_cast<std::size_t>(std::max(std::ceil(share * count), 1.0));
    return ascending[std::min(rank, ascending.size()) - 1];
}

}  // namespace

TokenId topToken(std::span<const float> logits) {
    return static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
}

RowDivergence rowDivergence(std::span<const float> full, std::span<const float> other) {
    RowDivergence found;
    found.fullTop = topToken(full);
    found.otherTop = topToken(other);
    const double wholeSum =
        logSum(full, static_cast<double>(full[static_cast<std::size_t>(found.fullTop)]));
    const double otherSum =
        logSum(other, static_cast<double>(other[static_cast<std::size_t>(found.otherTop)]));
    for (std::size_t i = 0; i < full.size(); ++i) {
        const double logP = static_cast<double>(full[i]) - wholeSum;
        found.kl += std::exp(logP) * (logP - (static_cast<double>(other[i]) - otherSum));
    }
    found.kl = std::max(found.kl, 0.0);  // rounding may produce slightly negative values
    return found;
}

double negativeLogLikelihood(std::span<const float> logits, TokenId token) {
    const double top = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
    return top + std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(token)]);
}

DivergenceFigures divergenceFigures(std::vector<double> kl, std::int64_t sameTop) {
    DivergenceFigures figures;
    if (kl.empty()) return figures;
    std::ranges::sort(kl);
    figures.positions = static_cast<std::int64_t>(kl.size());
    const auto count = static_cast<double>(kl.size());
    for (const double one : kl) figures.klMean += one / count;
    figures.klMedian = nearestRank(kl, 0.5);
    figures.klP99 = nearestRank(kl, 0.99);
    figures.klLargest = kl.back();
    figures.top1 = static_cast<double>(sameTop) / count;
    return figures;
}

}  // namespace lacuna
