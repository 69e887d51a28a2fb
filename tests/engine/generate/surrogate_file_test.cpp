// The file of a reconstruction surrogate: a round trip, and refusal of inconsistent files.

#include "engine/generate/surrogate_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "engine/base/file.h"
#include "tests/support/replaced_bytes.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

ReconstructionSurrogate sample() {
    ReconstructionSurrogate made;
    made.model = "a model";
    made.fingerprint = "0123456789abcdef0123456789abcdef";
    made.how = "by hand";
    made.layers = 2;
    made.kvHeads = 3;
    made.hidden = 5;
    for (int i = 0; i < 30; ++i) made.weights.push_back(0.25F * static_cast<float>(i) - 2);
    for (int i = 0; i < 6; ++i) made.bias.push_back(-static_cast<float>(i));
    return made;
}

ModelSpec specOf(const ReconstructionSurrogate& of) {
    ModelSpec spec;
    spec.fingerprint = of.fingerprint;
    spec.layers = of.layers;
    spec.kvHeads = of.kvHeads;
    spec.hidden = of.hidden;
    return spec;
}

TEST(SurrogateFile, writtenFile_readsBack) {
    const auto read = surrogateFromBytes(surrogateBytes(sample()));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, sample());
    EXPECT_EQ(read->hash(), sample().hash());
}

TEST(SurrogateFile, fileStoredByFingerprint_isFoundIfNoneIsNextToTheModel) {
    const TemporaryFolder folder;
    const ReconstructionSurrogate made = sample();
    const auto model = folder.path() / "model.gguf";
    EXPECT_EQ(*loadSurrogate(model, specOf(made), folder.path()), nullptr);
    const auto kept = storedSurrogatePath(folder.path(), made.fingerprint);
    std::filesystem::create_directories(kept.parent_path());
    ASSERT_TRUE(writeFileAtomically(kept, surrogateBytes(made)));
    EXPECT_EQ(*loadSurrogate(model, specOf(made)), nullptr) << "nobody named the folder";
    EXPECT_EQ(**loadSurrogate(model, specOf(made), folder.path()), made);
    // A file next to the model comes first. If it is unusable, the one in the folder is used.
    ReconstructionSurrogate byHand = made;
    byHand.bias[0] = 7;
    ASSERT_TRUE(writeFileAtomically(surrogatePath(model), surrogateBytes(byHand)));
    EXPECT_EQ(**loadSurrogate(model, specOf(made), folder.path()), byHand);
    ASSERT_TRUE(writeFileAtomically(surrogatePath(model), "damaged"));
    EXPECT_EQ(**loadSurrogate(model, specOf(made), folder.path()), made);
    EXPECT_FALSE(loadSurrogate(model, specOf(made)));
}

TEST(SurrogateFile, layersThatDiffer_areReadBackForTheirModel_andForNoOther) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "model.gguf";
    ModelSpec spec;
    spec.fingerprint = "mixed";
    spec.layers = 3;
    spec.hidden = 2;
    spec.kvHeads = 2;
    spec.headDim = 8;
    spec.layerSpecs = {{.kvHeads = 1}, {}, {.readsCacheOf = 1}};
    const ReconstructionSurrogate made{.model = "m",
                                       .fingerprint = "mixed",
                                       .how = "by hand",
                                       .layers = 3,
                                       .hidden = 2,
                                       .weights = {1, 2, 3, 4, 5, 6},
                                       .bias = {7, 8, 9},
                                       .layerHeads = {1, 2, 0}};
    ASSERT_TRUE(writeFileAtomically(surrogatePath(model), surrogateBytes(made)));
    const auto read = loadSurrogate(model, spec);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(**read, made);
    spec.layerSpecs[0].kvHeads = 2;
    EXPECT_FALSE(loadSurrogate(model, spec)) << "four heads";
}

TEST(SurrogateFile, truncatedFile_isRefused) {
    const std::string bytes = surrogateBytes(sample());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(surrogateFromBytes(std::string_view(bytes).substr(0, size))) << size;
}

TEST(SurrogateFile, mismatches_areRefusedByName) {
    const std::string bytes = surrogateBytes(sample());
    const struct {
        std::string damaged;
        std::string says;
    } cases[] = {
        {withReplaced(bytes, "surrogate-1", "surrogate-9"), "format is"},
        {withReplaced(bytes, "\"weight\"", "\"wright\""), "no tensor 'weight'"},
        {withReplaced(bytes, "[2,3,5]", "[3,2,5]"), "'bias' has 2 with 3"},
        {withReplaced(bytes, "fingerprint", "fingerprant"), "fingerprint"},
        {withReplaced(bytes, "__metadata__", "__metadada__"), ""},
    };
    for (const auto& [damaged, says] : cases) {
        const auto read = surrogateFromBytes(damaged);
        ASSERT_FALSE(read) << says;
        EXPECT_NE(read.error().what.find(says), std::string::npos) << read.error().what;
    }
}

TEST(SurrogateFile, nonFiniteValue_isRefused) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        for (const bool inBias : {false, true}) {
            ReconstructionSurrogate made = sample();
            (inBias ? made.bias : made.weights)[4] = bad;
            const auto read = surrogateFromBytes(surrogateBytes(made));
            ASSERT_FALSE(read);
            EXPECT_EQ(read.error().code, ErrorCode::Config);
        }
}

TEST(SurrogateFile, fileNextToTheModel_isFound_ofAnotherModelRefused) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    auto none = loadSurrogate(model, specOf(sample()));
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, nullptr);
    ASSERT_TRUE(writeFileAtomically(folder.path() / "small.surrogate.safetensors",
                                    surrogateBytes(sample())));
    const auto found = loadSurrogate(model, specOf(sample()));
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(**found, sample());
    ModelSpec other = specOf(sample());
    other.fingerprint[0] = 'f';
    const auto refused = loadSurrogate(model, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("calibrate-kv --surrogate"), std::string::npos);
    other = specOf(sample());
    other.hidden = 6;
    EXPECT_FALSE(loadSurrogate(model, other));
}

}  // namespace
}  // namespace lacuna::test
