#include "engine/compress/matching/float_matrices.h"

#include <algorithm>

#include "engine/compress/matching/matrix_products.h"

namespace lacuna {
Floats timesTransposed(const Floats& a, const Floats& b, std::int64_t depth) {
    const std::int64_t rows = static_cast<std::int64_t>(a.size()) / depth;
    const std::int64_t columns = static_cast<std::int64_t>(b.size()) / depth;
    Floats out(sized(rows * columns));
    multiplyTransposed({.a = a.data(),
                        .aStride = depth,
                        .b = b.data(),
                        .bStride = depth,
                        .c = out.data(),
                        .cStride = columns,
                        .rows = rows,
                        .depth = depth,
                        .columns = columns});
    return out;
}

Floats timesPlain(const Floats& a, const Floats& b, std::int64_t depth) {
    const std::int64_t rows = static_cast<std::int64_t>(a.size()) / depth;
    const std::int64_t columns = static_cast<std::int64_t>(b.size()) / depth;
    Floats out(sized(rows * columns));
    multiply({.a = a.data(),
              .aStride = depth,
              .b = b.data(),
              .bStride = columns,
              .c = out.data(),
              .cStride = columns,
              .rows = rows,
              .depth = depth,
              .columns = columns});
    return out;
}

void turn(const PlainMatrix& matrix, float* out) {
    constexpr std::int64_t kBlock = 16;
    const std::int64_t rows = matrix.rows;
    const std::int64_t columns = matrix.columns;
    for (std::int64_t r = 0; r < rows; r += kBlock)
        for (std::int64_t c = 0; c < columns; c += kBlock)
            for (std::int64_t y = c; y < std::min(c + kBlock, columns); ++y)
                for (std::int64_t x = r; x < std::min(r + kBlock, rows); ++x)
                    out[y * rows + x] = matrix.numbers[x * columns + y];
}

Floats transposed(const Floats& numbers, std::int64_t columns) {
    Floats out(numbers.size());
    turn({numbers.data(), static_cast<std::int64_t>(numbers.size()) / columns, columns},
         out.data());
    return out;
}

double squares(const Floats& numbers) {
    double sum = 0;
    for (const float x : numbers) sum += static_cast<double>(x) * static_cast<double>(x);
    return sum;
}

}  // namespace lacuna
