#include "engine/format/encode_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kBatchNumbers = std::uint64_t{1} << 21;
constexpr int kTasksPerThread = 8;

/// The largest number a type can hold: halves end at 65504, and most scales are halves.
float limitOf(DType type) {
    constexpr float kLargestHalf = 65504.0F;
    if (type == DType::F32 || type == DType::BF16) return std::numeric_limits<float>::infinity();
    return type == DType::Q8_0 ? kLargestHalf * 127.0F : kLargestHalf;
}

/// The first row with a number that does not fit, and that number.
class Misfit {
  public:
    explicit Misfit(std::uint64_t none) : row_(none) {}
    void note(std::uint64_t row) {
        std::uint64_t known = row_.load();
        while (row < known && !row_.compare_exchange_weak(known, row)) {
        }
    }
    [[nodiscard]] std::uint64_t row() const { return row_.load(); }

  private:
    std::atomic<std::uint64_t> row_;
};

bool fits(float value, float limit) {
    return std::fabs(value) <= limit;  // false for NaN
}

Status misfitError(const RowsToEncode& tensor, std::uint64_t row) {
    std::vector<float> values(static_cast<std::size_t>(tensor.columns));
    tensor.read(row, values);
    const float limit = limitOf(tensor.type);
    const auto found = std::ranges::find_if_not(values, [&](float v) { return fits(v, limit); });
    return fail(
        ErrorCode::ModelNonFinite,
        format("tensor {} holds {}, which does not fit {}; choose bf16 or f32",
               printable(tensor.name), static_cast<double>(*found), info(tensor.type).name));
}

}  // namespace

Status encodeRows(GgufWriter& writer, const RowsToEncode& tensor, const EncodeTools& tools) {
    const auto columns = static_cast<std::size_t>(tensor.columns);
    const auto bytesOfRow = static_cast<std::size_t>(rowBytes(tensor.type, tensor.columns));
    const std::uint64_t batch = std::max<std::uint64_t>(1, kBatchNumbers / tensor.columns);
    const float limit = limitOf(tensor.type);
    std::vector<std::byte> encoded;
    for (std::uint64_t first = 0; first < tensor.rows; first += batch) {
        if (tools.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "writing the model was cancelled");
        const std::uint64_t count = std::min(batch, tensor.rows - first);
        encoded.resize(static_cast<std::size_t>(count) * bytesOfRow);
        const auto tasks = std::min<std::uint64_t>(
            count, static_cast<std::uint64_t>(tools.pool.threads()) * kTasksPerThread);
        Misfit misfit(tensor.rows);
        const std::function<void(int)> encodeShare = [&](int task) {
            std::vector<float> row(columns);
            const auto part = static_cast<std::uint64_t>(task);
            for (std::uint64_t r = part * count / tasks; r < (part + 1) * count / tasks; ++r) {
                if (tools.stop.stop_requested()) return;
                tensor.read(first + r, row);
                if (!std::ranges::all_of(row, [&](float v) { return fits(v, limit); }))
                    return misfit.note(first + r);
                encodeRow(tensor.type, row, encoded.data() + r * bytesOfRow);
            }
        };
        tools.pool.parallelFor(static_cast<int>(tasks), encodeShare);
        if (misfit.row() < tensor.rows) return misfitError(tensor, misfit.row());
        if (tools.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "writing the model was cancelled");
        LACUNA_TRY_STATUS(writer.append(encoded));
        if (tools.wrote) tools.wrote(encoded.size());
    }
    return {};
}

}  // namespace lacuna
