// Coded bytes and quantised components: lossless, close to the theoretical size, and a damaged
// stream gives only a refusal or other numbers.

#include "engine/compress/transform/entropy_coder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/hash.h"
#include "engine/base/random.h"

namespace lacuna::test {
namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::string packed(std::span<const std::byte> bytes) {
    std::string out;
    packBytes(out, bytes);
    return out;
}

TEST(EntropyCoder, anyBytes_roundTrip) {
    RandomStream random(1, 0);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::byte> bytes(random.below(3000));
        const std::uint64_t range = 1 + random.below(256);
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.below(1 + random.below(range)));
        const std::string coded = packed(bytes);
        // at most the bytes themselves and the word that marks them as uncoded
        ASSERT_LE(coded.size(), bytes.size() + 2);
        std::vector<std::byte> back(bytes.size(), std::byte{0xAA});
        ByteReader reader(bytesOf(coded));
        ASSERT_TRUE(unpackBytes(reader, back));
        ASSERT_EQ(reader.remaining(), 0U);
        ASSERT_EQ(back, bytes);
    }
}

TEST(EntropyCoder, skewedBytes_useTheirEntropy) {
    RandomStream random(2, 0);
    std::vector<std::byte> bytes(40000);
    std::vector<double> counts(256);
    for (std::byte& b : bytes) {
        b = static_cast<std::byte>(std::min(255.0, std::fabs(random.normal() * 8)));
        ++counts[static_cast<std::size_t>(b)];
    }
    double entropy = 0;
    for (const double n : counts)
        if (n > 0) entropy -= n * std::log2(n / static_cast<double>(bytes.size()));
    const auto size = static_cast<double>(packed(bytes).size());
    EXPECT_GT(size, entropy / 8);
    EXPECT_LT(size, 1.01 * entropy / 8 + 150);
    // Noise is stored uncoded, and a constant takes almost no space.
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.bits());
    EXPECT_EQ(packed(bytes).size(), bytes.size() + 1);
    std::ranges::fill(bytes, std::byte{7});
    EXPECT_EQ(packed(bytes).size(), 2U);
}

TEST(EntropyCoder, damagedBytes_areRefusedOrDecodedToOtherBytes) {
    RandomStream random(3, 0);
    std::vector<std::byte> bytes(400);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(random.below(9) + 1));
    const std::string coded = packed(bytes);
    ASSERT_LT(coded.size(), bytes.size());
    for (std::size_t cut = 0; cut < coded.size(); ++cut) {
        std::vector<std::byte> back(bytes.size());
        ByteReader reader(bytesOf(coded).first(cut));
        EXPECT_FALSE(unpackBytes(reader, back)) << cut;
    }
    int refused = 0;
    for (std::size_t at = 0; at < coded.size(); ++at) {
        std::string flipped = coded;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
        std::vector<std::byte> back(bytes.size());
        ByteReader reader(bytesOf(flipped));
        refused += unpackBytes(reader, back) ? 0 : 1;
    }
    // A truncated stream leaves the lanes in a wrong final state.
    EXPECT_GE(refused, static_cast<int>(coded.size()) - 2);
}

struct Components {
    std::vector<double> deviations;
    std::vector<const StepTable*> tables;
    std::vector<float> numbers;  ///< [tokens, components]
    std::int64_t tokens = 0;
    [[nodiscard]] StepJob job() const {
        return {.tables = tables,
                .tokens = tokens,
                .stride = static_cast<std::int64_t>(tables.size()),
                .step = 0.5F};
    }
};

Components normal(std::int64_t tokens, std::vector<double> deviations) {
    Components out{
        .deviations = std::move(deviations), .tables = {}, .numbers = {}, .tokens = tokens};
    for (const double deviation : out.deviations) {
        out.tables.push_back(stepTable(deviation / 0.5, 0));
        EXPECT_NE(out.tables.back(), nullptr);
    }
    RandomStream random(4, 0);
    for (std::int64_t t = 0; t < tokens; ++t)
        for (const double deviation : out.deviations)
            out.numbers.push_back(static_cast<float>(deviation * random.normal()));
    return out;
}

Status decodedAll(ByteReader& reader, const StepJob& job, std::vector<float>& out) {
    return decodeSteps(reader, job, out.data());
}

/// Returns the output of decodeWhole in the layout of decodeSteps.
std::vector<float> decodedWhole(const std::string& coded, const StepJob& job,
                                const std::vector<float>& units, std::int64_t& rare) {
    const auto width = static_cast<std::size_t>(job.stride);
    std::vector<float> out(static_cast<std::size_t>(job.tokens) * width);
    ByteReader reader(bytesOf(coded));
    std::int64_t next = 0;
    EXPECT_TRUE(
        decodeWhole(reader, job, units,
                    [&](std::int64_t first, std::int64_t count, const WholeNumbers& numbers) {
                        EXPECT_EQ(first, next);
                        next += count;
                        for (std::size_t c = 0; c < units.size(); ++c)
                            for (std::int64_t t = 0; t < kStoredBlock; ++t) {
                                const int number =
                                    numbers.numbers[c * kStoredBlock + static_cast<std::size_t>(t)];
                                if (t < count)
                                    out[static_cast<std::size_t>(first + t) * width + c] =
                                        static_cast<float>(number) / units[c] * job.step;
                                else
                                    EXPECT_EQ(number, 0);
                            }
                        for (const RareNumber& one : numbers.rare) {
                            EXPECT_LT(one.token, count);
                            out[static_cast<std::size_t>(first + one.token) * width +
                                static_cast<std::size_t>(one.component)] += one.value;
                            ++rare;
                        }
                    }));
    EXPECT_EQ(next, job.tokens);
    EXPECT_EQ(reader.remaining(), 0U);
    return out;
}

TEST(EntropyCoder, unitSteps_equalRoundedPlainValues) {
    for (const std::int64_t tokens : {1, 64, 333}) {
        Components made = normal(tokens, {400, 20, 3, 1, 0.5, 0.2, 0.15});
        made.numbers.front() = 9000;  // outside of every table and of the range of whole numbers
        std::string coded;
        encodeSteps(coded, made.job(), made.numbers.data());
        std::vector<float> plain(made.numbers.size());
        ByteReader reader(bytesOf(coded));
        ASSERT_TRUE(decodedAll(reader, made.job(), plain));
        for (const std::size_t dense : {0U, 3U, 7U}) {
            std::vector<float> units;
            for (std::size_t c = 0; c < dense; ++c) units.push_back(12 + static_cast<float>(c));
            std::int64_t rare = 0;
            const auto whole = decodedWhole(coded, made.job(), units, rare);
            for (std::size_t i = 0; i < plain.size(); ++i) {
                const std::size_t c = i % made.tables.size();
                // half a unit plus the float rounding of large numbers
                const float most = c < dense ? 0.5F / units[c] * 0.5F : 0.0F;
                ASSERT_NEAR(whole[i], plain[i], most + 1e-6F * std::fabs(plain[i])) << i;
            }
            const auto others = static_cast<std::int64_t>(
                std::ranges::count_if(plain, [](float x) { return x != 0; }));
            if (dense == 0) {
                EXPECT_EQ(rare, others);
            }
            if (dense == 7) {
                // Only the numbers that are too large to be whole are counted.
                EXPECT_GE(rare, 1);
                EXPECT_LE(rare, 2);
            }
        }
    }
}

TEST(EntropyCoder, quantisedValues_areWithinOneStep) {
    for (const std::int64_t tokens : {1, 7, 63, 64, 65, 200}) {
        Components made = normal(tokens, {400, 20, 3, 1, 0.5, 0.2, 0.15});
        made.numbers.front() = 20000;  // outside of every table and of the range of an escape
        std::string coded;
        encodeSteps(coded, made.job(), made.numbers.data());
        std::vector<float> back(made.numbers.size());
        ByteReader reader(bytesOf(coded));
        ASSERT_TRUE(decodedAll(reader, made.job(), back));
        ASSERT_EQ(reader.remaining(), 0U);
        for (std::size_t i = 1; i < back.size(); ++i)
            ASSERT_NEAR(back[i], made.numbers[i], 0.5 * kDeadZone + 1e-3) << i;
        EXPECT_FLOAT_EQ(back.front(), 0.5F * 32767);
    }
}

// For a normal number, a uniform step with ideal coding is within these factors of the
// rate-distortion bound D(R) = 4^-R.
TEST(EntropyCoder, normalValues_reachTheTheoreticalRate) {
    RandomStream random(5, 0);
    std::vector<float> numbers(200000);
    for (float& x : numbers) x = static_cast<float>(random.normal());
    const auto factorAt = [&](double rate) {
        double low = 0.01;
        double high = 4;
        for (int i = 0; i < 40; ++i) {
            const double step = std::sqrt(low * high);
            (stepCost(numbers, 1, 0, step).bits / 200000 > rate ? low : high) = step;
        }
        const StepCost cost = stepCost(numbers, 1, 0, high);
        return cost.squaredError / 200000 * std::pow(4.0, cost.bits / 200000);
    };
    EXPECT_NEAR(factorAt(0.5), 1.24, 0.03);
    EXPECT_NEAR(factorAt(1), 1.39, 0.04);
    EXPECT_NEAR(factorAt(2), 1.423, 0.03);
    EXPECT_NEAR(factorAt(4), 1.423, 0.03);
}

TEST(EntropyCoder, encodedSteps_useTheBytesPredictedByTheTables) {
    const Components made = normal(4096, {30, 4, 1, 0.4, 0.2});
    std::string coded;
    encodeSteps(coded, made.job(), made.numbers.data());
    double bits = 0;
    std::vector<float> column(4096);
    for (std::size_t c = 0; c < made.tables.size(); ++c) {
        for (std::size_t t = 0; t < column.size(); ++t)
            column[t] = made.numbers[t * made.tables.size() + c];
        bits += stepCost(column, made.deviations[c], 0, 0.5).bits;
    }
    EXPECT_NEAR(static_cast<double>(coded.size()), bits / 8, 0.002 * bits / 8 + 60);
}

TEST(EntropyCoder, damagedSteps_areRefusedOrDecodedToOtherSteps) {
    const Components made = normal(40, {30, 4, 1, 0.4, 0.2});
    std::string coded;
    encodeSteps(coded, made.job(), made.numbers.data());
    std::vector<float> back(made.numbers.size());
    for (std::size_t cut = 0; cut < coded.size(); ++cut) {
        ByteReader reader(bytesOf(coded).first(cut));
        EXPECT_FALSE(decodedAll(reader, made.job(), back)) << cut;
    }
    for (std::size_t at = 0; at < coded.size(); ++at) {
        std::string flipped = coded;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
        ByteReader reader(bytesOf(flipped));
        static_cast<void>(decodedAll(reader, made.job(), back));
        for (const float x : back) ASSERT_TRUE(std::isfinite(x));
    }
}

TEST(EntropyCoder, tables_matchThoseOfStoredFiles) {
    // A changed table would misread every stored cache, so a change needs a new version of the
    // format. The numbers do not depend on the machine.
    std::string all;
    for (int shape = 0; shape < kTailShapes; ++shape)
        for (double deviation = kMinCodingDeviation; deviation < 500; deviation *= 1.1) {
            const StepTable& step = *stepTable(deviation, shape);
            for (std::size_t s = 0; s < step.table.symbols(); ++s)
                all += std::to_string(step.table.frequency(s)) + ' ';
            all.append(reinterpret_cast<const char*>(step.values.data()),
                       step.values.size() * sizeof(float));
        }
    EXPECT_EQ(hash64(all), 8754061659273239612U);
    EXPECT_EQ(stepTable(0.9 * kMinCodingDeviation, 0), nullptr);
    EXPECT_EQ(stepTable(std::nan(""), 0), nullptr);
}

}  // namespace
}  // namespace lacuna::test
