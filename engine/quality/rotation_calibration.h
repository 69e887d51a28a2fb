#pragma once
/// \file
/// Calibrates the rotations of rotated codes on a model (engine/kv/calibrated_rotations.h) in one
/// reading of a text: keys are rotated by what the queries of their head look at, values by what
/// they weigh where those queries look (OSCAR, arXiv 2605.17757); the centre of the keys and how
/// far the codes reach come from the same reading. docs/number-formats.md, "Calibrated rotations".

#include <array>
#include <cstdint>
#include <functional>
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

/// Sums are d x d doubles for each head. Errors: InvalidArgument (a text too short, naming how long
/// it must be; heads that rotated codes have no rotation for), Unsupported (sums that are not
/// finite, naming the head), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<RotationMatrices> calibrateRotations(Transformer& model, ThreadPool& pool,
                                                          std::span<const TokenId> text,
                                                          const RotationCalibration& options);

}  // namespace lacuna
