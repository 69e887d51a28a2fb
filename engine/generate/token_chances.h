#pragma once
/// \file
/// How likely a drawn token and its neighbours were. Natural logarithms of probabilities over the
/// whole vocabulary, from the logits after the request's biases and before penalties, grammar,
/// truncation and temperature: what the model itself says, whatever is made of it
/// (docs/generation-loop.md, "Sampling"). Pure functions, f64.

#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

struct TokenChance {
    TokenId token = 0;
    double logprob = 0;  ///< <= 0; minus infinity for a forbidden token
    std::string text;    ///< bytes of the token, perhaps half a character
};

struct TokenChances {
    double logprob = 0;            ///< of the drawn token
    std::vector<TokenChance> top;  ///< likeliest first, lower id on ties; forbidden ones left out
};

/// `top` are the likeliest tokens, without their texts. @pre logits not empty, `drawn` within
[[nodiscard]] TokenChances chancesOf(std::span<const float> logits, TokenId drawn, int top);

}  // namespace lacuna
