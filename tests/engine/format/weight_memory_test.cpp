// Weights copied out of their mapping: the same numbers at another address and in another order.

#include "engine/format/load_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/base/random.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/load_model.h"
#include "engine/format/model_container.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random_blocks.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

constexpr std::int64_t kColumns = 512;

/// Q4_0 rows in place of a mapped file, larger than one unit of copying.
class Rows {
  public:
    explicit Rows(std::int64_t rows) : bytes_(static_cast<std::size_t>(rows * kStride)) {
        RandomStream random(3, 0);
        fillRandomBlocks(DType::Q4_0, bytes_, random);
    }
    [[nodiscard]] WeightMatrix matrix(std::int64_t first, std::int64_t rows) const {
        return {DType::Q4_0, rows, kColumns, bytes_.data() + first * kStride, "w"};
    }
    static constexpr std::int64_t kStride = kColumns / 32 * 18;

  private:
    std::vector<std::byte> bytes_;
};

std::vector<std::byte> plainRows(const WeightMatrix& m) {
    std::vector<std::byte> rows(static_cast<std::size_t>(m.rows * Rows::kStride));
    for (std::int64_t row = 0; row < m.rows; ++row) {
        std::byte* to = rows.data() + row * Rows::kStride;
        const std::int64_t group =
            m.order == RowLayout::Groups ? row / kGroupRows * kGroupRows : row;
        if (m.order == RowLayout::Groups)
            ungroupRow(m.type, m.data + group * Rows::kStride, kColumns,
                       static_cast<int>(row - group), to);
        else
            std::copy_n(m.data + row * Rows::kStride, Rows::kStride, to);
    }
    return rows;
}

Weights weightsOver(const Rows& rows, bool tied) {
    Weights weights;
    weights.embedding = rows.matrix(0, 9003);
    weights.output = tied ? weights.embedding : rows.matrix(9003, 4000);
    weights.layers.resize(1);
    weights.layers[0].query = rows.matrix(13003, 40);
    weights.layers[0].router = rows.matrix(13043, 20);
    weights.layers[0].sharedExpertGate = rows.matrix(13063, 1);
    weights.layers[0].experts.resize(1);
    weights.layers[0].experts[0].down = rows.matrix(13064, 16);
    return weights;
}
constexpr std::int64_t kAllRows = 13080;

WeightPlacement grouped(int threads) {
    WeightPlacement placement{.resident = true, .grouped = {}, .threads = threads, .keepFree = 0};
    placement.grouped.fill(true);
    return placement;
}

TEST(WeightMemory, groupedMatrices_equalTheRowsOfTheFile) {
    const Rows rows(kAllRows);
    for (const int threads : {1, 3}) {
        const Weights before = weightsOver(rows, true);
        Weights after = before;
        const auto memory = placeWeights(after, grouped(threads), {});
        ASSERT_TRUE(memory.has_value());
        EXPECT_EQ(after.embedding.data, after.output.data);  // tied matrices stay tied and take
                                                             // memory once
        EXPECT_LT(memory->size(), static_cast<std::size_t>((9100 + 100) * Rows::kStride));
        const LayerWeights& a = after.layers[0];
        const LayerWeights& b = before.layers[0];
        EXPECT_EQ(after.output.order, RowLayout::Groups);
        EXPECT_EQ(a.query.order, RowLayout::Groups);
        EXPECT_EQ(a.router.order, RowLayout::Plain);
        EXPECT_EQ(a.sharedExpertGate.order, RowLayout::Plain);
        EXPECT_NE(a.router.data, b.router.data);
        EXPECT_EQ(plainRows(after.embedding), plainRows(before.embedding));
        EXPECT_EQ(plainRows(a.query), plainRows(b.query));
        EXPECT_EQ(plainRows(a.router), plainRows(b.router));
        EXPECT_EQ(plainRows(a.sharedExpertGate), plainRows(b.sharedExpertGate));
        EXPECT_EQ(plainRows(a.experts[0].down), plainRows(b.experts[0].down));
        EXPECT_EQ(a.key.data, nullptr);
    }
}

TEST(WeightMemory, untiedOutput_keepsTheEmbeddingMapped) {
    const Rows rows(kAllRows);
    const Weights before = weightsOver(rows, false);
    Weights after = before;
    const auto memory = placeWeights(after, grouped(2), {});
    ASSERT_TRUE(memory.has_value());
    EXPECT_EQ(after.embedding.data, before.embedding.data);
    EXPECT_EQ(after.embedding.order, RowLayout::Plain);
    EXPECT_EQ(plainRows(after.output), plainRows(before.output));
}

TEST(WeightMemory, copiedWeights_keepPlainRows) {
    const Rows rows(kAllRows);
    Weights weights = weightsOver(rows, true);
    const auto memory = placeWeights(weights, {.resident = true, .keepFree = 0}, {});
    ASSERT_TRUE(memory.has_value());
    EXPECT_GT(memory->size(), 0U);
    EXPECT_EQ(weights.output.order, RowLayout::Plain);
    EXPECT_EQ(plainRows(weights.output), plainRows(rows.matrix(0, 9003)));
}

TEST(WeightMemory, mappedPlacement_orLowMemory_keepsWeightsMapped) {
    const Rows rows(kAllRows);
    for (WeightPlacement placement : {WeightPlacement{}, grouped(1)}) {
        placement.keepFree = 1.0;
        Weights weights = weightsOver(rows, true);
        const auto memory = placeWeights(weights, placement, {});
        ASSERT_TRUE(memory.has_value());
        EXPECT_EQ(memory->size(), 0U);
        EXPECT_EQ(weights.output.data, rows.matrix(0, 1).data);
    }
}

TEST(WeightMemory, stopWhileCopying_changesNothing) {
    const Rows rows(kAllRows);
    Weights weights = weightsOver(rows, true);
    std::stop_source source;
    int reports = 0;
    const WeightCopying copying{.progress =
                                    [&](double share) {
                                        EXPECT_GE(share, 0.0);
                                        EXPECT_LE(share, 1.0);
                                        ++reports;
                                        source.request_stop();
                                    },
                                .stop = source.get_token(),
                                .mappings = {}};
    const auto memory = placeWeights(weights, grouped(1), copying);
    ASSERT_FALSE(memory.has_value());
    EXPECT_EQ(memory.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(reports, 1);
    EXPECT_EQ(weights.output.data, rows.matrix(0, 1).data);
    EXPECT_EQ(weights.output.order, RowLayout::Plain);
}

TEST(LoadModel, residentWeights_equalTheFile) {
    const TemporaryFolder folder;
    const auto path = folder.write("model.gguf", tinyLlama(64).build());
    const auto mapped = loadModel(path);
    const auto copied = loadModel(path, {.progress = {}, .stop = {}, .placement = grouped(2)});
    ASSERT_TRUE(mapped.has_value() && copied.has_value());
    EXPECT_EQ((*mapped)->weightMemory.size(), 0U);
    EXPECT_GT((*copied)->weightMemory.size(), 0U);
    const WeightMatrix& a = (*mapped)->weights.layers[0].gate;
    const WeightMatrix& b = (*copied)->weights.layers[0].gate;
    ASSERT_EQ(b.order, RowLayout::Plain);  // single floats are not interleaved
    EXPECT_TRUE(std::equal(a.data, a.data + a.rows * a.columns * 4, b.data));
}

/// The tensors of a file, made larger than any memory and unreadable.
class HugeTensors final : public TensorSource {
  public:
    explicit HugeTensors(const GgufFile& file)
        : tensors_(file.tensors().begin(), file.tensors().end()) {
        for (TensorInfo& tensor : tensors_) {
            tensor.bytes <<= 40;
            tensor.data = nullptr;
        }
    }
    [[nodiscard]] std::span<const TensorInfo> tensors() const override { return tensors_; }
    [[nodiscard]] const TensorInfo* find(std::string_view name) const override {
        const auto found = std::ranges::find(tensors_, name, &TensorInfo::name);
        return found == tensors_.end() ? nullptr : &*found;
    }
    [[nodiscard]] Status checkUnchanged() const override { return {}; }

  private:
    std::vector<TensorInfo> tensors_;
};

// A slow disk would take long to read the beginning and end of each tensor for the fingerprint.
TEST(TensorFacts, weightsBeyondMemory_areRefusedBeforeAnyTensorIsRead) {
    const std::string bytes = tinyLlama(64).build();
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(file.has_value());
    const auto spec = specFromGguf(*file);
    ASSERT_TRUE(spec.has_value());
    const auto facts =
        withTensorFacts(*spec, HugeTensors(*file), Container::Gguf, file->headerBytes());
    ASSERT_FALSE(facts.has_value());
    EXPECT_EQ(facts.error().code, ErrorCode::NoMemory) << facts.error().what;
}

}  // namespace
}  // namespace lacuna::test
