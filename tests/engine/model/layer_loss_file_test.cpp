// The file of predicted errors by layer: a round trip, and refusal of inconsistent files.

#include "engine/model/layer_loss_file.h"

#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "engine/model/model_cache.h"
#include "engine/model/weight_placement.h"
#include "tests/support/bundled_models.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

LayerLoss sample() {
    LayerLoss made;
    made.model = "a model";
    made.fingerprint = "0123456789abcdef0123456789abcdef";
    made.how = "by hand";
    made.bits = 2;
    made.keys = {0.25, 0.0009765625};
    made.values = {0.125, 0};
    return made;
}

ModelSpec specOf(const LayerLoss& of) {
    ModelSpec spec;
    spec.fingerprint = of.fingerprint;
    spec.layers = of.layers();
    return spec;
}

TEST(LayerLossFile, writtenFile_readsBack) {
    const auto read = layerLossFromJson(*parseJson(dumpJson(layerLossJson(sample()))));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, sample());
    EXPECT_EQ(read->hash(), sample().hash());
    LayerLoss other = sample();
    other.values[1] = 1e-9;
    EXPECT_NE(other.hash(), sample().hash());
}

TEST(LayerLossFile, fileOfAnotherModel_isRefusedWithBothNames) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "model.gguf";
    EXPECT_EQ(loadLayerLoss(model, specOf(sample()), {}).value(), nullptr);
    ASSERT_TRUE(saveLayerLoss(model, sample(), {}));
    EXPECT_EQ(*loadLayerLoss(model, specOf(sample()), {}).value(), sample());
    ModelSpec spec = specOf(sample());
    spec.fingerprint.back() = '0';
    const auto refused = loadLayerLoss(model, spec, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("model.layers.json"), std::string::npos);
    spec = specOf(sample());
    spec.layers = 3;
    EXPECT_EQ(loadLayerLoss(model, spec, {}).error().code, ErrorCode::Incompatible);
}

TEST(LayerLossFile, everyTruncationAndChangedByte_isRefusedOrHarmless) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "model.gguf";
    const auto path = layerLossPath(model);
    const std::string whole = dumpJson(layerLossJson(sample()), 1) + "\n";
    const auto harmless = [&](const std::string& bytes) {
        ASSERT_TRUE(writeFileAtomically(path, bytes));
        const auto read = loadLayerLoss(model, specOf(sample()), {});
        if (!read) return;
        EXPECT_TRUE(checkLayerLoss(**read)) << bytes;
        EXPECT_EQ((*read)->layers(), 2);
    };
    for (std::size_t cut = 0; cut + 2 < whole.size(); ++cut) {
        ASSERT_TRUE(writeFileAtomically(path, whole.substr(0, cut)));
        EXPECT_FALSE(loadLayerLoss(model, specOf(sample()), {})) << cut;
    }
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const char flip : {'\x01', '\x04', ' '}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            harmless(changed);
        }
    for (const char* bad : {"-0.25", "1e300", "null", "\"x\""}) {
        std::string changed = whole;
        changed.replace(changed.find("0.25"), 4, bad);
        ASSERT_TRUE(writeFileAtomically(path, changed));
        EXPECT_EQ(loadLayerLoss(model, specOf(sample()), {}).error().code, ErrorCode::Config)
            << bad;
    }
}

TEST(LayerLossFile, unwritableModelFolder_storesTheFileInTheUserFolder) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "not there" / "model.gguf";
    const auto kept = saveLayerLoss(model, sample(), folder.path());
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, savedLayerLossPath(folder.path(), sample().fingerprint));
    EXPECT_EQ(*loadLayerLoss(model, specOf(sample()), folder.path()).value(), sample());
    EXPECT_FALSE(saveLayerLoss(model, sample(), {}));
}

}  // namespace
}  // namespace lacuna::test
