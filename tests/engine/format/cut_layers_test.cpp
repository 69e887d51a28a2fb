// A model made of some layers of another.

#include "engine/format/cut_layers.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/file.h"
#include "engine/format/load_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

fs::path whole(const char* name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models" / name / "model.gguf";
}

bool sameBytes(const WeightMatrix& a, const WeightMatrix& b) {
    const auto bytes =
        static_cast<std::size_t>(a.rows) *
        static_cast<std::size_t>(rowBytes(a.type, static_cast<std::uint64_t>(a.columns)));
    return a.type == b.type && a.rows == b.rows && a.columns == b.columns &&
           std::memcmp(a.data, b.data, bytes) == 0;
}

TEST(CutLayers, keptLayers_equalTheSource_inTheRequestedOrder) {
    for (const char* name : {"llama", "qwen3"}) {
        const test::TemporaryFolder folder;
        const fs::path target = folder.path() / "cut.gguf";
        const auto source = loadModel(whole(name));
        ASSERT_TRUE(source) << source.error().what;
        const int last = (*source)->spec.layers - 1;
        ASSERT_GE(last, 1);
        const auto cut = cutLayers(whole(name), target, std::vector<int>{last, 0});
        ASSERT_TRUE(cut) << cut.error().what;
        EXPECT_EQ(cut->layers, 2);
        EXPECT_EQ(cut->layersBefore, last + 1);
        EXPECT_EQ(cut->bytes, fs::file_size(target));
        const auto loaded = loadModel(target);
        ASSERT_TRUE(loaded) << loaded.error().what;
        EXPECT_EQ((*loaded)->spec.layers, 2);
        EXPECT_NE((*loaded)->spec.fingerprint, (*source)->spec.fingerprint);
        EXPECT_EQ((*loaded)->tokenizer.data().pieces, (*source)->tokenizer.data().pieces);
        const auto& from = (*source)->weights.layers;
        const auto& to = (*loaded)->weights.layers;
        EXPECT_TRUE(sameBytes(to[0].query, from[static_cast<std::size_t>(last)].query));
        EXPECT_TRUE(sameBytes(to[1].down, from[0].down));
        EXPECT_TRUE(sameBytes((*loaded)->weights.embedding, (*source)->weights.embedding));
    }
}

TEST(CutLayers, missingLayers_areRefused_andNothingIsWritten) {
    const test::TemporaryFolder folder;
    const fs::path target = folder.path() / "cut.gguf";
    const auto refusal = [&](std::vector<int> keep) {
        const auto cut = cutLayers(whole("llama"), target, keep);
        return cut ? std::string() : cut.error().what;
    };
    EXPECT_NE(refusal({}).find("no layer is named"), std::string::npos);
    EXPECT_NE(refusal({0, 99}).find("there is no layer 99"), std::string::npos);
    EXPECT_NE(refusal({-1}).find("layer -1"), std::string::npos);
    EXPECT_NE(refusal({0, 0}).find("named twice"), std::string::npos);
    EXPECT_FALSE(cutLayers(whole("missing"), target, std::vector<int>{0}));
    EXPECT_EQ(folder.fileCount(), 0U);
    const fs::path copy = folder.path() / "model.gguf";
    fs::copy_file(whole("llama"), copy);
    EXPECT_FALSE(cutLayers(copy, copy, std::vector<int>{0}));
}

TEST(CutLayers, modelsWithUnequalLayers_areRefused) {
    const test::TemporaryFolder folder;
    const auto cut = cutLayers(whole("gemma2"), folder.path() / "cut.gguf", std::vector<int>{0});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::Unsupported);
    EXPECT_NE(cut.error().what.find("another kind"), std::string::npos);
}

}  // namespace
}  // namespace lacuna
