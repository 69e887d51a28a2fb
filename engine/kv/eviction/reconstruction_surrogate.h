#pragma once
/// \file
/// Reconstruction scores without a repetition of the text (KVzip, arXiv:2505.23416;
/// reconstruction_scores.h). They are predicted from the input of each layer by one linear map per
/// layer, fitted once to the model (like KVzap, arXiv:2601.07891). The cost is one dot product of
/// the hidden size per token and KV head, without a second reading. docs/eviction.md, "Predicted
/// scores".

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// log u of a token in a KV head = weights . input + bias, where input is the input of the query,
/// key and value projections of the layer. Plain data; immutable in use.
struct ReconstructionSurrogate {
    std::string model = {};        ///< display name
    std::string fingerprint = {};  ///< fingerprint of the model it was fitted to
    std::string how = {};          ///< description of the fit, for display
    int layers = 0;
    int kvHeads = 0;  ///< 0 if `layerHeads` is set
    int hidden = 0;
    std::vector<float> weights = {};   ///< [heads of all layers, hidden]
    std::vector<float> bias = {};      ///< [heads of all layers]
    std::vector<int> layerHeads = {};  ///< [layers] if the layers differ, otherwise empty
    friend bool operator==(const ReconstructionSurrogate&,
                           const ReconstructionSurrogate&) = default;

    /// Hash of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
    [[nodiscard]] int headsOf(int layer) const { return headsOfLayer(kvHeads, layerHeads, layer); }
    /// Number of a head, as by KvShape::headIndex.
    [[nodiscard]] int indexOf(int layer, int head) const {
        return headsBeforeLayer(kvHeads, layerHeads, layer) + head;
    }
    [[nodiscard]] const float* weightsOf(int layer, int head) const {
        return weights.data() + std::int64_t{indexOf(layer, head)} * hidden;
    }
};

/// Predicts the scores of one sequence while it is read, by logical position. Owned by the engine
/// thread.
class PredictedScores final : public QueryObserver {
  public:
    explicit PredictedScores(std::shared_ptr<const ReconstructionSurrogate> surrogate);
    [[nodiscard]] bool observesInputs() const override { return true; }
    /// @pre inputs [tokens, hidden of the surrogate]
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override;
    void observeQueries(LayerIndex, View<const float, 3>, Position) override {}
    [[nodiscard]] const std::shared_ptr<const ReconstructionSurrogate>& surrogate() const {
        return surrogate_;
    }
    /// Drops tokens at and after this position.
    void dropFrom(Position position);
    /// Number of tokens from the beginning that every layer has seen; 0 if the beginning was not
    /// seen.
    [[nodiscard]] std::int64_t tokens() const;
    /// Scores of the first `tokens` tokens. @pre tokens <= tokens()
    [[nodiscard]] ReconstructionScores scores(std::int64_t tokens) const;
    [[nodiscard]] bool uses(const std::shared_ptr<const ReconstructionSurrogate>& other) const {
        return surrogate_ == other;
    }

  private:
    std::shared_ptr<const ReconstructionSurrogate> surrogate_;
    std::vector<std::vector<float>> shares_;  ///< by layer: [tokens, heads of the layer]
};

}  // namespace lacuna
