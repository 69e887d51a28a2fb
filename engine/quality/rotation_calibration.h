#pragma once
/// \file
/// Calibrates the rotations of rotated codes on a model (engine/kv/calibrated_rotations.h) in one
/// reading of a text: keys are rotated by what the queries of their head look at, values by what
/// they weigh where those queries look (OSCAR, arXiv 2605.17757); the centre of the keys and how
/// far the codes reach come from the same reading. docs/number-formats.md, "Calibrated rotations".

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/rotated_codes.h"
#include "engine/tensor/view.h"

namespace lacuna {

struct RotationCalibration {
    /// Tokens that are read as one text, at most the model's context. The first `chunk` of each are
    /// left out: what they look at is not what later ones do.
    int window = 2048;
    int chunk = 256;          ///< tokens of a forward pass, at most the model's
    DType type = DType::F16;  ///< of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Tokens of a usual calibration, and characters of running text that are long enough for them.
constexpr int kRotationTokens = 30000;
constexpr std::size_t rotationTextLength() {
    return std::size_t{2} * 3 * kRotationTokens;
}
/// Fewest tokens that are counted, as a multiple of the length of a head.
constexpr int kCountedTokensPerNumber = 4;

/// R' of R = U H P, the matrix [dim, dim] that a row is multiplied with: U the eigenvectors of
/// `moments` [dim, dim] (symmetric; the lower triangle is read), largest eigenvalue first, H the
/// normalised Hadamard matrix of Rotation::hadamard with its first row positive, P the columns in
/// bit-reversed order (of a length that is no power of two: in the order of their reversed places,
/// with as many bits as the last place has). Nothing for a number that is not finite. @pre dim is
/// one of Rotation::hadamard
[[nodiscard]] std::optional<std::vector<float>> calibratedRotation(View<const double, 2> moments);

/// The range of codes (RowFit) that leaves the smallest squared error, by bits, of rows [count,
/// dim] that are rotated already, each with its weight. 1 of no rows.
[[nodiscard]] std::array<float, 8> fittedRanges(std::span<const float> rows, int dim,
                                                std::span<const float> weights, CodeScale scale);

/// A calibration that reads its text a window at a time, so that something else may come between
/// two of them. One thread at a time.
class RotationRun {
  public:
    /// Sums are d x d doubles for each head, and stay until the run ends. Errors: InvalidArgument
    /// (a text too short, naming how long it must be; heads that rotated codes have no rotation
    /// for), NoMemory. `spec` must outlive the run.
    [[nodiscard]] static Result<std::unique_ptr<RotationRun>> create(
        const ModelSpec& spec, std::vector<TokenId> text, const RotationCalibration& options);
    ~RotationRun();

    /// Reads the next window. What breaks it off leaves the windows before: it is read again.
    /// Errors: Cancelled, NoMemory, those of Transformer::forward. @pre not done; `model` is of the
    /// spec
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    [[nodiscard]] bool done() const;
    [[nodiscard]] std::int64_t read() const;    ///< tokens so far
    [[nodiscard]] std::int64_t tokens() const;  ///< of the text
    /// Bytes of the cache of a window.
    [[nodiscard]] std::int64_t cacheBytes() const;
    /// Errors: Unsupported (sums that are not finite, naming the head), NoMemory. @pre done
    [[nodiscard]] Result<RotationMatrices> rotations(ThreadPool& pool) const;

  private:
    struct Impl;
    explicit RotationRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// All of a run at once. Errors: those of RotationRun.
[[nodiscard]] Result<RotationMatrices> calibrateRotations(Transformer& model, ThreadPool& pool,
                                                          std::span<const TokenId> text,
                                                          const RotationCalibration& options);

}  // namespace lacuna
