#include "engine/compress/value_correction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/compress/matrix_products.h"
#include "engine/linalg/least_squares.h"
#include "engine/tensor/buffer.h"

namespace lacuna {
namespace {

constexpr int kEscalations = 4;

Result<Buffer> floats(std::int64_t count) {
    return Buffer::allocate(static_cast<std::size_t>(count) * sizeof(float));
}

/// [columns, rows] of rows [rows, columns].
Result<Buffer> transposed(const float* from, std::int64_t rows, std::int64_t columns) {
    LACUNA_TRY(Buffer out, floats(rows * columns));
    float* to = out.as<float>().data();
    constexpr std::int64_t kBlock = 32;
    for (std::int64_t r = 0; r < rows; r += kBlock)
        for (std::int64_t c = 0; c < columns; c += kBlock)
            for (std::int64_t x = c; x < std::min(c + kBlock, columns); ++x)
                for (std::int64_t y = r; y < std::min(r + kBlock, rows); ++y)
                    to[x * rows + y] = from[y * columns + x];
    return out;
}

Result<std::optional<std::vector<float>>> solveOverKeys(const CorrectionSystem& s) {
    LACUNA_TRY(Buffer gram, floats(s.kept * s.kept));
    multiplyBySelf({.a = s.rows,
                    .aStride = s.columns,
                    .c = gram.as<float>().data(),
                    .cStride = s.kept,
                    .rows = s.kept,
                    .depth = s.columns});
    std::vector<float> right(static_cast<std::size_t>(s.kept * s.dim));
    multiplyTransposed({.a = s.rows,
                        .aStride = s.columns,
                        .b = s.rest,
                        .bStride = s.columns,
                        .c = right.data(),
                        .cStride = s.dim,
                        .rows = s.kept,
                        .depth = s.columns,
                        .columns = s.dim});
    auto solved = solveRidge({.gram = {gram.as<float>().data(), {s.kept, s.kept}},
                              .right = {right.data(), {s.kept, s.dim}},
                              .lambda = s.lambda,
                              .largest = s.largest});
    if (!solved) return std::optional<std::vector<float>>{};
    return std::optional(std::move(solved->values));
}

/// The correction that the solution over queries stands for, [kept, dim].
Result<std::vector<float>> appliedToKeys(const CorrectionSystem& s,
                                         const std::vector<float>& overQueries) {
    const std::int64_t stride = paddedColumns(s.dim);
    LACUNA_TRY(Buffer padded, floats(s.columns * stride));
    float* rows = padded.as<float>().data();
    std::fill(rows, rows + s.columns * stride, 0.0F);
    for (std::int64_t i = 0; i < s.columns; ++i)
        std::copy_n(overQueries.begin() + i * s.dim, s.dim, rows + i * stride);
    std::vector<float> out(static_cast<std::size_t>(s.kept * s.dim));
    multiply({.a = s.rows,
              .aStride = s.columns,
              .b = rows,
              .bStride = stride,
              .c = out.data(),
              .cStride = s.dim,
              .rows = s.kept,
              .depth = s.columns,
              .columns = s.dim});
    return out;
}

/// X'(XX' + c)^-1 R, which is (X'X + c)^-1 X'R.
Result<std::optional<std::vector<float>>> solveOverQueries(const CorrectionSystem& s) {
    LACUNA_TRY(const Buffer turned, transposed(s.rows, s.kept, s.columns));
    LACUNA_TRY(const Buffer right, transposed(s.rest, s.dim, s.columns));
    LACUNA_TRY(Buffer gram, floats(s.columns * s.columns));
    multiplyBySelf({.a = turned.as<float>().data(),
                    .aStride = s.kept,
                    .c = gram.as<float>().data(),
                    .cStride = s.columns,
                    .rows = s.columns,
                    .depth = s.kept});
    // Relative to the mean over keys, of which there are more.
    float lambda = s.lambda * static_cast<float>(s.columns) / static_cast<float>(s.kept);
    for (int attempt = 0; attempt <= kEscalations; ++attempt, lambda *= 10) {
        const auto solved = solveRidge({.gram = {gram.as<float>().data(), {s.columns, s.columns}},
                                        .right = {right.as<float>().data(), {s.columns, s.dim}},
                                        .lambda = lambda,
                                        .largest = 0});
        if (!solved) break;
        lambda = solved->lambda;
        LACUNA_TRY(std::vector<float> out, appliedToKeys(s, solved->values));
        if (std::ranges::all_of(
                out, [&](float x) { return s.largest <= 0 || std::abs(x) <= s.largest; }))
            return std::optional(std::move(out));
    }
    return std::optional<std::vector<float>>{};
}

}  // namespace

Result<std::optional<std::vector<float>>> solveCorrection(const CorrectionSystem& system) {
    return system.columns < system.kept ? solveOverQueries(system) : solveOverKeys(system);
}

}  // namespace lacuna
