// A sound model with random corruption gives a model or an error, never a crash. The seed is fixed
// so that failures can be reproduced.
#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/tokenizer_files.h"
#include "tests/support/gguf_builder.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr int kRounds = 20000;

/// Runs all steps of loading on a file in memory.
Status loadBytes(std::span<const std::byte> bytes) {
    LACUNA_TRY(const GgufFile file, GgufFile::parse(bytes));
    LACUNA_TRY(ModelSpec spec, specFromGguf(file));
    LACUNA_TRY(spec, withTensorFacts(std::move(spec), file, Container::Gguf, file.headerBytes()));
    LACUNA_TRY_STATUS(loadWeights(spec, file, Container::Gguf, {}).map([](const Weights&) {}));
    LACUNA_TRY(TokenizerData tokenizer, tokenizerFromGguf(file));
    return Tokenizer::create(std::move(tokenizer)).map([](const Tokenizer&) {});
}

/// Values that break arithmetic more often than random ones do.
constexpr std::uint64_t kEdges[] = {0,
                                    1,
                                    2,
                                    3,
                                    31,
                                    32,
                                    255,
                                    256,
                                    0x7FFFFFFF,
                                    0x80000000,
                                    0xFFFFFFFF,
                                    0x7FFFFFFFFFFFFFFF,
                                    0x8000000000000000,
                                    0xFFFFFFFFFFFFFFFF};

std::vector<char> damaged(const std::string& whole, RandomStream& random) {
    std::vector<char> bytes(whole.begin(), whole.end());
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t i = 0; i < changes; ++i) {
        const std::size_t at = random.below(bytes.size());
        const std::uint64_t edge = kEdges[random.below(std::size(kEdges))];
        const std::size_t width = std::size_t{1} << random.below(4);
        for (std::size_t b = 0; b < width && at + b < bytes.size(); ++b)
            bytes[at + b] = static_cast<char>(edge >> (8 * b));
    }
    if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
    return bytes;
}

TEST(DamagedModel, randomDamage_isReadOrRefused) {
    const std::string whole = test::tinyLlama().build();
    ASSERT_TRUE(loadBytes(std::as_bytes(std::span(whole))).has_value());
    // Most of the file is weights, whose values are not checked, so the header is corrupted more
    // often.
    const std::string head = whole.substr(0, 1024);
    RandomStream random(kSeed, 0);
    int refused = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<char> bytes = damaged(head, random);
        if (bytes.size() == head.size())
            bytes.insert(bytes.end(), whole.begin() + 1024, whole.end());
        const Status status = loadBytes(std::as_bytes(std::span(bytes)));
        if (status) continue;
        ++refused;
        EXPECT_FALSE(status.error().what.empty()) << "seed " << kSeed << " round " << round;
        EXPECT_NE(status.error().code, ErrorCode::Internal)
            << "seed " << kSeed << " round " << round;
    }
    EXPECT_GT(refused, kRounds / 4);
}

}  // namespace
}  // namespace lacuna
