#include "engine/generate/sampler.h"

#include <algorithm>

#include "engine/base/random.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kDrawStream =
    0x5d0a;  // keeps these draws apart from other uses of the seed

double uniformAt(std::uint64_t seed, std::int64_t draw) {
    const std::uint64_t bits = randomBits(seed, kDrawStream, static_cast<std::uint64_t>(draw));
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

std::vector<Candidate> Sampler::truncated(std::span<const float> logits,
                                          const SamplingOptions& options) const {
    const std::size_t count =
        options.topK > 0 ? static_cast<std::size_t>(options.topK) : logits.size();
    std::vector<Candidate> kept = largest(logits, count);
    if (options.topP < 1.0) kept.resize(nucleusSize(probabilities(kept, 1.0), options.topP));
    if (options.minP > 0.0) kept.resize(minPSize(probabilities(kept, 1.0), options.minP));
    return kept;
}

TokenId Sampler::sample(std::span<const float> logits, std::span<const TokenId> history,
                        std::int64_t draw, const SamplingOptions& options) {
    if (options.repeatPenalty != 1.0 && options.repeatLastN > 0 && !history.empty()) {
        penalised_.assign(logits.begin(), logits.end());
        penaliseRepeats(
            penalised_,
            history.last(std::min(history.size(), static_cast<std::size_t>(options.repeatLastN))),
            options.repeatPenalty);
        logits = penalised_;
    }
    if (options.temperature == 0.0) return argmax(logits);
    const std::vector<Candidate> kept = truncated(logits, options);
    const std::vector<double> chances = probabilities(kept, options.temperature);
    return kept[drawIndex(chances, uniformAt(seed_, draw))].id;
}

}  // namespace lacuna
