#include "engine/generate/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

bool before(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// Up to this many candidates, a small heap is faster than a partial sort of the entire vocabulary.
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
        // A maximum of -inf (all logits are -inf) would give NaN; such candidates are equally
        // likely.
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

TokenLogprobs modelLogprobs(std::span<const float> logits, TokenId drawn, int top) {
    LACUNA_REQUIRE(drawn >= 0 && static_cast<std::size_t>(drawn) < logits.size(),
                   "the drawn token is one of the vocabulary");
    const auto highest = static_cast<double>(logits[static_cast<std::size_t>(argmax(logits))]);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
    const double whole = highest + std::log(sum);
    TokenLogprobs chances;
    chances.logprob = static_cast<double>(logits[static_cast<std::size_t>(drawn)]) - whole;
    for (const Candidate& candidate : largest(logits, static_cast<std::size_t>(std::max(top, 0))))
        if (!std::isinf(candidate.logit))
            chances.top.push_back({candidate.id, static_cast<double>(candidate.logit) - whole, {}});
    return chances;
}

TokenLogprobs drawLogprobs(std::span<const Candidate> ordered, std::span<const double> chances,
                           std::size_t drawn, int top) {
    LACUNA_REQUIRE(drawn < chances.size() && ordered.size() == chances.size(),
                   "the drawn token is one of the candidates");
    TokenLogprobs of;
    of.logprob = std::log(chances[drawn]);
    const std::size_t count = std::min(ordered.size(), static_cast<std::size_t>(std::max(top, 0)));
    for (std::size_t i = 0; i < count && chances[i] > 0; ++i)
        of.top.push_back({ordered[i].id, std::log(chances[i]), {}});
    return of;
}

namespace {

Status checkBias(const LogitBias& bias, int vocabulary) {
    if (bias.token < 0 || bias.token >= vocabulary)
        return fail(ErrorCode::InvalidArgument,
                    format("logit_bias names token {}; this vocabulary has 0 to {}", bias.token,
                           vocabulary - 1));
    if (bias.value >= AnswerRules::kForbid && bias.value <= -AnswerRules::kForbid) return {};
    return fail(
        ErrorCode::InvalidArgument,
        format("logit_bias of token {} is {}; allowed is -100 to 100", bias.token, bias.value));
}

}  // namespace

Status checkRules(const AnswerRules& rules, int vocabulary) {
    std::set<TokenId> seen;
    for (const LogitBias& bias : rules.bias) {
        LACUNA_TRY_STATUS(checkBias(bias, vocabulary));
        if (!seen.insert(bias.token).second)
            return fail(ErrorCode::InvalidArgument,
                        format("logit_bias names token {} twice", bias.token));
    }
    if (rules.logprobs && (*rules.logprobs < 0 || *rules.logprobs > AnswerRules::kMaxLogprobs))
        return fail(ErrorCode::InvalidArgument, format("logprobs is {}; allowed is 0 to {}",
                                                       *rules.logprobs, AnswerRules::kMaxLogprobs));
    return {};
}

namespace {

constexpr std::uint64_t kDrawStream = 0x5d0a;  // separates these draws from other uses of the seed

double uniformAt(std::uint64_t seed, std::int64_t draw) {
    const std::uint64_t bits = randomBits(seed, kDrawStream, static_cast<std::uint64_t>(draw));
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

bool penalisesRepeats(const SamplingOptions& options, const SamplingState& place) {
    return options.repeatPenalty != 1.0 && options.repeatLastN > 0 && !place.history.empty();
}

bool penalisesAnswer(const SamplingOptions& options, const SamplingState& place) {
    return (options.presencePenalty != 0 || options.frequencyPenalty != 0) && place.answered > 0;
}

void penalise(std::span<float> logits, const SamplingState& place, const SamplingOptions& options) {
    const std::span<const TokenId> history = place.history;
    if (penalisesRepeats(options, place))
        penaliseRepeats(
            logits,
            history.last(std::min(history.size(), static_cast<std::size_t>(options.repeatLastN))),
            options.repeatPenalty);
    if (penalisesAnswer(options, place))
        penaliseAnswer(
            logits,
            history.last(std::min(history.size(), static_cast<std::size_t>(place.answered))),
            options.presencePenalty, options.frequencyPenalty);
}

/// Forbidden tokens are removed, so that rounding at the end of a draw cannot select one.
void dropForbidden(std::vector<Candidate>& ordered) {
    while (ordered.size() > 1 && std::isinf(ordered.back().logit)) ordered.pop_back();
}

std::vector<Candidate> truncated(std::span<const float> logits, const SamplingOptions& options) {
    const std::size_t count =
        options.topK > 0 ? static_cast<std::size_t>(options.topK) : logits.size();
    std::vector<Candidate> kept = largest(logits, count);
    dropForbidden(kept);
    if (options.topP < 1.0) kept.resize(nucleusSize(probabilities(kept, 1.0), options.topP));
    if (options.minP > 0.0) kept.resize(minPSize(probabilities(kept, 1.0), options.minP));
    return kept;
}

}  // namespace

std::span<const float> Sampler::biased(std::span<const float> logits) {
    if (bias_.empty()) return logits;
    biased_.assign(logits.begin(), logits.end());
    addBiases(biased_, bias_);
    return biased_;
}

Result<std::span<const float>> Sampler::constrained(std::span<const float> logits,
                                                    const SamplingState& place,
                                                    const SamplingOptions& options) {
    if (place.constraint == nullptr && !penalisesRepeats(options, place) &&
        !penalisesAnswer(options, place))
        return logits;
    constrained_.assign(logits.begin(), logits.end());
    if (place.constraint != nullptr) LACUNA_TRY_STATUS(place.constraint->mask(constrained_));
    penalise(constrained_, place, options);
    return std::span<const float>(constrained_);
}

Result<std::vector<Candidate>> Sampler::candidatesOf(std::span<const float> biased,
                                                     const SamplingState& place,
                                                     const SamplingOptions& options) {
    LACUNA_TRY(const auto logits, constrained(biased, place, options));
    std::vector<Candidate> kept;
    if (options.temperature == 0.0) {
        const TokenId best = argmax(logits);
        kept.push_back({best, logits[static_cast<std::size_t>(best)]});
    } else {
        kept = truncated(logits, options);
    }
    if (std::isinf(kept.front().logit) && kept.front().logit < 0)
        return fail(ErrorCode::Unsupported,
                    place.constraint == nullptr
                        ? "every token of the vocabulary is forbidden by a bias of -100"
                        : "every token that the answer's format allows here is forbidden by a bias "
                          "of -100");
    return kept;
}

Result<std::vector<Candidate>> Sampler::candidates(std::span<const float> logits,
                                                   const SamplingState& place,
                                                   const SamplingOptions& options) {
    return candidatesOf(biased(logits), place, options);
}

Result<Drawn> Sampler::draw(std::span<const float> logits, const SamplingState& place,
                            const SamplingOptions& options) {
    const std::span<const float> base = biased(logits);
    LACUNA_TRY(const auto kept, candidatesOf(base, place, options));
    std::vector<double> chances{1.0};
    std::size_t index = 0;
    if (options.temperature != 0.0) {
        chances = probabilities(kept, options.temperature);
        index = drawIndex(chances, uniformAt(seed_, place.answered));
    }
    Drawn drawn{.token = kept[index].id, .logprobs = std::nullopt};
    if (logprobs_)
        drawn.logprobs = logprobsOfDraw_ ? drawLogprobs(kept, chances, index, *logprobs_)
                                         : modelLogprobs(base, drawn.token, *logprobs_);
    return drawn;
}

}  // namespace lacuna
