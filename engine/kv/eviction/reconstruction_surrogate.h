#pragma once
/// \file
/// Reconstruction scores without a repetition: what a repetition of the text would look at (KVzip,
/// arXiv 2505.23416; reconstruction_scores.h) is foretold from what each layer reads of a token, by
/// one linear map a layer that was fitted once to the model (as KVzap, arXiv 2601.07891, does). It
/// costs one dot product of the hidden size per token and KV head, and no second reading.
/// docs/eviction.md, "Scores foretold".

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// log u of a token in a KV head = weights . input + bias, where input is what the query, key and
/// value matrices of the layer are multiplied with. Plain data; immutable in use.
struct ReconstructionSurrogate {
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model it was fitted to
    std::string how = {};          ///< it was fitted, for people
    int layers = 0;
    int kvHeads = 0;
    int hidden = 0;
    std::vector<float> weights = {};  ///< [layers, kvHeads, hidden]
    std::vector<float> bias = {};     ///< [layers, kvHeads]
    friend bool operator==(const ReconstructionSurrogate&,
                           const ReconstructionSurrogate&) = default;

    /// Of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
    [[nodiscard]] const float* weightsOf(int layer, int head) const {
        return weights.data() + (std::int64_t{layer} * kvHeads + head) * hidden;
    }
};

/// Foretells the scores of one sequence while it is read, by logical position. Owned by the engine
/// thread.
class ForetoldScores final : public QueryObserver {
  public:
    explicit ForetoldScores(std::shared_ptr<const ReconstructionSurrogate> surrogate);
    [[nodiscard]] bool wantsInputs() const override { return true; }
    /// @pre inputs [tokens, hidden of the surrogate]
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override;
    void observeQueries(LayerIndex, View<const float, 3>, Position) override {}
    [[nodiscard]] const std::shared_ptr<const ReconstructionSurrogate>& surrogate() const {
        return surrogate_;
    }
    /// Forgets tokens at and after this position.
    void forgetFrom(Position position);
    /// Tokens from the beginning on that every layer has seen; 0 where the beginning was not seen.
    [[nodiscard]] std::int64_t tokens() const;
    /// Of the first `tokens` tokens. @pre tokens <= tokens()
    [[nodiscard]] ReconstructionScores scores(std::int64_t tokens) const;
    [[nodiscard]] bool uses(const std::shared_ptr<const ReconstructionSurrogate>& other) const {
        return surrogate_ == other;
    }

  private:
    std::shared_ptr<const ReconstructionSurrogate> surrogate_;
    std::vector<std::vector<float>> shares_;  ///< by layer: [tokens, kvHeads]
};

}  // namespace lacuna
