// The file of query centres: a round trip, and refusal of inconsistent files.

#include "engine/generate/query_centres_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/base/file.h"
#include "tests/support/replaced_bytes.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

QueryCentres sample() {
    QueryCentres made{.model = "a model",
                      .fingerprint = "0123456789abcdef0123456789abcdef",
                      .how = "by hand",
                      .layers = 2,
                      .heads = 3,
                      .dim = 6,
                      .bands = 4,
                      .tokens = 77};
    for (int i = 0; i < 36; ++i) made.means.push_back(0.25F * static_cast<float>(i) - 2);
    for (int i = 0; i < 24; ++i) made.lengths.push_back(static_cast<float>(i));
    return made;
}

/// Two of three pairs rotate.
ModelSpec specOf(const QueryCentres& of) {
    ModelSpec spec;
    spec.fingerprint = of.fingerprint;
    spec.layers = of.layers;
    spec.heads = of.heads;
    spec.headDim = of.dim;
    spec.rope.dim = 4;
    return spec;
}

TEST(QueryCentresFile, writtenFile_readsBack) {
    const auto read = queryCentresFromBytes(queryCentresBytes(sample()));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, sample());
    EXPECT_EQ(read->hash(), sample().hash());
}

TEST(QueryCentresFile, truncatedFile_isRefused) {
    const std::string bytes = queryCentresBytes(sample());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(queryCentresFromBytes(std::string_view(bytes).substr(0, size))) << size;
}

TEST(QueryCentresFile, inconsistentParts_areRefusedByName) {
    const std::string bytes = queryCentresBytes(sample());
    const struct {
        std::string damaged;
        std::string says;
    } cases[] = {
        {withReplaced(bytes, "centres-1", "centres-9"), "format is"},
        {withReplaced(bytes, "\"means\"", "\"moans\""), "no tensor 'means'"},
        {withReplaced(bytes, "[2,3,4]", "[3,2,4]"), "'lengths' has 3 with 2"},
        {withReplaced(bytes, "\"77\"", "\"7x\""), "'tokens' is '7x'"},
    };
    for (const auto& [damaged, says] : cases) {
        const auto read = queryCentresFromBytes(damaged);
        ASSERT_FALSE(read) << says;
        EXPECT_NE(read.error().what.find(says), std::string::npos) << read.error().what;
    }
    QueryCentres bad = sample();
    bad.means[4] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(queryCentresFromBytes(queryCentresBytes(bad)));
}

TEST(QueryCentresFile, fileNextToTheModelOrStoredByFingerprint_isFound) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "model.gguf";
    const auto own = folder.path() / "own";
    const ModelSpec spec = specOf(sample());
    const auto none = loadQueryCentres(model, spec, own);
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, nullptr);
    const auto written = storeQueryCentres(folder.path() / "missing/model.gguf", sample(), own);
    ASSERT_TRUE(written) << written.error().what;
    const auto kept = loadQueryCentres(model, spec, own);
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(**kept, sample());
    const auto next = storeQueryCentres(model, sample(), own);
    ASSERT_TRUE(next) << next.error().what;
    EXPECT_EQ(*next, folder.path() / "model.centres.safetensors");
    EXPECT_NE(*loadQueryCentres(model, spec), nullptr);
}

TEST(QueryCentresFile, fileOfAnotherModel_isRefusedWithBothNames) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "model.gguf";
    ASSERT_TRUE(storeQueryCentres(model, sample(), {}));
    ModelSpec other = specOf(sample());
    other.fingerprint = "ffffffffffffffffffffffffffffffff";
    const auto refused = loadQueryCentres(model, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("--query-centres"), std::string::npos);
    ModelSpec turning = specOf(sample());
    turning.rope.dim = 6;
    EXPECT_FALSE(loadQueryCentres(model, turning)) << "more elements turn";
}

}  // namespace
}  // namespace lacuna::test
