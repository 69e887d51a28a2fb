#pragma once
/// \file
/// A model without weights for tests of the layers above the transformer. Its logits are a hash of
/// the cache's content (token ids and positions of the first head's slots), so a wrong rollback,
/// chunk or compaction shows in the next token. Owned by one thread unless a member states
/// otherwise.

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
    /// The likeliest token repeats with this period of positions; 0 = determined by the hash.
    int period = 0;
    bool tellingQueries = false;    ///< a query begins with its position and its token
    int window = 0;                 ///< window of the first layer; 0 = none, as in the other layers
    int surpriseEvery = 0;          ///< every n-th position uses the hash; 0 = never
    std::string templateText = {};  ///< its chat template; empty = the built-in ChatML
};

/// Byte-level vocabulary: 256 bytes, <|im_start|>, <|im_end|>.
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

    /// Called before each forward pass with its number from 0. A failure is returned as that of the
    /// pass and leaves the cache unchanged. `inside` is called within a step, before each layer.
    std::function<Status(std::int64_t)> before;
    std::function<void(std::int64_t)> inside;
    /// Called for every run. If it returns true the forward pass fails with NoMemory and all caches
    /// stay unchanged.
    std::function<bool(const BatchRun&)> refuse;
    [[nodiscard]] std::int64_t forwards() const { return forwards_; }
    /// Returns the number of tokens of every computed run and of every forward pass.
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

/// Makers of fake models: path "fake" loads, path "missing" fails with NotFound. The hooks are
/// passed to every transformer.
struct FakeModels {
    FakeModelOptions options;
    std::function<Status(std::int64_t)> before;
    std::function<void(std::int64_t)> inside;
    std::function<bool(const BatchRun&)> refuse;
    std::atomic<int> loads{0};
    [[nodiscard]] ModelMakers makers();
};

}  // namespace lacuna::test
