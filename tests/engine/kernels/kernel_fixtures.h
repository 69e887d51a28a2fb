#pragma once
/// \file
/// Random rows and encoded matrices for the kernel tests, from fixed seeds.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/random_blocks.h"

namespace lacuna::test {

inline std::vector<float> randomFloats(std::size_t n, std::uint64_t seed, double scale = 1.0) {
    RandomStream random(seed, 7);
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(random.normal() * scale);
    return x;
}

/// Rows of one type with unaligned start and the floats they decode to.
struct EncodedMatrix {
    std::vector<std::byte> bytes;  ///< preceded by one byte of slack
    std::vector<float> decoded;    ///< [rows, columns]
    std::int64_t stride = 0;
    [[nodiscard]] const std::byte* data() const { return bytes.data() + 1; }
};

inline EncodedMatrix encodedMatrix(DType type, std::size_t rows, std::size_t columns,
                                   std::uint64_t seed) {
    EncodedMatrix m;
    const auto stride = static_cast<std::size_t>(rowBytes(type, columns));
    m.stride = static_cast<std::int64_t>(stride);
    m.bytes.resize(rows * stride + 1);
    m.decoded.resize(rows * columns);
    const std::vector<float> x = randomFloats(rows * columns, seed);
    RandomStream random(seed, 11);
    for (std::size_t r = 0; r < rows; ++r) {
        std::byte* row = m.bytes.data() + 1 + r * stride;
        if (isPlainFloat(type)) {
            encodeRow(type, std::span(x).subspan(r * columns, columns), row);
        } else {
            fillRandomBlocks(type, std::span(row, stride), random);
        }
        decodeRow(type, row, std::span(m.decoded).subspan(r * columns, columns));
    }
    return m;
}

/// Checks |found - expected| <= tolerance * norm, element by element.
inline void expectNear(const std::vector<float>& found, const std::vector<double>& expected,
                       double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    double norm = 1e-30;
    for (const double v : expected) norm = std::max(norm, std::fabs(v));
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(static_cast<double>(found[i]), expected[i], tolerance * norm)
            << "element " << i;
}

/// Returns all types whose rows may have this many columns.
inline std::vector<DType> typesFor(std::size_t columns) {
    std::vector<DType> types;
    for (const DTypeInfo& type : allDTypes())
        if (columns % type.blockLength == 0) types.push_back(type.type);
    return types;
}

/// Runs a test for every kernel table that the machine supports.
class EveryKernelTable : public ::testing::TestWithParam<std::string> {
  protected:
    [[nodiscard]] const KernelTable& kernels() const { return *findKernels(GetParam()); }
    [[nodiscard]] static const KernelTable& oracle() { return *findKernels("scalar"); }
};

inline std::vector<std::string> tableNames() {
    std::vector<std::string> names;
    for (const KernelTable& table : availableKernels()) names.emplace_back(table.name);
    return names;
}

inline std::string tableTestName(const ::testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}

}  // namespace lacuna::test
