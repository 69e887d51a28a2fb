#include "engine/generate/sampler_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/base/check.h"

namespace lacuna {
namespace {

bool before(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// Up to this many candidates a small heap beats a partial sort of the whole vocabulary.
constexpr std::size_t kHeapLimit = 512;

std::vector<Candidate> largestByHeap(std::span<const float> logits, std::size_t count) {
    std::vector<Candidate> heap;  // worst candidate at the front
    heap.reserve(count + 1);
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const Candidate candidate{static_cast<TokenId>(i), logits[i]};
        if (heap.size() == count && !before(candidate, heap.front())) continue;
        heap.push_back(candidate);
        std::push_heap(heap.begin(), heap.end(), before);
        if (heap.size() <= count) continue;
        std::pop_heap(heap.begin(), heap.end(), before);
        heap.pop_back();
    }
    std::sort_heap(heap.begin(), heap.end(), before);
    return heap;
}

}  // namespace

TokenId argmax(std::span<const float> logits) {
    LACUNA_REQUIRE(!logits.empty(), "argmax needs logits");
    std::size_t best = 0;
    for (std::size_t i = 1; i < logits.size(); ++i)
        if (logits[i] > logits[best]) best = i;
    return static_cast<TokenId>(best);
}

void penaliseRepeats(std::span<float> logits, std::span<const TokenId> recent, double penalty) {
    std::vector<TokenId> distinct(recent.begin(), recent.end());
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const auto factor = static_cast<float>(penalty);
    for (const TokenId id : distinct) {
        if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) continue;
        float& logit = logits[static_cast<std::size_t>(id)];
        logit = logit > 0 ? logit / factor : logit * factor;
    }
}

void addBiases(std::span<float> logits, std::span<const LogitBias> biases) {
    for (const LogitBias& bias : biases) {
        float& logit = logits[static_cast<std::size_t>(bias.token)];
        logit = bias.value <= AnswerRules::kForbid ? -std::numeric_limits<float>::infinity()
                                                   : logit + static_cast<float>(bias.value);
    }
}

void penaliseAnswer(std::span<float> logits, std::span<const TokenId> answer, double presence,
                    double frequency) {
    std::unordered_map<TokenId, int> counts;
    for (const TokenId id : answer)
        if (id >= 0 && static_cast<std::size_t>(id) < logits.size()) ++counts[id];
    for (const auto& [id, count] : counts)
        logits[static_cast<std::size_t>(id)] -= static_cast<float>(presence + frequency * count);
}

std::vector<Candidate> largest(std::span<const float> logits, std::size_t count) {
    count = std::min(count, logits.size());
    if (count == 0) return {};
    if (count <= kHeapLimit && count < logits.size()) return largestByHeap(logits, count);
    std::vector<Candidate> all(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i) all[i] = {static_cast<TokenId>(i), logits[i]};
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(all.begin(), middle, all.end(), before);
    all.resize(count);
    return all;
}

std::vector<double> probabilities(std::span<const Candidate> ordered, double temperature) {
    std::vector<double> result(ordered.size());
    if (ordered.empty()) return result;
    const double top = static_cast<double>(ordered.front().logit);
    double sum = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        // A top of -inf (every logit is) would give NaN; such candidates are equally likely.
        const double distance = std::isinf(top) ? 0 : static_cast<double>(ordered[i].logit) - top;
        result[i] = std::exp(distance / temperature);
        sum += result[i];
    }
    for (double& p : result) p /= sum;
    return result;
}

std::size_t nucleusSize(std::span<const double> ordered, double threshold) {
    double sum = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        sum += ordered[i];
        if (sum >= threshold) return i + 1;
    }
    return ordered.size();
}

std::size_t minPSize(std::span<const double> ordered, double share) {
    std::size_t count = 1;
    while (count < ordered.size() && ordered[count] >= share * ordered[0]) ++count;
    return std::min(count, ordered.size());
}

std::size_t drawIndex(std::span<const double> ordered, double uniform) {
    double sum = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        sum += ordered[i];
        if (uniform < sum) return i;
    }
    return ordered.empty() ? 0 : ordered.size() - 1;  // rounding left a gap at the end
}

}  // namespace lacuna
