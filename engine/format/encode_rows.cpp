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
    constexpr float kMaxHalf = 65504.0F;
    if (type == DType::F32 || type == DType::BF16) return std::numeric_limits<float>::infinity();
    return type == DType::Q8_0 ? kMaxHalf * 127.0F : kMaxHalf;
}

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

/// Some rows of one tensor, encoded by all threads.
class Batch {
  public:
    Batch(const RowsToEncode& tensor, const EncodeTools& tools)
        : tensor_(tensor),
          tools_(tools),
          bytesOfRow_(static_cast<std::size_t>(rowBytes(tensor.type, tensor.columns))) {}

    /// Errors: Cancelled, ModelNonFinite.
    [[nodiscard]] Status encode(std::uint64_t first, std::uint64_t count) {
        bytes_.resize(static_cast<std::size_t>(count) * bytesOfRow_);
        misfit_ = tensor_.rows;
        const auto tasks = std::min<std::uint64_t>(
            count, static_cast<std::uint64_t>(tools_.pool.threads()) * kTasksPerThread);
        const std::function<void(int)> share = [&](int task) {
            const auto part = static_cast<std::uint64_t>(task);
            encodeShare(first, part * count / tasks, (part + 1) * count / tasks);
        };
        tools_.pool.parallelFor(static_cast<int>(tasks), share);
        if (misfit_ < tensor_.rows) return misfitError(tensor_, misfit_);
        if (tools_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "writing the model was cancelled");
        return {};
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  private:
    void encodeShare(std::uint64_t first, std::uint64_t begin, std::uint64_t end) {
        const float limit = limitOf(tensor_.type);
        std::vector<float> row(static_cast<std::size_t>(tensor_.columns));
        for (std::uint64_t r = begin; r < end && !tools_.stop.stop_requested(); ++r) {
            tensor_.read(first + r, row);
            if (!std::ranges::all_of(row, [&](float v) { return fits(v, limit); }))
                return noteMisfit(first + r);
            encodeRow(tensor_.type, row, bytes_.data() + r * bytesOfRow_);
        }
    }
    /// The smallest row is reported, whichever thread finds one first.
    void noteMisfit(std::uint64_t row) {
        std::uint64_t known = misfit_;
        while (row < known && !misfit_.compare_exchange_weak(known, row)) {
        }
    }

    const RowsToEncode& tensor_;
    const EncodeTools& tools_;
    const std::size_t bytesOfRow_;
    std::vector<std::byte> bytes_;
    std::atomic<std::uint64_t> misfit_{0};
};

}  // namespace

Status encodeRows(GgufWriter& writer, const RowsToEncode& tensor, const EncodeTools& tools) {
    const std::uint64_t most = std::max<std::uint64_t>(1, kBatchNumbers / tensor.columns);
    Batch batch(tensor, tools);
    for (std::uint64_t first = 0; first < tensor.rows; first += most) {
        LACUNA_TRY_STATUS(batch.encode(first, std::min(most, tensor.rows - first)));
        LACUNA_TRY_STATUS(writer.append(batch.bytes()));
        if (tools.wrote) tools.wrote(batch.bytes().size());
    }
    return {};
}

}  // namespace lacuna
