#pragma once
/// \file
/// Options of an answer in settings and requests: sampling, rules of a single request, and the
/// handling of steps and long prompts. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

/// Sampling of the next token. Neutral values disable a stage. Stages in order: biases of the
/// request, its grammar, penalties, top-k, top-p, min-p, temperature, draw. Temperature 0 is
/// greedy: the largest logit, lowest id on ties, ignoring truncation.
struct SamplingOptions {
    double temperature = 0.8;  ///< [0, 5]; 0 = greedy
    int topK = 40;             ///< [0, 1000000]; 0 = off
    double topP = 0.95;        ///< (0, 1]; 1 = off; keeps the token that crosses the threshold
    double minP = 0.05;  ///< [0, 1]; 0 = off; share of the largest probability (arXiv:2407.01082)
    double repeatPenalty = 1.0;  ///< (0, 10]; 1 = off; positive logits divided, negative multiplied
    int repeatLastN = 64;        ///< window of the penalty in tokens; 0 = off
    double presencePenalty = 0;  ///< [-2, 2]; 0 = off; subtracted from the logit of each token in
                                 ///< the answer
    double frequencyPenalty = 0;        ///< [-2, 2]; 0 = off; subtracted once per occurrence
    std::optional<std::uint64_t> seed;  ///< nullopt draws a random one, which is reported
    friend bool operator==(const SamplingOptions&, const SamplingOptions&) = default;
};

/// A bias added to the logit of a token before all other stages.
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

/// Rules of one request in addition to the settings: token biases, reported probabilities, and a
/// form of the text. Part of the request and of its report, so that a replay uses the same rules.
struct AnswerRules {
    static constexpr int kMaxLogprobs = 20;
    static constexpr double kForbid = -100;

    std::vector<LogitBias> bias = {};  ///< at most one per token
    /// Number of most likely tokens reported with each sampled one, [0, 20]; nullopt reports no
    /// probabilities.
    std::optional<int> logprobs = std::nullopt;
    /// Report the probabilities of the draw rather than the model's (TokenLogprobs).
    bool logprobsOfDraw = false;
    AnswerForm kind = AnswerForm::Free;
    std::string form = {};  ///< text of the grammar or schema
    friend bool operator==(const AnswerRules&, const AnswerRules&) = default;
};

struct TokenLogprob {
    TokenId token = 0;
    double logprob = 0;  ///< <= 0; minus infinity for a forbidden token
    std::string text;    ///< bytes of the token, possibly an incomplete character
};

/// Log-probabilities of a sampled token and its alternatives. By default these are the model's own:
/// natural logarithms over the whole vocabulary, from the logits after the request's biases and
/// before penalties, grammar, truncation and temperature. If the rules request those of the draw,
/// they are taken after all stages (docs/generation-loop.md, "Sampling").
struct TokenLogprobs {
    double logprob = 0;             ///< log-probability of the sampled token
    std::vector<TokenLogprob> top;  ///< most likely first, lower id on ties; excludes impossible
                                    ///< tokens
};

/// Policy for compacting the cache while a prompt is read. docs/eviction.md, "When a compaction
/// fires".
enum class PrefillPolicy {
    AfterPrefill,  ///< compact once after the prompt: best quality, peak memory grows with the
                   ///< prompt
    PerChunk,      ///< compact between prefill chunks: bounded memory
};

/// The source of drafted tokens if no draft model is loaded.
enum class DraftSource {
    Lookup,  ///< earlier occurrences in the text (NgramDrafter)
    Mtp,     ///< the model's block for multi-token prediction (BlockDrafter); lookup without one
};

/// How the answers of a step share passes over the weights.
///
/// The rounding of a product row depends on the kernel, which is chosen by the number of rows
/// (matmul.cpp: from 3 rows on for block formats, 8 for F16 and BF16, 12 for F32). A shared pass
/// has more rows than a single answer, so its logits may differ in the last bits, which
/// occasionally changes a token. Everything else, including attention, is computed per row and
/// chunk as for a single answer.
enum class StepPasses {
    Shared,  ///< one pass for all answers of a step
    Apart,   ///< one pass per answer: bit-identical to computing it alone
};

}  // namespace lacuna
