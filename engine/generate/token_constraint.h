#pragma once
/// \file
/// What decides which tokens may come next in an answer, and moves on with each drawn one. Owned by
/// one answer and its thread.

#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace lacuna {

class TokenConstraint {
  public:
    virtual ~TokenConstraint() = default;
    /// Sets the logits [vocabulary] of tokens that may not come next to minus infinity.
    /// Errors: Unsupported when no token of the vocabulary may, saying where the answer stands.
    [[nodiscard]] virtual Status mask(std::span<float> logits) = 0;
    /// Moves on after a token. @pre mask() left it possible
    [[nodiscard]] virtual Status accept(TokenId token) = 0;
    /// How many of `tokens` may come one after the other from here; nothing moves.
    [[nodiscard]] virtual std::size_t fitting(std::span<const TokenId> tokens) = 0;
};

}  // namespace lacuna
