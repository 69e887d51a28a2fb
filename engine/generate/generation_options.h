#pragma once
/// \file
/// What is asked of an answer, as settings and requests hold it: how tokens are drawn, what one
/// request asks alongside, and how a step and a long prompt are handled. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

/// How the next token is drawn. Neutral values switch a stage off.
/// Order of stages: the request's biases, its grammar, penalties, top-k, top-p, min-p, temperature,
/// draw. Temperature 0 is greedy: the largest logit, lowest id on ties, truncation stages ignored.
struct SamplingOptions {
    double temperature = 0.8;  ///< [0, 5]; 0 = greedy
    int topK = 40;             ///< [0, 1000000]; 0 = off
    double topP = 0.95;        ///< (0, 1]; 1 = off; keeps the token that crosses the threshold
    double minP = 0.05;  ///< [0, 1]; 0 = off; share of the largest probability (arXiv 2407.01082)
    double repeatPenalty = 1.0;  ///< (0, 10]; 1 = off; positive logits divided, negative multiplied
    int repeatLastN = 64;        ///< tokens the penalty looks back; 0 = off
    double presencePenalty = 0;  ///< [-2, 2]; 0 = off; off the logit of each token of the answer
    double frequencyPenalty = 0;        ///< [-2, 2]; 0 = off; the same for each time it came
    std::optional<std::uint64_t> seed;  ///< none: drawn at random and reported
    friend bool operator==(const SamplingOptions&, const SamplingOptions&) = default;
};

/// Added to the logit of a token before anything else.
struct LogitBias {
    TokenId token = 0;
    double value = 0;  ///< [-100, 100]; -100 forbids the token
    friend bool operator==(const LogitBias&, const LogitBias&) = default;
};

enum class AnswerForm {
    Free,
    Grammar,     ///< `form` is a grammar (engine/grammar/grammar_parser.h)
    JsonSchema,  ///< `form` is a JSON schema (engine/grammar/json_schema.h)
};

/// What one request asks of its answer alongside the settings: biases of single tokens, reported
/// probabilities, a form that the text must have. Travels with the request and stands in its
/// report, so that a replay asks the same.
struct AnswerRules {
    static constexpr int kMaxLogprobs = 20;
    static constexpr double kForbid = -100;

    std::vector<LogitBias> bias = {};  ///< each token once
    /// Likeliest tokens reported with each drawn one, [0, 20]; none: no probabilities.
    std::optional<int> logprobs = std::nullopt;
    /// Those of the draw in place of the model's (TokenChances).
    bool logprobsOfDraw = false;
    AnswerForm kind = AnswerForm::Free;
    std::string form = {};  ///< text of the grammar or schema
    friend bool operator==(const AnswerRules&, const AnswerRules&) = default;
};

struct TokenChance {
    TokenId token = 0;
    double logprob = 0;  ///< <= 0; minus infinity for a forbidden token
    std::string text;    ///< bytes of the token, perhaps half a character
};

/// How likely a drawn token and its neighbours were. Natural logarithms of probabilities over the
/// whole vocabulary, from the logits after the request's biases and before penalties, grammar,
/// truncation and temperature: what the model itself says, whatever is made of it. Or, where the
/// rules ask for those of the draw, over what could be drawn after all of these
/// (docs/generation-loop.md, "Sampling").
struct TokenChances {
    double logprob = 0;            ///< of the drawn token
    std::vector<TokenChance> top;  ///< likeliest first, lower id on ties; impossible ones left out
};

/// When a cache may be compacted while a prompt goes in.
/// docs/eviction.md, "When a compaction fires".
enum class PrefillPolicy {
    AfterPrefill,  ///< compact once when the prompt is in: best quality, memory peaks at the prompt
    PerChunk,      ///< compact between prefill chunks: memory stays bounded
};

/// How the answers of a step share the passes over the weights.
///
/// A row of a product is rounded by the path that computes it, and the path depends on the number
/// of rows (matmul.cpp: from 3 rows on for block formats, 8 for F16 and BF16, 12 for F32). A shared
/// pass has more rows than an answer alone, so that its logits may differ in the last bits, and
/// with them, now and then, a token. Attention and everything else is computed row by row and chunk
/// by chunk as it is alone.
enum class StepPasses {
    Shared,  ///< one pass for all answers of a step
    Apart,   ///< one for each: bit for bit what it computes alone
};

}  // namespace lacuna
