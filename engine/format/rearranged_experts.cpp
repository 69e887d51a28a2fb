#include "engine/format/rearranged_experts.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"
#include "engine/tensor/dtype.h"

namespace lacuna {
namespace {

constexpr std::size_t kCodeBytes = 16;  // bytes of a block of 32 codes

std::size_t sizeOf(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

/// Converts a block from safetensors, where byte i has elements 2i and 2i + 1, to GGUF: the scale,
/// then byte j with elements j and j + 16.
void joinBlock(const std::byte* codes, std::byte scale, std::byte* out) {
    constexpr std::byte kLow{0x0F};
    constexpr std::byte kHigh{0xF0};
    *out++ = scale;
    for (std::size_t i = 0; i < kCodeBytes / 2; ++i) {
        const std::byte near = codes[i];
        const std::byte far = codes[kCodeBytes / 2 + i];
        *out++ = (near & kLow) | (far & kLow) << 4;
        *out++ = near >> 4 | (far & kHigh);
    }
}

void joinRow(const TensorInfo& tensor, std::uint64_t row, std::byte* out) {
    const std::uint64_t blocks = tensor.shape.back() / info(DType::MXFP4).blockLength;
    const std::byte* const codes = tensor.data + row * blocks * kCodeBytes;
    const std::byte* const scales = tensor.scales + row * blocks;
    for (std::uint64_t i = 0; i < blocks; ++i)
        joinBlock(codes + i * kCodeBytes, scales[i], out + i * info(DType::MXFP4).blockBytes);
}

/// Transposes in square tiles, so that both matrices are accessed locally.
template <class Number>
void transpose(const ExpertStack& stack, const std::byte* from, std::byte* to) {
    constexpr std::int64_t kSide = 64;
    const auto* const in = reinterpret_cast<const Number*>(from);
    auto* const out = reinterpret_cast<Number*>(to);
    for (std::int64_t row = 0; row < stack.rows; row += kSide)
        for (std::int64_t column = 0; column < stack.columns; column += kSide)
            for (std::int64_t r = row; r < std::min(row + kSide, stack.rows); ++r)
                for (std::int64_t c = column; c < std::min(column + kSide, stack.columns); ++c)
                    std::memcpy(out + r * stack.columns + c,
                                in + c * stack.outputs + stack.place.first + stack.place.step * r,
                                sizeof(Number));
}

void copyRows(const ExpertStack& stack, std::int64_t expert, std::size_t stride, std::byte* to) {
    std::vector<std::byte> scratch;
    for (std::int64_t r = 0; r < stack.rows; ++r) {
        const std::int64_t row = expert * stack.outputs + stack.place.first + stack.place.step * r;
        const std::byte* const from =
            rowOf(*stack.tensor, static_cast<std::uint64_t>(row), scratch);
        std::memcpy(to + sizeOf(r) * stride, from, stride);
    }
}

/// Distributes large copies over threads, including the calling one.
void forEachExpert(std::int64_t count, std::size_t bytes,
                   const std::function<void(std::int64_t)>& work) {
    constexpr std::size_t kWorthAThread = std::size_t{8} << 20;
    std::atomic<std::int64_t> next{0};
    const auto run = [&] {
        for (std::int64_t i = next++; i < count; i = next++) work(i);
    };
    const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(cores, bytes / kWorthAThread); ++i) {
        auto other = startThread(run);
        if (!other) break;  // the existing threads do all work
        others.push_back(std::move(*other));
    }
    run();
}

}  // namespace

std::size_t ExpertStack::bytes() const {
    return sizeOf(count * rows) *
           static_cast<std::size_t>(rowBytes(tensor->type, static_cast<std::uint64_t>(columns)));
}

const std::byte* rowOf(const TensorInfo& tensor, std::uint64_t row,
                       std::vector<std::byte>& scratch) {
    const std::uint64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
    const std::uint64_t stride = rowBytes(tensor.type, columns);
    if (tensor.scales == nullptr) return tensor.data + row * stride;
    scratch.resize(static_cast<std::size_t>(stride));
    joinRow(tensor, row, scratch.data());
    return scratch.data();
}

std::vector<WeightMatrix> rearrangedExperts(const ExpertStack& stack, std::byte* memory) {
    const TensorInfo& tensor = *stack.tensor;
    const std::size_t matrixBytes = stack.bytes() / sizeOf(stack.count);
    const std::size_t expertBytes =
        sizeOf(stack.outputs * stack.columns) * info(tensor.type).blockBytes;
    std::vector<WeightMatrix> all;
    for (std::int64_t i = 0; i < stack.count; ++i)
        all.push_back(WeightMatrix{tensor.type, stack.rows, stack.columns,
                                   memory + sizeOf(i) * matrixBytes,
                                   format("{}[{}]", tensor.name, i)});
    forEachExpert(stack.count, stack.bytes(), [&](std::int64_t i) {
        std::byte* const to = memory + sizeOf(i) * matrixBytes;
        if (!stack.transposed)
            copyRows(stack, i, matrixBytes / sizeOf(stack.rows), to);
        else if (tensor.type == DType::F32)
            transpose<std::uint32_t>(stack, tensor.data + sizeOf(i) * expertBytes, to);
        else
            transpose<std::uint16_t>(stack, tensor.data + sizeOf(i) * expertBytes, to);
    });
    return all;
}

}  // namespace lacuna
