#pragma once
/// \file
/// Proposals for the next tokens, to be checked by the model in one forward pass (speculative
/// decoding, Leviathan et al. 2023, arXiv 2211.17192). A wrong proposal costs time and never
/// changes the answer. Owned by one thread.

#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

class Drafter {
  public:
    virtual ~Drafter() = default;
    /// Up to `most` tokens that may follow `history` (prompt and answer so far); none: no idea.
    /// `history` only ever grows between two calls.
    [[nodiscard]] virtual std::vector<TokenId> propose(std::span<const TokenId> history,
                                                       int most) = 0;
};

}  // namespace lacuna
