#pragma once
/// \file
/// Fits a reconstruction surrogate (engine/kv/eviction/reconstruction_surrogate.h) to a model: a
/// text is read in pieces, each is repeated after an instruction, and what the repetition looks at
/// (log u, reconstruction_scores.h) is explained by what each layer reads of a token, as ridge
/// regression layer by layer. No question, no answer and no gradient; minutes on a processor for a
/// small model. docs/eviction.md, "Scores foretold".

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

struct SurrogateFitOptions {
    std::span<const TokenId> instruction;  ///< to repeat what stands before it
    int piece = 700;                       ///< tokens read and repeated at a time
    int chunk = 256;                       ///< tokens of a forward pass, at most the model's
    DType type = DType::F16;               ///< of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Ridge of the regression, as a share of the mean square of an input.
constexpr float kSurrogateRidge = 1e-3F;
/// Shares below this are taken for it: their logarithm says nothing.
constexpr float kLeastShare = 1e-6F;
/// Fewest tokens that a fit may rest on, as a multiple of the unknowns of a head.
constexpr int kFitTokensPerUnknown = 4;

/// Prose with invented tables, records and strings of its words between its paragraphs, so that a
/// fit sees more than one kind of text. As long as `prose` allows with half of the whole invented,
/// at most `characters`. Pure function.
[[nodiscard]] std::string textToFit(std::string_view prose, std::size_t characters,
                                    std::uint64_t seed);

/// Errors: InvalidArgument (a text too short for the hidden size, naming how long it must be),
/// Unsupported (a sum that has no solution), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<ReconstructionSurrogate> fitSurrogate(Transformer& model, ThreadPool& pool,
                                                           std::span<const TokenId> text,
                                                           const SurrogateFitOptions& options);

struct SurrogateAgreement {
    double overlap = 0;      ///< share of the best quarter of all scores that both find
    double correlation = 0;  ///< of log u
    std::int64_t tokens = 0;
};
/// How well foretold scores agree with those of a repetition, over a text the fit has not seen.
/// Errors: as fitSurrogate.
[[nodiscard]] Result<SurrogateAgreement> compareSurrogate(
    std::shared_ptr<const ReconstructionSurrogate> surrogate, Transformer& model, ThreadPool& pool,
    std::span<const TokenId> text, const SurrogateFitOptions& options);

}  // namespace lacuna
