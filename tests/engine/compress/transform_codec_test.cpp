// Transform of rows to components and back, and the bundle that defines it: compared with NumPy and
// theory, and refused if inconsistent.

#include "engine/compress/transform/transform_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"
#include "engine/compress/transform/entropy_coder.h"
#include "tests/support/sample_transform.h"

namespace lacuna::test {
namespace {

std::shared_ptr<const TransformCodec> sampleCodec(const SampleTransform& of = {}) {
    auto made = TransformCodec::make(sampleTransform(of));
    EXPECT_TRUE(made) << made.error().what;
    return *made;
}

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

Json golden() {
    return *parseJson(readFile(LACUNA_GOLDEN_DIR "/transform/case.json", 1 << 20).value());
}

TEST(TransformCodec, keysOfBothPairings_areRotatedBackAsInNumPy) {
    const Json json = golden();
    const int heads = json["heads"].get<int>();
    const int dim = json["dim"].get<int>();
    const auto plain = json["plain"].get<std::vector<float>>();
    TransformBundle bundle =
        sampleTransform({.layers = 3, .kvHeads = heads, .dim = dim, .rank = 8});
    for (BundledRope& rope : bundle.identity.ropes) {
        rope.frequencies.clear();
        const int pairs = json["pairs"].get<int>();
        for (int i = 0; i < pairs; ++i)
            rope.frequencies.push_back(std::pow(json["base"].get<double>(), -1.0 * i / pairs));
    }
    const auto codec = TransformCodec::make(bundle).value();
    int layer = 0;
    for (const char* pairing : {"halves", "interleaved"}) {
        const auto rotated = json[pairing].get<std::vector<float>>();
        std::vector<float> rows = rotated;
        const auto width = static_cast<std::size_t>(heads * dim);
        std::vector<std::int64_t> positions;
        for (std::size_t t = 0; t < rows.size() / width; ++t)
            positions.push_back(json["first"].get<std::int64_t>() + static_cast<std::int64_t>(t));
        const PositionAngles undo(codec->bundle().identity, positions, KeyTurn::Undo);
        const PositionAngles redo(codec->bundle().identity, positions, KeyTurn::Redo);
        for (std::size_t t = 0; t < positions.size(); ++t)
            undo.turn(layer, t, rows.data() + t * width);
        double apart = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ASSERT_NEAR(rows[i], plain[i], 2e-5 * 30) << pairing << i;
            apart = std::max(apart, std::fabs(double{rotated[i]} - double{plain[i]}));
        }
        EXPECT_GT(apart, 1);  // rows are rotated
        for (std::size_t t = 0; t < positions.size(); ++t)
            redo.turn(layer, t, rows.data() + t * width);
        for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_NEAR(rows[i], rotated[i], 6e-4);
        ++layer;
    }
    std::vector<float> still(static_cast<std::size_t>(heads * dim), 1.0F);
    const std::vector<std::int64_t> far{777};
    PositionAngles(codec->bundle().identity, far, KeyTurn::Undo).turn(2, 0, still.data());
    EXPECT_EQ(still, std::vector<float>(still.size(), 1.0F));  // a layer without rotation
}

/// Returns the rows of one side of a group after coding and decoding, [layers][tokens, columns];
/// empty on failure.
std::vector<std::vector<float>> throughCodec(const TransformCodec& codec, std::size_t group,
                                             KvSide side, const ComponentCoding& coding,
                                             const std::vector<float>& rows, std::int64_t tokens,
                                             std::string* bytes = nullptr) {
    const auto components = codec.project(group, side, rows.data(), tokens);
    std::string coded;
    codec.encode(coded, group, side, coding, components.numbers.data(), tokens);
    const std::size_t layers = codec.bundle().groups[group].layers.size();
    std::vector<std::vector<float>> out(layers, std::vector<float>(rows.size() / layers));
    ByteReader reader(bytesOf(coded));
    const Status decoded = codec.decode(
        reader, group, side, coding, tokens, [&](const TransformCodec::DecodedRows& part) {
            const std::size_t columns = out[part.layer].size() / static_cast<std::size_t>(tokens);
            std::ranges::copy(part.numbers, out[part.layer].begin() +
                                                part.first * static_cast<std::int64_t>(columns));
        });
    EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().what);
    EXPECT_EQ(reader.remaining(), 0U);
    if (bytes != nullptr) *bytes = coded;
    return out;
}

/// Returns the weighted squared error of decoded rows and the energy of the rows.
std::pair<double, double> errorOf(const TransformSide& side, const std::vector<float>& rows,
                                  const std::vector<std::vector<float>>& decoded) {
    const auto width = static_cast<std::size_t>(side.width());
    const std::size_t columns = width / decoded.size();
    double error = 0;
    double energy = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t t = i / width;
        const std::size_t j = i % width;
        const double back = double{decoded[j / columns][t * columns + j % columns]};
        error += std::pow((double{rows[i]} - back) * double{side.weight[j]}, 2);
        energy += std::pow((double{rows[i]} - double{side.mean[j]}) * double{side.weight[j]}, 2);
    }
    return {error, energy};
}

TEST(TransformCodec, smallSteps_loseLittle_largeStepsLoseTheComponents) {
    const auto codec = sampleCodec();
    RandomStream random(2, 0);
    constexpr int kTokens = 150;
    for (std::size_t group = 0; group < 2; ++group)
        for (const KvSide side : kKvSides) {
            const TransformGroup& of = codec->bundle().groups[group];
            const TransformSide& numbers = side == KvSide::Keys ? of.keys : of.values;
            const auto rows = sampleRows(numbers, kTokens, random);
            const auto components = codec->project(group, side, rows.data(), kTokens);
            // Rows within the space of the components lose only the rounding to int8.
            for (const float lost : components.lost) ASSERT_LT(lost, 0.01);
            double sizeBefore = std::numeric_limits<double>::infinity();
            for (const float step : {0.01F, 0.1F, 0.5F, 2.0F}) {
                const ComponentCoding coding{.code = StoredCode::Step, .step = step};
                std::string bytes;
                const auto back = throughCodec(*codec, group, side, coding, rows, kTokens, &bytes);
                const auto [error, energy] = errorOf(numbers, rows, back);
                // The basis is orthonormal, so the error of the rows equals that of the components.
                double expected = 0;
                std::vector<float> column(kTokens);
                const auto rank = static_cast<std::size_t>(numbers.rank());
                for (std::size_t c = 0; c < rank; ++c) {
                    for (std::size_t t = 0; t < kTokens; ++t)
                        column[t] = components.numbers[t * rank + c];
                    expected += stepCost(column, double{numbers.deviation[c]}, numbers.shape[c],
                                         double{step})
                                    .squaredError;
                }
                EXPECT_NEAR(error, expected, 0.02 * expected + 2e-4 * energy) << step;
                EXPECT_LT(static_cast<double>(bytes.size()), sizeBefore);
                sizeBefore = static_cast<double>(bytes.size());
                if (step < 0.02F) {
                    EXPECT_LT(error, 1e-3 * energy);
                }
                if (step > 1) {
                    EXPECT_GT(error, 0.02 * energy);
                }
            }
            // The rows take less than a quarter of their size.
            EXPECT_LT(sizeBefore, 0.25 * 2 * static_cast<double>(rows.size()));
        }
}

TEST(TransformCodec, plans_useTheirBytes_andHaveThePredictedError) {
    const auto codec = sampleCodec();
    RandomStream random(3, 0);
    constexpr int kTokens = 130;
    double before = -1;
    for (const float ratio : codec->bundle().ratios) {
        const auto coding = codec->codingFor(StoredCode::Plan, double{ratio}).value();
        ASSERT_TRUE(codec->check(coding));
        const TransformSide& side = codec->bundle().groups[0].keys;
        RandomStream same(4, 0);
        const auto rows = sampleRows(side, kTokens, same);
        std::string bytes;
        const auto back = throughCodec(*codec, 0, KvSide::Keys, coding, rows, kTokens, &bytes);
        const auto [error, energy] = errorOf(side, rows, back);
        // The entropy coder exceeds the plan by at most its few header words.
        EXPECT_LE(static_cast<std::int64_t>(bytes.size()),
                  kTokens * planBytes(side.plans[coding.plan]) + 64);
        EXPECT_GT(error, before);
        before = error;
        EXPECT_LT(error, 0.5 * energy);
    }
    EXPECT_FALSE(codec->codingFor(StoredCode::Plan, 3));
    EXPECT_EQ(codec->codingFor(StoredCode::Plan, 3).error().code, ErrorCode::Range);
    EXPECT_FALSE(codec->codingFor(StoredCode::Step, 4.01));
    const float step = codec->codingFor(StoredCode::Step, 2)->step;
    EXPECT_FLOAT_EQ(step, 0.3F);
    EXPECT_GT(codec->codingFor(StoredCode::Step, 3)->step, step);
    EXPECT_FALSE(codec->check({.code = StoredCode::Plan, .plan = 3}));
    EXPECT_FALSE(codec->check({.code = StoredCode::Step, .step = std::nanf("")}));
    EXPECT_FALSE(codec->check({.code = StoredCode::Step, .step = 0}));
    EXPECT_FALSE(codec->check({.code = static_cast<StoredCode>(2)}));
}

TEST(TransformCodec, rowsOutsideTheComponents_areDetected) {
    const auto codec = sampleCodec();
    const TransformSide& side = codec->bundle().groups[0].values;
    RandomStream random(5, 0);
    std::vector<float> rows = sampleRows(side, 2, random);
    for (std::size_t j = 0; j < static_cast<std::size_t>(side.width()); ++j)
        rows[j] += static_cast<float>(20 * random.normal());
    const auto components = codec->project(0, KvSide::Values, rows.data(), 2);
    EXPECT_GT(components.lost[0], 0.2F);
    EXPECT_LT(components.lost[1], 0.01F);
    // The mean has no energy after centring, so nothing is lost.
    const auto mean = codec->project(0, KvSide::Values, side.mean.data(), 1);
    EXPECT_EQ(mean.lost[0], 0.0F);
}

TEST(TransformCodec, concurrentThreads_makeOneProjection_andTheSameBytes) {
    const auto codec = sampleCodec();
    RandomStream random(6, 0);
    const auto rows = sampleRows(codec->bundle().groups[1].keys, 70, random);
    std::vector<std::string> bytes(16);
    std::vector<std::vector<std::vector<float>>> back(16);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            threads.emplace_back([&, i] {
                back[i] =
                    throughCodec(*codec, 1, KvSide::Keys, {.step = 0.2F}, rows, 70, &bytes[i]);
            });
    }
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        EXPECT_EQ(bytes[i], bytes[0]);
        EXPECT_EQ(back[i], back[0]);
    }
}

// --- the bundle ----------------------------------------------------------------------------------

TEST(TransformBundle, writtenFile_readsBack) {
    const TransformBundle made = sampleTransform();
    const auto read = transformFromBytes(transformBytes(made));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, made);
    EXPECT_EQ(transformHash(*read), transformHash(made));
    EXPECT_NE(transformHash(sampleTransform({}, 2)), transformHash(made));
    EXPECT_TRUE(checkTransformFor(*read, made.identity));
}

TEST(TransformBundle, truncatedOrAlteredFile_isRefused) {
    const std::string bytes =
        transformBytes(sampleTransform({.layers = 2, .kvHeads = 1, .dim = 8, .rank = 4}));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(transformFromBytes(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(transformFromBytes(bytes + '\0'));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
        ASSERT_FALSE(transformFromBytes(flipped)) << at;
    }
    std::string version = bytes;
    version[8] = 2;
    const auto newer = transformFromBytes(version);
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, ErrorCode::Incompatible);
    EXPECT_NE(newer.error().what.find("version 2"), std::string::npos);
}

TEST(TransformBundle, oversizedSection_isRefused_withAValidChecksum) {
    const std::string bytes =
        transformBytes(sampleTransform({.layers = 2, .kvHeads = 1, .dim = 8, .rank = 4}));
    constexpr std::size_t kFirst = 8 + sizeof(std::uint32_t);  // start of the first section
    std::vector<std::size_t> sections;
    for (std::size_t at = kFirst; at < bytes.size();) {
        sections.push_back(at);
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data() + at, sizeof(length));
        at += 2 * sizeof(std::uint64_t) + length;
    }
    ASSERT_GE(sections.size(), 2U);  // the header and one group
    for (const std::size_t at : sections) {
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data() + at, sizeof(length));
        const std::size_t begin = at + sizeof(length);
        const std::string section = bytes.substr(begin, length) + '\0';
        ++length;
        const std::uint64_t sum = hash64(section);
        std::string longer = bytes.substr(0, at);
        longer.append(reinterpret_cast<const char*>(&length), sizeof(length));
        longer += section;
        longer.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
        longer += bytes.substr(begin + length - 1 + sizeof(sum));
        const auto read = transformFromBytes(longer);
        ASSERT_FALSE(read) << at;
        EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    }
}

TEST(TransformBundle, fileOfAnotherModel_reportsEveryMismatch) {
    const TransformBundle made = sampleTransform();
    const std::vector<std::pair<const char*, std::function<void(TransformIdentity&)>>> changes{
        {"architecture", [](auto& id) { id.architecture = "qwen3"; }},
        {"fingerprint", [](auto& id) { id.fingerprint[3] = 'x'; }},
        {"layers", [](auto& id) { ++id.layers; }},
        {"KV heads", [](auto& id) { --id.kvHeads; }},
        {"key length", [](auto& id) { ++id.keyDim; }},
        {"value length", [](auto& id) { ++id.valueDim; }},
        {"rotated differently", [](auto& id) { id.ropes[0].frequencies[1] *= 1.0001; }},
        {"rotated differently", [](auto& id) { id.ropes[0].interleaved = true; }},
        {"rotated differently", [](auto& id) { id.layerRopes[0] = 1; }}};
    TransformIdentity all = made.identity;
    for (const auto& [name, change] : changes) {
        TransformIdentity model = made.identity;
        change(model);
        change(all);
        const Status checked = checkTransformFor(made, model);
        ASSERT_FALSE(checked) << name;
        EXPECT_EQ(checked.error().code, ErrorCode::Incompatible);
        EXPECT_NE(checked.error().what.find(name), std::string::npos) << checked.error().what;
        EXPECT_NE(checked.error().what.find("--transform"), std::string::npos);
    }
    const Status checked = checkTransformFor(made, all);
    for (const auto& [name, change] : changes)
        EXPECT_NE(checked.error().what.find(name), std::string::npos) << name;
}

TEST(TransformBundle, invalidContents_areRefusedByName) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    const auto infinite = std::numeric_limits<float>::infinity();
    const std::vector<std::pair<const char*, std::function<void(TransformBundle&)>>> faults{
        {"finite", [&](auto& b) { b.groups[0].keys.mean[3] = nan; }},
        {"finite", [&](auto& b) { b.groups[1].values.weight[3] = infinite; }},
        {"finite", [&](auto& b) { b.groups[1].values.scale[3] = nan; }},
        {"finite", [&](auto& b) { b.groups[0].values.deviation[0] = infinite; }},
        {"weight", [](auto& b) { b.groups[0].keys.weight[0] = 0; }},
        {"weight", [](auto& b) { b.groups[0].keys.weight[0] = -1; }},
        {"falling", [](auto& b) { b.groups[0].keys.deviation[2] *= 2; }},
        {"falling", [](auto& b) { b.groups[0].keys.deviation.back() = 0; }},
        {"falling", [](auto& b) { b.groups[0].keys.deviation.back() = -1; }},
        {"orthonormal", [](auto& b) { b.groups[0].keys.scale[1] *= 1.02F; }},
        {"orthonormal", [](auto& b) { std::ranges::fill(b.groups[1].keys.basis, 0); }},
        {"orthonormal",
         [](auto& b) {
             auto& basis = b.groups[0].values.basis;
             std::copy_n(basis.begin(), b.groups[0].values.width(),
                         basis.begin() + b.groups[0].values.width());
         }},
        {"shape", [](auto& b) { b.groups[0].keys.shape[0] = 4; }},
        {"sizes", [](auto& b) { b.groups[0].keys.mean.pop_back(); }},
        {"sizes", [](auto& b) { b.groups[0].keys.basis.pop_back(); }},
        {"sizes", [](auto& b) { b.groups[0].keys.shape.pop_back(); }},
        {"plan", [](auto& b) { b.groups[0].keys.plans[1].back().length += 1; }},
        {"plan", [](auto& b) { b.groups[0].keys.plans[0].front().length = -16; }},
        {"plan",
         [](auto& b) { b.groups[0].keys.plans[0].front().code = static_cast<ComponentCode>(9); }},
        {"plan", [](auto& b) { b.groups[0].keys.plans.pop_back(); }},
        // Eight bits for all components exceed the budget.
        {"budget", [](auto& b) { b.groups[1].keys.plans[2] = b.groups[1].keys.plans[0]; }},
        {"two groups", [](auto& b) { b.groups[0].layers[1] = 0; }},
        {"no group", [](auto& b) { b.groups[0].layers.pop_back(); }},
        {"no layer", [](auto& b) { b.groups[0].layers[1] = 3; }},
        {"no layer", [](auto& b) { b.groups[0].layers[1] = -1; }},
        {"no group", [](auto& b) { b.groups.pop_back(); }},
        {"rising", [](auto& b) { b.steps[1] = b.steps[0]; }},
        {"rising", [](auto& b) { b.ratios[0] = 0.5F; }},
        {"rising", [](auto& b) { b.steps[0] = 0; }},
        {"finite", [&](auto& b) { b.steps[2] = nan; }},
        {"many", [](auto& b) { b.ratios.push_back(64); }},
        {"better", [](auto& b) { b.better = static_cast<StoredCode>(7); }},
        {"sinks", [](auto& b) { b.sinks = -1; }},
        {"rotation", [](auto& b) { b.identity.layerRopes[0] = 2; }},
        {"rotation", [](auto& b) { b.identity.ropes[0].frequencies.resize(9); }},
        {"rotation", [&](auto& b) { b.identity.ropes[0].frequencies[0] = std::nan(""); }},
        {"rotations", [](auto& b) { b.identity.layerRopes.pop_back(); }},
        {"a model", [](auto& b) { b.identity.kvHeads = 0; }},
    };
    for (const auto& [name, spoil] : faults) {
        TransformBundle bundle = sampleTransform();
        spoil(bundle);
        const Status checked = checkTransform(bundle);
        ASSERT_FALSE(checked) << name;
        EXPECT_EQ(checked.error().code, ErrorCode::Config);
        EXPECT_NE(checked.error().what.find(name), std::string::npos) << checked.error().what;
        // The same from a file with valid checksums.
        EXPECT_FALSE(transformFromBytes(transformBytes(bundle))) << name;
        EXPECT_FALSE(TransformCodec::make(bundle));
    }
    EXPECT_TRUE(checkTransform(sampleTransform()));
}

}  // namespace
}  // namespace lacuna::test
