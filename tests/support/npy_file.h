#pragma once
/// \file
/// Reads float32 matrices from NumPy files (.npy, version 1) with golden data.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace lacuna::test {

struct NpyMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<float> values;  ///< [rows, columns]
    [[nodiscard]] const float* row(std::size_t r) const { return values.data() + r * columns; }
};

[[nodiscard]] inline Result<NpyMatrix> readNpyMatrix(const std::filesystem::path& path) {
    constexpr std::size_t kFixedHeader = 10;
    LACUNA_TRY(const std::string bytes, readFile(path, std::size_t{1} << 30));
    if (bytes.size() < kFixedHeader || bytes.compare(0, 6, "\x93NUMPY") != 0)
        return fail(ErrorCode::Corrupt, path.string() + ": not an npy file");
    const std::size_t headerSize =
        static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    const std::string header = bytes.substr(kFixedHeader, headerSize);
    const std::size_t shape = header.find("'shape': (");
    NpyMatrix m;
    if (header.find("'<f4'") == std::string::npos || shape == std::string::npos ||
        std::sscanf(header.c_str() + shape, "'shape': (%zu, %zu)", &m.rows, &m.columns) != 2)
        return fail(ErrorCode::Corrupt, path.string() + ": not a float32 matrix");
    m.values.resize(m.rows * m.columns);
    if (bytes.size() != kFixedHeader + headerSize + m.values.size() * sizeof(float))
        return fail(ErrorCode::Corrupt, path.string() + ": length does not match its shape");
    std::memcpy(m.values.data(), bytes.data() + kFixedHeader + headerSize,
                m.values.size() * sizeof(float));
    return m;
}

}  // namespace lacuna::test
