#include "app/main/npy_matrix.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kFixedHeader = 10;
constexpr std::size_t kLimit = std::size_t{4} << 30;

Error corrupt(const std::filesystem::path& path, std::string_view what) {
    return fail(ErrorCode::Corrupt, format("{}: {}", path.string(), what)).value();
}

}  // namespace

Result<NpyMatrix> readNpyMatrix(const std::filesystem::path& path) {
    LACUNA_TRY(const std::string bytes, readFile(path, kLimit));
    std::array<unsigned char, kFixedHeader> fixed{};
    if (bytes.size() >= kFixedHeader) std::memcpy(fixed.data(), bytes.data(), kFixedHeader);
    if (std::memcmp(fixed.data(), "\x93NUMPY\x01", 7) != 0)
        return tl::unexpected<Error>(corrupt(path, "no NumPy file of version 1"));
    const std::size_t headerSize = fixed[8] + 256U * fixed[9];
    if (bytes.size() < kFixedHeader + headerSize)
        return tl::unexpected<Error>(corrupt(path, "ends within its header"));
    const std::string header = bytes.substr(kFixedHeader, headerSize);
    const std::size_t shape = header.find("'shape': (");
    long long rows = 0;
    long long columns = 0;
    int used = 0;
    if (header.find("'<f4'") == std::string::npos ||
        header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos ||
        std::sscanf(header.c_str() + shape, "'shape': (%lld, %lld)%n", &rows, &columns, &used) !=
            2 ||
        used == 0 || rows < 1 || columns < 1 || rows > (1LL << 31) || columns > (1LL << 31))
        return tl::unexpected<Error>(
            corrupt(path, "expected a float32 matrix in C order with numbers in it"));
    const std::size_t size = bytes.size() - kFixedHeader - headerSize;
    if (size / sizeof(float) / static_cast<std::size_t>(columns) !=
            static_cast<std::size_t>(rows) ||
        size != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float))
        return tl::unexpected<Error>(corrupt(
            path, format("{} bytes of numbers do not make {} rows of {}", size, rows, columns)));
    NpyMatrix out{
        .numbers = std::vector<float>(size / sizeof(float)), .rows = rows, .columns = columns};
    std::memcpy(out.numbers.data(), bytes.data() + kFixedHeader + headerSize, size);
    return out;
}

}  // namespace lacuna::cli
