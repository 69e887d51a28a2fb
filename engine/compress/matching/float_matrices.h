#pragma once
/// \file
/// Dense float matrices as plain vectors, for slow fits of one head: row-major, without padding.
/// Pure functions on one thread; the order of summation is fixed.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna {

using Floats = std::vector<float>;

/// a [rows, depth] times b' with b [columns, depth].
[[nodiscard]] Floats timesTransposed(const Floats& a, const Floats& b, std::int64_t depth);
/// a [rows, depth] times b [depth, columns]. @pre columns is a multiple of kColumnQuantum
[[nodiscard]] Floats timesPlain(const Floats& a, const Floats& b, std::int64_t depth);
struct PlainMatrix {
    const float* numbers = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Transposes to [columns, rows].
void turn(const PlainMatrix& matrix, float* out);
[[nodiscard]] Floats transposed(const Floats& numbers, std::int64_t columns);
/// Sum of squares.
[[nodiscard]] double squares(const Floats& numbers);

}  // namespace lacuna
