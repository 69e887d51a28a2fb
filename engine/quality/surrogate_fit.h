#pragma once
/// \file
/// Fits a reconstruction surrogate (engine/kv/eviction/reconstruction_surrogate.h) to a model: a
/// text is read in pieces, each is repeated after an instruction, and what the repetition looks at
/// (log u, reconstruction_scores.h) is explained by what each layer reads of a token, as ridge
/// regression layer by layer. No question, no answer and no gradient; a minute on a processor for a
/// small model. docs/eviction.md, "Scores foretold".

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Ridge of the regression, as a share of the variance of an input: few tokens tell little of most
/// directions.
constexpr float kSurrogateRidge = 0.3F;
/// Shares below this are taken for it: their logarithm says nothing.
constexpr float kLeastShare = 1e-6F;
/// Fewest tokens that a fit may rest on.
constexpr int kLeastFitTokens = 1024;
/// Inputs that are longer than this are summed as their products with so many landmarks
/// (surrogate_sums.h).
constexpr int kLongInput = 2048;
constexpr int kFitLandmarks = 512;

/// Tokens of a fit that nobody gave a number for: fewer for large models, whose readings take long.
[[nodiscard]] int usualFitTokens(const ModelSpec& spec);
/// Tokens that are read and repeated at a time where the context of the model has room for no more.
[[nodiscard]] int usualFitPiece(const ModelSpec& spec, std::size_t instruction);

/// Prose with invented tables, records and strings of its words between its paragraphs, so that a
/// fit sees more than one kind of text. As long as `prose` allows with half of the whole invented,
/// at most `characters`. Pure function.
[[nodiscard]] std::string textToFit(std::string_view prose, std::size_t characters,
                                    std::uint64_t seed);

/// A fit in slices, so that something else may come between two of them: a chunk of a forward pass,
/// the sums of some layers, or the solution of some. One thread at a time.
class SurrogateRun {
  public:
    /// `model` must outlive the run. `options.progress` is not called. Errors: InvalidArgument (a
    /// text too short, naming how long it must be; a context too short), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<SurrogateRun>> create(
        const LoadedModel& model, std::vector<TokenId> text, std::vector<TokenId> instruction,
        const SurrogateFitOptions& options);
    ~SurrogateRun();

    /// The next slice. One that fails or is cancelled can be made again. Errors: Cancelled,
    /// NoMemory, Unsupported (a sum that has no solution), those of Transformer::forward.
    /// @pre not done; `model` is the one of create
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    [[nodiscard]] bool done() const;
    [[nodiscard]] double share() const;  ///< of the work, 0..1
    [[nodiscard]] std::int64_t tokens() const;
    [[nodiscard]] std::int64_t read() const;  ///< tokens of pieces that were read and repeated
    /// Bytes of what it holds at most: sums, the inputs of a piece and its cache.
    [[nodiscard]] std::int64_t bytes() const;

    /// The sums of all pieces so far, to go on with in another run; what was read of the piece at
    /// work is not among them.
    [[nodiscard]] std::string kept() const;
    /// Goes on with what a run over the same text of the same model kept. Errors: Corrupt
    /// (damaged), Incompatible (of another model, text or version); nothing has changed then.
    /// @pre no step was made
    [[nodiscard]] Status goOnWith(std::string_view kept);
    /// @pre done
    [[nodiscard]] ReconstructionSurrogate surrogate() const;

  private:
    struct Impl;
    explicit SurrogateRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// All of a run at once. Errors: those of SurrogateRun.
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
