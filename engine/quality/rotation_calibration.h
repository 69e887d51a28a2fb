#pragma once
/// \file
/// Calibrates the rotations of rotated codes on a model (engine/kv/calibrated_rotations.h) by
/// reading a text once. The rotation of keys is derived from the second moments of the queries that
/// attend to them, that of values from their second moments weighted by attention (OSCAR,
/// arXiv:2605.17757). The centre of the keys and the ranges of the codes come from the same pass.
/// docs/number-formats.md, "Calibrated rotations".

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
    /// Tokens read as one text, at most the model's context. The first `chunk` tokens of each
    /// window are excluded, since they attend differently from later ones.
    int window = 2048;
    int chunk = 256;          ///< tokens per forward pass, at most the model's limit
    DType type = DType::F16;  ///< number type of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< tokens
};

/// Default number of calibration tokens, and the characters of running text sufficient for them.
constexpr int kRotationTokens = 30000;
constexpr std::size_t rotationTextLength() {
    return std::size_t{2} * 3 * kRotationTokens;
}
/// Minimum number of counted tokens, as a multiple of the head dimension.
constexpr int kCountedTokensPerNumber = 4;

/// Returns R' of R = U H P, the matrix [dim, dim] that a row is multiplied with. U: eigenvectors of
/// `moments` [dim, dim] (symmetric; the lower triangle is read), largest eigenvalue first. H:
/// normalised Hadamard matrix of Rotation::hadamard with its first row positive. P: columns sorted
/// by bit-reversed index, with as many bits as the last index has. Returns nullopt if a number is
/// not finite. @pre dim is supported by Rotation::hadamard
[[nodiscard]] std::optional<std::vector<float>> calibratedRotation(View<const double, 2> moments);

/// Returns, for each number of bits, the code range (RowFit) with the smallest squared error over
/// already rotated rows [count, dim], weighted per row. Returns 1 if there are no rows.
[[nodiscard]] std::array<float, 8> fittedRanges(std::span<const float> rows, int dim,
                                                std::span<const float> weights, CodeScale scale);

/// Calibrates one window at a time, so that other work can run in between. Not thread-safe.
class RotationRun {
  public:
    /// Holds d x d doubles per head until the run is destroyed. Errors: InvalidArgument (the text
    /// is too short, naming the required length; heads without a rotation for rotated codes),
    /// NoMemory. `spec` must outlive the run.
    [[nodiscard]] static Result<std::unique_ptr<RotationRun>> create(
        const ModelSpec& spec, std::vector<TokenId> text, const RotationCalibration& options);
    ~RotationRun();

    /// Reads the next window. After an error the previous windows are kept and the next step reads
    /// this window again. Errors: Cancelled, NoMemory, those of Transformer::forward. @pre !done();
    /// `model` has the given spec
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool);
    [[nodiscard]] bool done() const;
    [[nodiscard]] std::int64_t read() const;    ///< tokens read so far
    [[nodiscard]] std::int64_t tokens() const;  ///< tokens of the text
    /// Size of the cache of one window.
    [[nodiscard]] std::int64_t cacheBytes() const;
    /// Errors: Unsupported (sums that are not finite, naming the head), NoMemory. @pre done()
    [[nodiscard]] Result<RotationMatrices> rotations(ThreadPool& pool) const;

  private:
    struct Impl;
    explicit RotationRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Performs a complete run. Errors: those of RotationRun.
[[nodiscard]] Result<RotationMatrices> calibrateRotations(Transformer& model, ThreadPool& pool,
                                                          std::span<const TokenId> text,
                                                          const RotationCalibration& options);

}  // namespace lacuna
