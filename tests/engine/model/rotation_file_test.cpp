// The bundle of calibrated rotations: a round trip, and refusal of inconsistent files.

#include "engine/model/rotation_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "engine/base/file.h"
#include "engine/kernels/rotation.h"
#include "engine/model/model_cache.h"
#include "engine/model/weight_placement.h"
#include "tests/support/bundled_models.h"
#include "tests/support/replaced_bytes.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

/// Two layers of one head, each with another matrix.
RotationMatrices sample() {
    RotationMatrices made;
    made.model = "a model";
    made.fingerprint = "0123456789abcdef0123456789abcdef";
    made.how = "by hand";
    made.layers = 2;
    made.kvHeads = 1;
    made.dim = 32;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Rotation rotation = Rotation::hadamard(32, seed).value();
        auto& side = seed < 2 ? made.keys : made.values;
        for (std::size_t i = 0; i < 32; ++i) {
            std::vector<float> row(32);
            row[i] = 1;
            rotation.undo(row.data(), row.data());
            side.insert(side.end(), row.begin(), row.end());
        }
    }
    for (int i = 0; i < 2 * 32; ++i) made.centres.push_back(0.25F * static_cast<float>(i));
    for (int i = 0; i < 2 * 2 * 8; ++i) made.ranges.push_back(1 + 0.01F * static_cast<float>(i));
    return made;
}

ModelSpec specOf(const RotationMatrices& of) {
    ModelSpec spec;
    spec.fingerprint = of.fingerprint;
    spec.layers = of.layers;
    spec.kvHeads = of.kvHeads;
    spec.headDim = of.dim;
    return spec;
}

TEST(RotationFile, writtenFile_readsBack) {
    const auto read = rotationsFromBytes(rotationBytes(sample()));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, sample());
    EXPECT_EQ(read->hash(), sample().hash());
    const auto made = CalibratedRotations::make(*read);
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ((*made)->hash(), sample().hash());
    // A row becomes matrix . row with the matrix of its layer.
    std::vector<float> row(32);
    row[3] = 1;
    (*made)->values(1, 0).apply(row.data(), row.data());
    for (std::size_t i = 0; i < 32; ++i)
        EXPECT_NEAR(row[i], sample().values[32 * 32 + i * 32 + 3], 1e-6);
    EXPECT_EQ((*made)->values(1, 0).range(3), sample().ranges[16 + 8 + 2]);
    EXPECT_EQ((*made)->keys(1, 0).range(8), sample().ranges[16 + 7]);
    // The centre is subtracted from keys but not from queries.
    row.assign(32, 0);
    (*made)->keys(1, 0).apply(row.data(), row.data());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(row[i], -sample().centres[32 + i]);
    (*made)->keys(1, 0).undo(row.data(), row.data());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR(row[i], 0, 1e-5);
    (*made)->keys(1, 0).turn(row.data(), row.data());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR(row[i], 0, 1e-5);
}

TEST(RotationFile, layerSubset_sharesTheRotations_withItsOwnHash) {
    const auto made = CalibratedRotations::make(sample()).value();
    const auto second = made->ofLayers({1});
    EXPECT_EQ(&second->keys(0, 0), &made->keys(1, 0));
    EXPECT_EQ(&second->values(0, 0), &made->values(1, 0));
    EXPECT_EQ(second->layers(), 1);
    EXPECT_NE(second->hash(), made->hash());
    EXPECT_NE(second->hash(), made->ofLayers({0})->hash());
    EXPECT_TRUE(sameRotations(second.get(), made->ofLayers({1}).get()));
    EXPECT_FALSE(sameRotations(second.get(), nullptr));
    EXPECT_TRUE(sameRotations(nullptr, nullptr));
}

TEST(RotationFile, truncatedFile_isRefused) {
    const std::string bytes = rotationBytes(sample());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(rotationsFromBytes(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(rotationsFromBytes(bytes + '\0'));
}

TEST(RotationFile, everyFlippedByte_isRefusedOrHarmless) {
    const std::string bytes = rotationBytes(sample());
    const ModelSpec spec = specOf(sample());
    int harmless = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
        const auto read = rotationsFromBytes(flipped);
        if (!read) continue;
        // Descriptive texts, or a fingerprint that no longer matches the model.
        EXPECT_EQ(read->keys, sample().keys) << at;
        EXPECT_EQ(read->values, sample().values) << at;
        EXPECT_EQ(read->centres, sample().centres) << at;
        EXPECT_EQ(read->ranges, sample().ranges) << at;
        EXPECT_EQ(read->layers, spec.layers) << at;
        ++harmless;
    }
    EXPECT_GT(harmless, 0);
    EXPECT_LT(harmless, 160);
}

TEST(RotationFile, mismatches_areRefusedByName) {
    const std::string bytes = rotationBytes(sample());
    RotationMatrices narrow = sample();
    narrow.layers = 8;
    narrow.dim = 16;
    narrow.centres.resize(8 * 16);
    narrow.ranges.resize(8 * 16);
    const struct {
        std::string damaged;
        std::string says;
    } cases[] = {
        {withReplaced(bytes, "rotations-1", "rotations-2"), "format is"},
        {withReplaced(bytes, "\"keys\"", "\"kegs\""), "no tensor 'keys'"},
        {withReplaced(bytes, "[2,1,32,32]", "[1,2,32,32]"), "one square matrix for each head"},
        {withReplaced(bytes, "[2,1,32]", "[1,2,32]"), "'centres' is [1, 2, 32]"},
        {withReplaced(bytes, "[2,1,2,8]", "[2,1,8,2]"), "'ranges' [2, 1, 8, 2]"},
        {withReplaced(bytes, sample().hash(), std::string(32, '0')), "damaged"},
        {rotationBytes(narrow), "rotations of 16 numbers"},
    };
    for (const auto& [damaged, says] : cases) {
        const auto read = rotationsFromBytes(damaged);
        ASSERT_FALSE(read) << says;
        EXPECT_NE(read.error().what.find(says), std::string::npos) << read.error().what;
    }
}

TEST(RotationFile, nonFiniteValue_isRefused) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        for (const bool ofValues : {false, true}) {
            RotationMatrices made = sample();
            (ofValues ? made.values : made.keys)[40] = bad;
            const auto read = rotationsFromBytes(rotationBytes(made));
            ASSERT_FALSE(read);
            EXPECT_EQ(read.error().code, ErrorCode::Config);
            EXPECT_FALSE(CalibratedRotations::make(made));
            made = sample();
            (ofValues ? made.centres : made.ranges)[20] = bad;
            EXPECT_FALSE(rotationsFromBytes(rotationBytes(made)));
            EXPECT_FALSE(CalibratedRotations::make(made));
        }
}

TEST(RotationFile, rangeOutOfBounds_isRefusedNamingTheHead) {
    for (const float bad : {0.0F, -1.0F, 0.2F, 5.0F}) {
        RotationMatrices made = sample();
        made.ranges[16 + 3] = bad;
        const auto refused = CalibratedRotations::make(made);
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().what.find("keys of layer 1, head 0"), std::string::npos)
            << refused.error().what;
    }
}

TEST(RotationFile, fileNextToTheModel_isFound_ofAnotherModelRefused) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    const auto path = folder.path() / "small.rotations.safetensors";
    EXPECT_EQ(rotationPath(model), path);
    auto none = loadRotations(model, specOf(sample()));
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, nullptr);
    ASSERT_EQ(storeRotations(model, sample(), folder.path() / "own").value(), path);
    const auto found = loadRotations(model, specOf(sample()));
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ((*found)->hash(), sample().hash());
    ModelSpec other = specOf(sample());
    other.fingerprint[0] = 'f';
    const auto refused = loadRotations(model, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("calibrate-kv --rotations"), std::string::npos);
    EXPECT_NE(refused.error().what.find(path.string()), std::string::npos);
    for (const auto change : {&ModelSpec::layers, &ModelSpec::kvHeads, &ModelSpec::headDim}) {
        other = specOf(sample());
        other.*change += 32;
        EXPECT_EQ(loadRotations(model, other).error().code, ErrorCode::Incompatible);
    }
}

// A centre shifts the scores of all slots by the same constant, but not the score of a sink.
TEST(RotationFile, withCentres_modelWithSinks_isRefused) {
    const TemporaryFolder folder;
    const std::filesystem::path model = folder.path() / "model.gguf";
    RotationMatrices centred = sample();
    ModelSpec spec = specOf(centred);
    spec.sinks = true;
    ASSERT_TRUE(storeRotations(model, centred, {}));
    const auto refused = loadRotations(model, spec, {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    std::ranges::fill(centred.centres, 0.0F);
    ASSERT_TRUE(storeRotations(model, centred, {}));
    EXPECT_TRUE(loadRotations(model, spec, {}).has_value());
}

TEST(RotationFile, modelWithLayersOfDifferentSizes_isRefused) {
    const TemporaryFolder folder;
    const std::filesystem::path model = folder.path() / "model.gguf";
    ModelSpec spec = specOf(sample());
    ASSERT_TRUE(storeRotations(model, sample(), {}));
    ASSERT_TRUE(loadRotations(model, spec, {}).has_value());
    spec.layerSpecs = {{.headDim = 16}, {}};
    const auto refused = loadRotations(model, spec, {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("different sizes"), std::string::npos);
}

TEST(RotationFile, nonOrthogonalRotation_isRefusedNamingTheHead) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    RotationMatrices made = sample();
    for (std::size_t i = 0; i < 32; ++i) made.values[32 * 32 + i] *= 1.001F;
    ASSERT_TRUE(storeRotations(model, made, {}));
    const auto refused = loadRotations(model, specOf(made));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("values of layer 1, head 0"), std::string::npos)
        << refused.error().what;
    EXPECT_NE(refused.error().what.find("not orthogonal"), std::string::npos);
}

TEST(RotationFile, fileNextToALoadedModel_isUsedByItsCaches) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "pilot.gguf";
    std::filesystem::create_symlink(pilotModel(), path);
    auto model = loadToRun(path, {}).value();
    EXPECT_EQ(model->rotations, nullptr);
    EXPECT_EQ(model->rotationsNote, "");
    const ModelSpec spec = model->spec;
    RotationMatrices made;
    made.fingerprint = spec.fingerprint;
    made.layers = spec.layers;
    made.kvHeads = spec.kvHeads;
    made.dim = spec.headDim;
    const auto dim = static_cast<std::size_t>(made.dim);
    for (std::size_t head = 0; head < made.heads(); ++head)
        for (std::size_t i = 0; i < dim * dim; ++i)
            made.keys.push_back(i / dim == i % dim ? 1.0F : 0.0F);
    made.values = made.keys;
    made.centres.resize(made.heads() * dim);
    made.ranges.assign(made.heads() * 16, 1.0F);
    ASSERT_EQ(storeRotations(path, made, {}).value(), rotationPath(path));
    model = loadToRun(path, {}).value();
    ASSERT_NE(model->rotations, nullptr) << model->rotationsNote;
    EXPECT_EQ(model->rotations->hash(), made.hash());
    KvOptions cache;
    cache.quant = {3, 0};
    EXPECT_EQ(makeModelCache(*model, cache).value()->shape().rotations, model->rotations);
    // The folder of measurements is searched after that of the model.
    std::filesystem::rename(rotationPath(path), folder.path() / "kept");
    const auto own = storedRotationPath(folder.path() / "own", spec.fingerprint);
    std::filesystem::create_directories(own.parent_path());
    std::filesystem::rename(folder.path() / "kept", own);
    EXPECT_EQ(loadToRun(path, {}).value()->rotations, nullptr);
    LoadOptions options;
    options.measured = folder.path() / "own";
    EXPECT_NE(loadToRun(path, options).value()->rotations, nullptr);
    // An unusable bundle leaves the model without one and gives a reason.
    ASSERT_TRUE(writeFileAtomically(rotationPath(path), "not a bundle"));
    model = loadToRun(path, {}).value();
    EXPECT_EQ(model->rotations, nullptr);
    EXPECT_NE(model->rotationsNote.find("pilot.rotations.safetensors"), std::string::npos)
        << model->rotationsNote;
}

TEST(RotationFile, unwritableModelFolder_storesTheFileInTheUserFolder) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "missing" / "small.gguf";
    const auto own = folder.path() / "own";
    const auto kept = storeRotations(model, sample(), own);
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(*kept, storedRotationPath(own, sample().fingerprint));
    EXPECT_EQ(loadRotations(model, specOf(sample())).value(), nullptr);
    EXPECT_NE(loadRotations(model, specOf(sample()), own).value(), nullptr);
    EXPECT_FALSE(storeRotations(model, sample(), {}));
    const auto nowhere = storeRotations(model, sample(), folder.write("file", "mine"));
    ASSERT_FALSE(nowhere);
    const std::string& why = nowhere.error().what;
    EXPECT_NE(why.find("small.rotations"), std::string::npos) << why;
    EXPECT_NE(why.find("; the other folder failed as well: "), std::string::npos) << why;
    EXPECT_NE(why.find("file/"), std::string::npos) << why;
}

}  // namespace
}  // namespace lacuna::test
