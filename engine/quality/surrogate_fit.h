#pragma once
/// \file
/// Fits a reconstruction surrogate (engine/kv/eviction/reconstruction_surrogate.h) to a model. A
/// text is read in pieces, each followed by an instruction and its repetition. The attention of the
/// repetition (log u, reconstruction_scores.h) is predicted from the input of each layer for a
/// token, by ridge regression per layer. Needs no questions, answers or gradients; takes about a
/// minute on a CPU for a small model. docs/eviction.md, "Predicted scores".

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
    std::span<const TokenId> instruction;  ///< asks the model to repeat the preceding text
    int piece = 700;                       ///< tokens read and repeated at a time
    int chunk = 256;                       ///< tokens per forward pass, at most the model's limit
    DType type = DType::F16;               ///< number type of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Ridge of the regression, as a share of the variance of an input. It is strong because few tokens
/// constrain most directions only weakly.
constexpr float kSurrogateRidge = 0.3F;
/// Smaller shares are clamped to this, because their logarithm is not meaningful.
constexpr float kMinScoreShare = 1e-6F;
/// Minimum number of tokens for a fit.
constexpr int kMinFitTokens = 1024;
/// Inputs longer than this are summed as products with this many landmarks (surrogate_sums.h).
constexpr int kLongInput = 2048;
constexpr int kFitLandmarks = 512;

/// Default number of tokens for a fit; smaller for large models, which are slow to read.
[[nodiscard]] int defaultFitTokens(const ModelSpec& spec);
/// Number of tokens read and repeated at a time, limited by the model's context.
[[nodiscard]] int defaultFitPiece(const ModelSpec& spec, std::size_t instruction);

/// Interleaves the paragraphs of `prose` with generated tables, records and strings of its words,
/// so that a fit sees several kinds of text. Half of the result is generated; it has at most
/// `characters` characters, fewer if `prose` is short. Pure function.
[[nodiscard]] std::string textToFit(std::string_view prose, std::size_t characters,
                                    std::uint64_t seed);

/// Fits in slices, so that other work can run in between: a chunk of a forward pass, the sums of
/// some layers, or the solution for some. Not thread-safe.
class SurrogateRun {
  public:
    /// `model` must outlive the run. `options.progress` is not called. Errors: InvalidArgument (the
    /// text is too short, naming the required length; the context is too short), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<SurrogateRun>> create(
        const LoadedModel& model, std::vector<TokenId> text, std::vector<TokenId> instruction,
        const SurrogateFitOptions& options);
    ~SurrogateRun();

    /// Performs the next slice, which can be retried after an error or cancellation. Errors:
    /// Cancelled, NoMemory, Unsupported (a sum without a solution), those of Transformer::forward.
    /// @pre !done(); `model` is the one given to create()
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    [[nodiscard]] bool done() const;
    [[nodiscard]] double share() const;  ///< completed share of the work, 0..1
    [[nodiscard]] std::int64_t tokens() const;
    [[nodiscard]] std::int64_t read() const;  ///< tokens of the pieces that were read and repeated
    /// Upper bound of the memory held: sums, the inputs of a piece and its cache.
    [[nodiscard]] std::int64_t bytes() const;

    /// Serialises the sums of all completed pieces, to resume in another run; progress within the
    /// current piece is lost.
    [[nodiscard]] std::string kept() const;
    /// Resumes from the result of kept() of a run over the same text and model. Errors: Corrupt
    /// (damaged), Incompatible (of another model, text or version); nothing is changed then. @pre
    /// step() was not called
    [[nodiscard]] Status resumeFrom(std::string_view kept);
    /// @pre done()
    [[nodiscard]] ReconstructionSurrogate surrogate() const;

  private:
    struct Impl;
    explicit SurrogateRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Performs a complete run. Errors: those of SurrogateRun.
[[nodiscard]] Result<ReconstructionSurrogate> fitSurrogate(Transformer& model, ThreadPool& pool,
                                                           std::span<const TokenId> text,
                                                           const SurrogateFitOptions& options);

struct SurrogateAgreement {
    double overlap = 0;      ///< share of the top quarter of all scores that both have in common
    double correlation = 0;  ///< correlation of log u
    std::int64_t tokens = 0;
};
/// Compares the predicted scores with those of a repetition, over a text that the fit has not seen.
/// Errors: as fitSurrogate.
[[nodiscard]] Result<SurrogateAgreement> compareSurrogate(
    std::shared_ptr<const ReconstructionSurrogate> surrogate, Transformer& model, ThreadPool& pool,
    std::span<const TokenId> text, const SurrogateFitOptions& options);

}  // namespace lacuna
