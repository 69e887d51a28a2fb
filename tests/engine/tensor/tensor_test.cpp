#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/base/half.h"
#include "engine/base/random.h"
#include "engine/tensor/block_formats.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/view.h"

namespace lacuna {
namespace {

TEST(DType, namesAndNumbers_roundTrip) {
    ASSERT_EQ(allDTypes().size(), kDTypeCount);
    for (std::size_t i = 0; i < kDTypeCount; ++i) {
        const auto type = static_cast<DType>(i);
        EXPECT_EQ(info(type).type, type);
        EXPECT_EQ(dtypeFromGguf(info(type).ggufId), type);
        EXPECT_EQ(dtypeFromName(info(type).name), type);
        EXPECT_EQ(ggufTypeName(info(type).ggufId), info(type).name);
    }
    EXPECT_EQ(dtypeFromName("q8_0"), DType::Q8_0);
    EXPECT_FALSE(dtypeFromName("q9"));
    EXPECT_FALSE(dtypeFromGguf(15));
    EXPECT_EQ(ggufTypeName(15), "Q8_K");
    EXPECT_EQ(ggufTypeName(31), "");
    EXPECT_EQ(rowBytes(DType::Q8_0, 64), 68U);
}

TEST(DType, forkTypeNumbers_haveTheirOwnNames) {
    EXPECT_EQ(forkTypeName(137), "IQ2_K");
    EXPECT_EQ(forkTypeName(155), "IQ4_KT");
    EXPECT_EQ(forkTypeName(399), "Q8_K_R8");
    EXPECT_EQ(forkTypeName(39), "");
    EXPECT_EQ(forkTypeName(142), "");
    for (std::uint32_t number = 0; number < 512; ++number)
        EXPECT_TRUE(forkTypeName(number).empty() || ggufTypeName(number).empty()) << number;
}

TEST(DecodeRow, everyScaleOfMXFP4_isAPowerOfTwo) {
    std::array<std::byte, 17> block{};
    block[1] = std::byte{0xF2};  // codes 1 and -6
    for (int scale = 0; scale < 256; ++scale) {
        block[0] = static_cast<std::byte>(scale);
        std::array<float, 32> out{};
        decodeRow(DType::MXFP4, block.data(), out);
        EXPECT_EQ(out[0], std::ldexp(1.0F, scale - 127)) << scale;
        EXPECT_EQ(out[16], -6.0F * std::ldexp(1.0F, scale - 127)) << scale;
        EXPECT_EQ(out[1], 0.0F) << scale;
    }
}

TEST(DecodeRow, everyScaleOfNVFP4_isFinite) {
    std::array<std::byte, 36> block{};
    block[4] = std::byte{2};  // code 1
    for (int scale = 0; scale < 256; ++scale) {
        block[0] = static_cast<std::byte>(scale);
        std::array<float, 64> out{};
        decodeRow(DType::NVFP4, block.data(), out);
        const int exponent = (scale >> 3) & 15;
        const float expected =
            scale == 0x7F   ? 0.0F
            : exponent == 0 ? std::ldexp(static_cast<float>(scale & 7), -9)
                            : std::ldexp(8.0F + static_cast<float>(scale & 7), exponent - 10);
        EXPECT_EQ(out[0], expected) << scale;
    }
}

TEST(DecodeRow, nanScale_decodesToNan) {
    for (const DTypeInfo& type : allDTypes()) {
        if (isPlainFloat(type.type) || type.type == DType::MXFP4 || type.type == DType::NVFP4)
            continue;
        std::vector<std::byte> block(type.blockBytes, std::byte{0xFF});  // every half is a NaN
        std::vector<float> out(type.blockLength);
        decodeRow(type.type, block.data(), out);
        for (const float value : out) EXPECT_TRUE(std::isnan(value)) << type.name;
    }
}

TEST(EncodeRow, q8_errorIsAtMostHalfAStep) {
    RandomStream random(3, 0);
    std::array<float, 256> in{};
    for (float& x : in) x = static_cast<float>(random.normal());
    std::array<std::byte, 256 / 32 * 34> coded{};
    encodeRow(DType::Q8_0, in, coded.data());
    std::array<float, 256> out{};
    decodeRow(DType::Q8_0, coded.data(), out);
    for (std::size_t block = 0; block < in.size(); block += 32) {
        float largest = 0;
        for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(in[block + i]));
        const float step = largest / 127.0F;
        for (std::size_t i = 0; i < 32; ++i)
            EXPECT_NEAR(out[block + i], in[block + i], 0.57F * step);
    }
}

TEST(EncodeRow, zeros_encodeWithoutDivisionByZero) {
    const std::array<float, 32> zeros{};
    std::array<std::byte, 34> coded{};
    encodeRow(DType::Q8_0, zeros, coded.data());
    std::array<float, 32> out{};
    out.fill(1);
    decodeRow(DType::Q8_0, coded.data(), out);
    EXPECT_EQ(out, zeros);
}

TEST(EncodeRow, halves_matchTheScalarConversion) {
    const std::array<float, 3> in{1.5F, -0.1F, 70000.0F};
    std::array<std::byte, 6> coded{};
    std::array<float, 3> out{};
    encodeRow(DType::F16, in, coded.data());
    decodeRow(DType::F16, coded.data(), out);
    for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], halfToFloat(floatToHalf(in[i])));
}

TEST(View, rowsOfThreeAxes_areTheExpectedParts) {
    std::array<int, 24> data{};
    std::iota(data.begin(), data.end(), 0);
    const View<int, 3> view(data.data(), {2, 3, 4});
    EXPECT_EQ(view.row(1).row(2)[3], 23);
    EXPECT_EQ(view.row(1).extent(0), 3);
    EXPECT_EQ(view.size(), 24);
    const View<const int, 3> readOnly = view;
    EXPECT_EQ(readOnly.row(0).row(1)[0], 4);
}

TEST(Buffer, hugeRequest_returnsAnError) {
    const auto huge = Buffer::allocate(std::size_t{1} << 60);
    ASSERT_FALSE(huge);
    EXPECT_EQ(huge.error().code, ErrorCode::NoMemory);
    auto small = Buffer::allocate(100);
    ASSERT_TRUE(small);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small->data()) % Buffer::kAlignment, 0U);
    EXPECT_EQ(small->as<float>().size(), 25U);
    EXPECT_EQ(Buffer::allocate(0)->size(), 0U);
}

}  // namespace
}  // namespace lacuna
