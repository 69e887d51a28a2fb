#include "engine/generate/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/base/random.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kDrawStream = 0x5d0a;  // keeps these draws apart from other uses of the
                                               // seed

double uniformAt(std::uint64_t seed, std::int64_t draw) {
    const std::uint64_t bits = randomBits(seed, kDrawStream, static_cast<std::uint64_t>(draw));
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

bool penalisesRepeats(const SamplingOptions& options, const DrawPlace& place) {
    return options.repeatPenalty != 1.0 && options.repeatLastN > 0 && !place.history.empty();
}

bool penalisesAnswer(const SamplingOptions& options, const DrawPlace& place) {
    return (options.presencePenalty != 0 || options.frequencyPenalty != 0) && place.answered > 0;
}

void penalise(std::span<float> logits, const DrawPlace& place, const SamplingOptions& options) {
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

/// A forbidden token is no candidate: rounding at the end of a draw must not fall on it.
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
                                                    const DrawPlace& place,
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
                                                     const DrawPlace& place,
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
                        : "every token that the form of the answer allows here is forbidden by a "
                          "bias of -100");
    return kept;
}

Result<std::vector<Candidate>> Sampler::candidates(std::span<const float> logits,
                                                   const DrawPlace& place,
                                                   const SamplingOptions& options) {
    return candidatesOf(biased(logits), place, options);
}

Result<Drawn> Sampler::draw(std::span<const float> logits, const DrawPlace& place,
                            const SamplingOptions& options) {
    const std::span<const float> base = biased(logits);
    LACUNA_TRY(const auto kept, candidatesOf(base, place, options));
    Drawn drawn{.token = kept.front().id, .chances = std::nullopt};
    if (options.temperature != 0.0) {
        const std::vector<double> chances = probabilities(kept, options.temperature);
        drawn.token = kept[drawIndex(chances, uniformAt(seed_, place.answered))].id;
    }
    if (logprobs_) drawn.chances = chancesOf(base, drawn.token, *logprobs_);
    return drawn;
}

}  // namespace lacuna
