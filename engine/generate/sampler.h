#pragma once
/// \file
/// The chain from logits to a token: penalties, top-k, top-p, min-p, temperature, draw.
/// Draw i of a turn depends on the seed and i alone, so answers repeat whatever happened between.
/// Owned by one thread; keeps scratch memory.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/generate/sampler_stages.h"
#include "engine/generate/sampling_options.h"

namespace lacuna {

class Sampler {
  public:
    explicit Sampler(std::uint64_t seed) : seed_(seed) {}
    /// Token for `logits` [vocabulary]. `history` is prompt and answer so far; the penalty looks at
    /// its end.
    /// @pre logits not empty
    [[nodiscard]] TokenId sample(std::span<const float> logits, std::span<const TokenId> history,
                                 std::int64_t draw, const SamplingOptions& options);

  private:
    /// What is left to draw from, after all truncating stages.
    [[nodiscard]] std::vector<Candidate> truncated(std::span<const float> logits,
                                                   const SamplingOptions& options) const;

    std::uint64_t seed_;
    std::vector<float> penalised_;
};

}  // namespace lacuna
