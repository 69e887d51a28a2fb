#pragma once
/// \file
/// Reads two-dimensional float32 arrays from version 1 .npy files with golden data.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/file.h"

namespace lacuna::test {

struct Matrix {
    std::vector<float> numbers;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

inline Matrix readNpy(const std::string& name) {
    const std::string path = LACUNA_GOLDEN_DIR "/attention-matching/" + name;
    const std::string bytes = readFile(path, 1 << 24).value();
    std::uint16_t headerSize = 0;
    std::memcpy(&headerSize, bytes.data() + 8, 2);
    const std::string header = bytes.substr(10, headerSize);
    Matrix out;
    long rows = 0;
    long columns = 0;
    const std::size_t shape = header.find("'shape': (");
    if (shape == std::string::npos ||
        std::sscanf(header.c_str() + shape, "'shape': (%ld, %ld", &rows, &columns) != 2)
        return out;
    out.rows = rows;
    out.columns = columns;
    out.numbers.resize(static_cast<std::size_t>(rows * columns));
    std::memcpy(out.numbers.data(), bytes.data() + 10 + headerSize,
                out.numbers.size() * sizeof(float));
    return out;
}

}  // namespace lacuna::test
