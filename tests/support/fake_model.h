#pragma once
/// \file
/// A model without weights for tests of everything above the transformer. Its logits are a hash of
/// what the cache holds (token ids and positions of the first head's slots), so that a wrong
/// rollback, a wrong chunk or a compaction shows in the next token. Owned by one thread unless a
/// member says otherwise.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "engine/model/transformer.h"
#include "engine/session/running_model.h"

namespace lacuna::test {

struct FakeModelOptions {
    int layers = 2;
    int heads = 4;
    int kvHeads = 2;
    int headDim = 8;
    int context = 512;
    std::string name = "fake";
    /// The end token becomes the likeliest at positions that are multiples of this; 0 = never.
    int endEvery = 0;
    /// The likeliest token repeats with this period of positions; 0 = as the hash says.
    int period = 0;
    bool tellingQueries = false;  ///< a query begins with its place and its token
    int window = 0;               ///< of the first layer; 0: it sees everything, as the others do
    int surpriseEvery = 0;        ///< positions where the hash decides all the same; 0 = never
};

/// Byte-level vocabulary: 256 bytes, <|im_start|>, <|im_end|>; ChatML.
[[nodiscard]] std::shared_ptr<const LoadedModel> fakeLoadedModel(
    const FakeModelOptions& options = {});

class FakeTransformer final : public Transformer {
  public:
    FakeTransformer(std::shared_ptr<const LoadedModel> model, FakeModelOptions options)
        : model_(std::move(model)), options_(std::move(options)) {}

    [[nodiscard]] Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                                       const ForwardOptions& options) override;
    [[nodiscard]] const LoadedModel& model() const override { return *model_; }
    [[nodiscard]] std::size_t activationBytes() const override {
        return logits_.size() * sizeof(float);
    }

    /// Called before each forward with its number from 0; a failure is returned as the forward's,
    /// the cache as before. `inside` is called in the middle of a step, before each layer.
    std::function<Status(std::int64_t)> before;
    std::function<void(std::int64_t)> inside;
    /// Asked about every run; true fails the forward for want of memory, all caches as before.
    std::function<bool(const BatchRun&)> refuse;
    [[nodiscard]] std::int64_t forwards() const { return forwards_; }
    /// Tokens of every run computed, and of every forward.
    [[nodiscard]] const std::vector<int>& chunkSizes() const { return chunkSizes_; }
    [[nodiscard]] const std::vector<int>& stepSizes() const { return stepSizes_; }

  private:
    void fill(const BatchRun& run, std::vector<float>& keys, std::vector<float>& values) const;
    void append(const BatchRun& run, LayerIndex layer) const;
    void computeLogits(const KvCache& cache, int rows);
    void fillRow(std::span<float> row, std::uint64_t hash, std::int64_t seen) const;

    std::shared_ptr<const LoadedModel> model_;
    FakeModelOptions options_;
    std::vector<float> logits_;
    std::vector<int> chunkSizes_;
    std::vector<int> stepSizes_;
    std::int64_t forwards_ = 0;
};

/// Makers that know fake models by name: path "fake" loads, path "missing" fails with NotFound. The
/// hooks are given to every transformer made.
struct FakeModels {
    FakeModelOptions options;
    std::function<Status(std::int64_t)> before;
    std::function<void(std::int64_t)> inside;
    std::function<bool(const BatchRun&)> refuse;
    std::atomic<int> loads{0};
    [[nodiscard]] ModelMakers makers();
};

}  // namespace lacuna::test
