#pragma once
/// \file
/// Proposals for the next tokens, to be checked by the model in one forward pass (speculative
/// decoding, Leviathan et al. 2023, arXiv 2211.17192). A wrong proposal costs time and never
/// changes the answer. Owned by one thread.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/generate/sampling_options.h"

namespace lacuna {

/// Where an answer stands and how its tokens are drawn.
struct DraftRequest {
    /// Prompt and answer so far; only ever grows between two calls for one answer.
    std::span<const TokenId> history;
    int most = 0;  ///< tokens to propose
    SamplingOptions sampling = {};
    std::uint64_t seed = 0;
    std::int64_t answered = 0;             ///< number of the next draw
    int chunk = 128;                       ///< most tokens of one forward pass
    std::function<bool()> cancelled = {};  ///< asked inside a pass; true: no proposals, at once
};

class Drafter {
  public:
    virtual ~Drafter() = default;
    /// Up to `most` tokens that may follow; none: no idea.
    [[nodiscard]] virtual std::vector<TokenId> propose(const DraftRequest& request) = 0;
    /// A part of the prompt was read, up to the end of `tokens`; a good time to read it as well,
    /// unless that is cancelled.
    virtual void read(std::span<const TokenId> tokens, int chunk,
                      const std::function<bool()>& cancelled) {
        static_cast<void>(tokens);
        static_cast<void>(chunk);
        static_cast<void>(cancelled);
    }
    /// The answer now stands at `history`; what was proposed beyond it was not taken.
    virtual void settle(std::span<const TokenId> history) { static_cast<void>(history); }
    /// Why there are no proposals any more, told once; else empty.
    [[nodiscard]] virtual std::string takeNotice() { return {}; }
};

}  // namespace lacuna
